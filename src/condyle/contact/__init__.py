"""Contact: surfaces that bodies carry, the conditions between points and surfaces, and how they enter Newton's method."""

from condyle.contact.articular import ArticularContact, SurfaceEdgeWarning, foundation_stiffness, hertz_stiffness
from condyle.contact.articular_surface import ArticularSurface
from condyle.contact.blow import Rebound, rebound
from condyle.contact.collisions import Collisions
from condyle.contact.contact import Contact
from condyle.contact.curves import HermiteCurve, Revolution, SplineCurve
from condyle.contact.facets import FacetSurface
from condyle.contact.laws import (
    Bristle,
    ContactLaw,
    ContactTable,
    Coulomb,
    Flores,
    Foundation,
    FrictionLaw,
    Gonthier,
    Hard,
    HerbertMcWhannell,
    Hertz,
    HertzHysteresis,
    HuntCrossley,
    Impact,
    LankaraniNikravesh,
    LeeWang,
    LuGre,
    NonlinearDashpot,
    Regularised,
    SmoothSwitch,
    SpringDashpot,
    Stronge,
    SurfaceFriction,
    ZhangSharf,
)
from condyle.contact.parametric import FlatSurface, ParametricSurface, RevolvedSurface
from condyle.contact.patch_contact import PatchContact
from condyle.contact.patches import HermiteSurface, SplineSurface
from condyle.contact.pieces import PolynomialPatch, SplinePatch
from condyle.contact.shapes import Box, Capsule, Cone, Cylinder, Ellipsoid, Plane, Sphere, Torus
from condyle.contact.surface import Surface

__all__ = [
    "ArticularContact",
    "ArticularSurface",
    "Box",
    "Bristle",
    "Capsule",
    "Collisions",
    "Cone",
    "Contact",
    "ContactLaw",
    "ContactTable",
    "Coulomb",
    "Cylinder",
    "Ellipsoid",
    "FacetSurface",
    "FlatSurface",
    "Flores",
    "Foundation",
    "FrictionLaw",
    "Gonthier",
    "Hard",
    "HerbertMcWhannell",
    "HermiteCurve",
    "HermiteSurface",
    "Hertz",
    "HertzHysteresis",
    "HuntCrossley",
    "Impact",
    "LankaraniNikravesh",
    "LeeWang",
    "LuGre",
    "NonlinearDashpot",
    "ParametricSurface",
    "PatchContact",
    "Plane",
    "PolynomialPatch",
    "Rebound",
    "Regularised",
    "Revolution",
    "RevolvedSurface",
    "SmoothSwitch",
    "Sphere",
    "SplineCurve",
    "SplinePatch",
    "SplineSurface",
    "SpringDashpot",
    "Stronge",
    "Surface",
    "SurfaceEdgeWarning",
    "SurfaceFriction",
    "Torus",
    "ZhangSharf",
    "foundation_stiffness",
    "hertz_stiffness",
    "rebound",
]
