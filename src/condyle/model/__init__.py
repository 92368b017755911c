"""What the user declares: the Model, its parts, points on bodies, functions of time. Plain data, validated.

Imports only NumPy and `condyle.errors`; nothing here knows how a model is solved.
"""

from condyle.model.functions import (
    Constant,
    Function,
    Harmonic,
    Integral,
    Polynomial,
    Pulse,
    Ramp,
    Spline,
    Table,
    TimeFunction,
)
from condyle.model.model import Model
from condyle.model.part import Part, part_types
from condyle.model.point import Point
from condyle.model.rotations import rotation

__all__ = [
    "Constant",
    "Function",
    "Harmonic",
    "Integral",
    "Model",
    "Part",
    "Point",
    "Polynomial",
    "Pulse",
    "Ramp",
    "Spline",
    "Table",
    "TimeFunction",
    "part_types",
    "rotation",
]
