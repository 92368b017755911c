"""Muscles, ligaments and actuators: what pulls along a path over points and surfaces of any body.

Imports `condyle.model`, codes of `condyle.laws`, `condyle.joints` (coordinates) and the interface of `condyle.system.builder`.
"""

from condyle.muscles.actuators import ForceActuator, MomentActuator
from condyle.muscles.hill import Muscle
from condyle.muscles.ligament import Ligament
from condyle.muscles.millard import MillardShape
from condyle.muscles.path import ConditionalPoint, MovingPoint
from condyle.muscles.surfaces import CylinderWrap, EllipsoidWrap, SphereWrap, TorusWrap

__all__ = [
    "ConditionalPoint",
    "CylinderWrap",
    "EllipsoidWrap",
    "ForceActuator",
    "Ligament",
    "MillardShape",
    "MomentActuator",
    "MovingPoint",
    "Muscle",
    "SphereWrap",
    "TorusWrap",
]
