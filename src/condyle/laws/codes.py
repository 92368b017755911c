"""The laws of the package but those of materials (`bodies/materials`): a record each, and its number.

Apart from the compiled code, so that declaring a model needs no compiler. A new law is a record here and its function, in a
file of this folder.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import condyle.laws.examples as ex
from condyle.laws.muscle_places import PARAMETERS as MUSCLE_PARAMETERS
from condyle.laws.record import BUILT_IN, Example, Law, LawParameter, declare

Numbers = tuple[float, ...]


def P(name: str, unit: str = "", meaning: str = "", **bounds: float) -> LawParameter:
    """A parameter of a law."""
    return LawParameter(name, unit, meaning, **bounds)


def _law(kind: str, name: str, function: str, equation: str, *parameters: LawParameter, sizes: tuple[int, ...] = (1,),
         examples: Mapping[str, Numbers] | tuple[Example, ...], traits: tuple[str, ...] = (),
         **options: Any) -> int:  # fmt: skip
    """Declare an energy or a constraint; returns its number. examples: parameters, all for the same sizes, or complete."""
    tried = examples if isinstance(examples, tuple) else tuple(Example(*e, sizes) for e in examples.items())
    make = partial(Law, name, kind, function, equation, parameters, sizes, (2, 3), frozenset(traits), tried)
    return declare(lambda number: make(**options, number=number), BUILT_IN).number


def _force(name: str, function: str, equation: str, *parameters: LawParameter, sizes: tuple[int, int],
           examples: Mapping[str, tuple[Numbers, Numbers]], rest: str = "", also: tuple[Example, ...] = ()) -> int:  # fmt: skip
    """Declare a force; sizes and examples: in 2D and in 3D. also: examples with other sizes."""
    tried = tuple(
        Example(label, p, (sizes[d - 2],), d)
        for label, both in examples.items()
        for d, p in zip((2, 3), both, strict=True)
    )
    tried += also
    make = partial(
        Law, name, "force", function, equation, parameters, tuple(sorted(set(sizes))), examples=tried, rest=rest
    )
    return declare(lambda number: make(number=number), BUILT_IN).number


def _viscous(moduli: str, change: str) -> dict[str, str]:
    """Functions of a law of frames for viscous stress."""
    return {"viscous": moduli, "viscous change": change}


# --- stored energies ψ(G) -----------------------------------------------------------------------------------------------

SPRING = _law(
    "energy", "spring", "energies:spring", "ψ = ½ k (|y| − L)²",
    P("k", "N/m", "stiffness"), P("L", "m", "length at rest", at_least=0.0), P("tension only", "", "0 or 1"),
    examples={
        "spring": (700.0, 0.8, 0.0),
        "spring without rest length": (700.0, 0.0, 0.0),
        "spring under tension only": (700.0, 0.1, 1.0),
    },
    more={"stiffness": "energies:spring_stiffness"},
)  # fmt: skip

INITIAL_STRESS = _law(
    "solid", "initial stress", "energies:initial_stress", "ψ = ½ S₀:(C − 1)",
    *(P(f"S{i}{j}", "Pa") for i in (1, 2, 3) for j in (1, 2, 3)), sizes=(2, 3, 4),
    examples={"initial stress": (2.0, 0.3, 0.0, 0.3, -1.0, 0.0, 0.0, 0.0, 0.5)},
)  # fmt: skip

VOLUME = _law(
    "solid", "volume", "energies:volume", "ψ = J", sizes=(2, 3, 4),
    traits=("invariants", "barrier"), examples={"volume": ()},
)  # fmt: skip

COORDINATE_SPRING = _law(
    "energy", "spring of coordinates", "coordinates:coordinate_spring", "ψ = ½ k (distance of Q from lower … upper)²",
    P("k", "N/m or N m/rad"), P("lower", "m or rad"), P("upper", "m or rad"), rest="list of coordinates", sizes=(3,),
    examples={
        "torsion spring": (7.0, 0.4, 0.4, 1.0, 1.0, 0.0, 0.2, 0.0, 1.0),
        "stop": (7.0, -9.0, -5.0, 1.0, 1.0, 0.0, 0.2, 0.0, 1.0),
    },
    more={"between": "chords:spring_between"},
)  # fmt: skip

LIGAMENT = _law(
    "energy", "ligament", "muscles:ligament", "tension k ε²/(4 ε_l) up to ε = 2 ε_l, then k (ε − ε_l), ε = Q/L − 1",
    P("k", "N", "stiffness"), P("L", "m", "slack length", above=0.0), P("ε_l", "", "half of the toe region", above=0.0),
    rest="list of coordinates", sizes=(2,),
    examples={
        "ligament in its toe region": (300.0, 1.5, 0.6, *ex.OVER),
        "ligament": (300.0, 0.02, 0.06, *ex.OVER),
    },
)  # fmt: skip

LINEAR_STRAINS = _law(
    "energy", "strains linear in G", "ancf:linear_strains", "ψ = ½ e·C e, e_k = Σ coefficient · G_ij − e0_k",
    P("strains", "", "their number"), P("terms", "", "their number"), rest="C, e0, terms (strain, i, j, coefficient)",
    sizes=(3, 5), traits=("quadratic",), examples={"strains linear in G": ex.LINEAR_STRAINS},
)  # fmt: skip

FIBRE_LINE = _law(
    "energy", "ligament line", "toe:fibre_line", "ψ = A (c10 (λ² + 2/λ − 3) + c01 (2 λ + 1/λ² − 3) + F(λ)), λ = |r'|",
    P("A", "m²", "area of the section", at_least=0.0), P("c10", "Pa"), P("c01", "Pa"), P("C3", "Pa"), P("C4"), P("C5", "Pa"),
    P("λ*", "", "end of the toe region"), P("m", "", "½: F of the stretch, 1: of its square"),
    examples={
        "ligament line in its toe region": (0.7, 1.1, 0.2, 0.3, 0.4, 3.0, 9.0, 0.5),
        "ligament line beyond it": (0.7, 1.1, 0.2, 0.3, 0.4, 3.0, 1.01, 0.5),
        "ligament line, square of the stretch": (0.7, 1.1, 0.2, 0.3, 0.4, 3.0, 1.5, 1.0),
    },
)  # fmt: skip

_CABLE = (
    P("strain", "", "0: ½ (r'·r' − 1), 1: |r'| − 1"), P("m", "", "1: curvature of the material line, 2: of the curve"),
    P("EA", "N"), P("ε0"), P("EI", "N m²"), P("κ0", "1/m"), P("least curvature", "1/m", "of viscous moduli"),
)  # fmt: skip

CABLE = _law(
    "energy", "cable", "ancf:cable", "ψ = ½ EA (ε − ε0)² + ½ EI (K − κ0)²", *_CABLE, sizes=(2,),
    examples={
        "cable": (0.0, 1.0, 3.0, 0.1, 0.5, 0.0, 1e-3),
        "cable, engineering strain, curvature of the curve": (1.0, 2.0, 3.0, 0.1, 0.5, 0.0, 1e-3),
        "cable, curved at rest": (0.0, 1.0, 3.0, 0.0, 0.5, 0.8, 1e-3),
    },
    more={"viscous": "ancf:cable_viscous", "stiffness": "ancf:cable_strain_stiffness"},
)  # fmt: skip

REELED_CABLE = _law(
    "energy", "reeled cable", "ancf:reeled_cable", "s ψ(r'/s, r''/s²), s = |l|/l0: a cable whose length at rest is |l|",
    P("l0", "m", "length at rest as declared", above=0.0), *_CABLE, sizes=(3,),
    examples={
        "reeled cable": (1.1, 0.0, 1.0, 3.0, 0.1, 0.5, 0.0, 1e-3),
        "reeled cable, engineering strain": (0.9, 1.0, 2.0, 3.0, 0.0, 0.5, 0.8, 1e-3),
    },
    more={"viscous": "ancf:reeled_viscous", "stiffness": "ancf:reeled_strain_stiffness"},
)  # fmt: skip

PLATE = _law(
    "energy", "plate", "plates:plate", "ψ = ½ e·A e + ½ (κ − κ0)·D (κ − κ0)",
    P("m", "", "power of |r_x × r_y| in the curvature"), rest="e0 (3), A (3, 3), D (3, 3), κ0 (3), least curvature",
    sizes=(5,),
    examples={
        "plate": (0.0, 0.5, 0.5, 0.0, *ex.PLATE_MODULI, *ex.PLATE_MODULI, 0.0, 0.0, 0.0, 1e-3),
        "plate, curvature of the surface": (2.0, 0.4, 0.5, 0.1, *ex.PLATE_MODULI, *ex.PLATE_MODULI, 0.0, 0.0, 0.0, 1e-3),
        "plate, curved at rest": (0.0, 0.5, 0.5, 0.0, *ex.PLATE_MODULI, *ex.PLATE_MODULI, 0.9, 0.2, 0.1, 1e-3),
    },
    more={"viscous": "plates:plate_viscous", "stiffness": "plates:plate_strain_stiffness"},
)  # fmt: skip

SECTION_STRAINS = _law(
    "energy", "strains of a section", "frames:section_strains", "ψ = ½ (e − e0)·C (e − e0), e = Γ of the frame of gradients",
    rest="c, C (6, 6), e0 (6)", sizes=(2, 3), examples={"strains of a section": (0.3, *ex.SECTION_6, *ex.STRAINS_6)},
    more=_viscous("frames:section_moduli", "frames:section_viscous_change"),
)  # fmt: skip

SECTION_CURVATURE = _law(
    "energy", "curvature of a section", "frames:section_curvature", "ψ = ½ (κ − κ0)·C (κ − κ0) between two frames",
    rest="C (3, 3), κ0 (3)", sizes=(3, 5), examples={"curvature of a section": (*ex.SECTION_3, 0.1, -0.2, 0.3)},
    more=_viscous("frames:curvature_moduli", "frames:curvature_viscous_change"),
)  # fmt: skip

FRAME_STRAINS = _law(
    "energy", "strains between two frames", "rigid_frames:frame_strains", "ψ = ½ (e − e0)·C (e − e0), e = (Γ, L κ)",
    rest="constant part of c, number of terms, C (6, 6), e0 (6), terms", sizes=(7,),
    examples={"strains between two frames": ex.FRAMES},
    more=_viscous("rigid_frames:frame_moduli", "rigid_frames:frame_viscous_change"),
)  # fmt: skip

# --- scalar constraints c(G) ----------------------------------------------------------------------------------------------

DOT_PRODUCT = _law(
    "constraint", "dot product", "constraints:dot_product", "c = y_0·y_1 − a", P("a", "m² or 1"), sizes=(2,),
    traits=("quadratic",), examples={"dot product": (0.3,)},
)  # fmt: skip

HALF_SQUARE = _law(
    "constraint", "half square", "constraints:half_square", "c = ½ (y·y − a)", P("a", "m²"), traits=("quadratic",),
    examples={"half square": (1.7,)},
)  # fmt: skip

COORDINATE = _law(
    "constraint", "coordinates", "coordinates:coordinate_constraint", "c = Q − a", P("a", "m or rad"),
    rest="list of coordinates", sizes=(1, 2, 3, 5),
    examples=(
        Example("angle", (0.3, 1.0, 1.0, 0.0, 0.2, 0.0, 1.0), (3,)),
        Example("slide", (0.3, 1.0, 0.0, 0.0, 0.0, 0.0, 2.0), (2,)),
        Example("tilt", (0.3, 1.0, 3.0, 0.0, 0.0, 0.0, 1.0), (2,)),
        Example("distance", (0.3, 1.0, 2.0, 0.0, 0.0, 0.0, 1.0), (1,)),
        Example("spline of an angle and a slide", (0.1, 2.0, 1.0, 0.0, 0.1, *ex.SPLINE, 0.0, 3.0, 0.0, 0.0, -1.5), (5,)),
    ),
    more={"between": "chords:constraint_between"},
)  # fmt: skip

FRAME_CONSTRAINT = _law(
    "constraint", "strain between two frames", "rigid_frames:frame_constraint", "c = e_q − e0_q", P("q", "", "which strain"),
    rest="as of strains between two frames", sizes=(7,),
    examples={"no stretch between two frames": (0.0, *ex.FRAMES), "no shear between two frames": (2.0, *ex.FRAMES)},
)  # fmt: skip

DISK_ON_PLANE = _law(
    "constraint", "edge of a disk on a plane", "constraints:disk_on_plane", "c = y_0·n − R √(n·n − (n·α)²/(α·α))",
    P("R", "m", "radius", above=0.0), sizes=(3,), examples={"edge of a disk on a plane": (0.4,)},
)  # fmt: skip

# --- constraints of velocities a(y)·ẏ = b(t) --------------------------------------------------------------------------------


def _rate(name: str, function: str, equation: str, *parameters: LawParameter, sizes: tuple[int, ...],
          examples: tuple[Example, ...], rest: str = "") -> int:  # fmt: skip
    """Declare a constraint of velocities."""
    make = partial(Law, name, "rate", function, equation, parameters, sizes, examples=examples, rest=rest)
    return declare(lambda number: make(number=number), BUILT_IN).number


RATE_OF_COORDINATES = _rate(
    "rate of coordinates", "rolling:rate_of_coordinates", "Q̇ = b", sizes=(1, 2, 3), rest="list of coordinates",
    examples=(
        Example("rate of an angle", (1.0, 1.0, 0.0, 0.2, 0.0, 1.0), (3,)),
        Example("rate of an angle", (1.0, 1.0, 0.0, 0.2, 0.0, 1.0), (3,), 2),
        Example("rate of a distance", (1.0, 2.0, 0.0, 0.0, 0.0, 1.5), (1,)),
    ),
)  # fmt: skip

BLADE = _rate(
    "blade", "rolling:blade", "s·(ẏ_0 − Σ (E_k·y_0) ė_k) = b, s = y_1", sizes=(4, 5),
    examples=(Example("blade", (), (4,), 2), Example("blade", (), (5,))),
)  # fmt: skip

ROLLING = _rate(
    "rolling", "rolling:rolling",
    "t·(ẏ_0 + Σ (D_i·ρ) ḋ_i − Σ (E_k·(y_0 + ρ)) ė_k) = b, ρ from the centre to the contact",
    P("R", "m", "radius", above=0.0), P("disk", "", "0: a ball, 1: a disk"), sizes=(5, 7),
    rest="n and t in the axes of the plane, axis in those of the wheel",
    examples=(
        Example("rolling in the plane", (0.4, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0), (5,), 2),
        Example("rolling ball", (0.4, 0.0, 0.0, 0.6, 0.8, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0), (7,)),
        Example("rolling disk", (0.4, 1.0, 0.0, 0.6, 0.8, 1.0, 0.0, 0.0, 0.1, 0.9, -0.2), (7,)),
    ),
)  # fmt: skip

# --- forces f(y, ẏ, t), times the value of their function of time ---------------------------------------------------------

_COUPLE = ((1.5,), (0.4, -1.1, 0.7))
_VECTOR = ((2.0, -1.0), (2.0, -1.0, 0.5))

DEAD_LOAD = _force(
    "dead load", "forces:dead_load", "f = a", sizes=(1, 1), rest="a [N]", examples={"dead load": _VECTOR}
)
TORQUE = _force(
    "torque", "forces:torque", "f_i = ½ τ × d_i on orthonormal directors", sizes=(2, 3), rest="τ [N m]",
    examples={"torque": _COUPLE},
)  # fmt: skip
BODY_TORQUE = _force(
    "torque in body axes", "forces:body_torque", "f_i = ½ τ × d_i, τ = Σ τ_k d_k", sizes=(2, 3), rest="τ_k [N m]",
    examples={"torque in body axes": _COUPLE},
)  # fmt: skip
DAMPER = _force(
    "damper", "forces:damper", "f = −c (ẏ·n) n, n = y/|y|", P("c", "N s/m"), sizes=(1, 1),
    examples={"damper": ((3.0,), (3.0,))},
)  # fmt: skip
VISCOUS = _force(
    "viscous", "forces:viscous", "f = −c ẏ", P("c", "N s/m"), sizes=(1, 1), examples={"viscous": ((3.0,), (3.0,))}
)
COORDINATE_FORCE = _force(
    "force on coordinates", "forces:coordinate_force", "f = Q_f ∂Q/∂y", P("Q_f", "N or N m"), sizes=(3, 3),
    rest="list of coordinates", examples={"force along an angle": ((2.0, *ex.ANGLE_OF_ONE),) * 2},
)  # fmt: skip
COORDINATE_DAMPER = _force(
    "damper of coordinates", "forces:coordinate_damper", "f = −c Q̇ ∂Q/∂y outside lower … upper",
    P("c", "N s/m or N m s/rad"), P("lower", "m or rad"), P("upper", "m or rad"),
    P("k", "N/m", "of a spring that holds it back"), sizes=(3, 3), rest="list of coordinates",
    examples={
        "damper of an angle": ((2.0, 1.0, -1.0, 0.0, *ex.ANGLE_OF_ONE),) * 2,
        "damper of a stop": ((2.0, -9.0, -5.0, 1.0, *ex.ANGLE_OF_ONE), (2.0, 8.0, 9.0, 0.1, *ex.ANGLE_OF_ONE)),
    },
)  # fmt: skip
CURVED_DAMPER = _force(
    "damper of coordinates by a curve", "forces:curved_damper", "f = −F(Q̇) ∂Q/∂y of a spline F",
    P("knots", "", "their number"), sizes=(3, 3), rest="knots [m/s or rad/s], powers from each, list of coordinates",
    examples={"damper of an angle by a curve": ((*ex.CURVE, *ex.ANGLE_OF_ONE),) * 2},
)  # fmt: skip
FOLLOWER = _force(
    "follower force", "forces:follower", "f = Σ a_k d_k on y_0", sizes=(3, 4), rest="a_k [N]",
    examples={"follower force": _VECTOR},
)  # fmt: skip
MUSCLE = _force(
    "muscle", "muscles:muscle", "f = −F ∂ℓ/∂y, F the tension of a Hill-type muscle", *MUSCLE_PARAMETERS, sizes=(2, 2),
    rest="list of coordinates",
    examples={
        "muscle": (ex.muscle(),) * 2,
        "muscle, by the trapezoidal rule": (ex.muscle(lead=0.01, activation_rate=0.3, fibre_rate=-0.2),) * 2,
        "muscle with a rigid tendon": (ex.muscle(rigid=1.0),) * 2,
        "muscle that does not push": (ex.muscle(tension_only=1.0),) * 2,
        "muscle that does not push, with a rigid tendon": (ex.muscle(rigid=1.0, tension_only=1.0),) * 2,
        "muscle with Thelen's curves": (ex.muscle(curves=1.0),) * 2,
        "muscle with Thelen's curves and a rigid tendon": (ex.muscle(curves=1.0, rigid=1.0),) * 2,
        "muscle with Millard's curves": (ex.muscle(curves=2.0, passive_strain=0.7),) * 2,
        "muscle with Millard's curves and a rigid tendon": (ex.muscle(curves=2.0, rigid=1.0, least=0.01),) * 2,
    },
)  # fmt: skip
MOMENT_ACTUATOR = _force(
    "moment actuator", "muscles:moment_actuator", "a tension with the moment M about a hinge",
    P("least arm", "m"), P("M", "N m"), sizes=(2, 3), examples={"moment actuator": ((1e-6, 1.7), (1e-6, 1.7))},
)  # fmt: skip
LIGAMENT_DAMPER = _force(
    "damper of a ligament", "forces:ligament_damper", "f = −c k(Q)/k Q̇ ∂Q/∂y while it is taut",
    P("c", "N s/m"), P("k", "N"), P("L", "m", "slack length"), P("ε_l"), sizes=(1, 1), rest="list of coordinates",
    examples={
        "damper of a ligament": ((2.0, 90.0, 0.5, 0.06, *ex.LINE), (2.0, 9.0, 0.5, 0.06, *ex.LINE)),
        "damper of a ligament in its toe region": ((2.0, 90.0, 0.5, 9.0, *ex.LINE), (2.0, 9.0, 0.5, 9.0, *ex.LINE)),
    },
)  # fmt: skip
STRETCHED_LOAD = _force(
    "load per deformed length or area", "forces:stretched_load", "f = a |y_1| or a |y_1 × y_2| on y_0", sizes=(2, 3),
    rest="a [N/m or Pa]", examples={"load per deformed length or area": _VECTOR},
)  # fmt: skip
SECTION_MOMENT = _force(
    "moment on gradients", "forces:section_moment", "f_k = w × y_k with Σ y_k × f_k = τ", sizes=(2, 3), rest="τ [N m]",
    examples={"moment on a section": _COUPLE},
    also=(Example("moment on a tangent", _COUPLE[0], (1,), 2), Example("moment on a tangent", _COUPLE[1], (1,), 3)),
)  # fmt: skip
PRESSURE = _force(
    "pressure", "forces:pressure", "f = −p n on y_0, n of the tangents y_1, y_2",
    P("p", "Pa", "times weight and thickness"), P("axisymmetric", "", "0 or 1"), sizes=(2, 3),
    examples={"pressure": ((1.5, 0.0), (1.5, 0.0)), "pressure about an axis": ((1.5, 1.0), (1.5, 0.0))},
)  # fmt: skip

# --- what the lists of coordinates are made of ----------------------------------------------------------------------------

# Joint coordinates q(G)
SLIDE = 0  # y0·y1
ANGLE = 1  # angle of y0 in the plane of y1, y2: atan2(y0·y2, y0·y1)
DISTANCE = 2  # |y0|
TILT = 3  # asin(y0·y1) of unit vectors
MOVING = 4  # length of a segment to a point that moves in its body with a joint coordinate
CONDITIONAL = 5  # length over a point that acts while a joint coordinate is within limits
WRAP_SPHERE = 6  # length of a segment that wraps over a sphere
WRAP_CYLINDER = 7
WRAP_SURFACES = 8  # over an ellipsoid, a torus, or several surfaces in a row
CONDITIONAL_TO_MOVING = 9  # over a point that acts at times, to one that moves in its body

# Surfaces that paths wrap over
SPHERE = 0
CYLINDER = 1
ELLIPSOID = 2
TORUS = 3

# Functions of a joint coordinate
LINEAR = 0
SPLINE = 1
