"""Bodies of the absolute nodal coordinate formulation: nodes carry positions and gradients, no angles.

shapes.py: shape functions from monomials; body.py: rows, points and pictures of all of them; then a file per family.
"""

from condyle.bodies.ancf.body import AncfBody, QuadratureWarning
from condyle.bodies.ancf.cable import Cable
from condyle.bodies.ancf.sections import RectangularSection, Rope, RoundSection, TaperedSection

__all__ = ["AncfBody", "Cable", "QuadratureWarning", "RectangularSection", "Rope", "RoundSection", "TaperedSection"]
