"""Condyle simulates motion and stress together: rigid and deformable bodies, joints, forces and contact.

    import condyle as cd

The public names live here, one import path each, and are loaded when first used: ``import condyle`` alone loads
neither NumPy nor Numba, so that the command line answers at once.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# The one list of public names: type checkers and editors read it as it stands, and `_HOME` is made from it.
if TYPE_CHECKING:
    from condyle import geometry as geometry
    from condyle import methods as methods
    from condyle import solvers as solvers
    from condyle.analysis.arc_length import EquilibriumPath as EquilibriumPath
    from condyle.analysis.arc_length import trace_equilibrium as trace_equilibrium
    from condyle.analysis.batch import batch as batch
    from condyle.analysis.batch_result import BatchResult as BatchResult
    from condyle.analysis.check import check as check
    from condyle.analysis.compare import compare as compare
    from condyle.analysis.dynamics import resume as resume
    from condyle.analysis.dynamics import simulate as simulate
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
    from condyle.analysis.sensitivity import SensitiveRun as SensitiveRun
    from condyle.analysis.shooting import Shot as Shot
    from condyle.analysis.shooting import shoot as shoot
    from condyle.analysis.stability import StabilityWarning as StabilityWarning
    from condyle.analysis.statics import solve_static as solve_static
    from condyle.analysis.stored import load as load
    from condyle.anatomy import Bundle as Bundle
    from condyle.anatomy import Knee as Knee
    from condyle.anatomy import MeniscusRing as MeniscusRing
    from condyle.anatomy import add_knee as add_knee
    from condyle.anatomy import build_knee as build_knee
    from condyle.bodies import AncfBeam as AncfBeam
    from condyle.bodies import ArrudaBoyce as ArrudaBoyce
    from condyle.bodies import Beam as Beam
    from condyle.bodies import Body as Body
    from condyle.bodies import Brick as Brick
    from condyle.bodies import Cable as Cable
    from condyle.bodies import EllipticSection as EllipticSection
    from condyle.bodies import FibreReinforced as FibreReinforced
    from condyle.bodies import Frame as Frame
    from condyle.bodies import GenericAncf as GenericAncf
    from condyle.bodies import Ground as Ground
    from condyle.bodies import HolzapfelGasserOgden as HolzapfelGasserOgden
    from condyle.bodies import LawMaterial as LawMaterial
    from condyle.bodies import LigamentTissue as LigamentTissue
    from condyle.bodies import Material as Material
    from condyle.bodies import Mesh as Mesh
    from condyle.bodies import MooneyRivlin as MooneyRivlin
    from condyle.bodies import NeoHookean as NeoHookean
    from condyle.bodies import Ogden as Ogden
    from condyle.bodies import PlanarBeam as PlanarBeam
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
    from condyle.bodies import VerondaWestmann as VerondaWestmann
    from condyle.bodies import Yeoh as Yeoh
    from condyle.bodies import register_element as register_element
    from condyle.bodies.ancf.splines import spline_line as spline_line
    from condyle.bodies.ancf.splines import spline_sheet as spline_sheet
    from condyle.claims import Claim as Claim
    from condyle.claims import Differs as Differs
    from condyle.claims import Outcome as Outcome
    from condyle.claims import Verdict as Verdict
    from condyle.contact import ArticularContact as ArticularContact
    from condyle.contact import ArticularSurface as ArticularSurface
    from condyle.contact import Box as Box
    from condyle.contact import Bristle as Bristle
    from condyle.contact import Capsule as Capsule
    from condyle.contact import Collisions as Collisions
    from condyle.contact import Cone as Cone
    from condyle.contact import Contact as Contact
    from condyle.contact import ContactLaw as ContactLaw
    from condyle.contact import ContactTable as ContactTable
    from condyle.contact import Coulomb as Coulomb
    from condyle.contact import Cylinder as Cylinder
    from condyle.contact import Ellipsoid as Ellipsoid
    from condyle.contact import FacetSurface as FacetSurface
    from condyle.contact import FlatSurface as FlatSurface
    from condyle.contact import Flores as Flores
    from condyle.contact import Foundation as Foundation
    from condyle.contact import FrictionLaw as FrictionLaw
    from condyle.contact import Gonthier as Gonthier
    from condyle.contact import Hard as Hard
    from condyle.contact import HerbertMcWhannell as HerbertMcWhannell
    from condyle.contact import HermiteCurve as HermiteCurve
    from condyle.contact import HermiteSurface as HermiteSurface
    from condyle.contact import Hertz as Hertz
    from condyle.contact import HertzHysteresis as HertzHysteresis
    from condyle.contact import HuntCrossley as HuntCrossley
    from condyle.contact import Impact as Impact
    from condyle.contact import LankaraniNikravesh as LankaraniNikravesh
    from condyle.contact import LeeWang as LeeWang
    from condyle.contact import LuGre as LuGre
    from condyle.contact import NonlinearDashpot as NonlinearDashpot
    from condyle.contact import ParametricSurface as ParametricSurface
    from condyle.contact import PatchContact as PatchContact
    from condyle.contact import Plane as Plane
    from condyle.contact import PolynomialPatch as PolynomialPatch
    from condyle.contact import Rebound as Rebound
    from condyle.contact import Regularised as Regularised
    from condyle.contact import Revolution as Revolution
    from condyle.contact import RevolvedSurface as RevolvedSurface
    from condyle.contact import SmoothSwitch as SmoothSwitch
    from condyle.contact import Sphere as Sphere
    from condyle.contact import SplineCurve as SplineCurve
    from condyle.contact import SplinePatch as SplinePatch
    from condyle.contact import SplineSurface as SplineSurface
    from condyle.contact import SpringDashpot as SpringDashpot
    from condyle.contact import Stronge as Stronge
    from condyle.contact import Surface as Surface
    from condyle.contact import SurfaceEdgeWarning as SurfaceEdgeWarning
    from condyle.contact import SurfaceFriction as SurfaceFriction
    from condyle.contact import Torus as Torus
    from condyle.contact import ZhangSharf as ZhangSharf
    from condyle.contact import foundation_stiffness as foundation_stiffness
    from condyle.contact import hertz_stiffness as hertz_stiffness
    from condyle.contact import rebound as rebound
    from condyle.errors import AssemblyError as AssemblyError
    from condyle.errors import CondyleError as CondyleError
    from condyle.errors import ConvergenceError as ConvergenceError
    from condyle.errors import InputError as InputError
    from condyle.errors import InputWarning as InputWarning
    from condyle.files.experiment import file_simulation as file_simulation
    from condyle.files.experiment import study_of_file as study_of_file
    from condyle.files.reading import read_model as read_model
    from condyle.files.tree import FileError as FileError
    from condyle.files.writing import write_model as write_model
    from condyle.forces import BodyForce as BodyForce
    from condyle.forces import Bushing as Bushing
    from condyle.forces import Damper as Damper
    from condyle.forces import DistributedLoad as DistributedLoad
    from condyle.forces import FollowerForce as FollowerForce
    from condyle.forces import Gravity as Gravity
    from condyle.forces import LawConstraint as LawConstraint
    from condyle.forces import LawEnergy as LawEnergy
    from condyle.forces import LawForce as LawForce
    from condyle.forces import LawRate as LawRate
    from condyle.forces import Load as Load
    from condyle.forces import Moment as Moment
    from condyle.forces import Pressure as Pressure
    from condyle.forces import RayleighDamping as RayleighDamping
    from condyle.forces import Spring as Spring
    from condyle.forces import Torque as Torque
    from condyle.forces import Traction as Traction
    from condyle.forces import UserForce as UserForce
    from condyle.imports.imported import Imported as Imported
    from condyle.imports.registry import import_model as import_model
    from condyle.integrators.balance import EnergyWarning as EnergyWarning
    from condyle.integrators.bdf import BDF as BDF
    from condyle.integrators.compliant import Compliant as Compliant
    from condyle.integrators.compliant import largest_step as largest_step
    from condyle.integrators.composed import ComposedEnergyMomentum as ComposedEnergyMomentum
    from condyle.integrators.energy_momentum import EnergyMomentum as EnergyMomentum
    from condyle.integrators.equilibrium import QuasiStatic as QuasiStatic
    from condyle.integrators.explicit import Gauss as Gauss
    from condyle.integrators.explicit import RungeKutta as RungeKutta
    from condyle.integrators.generalized_alpha import HHT as HHT
    from condyle.integrators.generalized_alpha import GeneralizedAlpha as GeneralizedAlpha
    from condyle.integrators.generalized_alpha import Newmark as Newmark
    from condyle.integrators.newton import Tolerance as Tolerance
    from condyle.integrators.nonsmooth import Nonsmooth as Nonsmooth
    from condyle.integrators.registry import register_integrator as register_integrator
    from condyle.integrators.simulation import Integrator as Integrator
    from condyle.integrators.simulation import Simulation as Simulation
    from condyle.integrators.stabilised import Stabilised as Stabilised
    from condyle.integrators.strategy import FullNewton as FullNewton
    from condyle.integrators.strategy import ModifiedNewton as ModifiedNewton
    from condyle.joints import Augmented as Augmented
    from condyle.joints import Clamp as Clamp
    from condyle.joints import ClinicalJoint as ClinicalJoint
    from condyle.joints import CoordinateDamper as CoordinateDamper
    from condyle.joints import CoordinateForce as CoordinateForce
    from condyle.joints import CoordinateSpring as CoordinateSpring
    from condyle.joints import Coupling as Coupling
    from condyle.joints import CustomJoint as CustomJoint
    from condyle.joints import Cylindrical as Cylindrical
    from condyle.joints import Distance as Distance
    from condyle.joints import Drive as Drive
    from condyle.joints import DrivenRate as DrivenRate
    from condyle.joints import Drum as Drum
    from condyle.joints import Fixed as Fixed
    from condyle.joints import Follow as Follow
    from condyle.joints import Gear as Gear
    from condyle.joints import Hold as Hold
    from condyle.joints import Initial as Initial
    from condyle.joints import Insertion as Insertion
    from condyle.joints import Joint as Joint
    from condyle.joints import KnifeEdge as KnifeEdge
    from condyle.joints import Limit as Limit
    from condyle.joints import PassiveAxis as PassiveAxis
    from condyle.joints import PassiveMoment as PassiveMoment
    from condyle.joints import Penalty as Penalty
    from condyle.joints import Pin as Pin
    from condyle.joints import Planar as Planar
    from condyle.joints import PointOnLine as PointOnLine
    from condyle.joints import PointOnPlane as PointOnPlane
    from condyle.joints import Prismatic as Prismatic
    from condyle.joints import Revolute as Revolute
    from condyle.joints import Rolling as Rolling
    from condyle.joints import Rotation as Rotation
    from condyle.joints import Screw as Screw
    from condyle.joints import Slider as Slider
    from condyle.joints import Spherical as Spherical
    from condyle.joints import Tie as Tie
    from condyle.joints import TransformJoint as TransformJoint
    from condyle.joints import Translation as Translation
    from condyle.joints import Universal as Universal
    from condyle.joints import Weld as Weld
    from condyle.joints import passive_curve as passive_curve
    from condyle.laws.record import LawParameter as LawParameter
    from condyle.laws.section_frames import area_ratio as area_ratio
    from condyle.laws.section_frames import cross_section_frame as cross_section_frame
    from condyle.laws.section_frames import frame_relation as frame_relation
    from condyle.laws.section_frames import green_strain as green_strain
    from condyle.laws.section_frames import polar_frame as polar_frame
    from condyle.laws.section_frames import polar_spin as polar_spin
    from condyle.laws.section_frames import stretch_in_frame as stretch_in_frame
    from condyle.laws.section_frames import tangent_frame as tangent_frame
    from condyle.laws.user import law as law
    from condyle.model import Constant as Constant
    from condyle.model import Function as Function
    from condyle.model import Harmonic as Harmonic
    from condyle.model import Integral as Integral
    from condyle.model import Part as Part
    from condyle.model import Point as Point
    from condyle.model import Polynomial as Polynomial
    from condyle.model import Pulse as Pulse
    from condyle.model import Ramp as Ramp
    from condyle.model import Spline as Spline
    from condyle.model import Table as Table
    from condyle.model import TimeFunction as TimeFunction
    from condyle.model import part_types as part_types
    from condyle.model import rotation as rotation
    from condyle.model.motion import MotionTable as MotionTable
    from condyle.model.motion import read_motion as read_motion
    from condyle.model.quantities import choice as choice
    from condyle.model.quantities import declared as declared
    from condyle.model.quantities import in_mirror as in_mirror
    from condyle.model.quantities import quantities as quantities
    from condyle.model.quantities import quantity as quantity
    from condyle.muscles import ConditionalPoint as ConditionalPoint
    from condyle.muscles import CylinderWrap as CylinderWrap
    from condyle.muscles import EllipsoidWrap as EllipsoidWrap
    from condyle.muscles import ForceActuator as ForceActuator
    from condyle.muscles import Ligament as Ligament
    from condyle.muscles import MillardShape as MillardShape
    from condyle.muscles import MomentActuator as MomentActuator
    from condyle.muscles import MovingPoint as MovingPoint
    from condyle.muscles import Muscle as Muscle
    from condyle.muscles import SphereWrap as SphereWrap
    from condyle.muscles import TorusWrap as TorusWrap
    from condyle.parts import Model as Model
    from condyle.report.gltf import write_gltf as write_gltf
    from condyle.report.live import LiveView as LiveView
    from condyle.report.page import write_report as write_report
    from condyle.results import LineHistory as LineHistory
    from condyle.results import Result as Result
    from condyle.results import SolidFields as SolidFields
    from condyle.results import clinical_motion as clinical_motion
    from condyle.results import crash as crash
    from condyle.results import line_forces as line_forces
    from condyle.results import material_curves as material_curves
    from condyle.results import muscle_curves as muscle_curves
    from condyle.results import plot_line_forces as plot_line_forces
    from condyle.results import plot_material as plot_material
    from condyle.results import plot_muscle as plot_muscle
    from condyle.results import write_vtk as write_vtk
    from condyle.results.figure import figure_style as figure_style
    from condyle.runs.identification import Identification as Identification
    from condyle.runs.identification import IdentificationWarning as IdentificationWarning
    from condyle.runs.identify import identify as identify
    from condyle.runs.measured import Measured as Measured
    from condyle.runs.measured import Unknown as Unknown
    from condyle.runs.plan import Span as Span
    from condyle.runs.sweep import sweep as sweep
    from condyle.runs.sweep_result import SweepResult as SweepResult
    from condyle.study import Context as Context
    from condyle.study import Figures as Figures
    from condyle.study import Parameter as Parameter
    from condyle.study import Parameters as Parameters
    from condyle.study import Study as Study
    from condyle.system.compile import compile as compile
    from condyle.system.redundancy import RedundancyWarning as RedundancyWarning
    from condyle.system.redundancy import find_redundant as find_redundant
    from condyle.system.state import State as State

_LINE = re.compile(r"^    from (\S+) import (\w+) as \2$", re.MULTILINE)


def _public_names() -> dict[str, str]:
    """The public names, and the modules that they are loaded from when they are first used."""
    loader: Any = __spec__.loader
    return {name: home for home, name in _LINE.findall(loader.get_data(__file__).decode())}


_HOME = _public_names()
__all__ = ["__version__", *_HOME]


if not TYPE_CHECKING:  # type checkers read the block of imports above; so they know a name that is wrong

    def __getattr__(name: str) -> object:
        home = _HOME.get(name)
        if home is None:
            raise AttributeError(f"module 'condyle' has no attribute {name!r}{_nearest(name)}")
        from importlib import import_module

        value = import_module(f"condyle.{name}") if home == "condyle" else getattr(import_module(home), name)
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
