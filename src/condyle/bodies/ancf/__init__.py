"""Bodies of the absolute nodal coordinate formulation: nodes carry positions and gradients, no angles.

shapes.py     shape functions from monomials, Gauss points
sections.py, lines.py, meshes.py   what bodies are made of; splines.py: B-splines and NURBS as elements
body.py       rows, points and pictures of all of them
measures.py   energy and mass of one element along a line, on a surface, in a volume
frames.py     strains of geometrically exact beams; directors.py, gradients.py: the two measures of AncfBeam
continuum.py  an AncfBeam of any material, integrated over its volume; planar.py: planar beams whose sections may warp
cable.py, beam.py, exact.py, plate.py, shell.py, brick.py, generic.py   the families
stations.py   forces along lines, out of a state
"""

from condyle.bodies.ancf.beam import AncfBeam
from condyle.bodies.ancf.body import AncfBody, QuadratureWarning
from condyle.bodies.ancf.brick import Brick
from condyle.bodies.ancf.cable import Cable
from condyle.bodies.ancf.exact import Beam
from condyle.bodies.ancf.generic import GenericAncf
from condyle.bodies.ancf.planar import PlanarBeam
from condyle.bodies.ancf.plate import Plate
from condyle.bodies.ancf.sections import EllipticSection, RectangularSection, Rope, RoundSection, TaperedSection
from condyle.bodies.ancf.shell import Shell

__all__ = [
    "AncfBeam",
    "AncfBody",
    "Beam",
    "Brick",
    "Cable",
    "EllipticSection",
    "GenericAncf",
    "PlanarBeam",
    "Plate",
    "QuadratureWarning",
    "RectangularSection",
    "Rope",
    "RoundSection",
    "Shell",
    "TaperedSection",
]
