"""Each kind of body: what the user declares of it, its rows, its mass and the laws it contributes.

Imports `condyle.model`, `condyle.laws` (codes of laws, laws of the user's own) and the interface of
`condyle.system.builder`; knows nothing of integrators. A new body is one file that defines a `Body` and an `Anchor`.
"""

from condyle.bodies.ancf import (
    AncfBeam,
    Beam,
    Brick,
    Cable,
    EllipticSection,
    GenericAncf,
    PlanarBeam,
    Plate,
    QuadratureWarning,
    RectangularSection,
    Rope,
    RoundSection,
    Shell,
    TaperedSection,
)
from condyle.bodies.elements import register_element
from condyle.bodies.ground import Frame, Ground
from condyle.bodies.materials import (
    ArrudaBoyce,
    FibreReinforced,
    HolzapfelGasserOgden,
    LawMaterial,
    LigamentTissue,
    Material,
    MooneyRivlin,
    NeoHookean,
    Ogden,
    Robust,
    StVenantKirchhoff,
    VerondaWestmann,
    Yeoh,
)
from condyle.bodies.mesh import Mesh
from condyle.bodies.point_mass import PointMass
from condyle.bodies.pseudo_rigid import PseudoRigidBody
from condyle.bodies.rigid import RigidBody
from condyle.bodies.rod import Rod
from condyle.bodies.simplex import RigidSimplex
from condyle.bodies.solid import Solid
from condyle.model.body import Body

__all__ = [
    "AncfBeam",
    "ArrudaBoyce",
    "Beam",
    "Body",
    "Brick",
    "Cable",
    "EllipticSection",
    "FibreReinforced",
    "Frame",
    "GenericAncf",
    "Ground",
    "HolzapfelGasserOgden",
    "LawMaterial",
    "LigamentTissue",
    "Material",
    "Mesh",
    "MooneyRivlin",
    "NeoHookean",
    "Ogden",
    "PlanarBeam",
    "Plate",
    "PointMass",
    "PseudoRigidBody",
    "QuadratureWarning",
    "RectangularSection",
    "RigidBody",
    "RigidSimplex",
    "Robust",
    "Rod",
    "Rope",
    "RoundSection",
    "Shell",
    "Solid",
    "StVenantKirchhoff",
    "TaperedSection",
    "VerondaWestmann",
    "Yeoh",
    "register_element",
]
