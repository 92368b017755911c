"""Condyle simulates motion and stress together: rigid and deformable bodies, joints, forces and contact.

    import condyle as cd

The public names live here, one import path each, and are loaded when first used: ``import condyle`` alone loads
neither NumPy nor Numba, so that the command line answers at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# A public name and the module that defines it. A new name is a line here and a line in the block below.
_HOME = {
    "AncfBeam": "condyle.bodies",
    "AssemblyError": "condyle.errors",
    "Augmented": "condyle.joints",
    "BDF": "condyle.integrators.bdf",
    "Beam": "condyle.bodies",
    "Body": "condyle.bodies",
    "BodyForce": "condyle.forces",
    "Box": "condyle.contact",
    "Brick": "condyle.bodies",
    "Bushing": "condyle.forces",
    "Cable": "condyle.bodies",
    "Capsule": "condyle.contact",
    "Claim": "condyle.claims",
    "Clamp": "condyle.joints",
    "Compliant": "condyle.integrators.compliant",
    "ConditionalPoint": "condyle.muscles",
    "CondyleError": "condyle.errors",
    "Cone": "condyle.contact",
    "Constant": "condyle.model",
    "Contact": "condyle.contact",
    "Context": "condyle.study",
    "ConvergenceError": "condyle.errors",
    "CoordinateDamper": "condyle.joints",
    "CoordinateForce": "condyle.joints",
    "CoordinateSpring": "condyle.joints",
    "Coupling": "condyle.joints",
    "CustomJoint": "condyle.joints",
    "Cylinder": "condyle.contact",
    "CylinderWrap": "condyle.muscles",
    "Cylindrical": "condyle.joints",
    "Damper": "condyle.forces",
    "Distance": "condyle.joints",
    "DistributedLoad": "condyle.forces",
    "Drive": "condyle.joints",
    "Drum": "condyle.joints",
    "Ellipsoid": "condyle.contact",
    "EllipsoidWrap": "condyle.muscles",
    "EnergyMomentum": "condyle.integrators.energy_momentum",
    "EnergyWarning": "condyle.integrators.balance",
    "EquilibriumPath": "condyle.analysis.arc_length",
    "FacetSurface": "condyle.contact",
    "FibreReinforced": "condyle.bodies",
    "Fixed": "condyle.joints",
    "Follow": "condyle.joints",
    "FollowerForce": "condyle.forces",
    "ForceActuator": "condyle.muscles",
    "Frame": "condyle.bodies",
    "FullNewton": "condyle.integrators.strategy",
    "Function": "condyle.model",
    "Gear": "condyle.joints",
    "GeneralizedAlpha": "condyle.integrators.generalized_alpha",
    "GenericAncf": "condyle.bodies",
    "Gravity": "condyle.forces",
    "Ground": "condyle.bodies",
    "HHT": "condyle.integrators.generalized_alpha",
    "Harmonic": "condyle.model",
    "HermiteCurve": "condyle.contact",
    "HermiteSurface": "condyle.contact",
    "Hold": "condyle.joints",
    "Initial": "condyle.joints",
    "InputError": "condyle.errors",
    "InputWarning": "condyle.errors",
    "Integral": "condyle.model",
    "IteratedNewmark": "condyle.integrators.explicit",
    "Joint": "condyle.joints",
    "LawConstraint": "condyle.forces",
    "LawEnergy": "condyle.forces",
    "LawForce": "condyle.forces",
    "LawMaterial": "condyle.bodies",
    "Ligament": "condyle.muscles",
    "Limit": "condyle.joints",
    "Linearised": "condyle.analysis.linearise",
    "LinearisedImplicit": "condyle.integrators.compliant",
    "Load": "condyle.forces",
    "MarkerFit": "condyle.analysis.kinematics",
    "Material": "condyle.bodies",
    "Mesh": "condyle.bodies",
    "Model": "condyle.model",
    "Modes": "condyle.analysis.modes",
    "ModifiedNewton": "condyle.integrators.strategy",
    "Moment": "condyle.forces",
    "MomentActuator": "condyle.muscles",
    "MooneyRivlin": "condyle.bodies",
    "MotionTable": "condyle.model.motion",
    "MovingPoint": "condyle.muscles",
    "Muscle": "condyle.muscles",
    "NeoHookean": "condyle.bodies",
    "Newmark": "condyle.integrators.generalized_alpha",
    "Ogden": "condyle.bodies",
    "Parameter": "condyle.study",
    "Part": "condyle.model",
    "Penalty": "condyle.joints",
    "Pin": "condyle.joints",
    "Planar": "condyle.joints",
    "Plane": "condyle.contact",
    "Plate": "condyle.bodies",
    "Point": "condyle.model",
    "PointMass": "condyle.bodies",
    "PointOnLine": "condyle.joints",
    "PointOnPlane": "condyle.joints",
    "Pressure": "condyle.forces",
    "Prismatic": "condyle.joints",
    "PseudoRigidBody": "condyle.bodies",
    "QuadratureWarning": "condyle.bodies",
    "QuasiStatic": "condyle.integrators.equilibrium",
    "Ramp": "condyle.model",
    "RayleighDamping": "condyle.forces",
    "RectangularSection": "condyle.bodies",
    "RedundancyWarning": "condyle.system.redundancy",
    "Result": "condyle.results",
    "Revolute": "condyle.joints",
    "Revolution": "condyle.contact",
    "RigidBody": "condyle.bodies",
    "RigidSimplex": "condyle.bodies",
    "Robust": "condyle.bodies",
    "Rod": "condyle.bodies",
    "Rope": "condyle.bodies",
    "Rotation": "condyle.joints",
    "RoundSection": "condyle.bodies",
    "RungeKutta": "condyle.integrators.explicit",
    "ScipyReference": "condyle.integrators.scipy_reference",
    "Screw": "condyle.joints",
    "SemiImplicit": "condyle.integrators.compliant",
    "Shell": "condyle.bodies",
    "Shot": "condyle.analysis.shooting",
    "Simulation": "condyle.integrators.simulation",
    "Slider": "condyle.joints",
    "Solid": "condyle.bodies",
    "SolidFields": "condyle.results",
    "Sphere": "condyle.contact",
    "SphereWrap": "condyle.muscles",
    "Spherical": "condyle.joints",
    "Spline": "condyle.model",
    "SplineCurve": "condyle.contact",
    "SplineSurface": "condyle.contact",
    "Spring": "condyle.forces",
    "StVenantKirchhoff": "condyle.bodies",
    "StabilityWarning": "condyle.analysis.stability",
    "State": "condyle.system.state",
    "Study": "condyle.study",
    "Surface": "condyle.contact",
    "Table": "condyle.model",
    "TaperedSection": "condyle.bodies",
    "Tie": "condyle.joints",
    "TimeFunction": "condyle.model",
    "Tolerance": "condyle.integrators.newton",
    "Torque": "condyle.forces",
    "TorusWrap": "condyle.muscles",
    "Torus": "condyle.contact",
    "Traction": "condyle.forces",
    "Translation": "condyle.joints",
    "Universal": "condyle.joints",
    "UserForce": "condyle.forces",
    "Verdict": "condyle.claims",
    "Weld": "condyle.joints",
    "Yeoh": "condyle.bodies",
    "check": "condyle.analysis.check",
    "compare": "condyle.analysis.compare",
    "compile": "condyle.system.compile",
    "eigenmodes": "condyle.analysis.modes",
    "find_redundant": "condyle.system.redundancy",
    "inverse_dynamics": "condyle.analysis.inverse",
    "inverse_forces": "condyle.analysis.inverse",
    "inverse_kinematics": "condyle.analysis.kinematics",
    "largest_step": "condyle.integrators.compliant",
    "law": "condyle.laws.user",
    "line_forces": "condyle.results",
    "linearise": "condyle.analysis.linearise",
    "load": "condyle.results",
    "material_curves": "condyle.results",
    "muscle_curves": "condyle.results",
    "part_types": "condyle.model",
    "plot_line_forces": "condyle.results",
    "plot_material": "condyle.results",
    "plot_muscle": "condyle.results",
    "profile": "condyle.analysis.profile",
    "read_motion": "condyle.model.motion",
    "register_element": "condyle.bodies",
    "register_integrator": "condyle.integrators.registry",
    "relax": "condyle.analysis.relaxation",
    "resume": "condyle.integrators.driver",
    "rotation": "condyle.model",
    "shoot": "condyle.analysis.shooting",
    "simulate": "condyle.integrators.driver",
    "solve_static": "condyle.analysis.statics",
    "static_optimisation": "condyle.analysis.inverse",
    "trace_equilibrium": "condyle.analysis.arc_length",
    "write_vtk": "condyle.results",
}

if TYPE_CHECKING:  # the same names for type checkers and editors; "X as X" marks a deliberate re-export
    from condyle.analysis.arc_length import EquilibriumPath as EquilibriumPath
    from condyle.analysis.arc_length import trace_equilibrium as trace_equilibrium
    from condyle.analysis.check import check as check
    from condyle.analysis.compare import compare as compare
    from condyle.analysis.inverse import inverse_dynamics as inverse_dynamics
    from condyle.analysis.inverse import inverse_forces as inverse_forces
    from condyle.analysis.inverse import static_optimisation as static_optimisation
    from condyle.analysis.kinematics import MarkerFit as MarkerFit
    from condyle.analysis.kinematics import inverse_kinematics as inverse_kinematics
    from condyle.analysis.linearise import Linearised as Linearised
    from condyle.analysis.linearise import linearise as linearise
    from condyle.analysis.modes import Modes as Modes
    from condyle.analysis.modes import eigenmodes as eigenmodes
    from condyle.analysis.profile import profile as profile
    from condyle.analysis.relaxation import relax as relax
    from condyle.analysis.shooting import Shot as Shot
    from condyle.analysis.shooting import shoot as shoot
    from condyle.analysis.stability import StabilityWarning as StabilityWarning
    from condyle.analysis.statics import solve_static as solve_static
    from condyle.bodies import AncfBeam as AncfBeam
    from condyle.bodies import Beam as Beam
    from condyle.bodies import Body as Body
    from condyle.bodies import Brick as Brick
    from condyle.bodies import Cable as Cable
    from condyle.bodies import FibreReinforced as FibreReinforced
    from condyle.bodies import Frame as Frame
    from condyle.bodies import GenericAncf as GenericAncf
    from condyle.bodies import Ground as Ground
    from condyle.bodies import LawMaterial as LawMaterial
    from condyle.bodies import Material as Material
    from condyle.bodies import Mesh as Mesh
    from condyle.bodies import MooneyRivlin as MooneyRivlin
    from condyle.bodies import NeoHookean as NeoHookean
    from condyle.bodies import Ogden as Ogden
    from condyle.bodies import Plate as Plate
    from condyle.bodies import PointMass as PointMass
    from condyle.bodies import PseudoRigidBody as PseudoRigidBody
    from condyle.bodies import QuadratureWarning as QuadratureWarning
    from condyle.bodies import RectangularSection as RectangularSection
    from condyle.bodies import RigidBody as RigidBody
    from condyle.bodies import RigidSimplex as RigidSimplex
    from condyle.bodies import Robust as Robust
    from condyle.bodies import Rod as Rod
    from condyle.bodies import Rope as Rope
    from condyle.bodies import RoundSection as RoundSection
    from condyle.bodies import Shell as Shell
    from condyle.bodies import Solid as Solid
    from condyle.bodies import StVenantKirchhoff as StVenantKirchhoff
    from condyle.bodies import TaperedSection as TaperedSection
    from condyle.bodies import Yeoh as Yeoh
    from condyle.bodies import register_element as register_element
    from condyle.claims import Claim as Claim
    from condyle.claims import Verdict as Verdict
    from condyle.contact import Box as Box
    from condyle.contact import Capsule as Capsule
    from condyle.contact import Cone as Cone
    from condyle.contact import Contact as Contact
    from condyle.contact import Cylinder as Cylinder
    from condyle.contact import Ellipsoid as Ellipsoid
    from condyle.contact import FacetSurface as FacetSurface
    from condyle.contact import HermiteCurve as HermiteCurve
    from condyle.contact import HermiteSurface as HermiteSurface
    from condyle.contact import Plane as Plane
    from condyle.contact import Revolution as Revolution
    from condyle.contact import Sphere as Sphere
    from condyle.contact import SplineCurve as SplineCurve
    from condyle.contact import SplineSurface as SplineSurface
    from condyle.contact import Surface as Surface
    from condyle.contact import Torus as Torus
    from condyle.errors import AssemblyError as AssemblyError
    from condyle.errors import CondyleError as CondyleError
    from condyle.errors import ConvergenceError as ConvergenceError
    from condyle.errors import InputError as InputError
    from condyle.errors import InputWarning as InputWarning
    from condyle.forces import BodyForce as BodyForce
    from condyle.forces import Bushing as Bushing
    from condyle.forces import Damper as Damper
    from condyle.forces import DistributedLoad as DistributedLoad
    from condyle.forces import FollowerForce as FollowerForce
    from condyle.forces import Gravity as Gravity
    from condyle.forces import LawConstraint as LawConstraint
    from condyle.forces import LawEnergy as LawEnergy
    from condyle.forces import LawForce as LawForce
    from condyle.forces import Load as Load
    from condyle.forces import Moment as Moment
    from condyle.forces import Pressure as Pressure
    from condyle.forces import RayleighDamping as RayleighDamping
    from condyle.forces import Spring as Spring
    from condyle.forces import Torque as Torque
    from condyle.forces import Traction as Traction
    from condyle.forces import UserForce as UserForce
    from condyle.integrators.balance import EnergyWarning as EnergyWarning
    from condyle.integrators.bdf import BDF as BDF
    from condyle.integrators.compliant import Compliant as Compliant
    from condyle.integrators.compliant import LinearisedImplicit as LinearisedImplicit
    from condyle.integrators.compliant import SemiImplicit as SemiImplicit
    from condyle.integrators.compliant import largest_step as largest_step
    from condyle.integrators.driver import resume as resume
    from condyle.integrators.driver import simulate as simulate
    from condyle.integrators.energy_momentum import EnergyMomentum as EnergyMomentum
    from condyle.integrators.equilibrium import QuasiStatic as QuasiStatic
    from condyle.integrators.explicit import IteratedNewmark as IteratedNewmark
    from condyle.integrators.explicit import RungeKutta as RungeKutta
    from condyle.integrators.generalized_alpha import HHT as HHT
    from condyle.integrators.generalized_alpha import GeneralizedAlpha as GeneralizedAlpha
    from condyle.integrators.generalized_alpha import Newmark as Newmark
    from condyle.integrators.newton import Tolerance as Tolerance
    from condyle.integrators.registry import register_integrator as register_integrator
    from condyle.integrators.scipy_reference import ScipyReference as ScipyReference
    from condyle.integrators.simulation import Simulation as Simulation
    from condyle.integrators.strategy import FullNewton as FullNewton
    from condyle.integrators.strategy import ModifiedNewton as ModifiedNewton
    from condyle.joints import Augmented as Augmented
    from condyle.joints import Clamp as Clamp
    from condyle.joints import CoordinateDamper as CoordinateDamper
    from condyle.joints import CoordinateForce as CoordinateForce
    from condyle.joints import CoordinateSpring as CoordinateSpring
    from condyle.joints import Coupling as Coupling
    from condyle.joints import CustomJoint as CustomJoint
    from condyle.joints import Cylindrical as Cylindrical
    from condyle.joints import Distance as Distance
    from condyle.joints import Drive as Drive
    from condyle.joints import Drum as Drum
    from condyle.joints import Fixed as Fixed
    from condyle.joints import Follow as Follow
    from condyle.joints import Gear as Gear
    from condyle.joints import Hold as Hold
    from condyle.joints import Initial as Initial
    from condyle.joints import Joint as Joint
    from condyle.joints import Limit as Limit
    from condyle.joints import Penalty as Penalty
    from condyle.joints import Pin as Pin
    from condyle.joints import Planar as Planar
    from condyle.joints import PointOnLine as PointOnLine
    from condyle.joints import PointOnPlane as PointOnPlane
    from condyle.joints import Prismatic as Prismatic
    from condyle.joints import Revolute as Revolute
    from condyle.joints import Rotation as Rotation
    from condyle.joints import Screw as Screw
    from condyle.joints import Slider as Slider
    from condyle.joints import Spherical as Spherical
    from condyle.joints import Tie as Tie
    from condyle.joints import Translation as Translation
    from condyle.joints import Universal as Universal
    from condyle.joints import Weld as Weld
    from condyle.laws.user import law as law
    from condyle.model import Constant as Constant
    from condyle.model import Function as Function
    from condyle.model import Harmonic as Harmonic
    from condyle.model import Integral as Integral
    from condyle.model import Model as Model
    from condyle.model import Part as Part
    from condyle.model import Point as Point
    from condyle.model import Ramp as Ramp
    from condyle.model import Spline as Spline
    from condyle.model import Table as Table
    from condyle.model import TimeFunction as TimeFunction
    from condyle.model import part_types as part_types
    from condyle.model import rotation as rotation
    from condyle.model.motion import MotionTable as MotionTable
    from condyle.model.motion import read_motion as read_motion
    from condyle.muscles import ConditionalPoint as ConditionalPoint
    from condyle.muscles import CylinderWrap as CylinderWrap
    from condyle.muscles import EllipsoidWrap as EllipsoidWrap
    from condyle.muscles import ForceActuator as ForceActuator
    from condyle.muscles import Ligament as Ligament
    from condyle.muscles import MomentActuator as MomentActuator
    from condyle.muscles import MovingPoint as MovingPoint
    from condyle.muscles import Muscle as Muscle
    from condyle.muscles import SphereWrap as SphereWrap
    from condyle.muscles import TorusWrap as TorusWrap
    from condyle.results import Result as Result
    from condyle.results import SolidFields as SolidFields
    from condyle.results import line_forces as line_forces
    from condyle.results import load as load
    from condyle.results import material_curves as material_curves
    from condyle.results import muscle_curves as muscle_curves
    from condyle.results import plot_line_forces as plot_line_forces
    from condyle.results import plot_material as plot_material
    from condyle.results import plot_muscle as plot_muscle
    from condyle.results import write_vtk as write_vtk
    from condyle.study import Context as Context
    from condyle.study import Parameter as Parameter
    from condyle.study import Study as Study
    from condyle.system.compile import compile as compile
    from condyle.system.redundancy import RedundancyWarning as RedundancyWarning
    from condyle.system.redundancy import find_redundant as find_redundant
    from condyle.system.state import State as State

__all__ = ["__version__", *_HOME]


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'condyle' has no attribute {name!r}{_nearest(name)}")
    from importlib import import_module

    value = getattr(import_module(home), name)
    globals()[name] = value  # the next access does not come here again
    return value


def _nearest(name: str) -> str:
    """A hint for a name that does not exist: what begins or ends it, and what looks like it."""
    if name.startswith("_"):
        return ""
    import difflib

    inside = [known for known in _HOME if name.startswith(known) or name.endswith(known)]
    near = dict.fromkeys([*inside, *difflib.get_close_matches(name, _HOME, n=2, cutoff=0.7)])
    return f"; did you mean {' or '.join(near)}?" if near else ""


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
