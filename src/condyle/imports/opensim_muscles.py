"""Muscles and ligaments of OpenSim files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from condyle.imports.opensim_build import Import
from condyle.imports.opensim_functions import Function, read_function
from condyle.imports.opensim_paths import Paths
from condyle.imports.opensim_tables import fitted
from condyle.imports.xml import Element
from condyle.muscles import Ligament, MillardShape, Muscle

__all__ = ["MUSCLES", "add_ligament", "add_muscle"]

SUDDEN = 1e3  # steepness of the change between the time constants, where the file's model switches
STRAIGHT = 0.95  # of the greatest force, where Thelen's curve over speed goes on straight
DAMPING = 0.01  # of fibres whose model in the file has none: with an elastic tendon some is needed
RIGID_TENDON = ("RigidTendonMuscle",)


def add_muscle(work: Import, paths: Paths, element: Element) -> None:
    """A muscle of any of the kinds in MUSCLES."""
    file = work.file
    name = str(element.get("name"))
    path = paths.path(element)
    if path is None or len(path) < 2:
        work.left_out(element.tag, name, "it has no path of points")
        return
    options = MUSCLES[element.tag](work, element)
    rigid = file.flag(element, "ignore_tendon_compliance") or element.tag in RIGID_TENDON
    activation = file.number(element, "default_activation", 0.05)
    if file.flag(element, "ignore_activation_dynamics"):
        options["activation_time"] = None
    pennation = file.number(element, "pennation_angle_at_optimal", file.number(element, "pennation_angle", 0.0))
    work.imported.model.add(
        Muscle(
            work.name_for(name, "muscle"), path, file.number(element, "max_isometric_force", 1000.0),
            file.number(element, "optimal_fiber_length", 0.1), file.number(element, "tendon_slack_length", 0.2),
            0.0, pennation=pennation, tendon="rigid" if rigid else "elastic",
            activation=activation if options.get("activation_time", 0.0) is not None else None,
            max_speed=_speed(work, element), **options,
        )
    )  # fmt: skip


def _speed(work: Import, element: Element) -> float:
    """Largest speed of shortening [optimal lengths/s]."""
    given = work.file.number(element, "max_contraction_velocity", 0.0) or work.file.number(element, "Vmax", 0.0)
    if given <= 0.0 and MUSCLES[element.tag] is _other:
        once(work, element.tag, "where no largest speed of shortening is given, it is 10 optimal lengths per second")
    return given if given > 0.0 else 10.0


def _times(work: Import, element: Element, rise: float, fall: float) -> dict[str, float]:
    return {
        "activation_time": work.file.number(element, "activation_time_constant", rise),
        "deactivation_time": work.file.number(element, "deactivation_time_constant", fall),
    }


def _thelen(work: Import, element: Element) -> dict[str, Any]:
    number = work.file.number
    if number(element, "fv_linear_extrap_threshold", STRAIGHT) != STRAIGHT:
        once(work, element.tag, f"the curve over speed is straight above {STRAIGHT:g} of its greatest force here")
    return {
        **_times(work, element, 0.015, 0.05), "curves": "thelen", "damping": 0.0, "steepness": SUDDEN,
        "least_activation": number(element, "minimum_activation", 0.01),
        "tendon_strain": number(element, "FmaxTendonStrain", 0.04),
        "passive_strain": number(element, "FmaxMuscleStrain", 0.6),
        "active_width": number(element, "KshapeActive", 0.45), "passive_shape": number(element, "KshapePassive", 5.0),
        "concentric_shape": number(element, "Af", 0.25), "eccentric_force": number(element, "Flen", 1.4),
    }  # fmt: skip


# Fields of MillardShape: the curve of OpenSim that has it, and its name there.
MILLARD = {
    "active_shortest": ("ActiveForceLengthCurve", "min_norm_active_fiber_length"),
    "active_turn": ("ActiveForceLengthCurve", "transition_norm_fiber_length"),
    "active_longest": ("ActiveForceLengthCurve", "max_norm_active_fiber_length"),
    "active_slope": ("ActiveForceLengthCurve", "shallow_ascending_slope"),
    "passive_slack": ("FiberForceLengthCurve", "strain_at_zero_force"),
    "low_stiffness": ("FiberForceLengthCurve", "stiffness_at_low_force"),
    "passive_stiffness": ("FiberForceLengthCurve", "stiffness_at_one_norm_force"),
    "passive_bend": ("FiberForceLengthCurve", "curviness"),
    "tendon_stiffness": ("TendonForceLengthCurve", "stiffness_at_one_norm_force"),
    "tendon_toe": ("TendonForceLengthCurve", "norm_force_at_toe_end"),
    "tendon_bend": ("TendonForceLengthCurve", "curviness"),
    "fast_slope": ("ForceVelocityCurve", "concentric_slope_at_vmax"),
    "near_fast_slope": ("ForceVelocityCurve", "concentric_slope_near_vmax"),
    "rest_slope": ("ForceVelocityCurve", "isometric_slope"),
    "stretch_slope": ("ForceVelocityCurve", "eccentric_slope_at_vmax"),
    "near_stretch_slope": ("ForceVelocityCurve", "eccentric_slope_near_vmax"),
    "shortening_bend": ("ForceVelocityCurve", "concentric_curviness"),
    "stretching_bend": ("ForceVelocityCurve", "eccentric_curviness"),
}


def _millard(work: Import, element: Element) -> dict[str, Any]:
    file = work.file

    def said(curve: str, name: str) -> float | None:
        found = next((e for e in element.iter(curve) if isinstance(e, Element)), None)
        return file.number(found, name, 0.0) if found is not None and file.text(found, name) else None

    given = {field: said(*where) for field, where in MILLARD.items()}
    shape = {field: value for field, value in given.items() if value is not None}
    damping = file.number(element, "fiber_damping", 0.1)
    if damping == 0.0:
        once(
            work,
            element.tag,
            "fibres without damping have no active force here beyond their shortest and longest length",
        )
    if element.tag == "Millard2012AccelerationMuscle":
        once(work, element.tag, "its fibres have no mass here: they are in balance with the tendon")
    return {
        **_times(work, element, 0.01, 0.04), "damping": damping, "curves": "millard", "steepness": SUDDEN,
        "least_activation": file.number(element, "minimum_activation", 0.01),
        "tendon_strain": said("TendonForceLengthCurve", "strain_at_one_norm_force") or 0.049,
        "passive_strain": said("FiberForceLengthCurve", "strain_at_one_norm_force") or 0.7,
        "eccentric_force": said("ForceVelocityCurve", "max_eccentric_velocity_force_multiplier") or 1.4,
        "shape": MillardShape(**shape) if shape else None,
    }  # fmt: skip


def _de_groote(work: Import, element: Element) -> dict[str, Any]:
    number = work.file.number
    if number(element, "active_force_width_scale", 1.0) != 1.0:
        once(work, element.tag, "the scale of the width of its active curve is 1 here")
    damping = number(element, "fiber_damping", 0.0)
    if damping == 0.0:
        once(work, element.tag, f"fibres without damping are given {DAMPING:g}")
    return {
        **_times(work, element, 0.015, 0.06), "damping": max(damping, DAMPING),
        "steepness": number(element, "activation_dynamics_smoothing", 0.1),
        "passive_strain": number(element, "passive_fiber_strain_at_one_norm_force", 0.6),
        "tendon_strain": number(element, "tendon_strain_at_one_norm_force", 0.049),
    }  # fmt: skip


def _other(work: Import, element: Element) -> dict[str, Any]:
    """Schutte's and Delp's muscles, whose curves are tables, and those with a rigid tendon."""
    fit = fitted(*(_table(work, element, name) for name in ("active", "passive", "tendon")))
    if not fit.misses:
        once(work, element.tag, "its curves are those of De Groote et al. (2016) here")
        return {"damping": max(work.file.number(element, "damping", DAMPING), DAMPING)}
    off = ", ".join(f"{name} {miss:.2g}" for name, miss in fit.misses.items())
    once(
        work, element.tag, "its tables are Millard's curves here, fitted up to its strength; they differ by at most, over its "
        f"strength: {off}. The curve over speed is Millard's own",
    )  # fmt: skip
    return {**fit.options, "damping": max(work.file.number(element, "damping", DAMPING), DAMPING)}


def _table(work: Import, element: Element, name: str) -> Function | None:
    """One of the curves that a muscle gives as a function, by its name as an attribute or as an element."""
    said = f"{name}_force_length_curve"
    named = next((e for e in element if isinstance(e, Element) and e.get("name") == said), None)
    return read_function(work.file, named if named is not None else work.file.child(element, said))


MUSCLES: dict[str, Callable[[Import, Element], dict[str, Any]]] = {
    "Thelen2003Muscle": _thelen,
    "Millard2012EquilibriumMuscle": _millard,
    "Millard2012AccelerationMuscle": _millard,
    "DeGrooteFregly2016Muscle": _de_groote,
    "RigidTendonMuscle": _other,
    "Schutte1993Muscle": _other,
    "Schutte1993Muscle_Deprecated": _other,
    "Delp1990Muscle": _other,
    "Delp1990Muscle_Deprecated": _other,
    "Thelen2003Muscle_Deprecated": _thelen,
}


def once(work: Import, what: str, why: str) -> None:
    """Note what concerns all parts of a kind, one time."""
    if not any(item.what == what and item.why == why for item in work.imported.left_out):
        work.left_out(what, "all", why)


def add_ligament(work: Import, paths: Paths, element: Element) -> None:
    """Ligament, Blankevoort1991Ligament or PathSpring."""
    file, name = work.file, str(element.get("name"))
    path = paths.path(element)
    if path is None:
        work.left_out(element.tag, name, "it has no path of points")
        return
    label = work.name_for(name, "ligament")
    if element.tag == "Blankevoort1991Ligament":
        slack = file.number(element, "slack_length", 0.0)
        damping = file.number(element, "damping_coefficient", 0.003) * file.number(element, "linear_stiffness", 1.0)
        work.imported.model.add(
            Ligament(
                label, path, file.number(element, "linear_stiffness", 1.0), slack,
                toe=0.5 * file.number(element, "transition_strain", 0.06), damping=damping / slack if slack > 0.0 else 0.0,
            )
        )  # fmt: skip
        return
    rest = file.number(element, "resting_length", 0.0)
    if element.tag == "PathSpring":
        work.imported.model.add(Ligament(label, path, file.number(element, "stiffness", 0.0) * rest, rest, toe=1e-6))
        if file.number(element, "dissipation", 0.0):
            work.left_out("PathSpring", name, "its dissipation is not taken")
        return
    curve = read_function(file, file.child(element, "force_length_curve"))
    force = file.number(element, "pcsa_force", 0.0)
    if curve is None or not curve.x:
        work.left_out("Ligament", name, "it has no curve of points")
        return
    lengths = np.linspace(1.0, curve.x[-1], 200)
    values = force * np.array([curve(v) for v in lengths])
    stiffness = float(np.gradient(values, lengths).max())
    toe = float(max(lengths[-1] - 1.0 - values[-1] / stiffness, 1e-4))
    work.imported.model.add(Ligament(label, path, stiffness, rest, toe=toe))
    work.left_out(
        "Ligament",
        name,
        f"its curve is a parabola and a straight line here: {stiffness:.4g} N per strain, toe {toe:.3g}",
    )
