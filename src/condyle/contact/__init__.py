"""Contact: surfaces that bodies carry, the conditions between points and surfaces, and how they enter Newton's method."""

from condyle.contact.contact import Contact
from condyle.contact.curves import HermiteCurve, Revolution, SplineCurve
from condyle.contact.facets import FacetSurface
from condyle.contact.patches import HermiteSurface, SplineSurface
from condyle.contact.shapes import Box, Capsule, Cone, Cylinder, Ellipsoid, Plane, Sphere, Torus
from condyle.contact.surface import Surface

__all__ = [
    "Box",
    "Capsule",
    "Cone",
    "Contact",
    "Cylinder",
    "Ellipsoid",
    "FacetSurface",
    "HermiteCurve",
    "HermiteSurface",
    "Plane",
    "Revolution",
    "Sphere",
    "SplineCurve",
    "SplineSurface",
    "Surface",
    "Torus",
]
