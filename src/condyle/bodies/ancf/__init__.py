"""Bodies of the absolute nodal coordinate formulation: nodes carry positions and gradients, no angles.

shapes.py     shape functions from monomials, Gauss points
sections.py, lines.py, meshes.py   what bodies are made of
body.py       rows, points and pictures of all of them
measures.py   energy and mass of one element along a line, on a surface, in a volume
cable.py, beam.py, plate.py, shell.py, brick.py, generic.py   the families
"""

from condyle.bodies.ancf.beam import AncfBeam
from condyle.bodies.ancf.body import AncfBody, QuadratureWarning
from condyle.bodies.ancf.brick import Brick
from condyle.bodies.ancf.cable import Cable
from condyle.bodies.ancf.generic import GenericAncf
from condyle.bodies.ancf.plate import Plate
from condyle.bodies.ancf.sections import RectangularSection, Rope, RoundSection, TaperedSection
from condyle.bodies.ancf.shell import Shell

__all__ = [
    "AncfBeam",
    "AncfBody",
    "Brick",
    "Cable",
    "GenericAncf",
    "Plate",
    "QuadratureWarning",
    "RectangularSection",
    "Rope",
    "RoundSection",
    "Shell",
    "TaperedSection",
]
