"""Actuators of MJCF: a force of gain · control + bias on a joint value, a tendon or a site."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from condyle.bodies.enforcement import Penalty
from condyle.forces.loads import FollowerForce, Torque
from condyle.imports.mjcf.document import ACTUATORS, Record
from condyle.joints.couplings import CoordinateDamper, CoordinateForce, CoordinateSpring, Coupling
from condyle.muscles.actuators import ForceActuator
from condyle.muscles.hill import Muscle

if TYPE_CHECKING:
    from condyle.imports.mjcf.reading import Reader

__all__ = ["add_actuators"]


def add_actuators(reader: Reader) -> None:
    """All actuators whose law is gain · control + a + b length + c velocity, and muscles along tendons."""
    clamped = []
    for number, element in enumerate(e for e in reader.document.listed("actuator") if e.tag in ACTUATORS):
        record = reader.document.record(element)
        name = record.name or f"{element.tag} of line {element.line}"
        control = reader.controls.get(name)
        if control is None and reader.key_controls is not None and number < len(reader.key_controls):
            control = float(reader.key_controls[number])
        why = _add(reader, record, name, 0.0 if control is None else control)
        if why:
            reader.leave_out("actuator", name, why)
        if "ctrlrange" in record or "forcerange" in record:
            clamped.append(name)
    if clamped:
        reader.leave_out(
            "ranges of actuators", ", ".join(clamped), "controls and forces are not cut off at their ranges"
        )


def _add(reader: Reader, record: Record, name: str, control: Any) -> str:
    """Returns why an actuator is left out, or what of it."""
    kind = str(record.element.tag)
    if kind == "muscle" or record.word("gaintype") == "muscle":
        return _add_muscle(reader, record, name, control)
    law = _law(record, kind)
    if isinstance(law, str):
        return law
    gain, bias = law
    if "filter" in record.word("dyntype"):
        reader.leave_out("dyntype of actuator", name, "its control acts at once, without a filter")
    gear = np.zeros(6)
    given = record.array("gear", None, (1.0,))
    gear[: len(given)] = given
    if "joint" in record or "jointinparent" in record:
        joint = record.word("joint") or record.word("jointinparent")
        if joint not in reader.coordinates:
            return f"'{joint}' is no hinge or slide"
        return _on_joints(reader, record, name, control, gain, bias, {joint: gear[0]})
    if "tendon" in record:
        tendon = record.word("tendon")
        if tendon in reader.tendons.fixed:
            factors = {joint: gear[0] * c for joint, c in reader.tendons.fixed[tendon].items()}
            return _on_joints(reader, record, name, control, gain, bias, factors)
        if tendon not in reader.tendons.paths:
            return f"its tendon '{tendon}' was left out"
        if bias.any():
            return "servos on a path are not carried"
        path = reader.tendons.paths[tendon]
        # A positive force of MuJoCo lengthens the tendon.
        reader.model.add(ForceActuator(reader.names.take("actuator", name), path, -gain * gear[0], scale=control))
        return ""
    if "site" in record and "refsite" not in record and not bias.any():
        link, frame = reader.site(record.word("site"), record)
        force, couple = gain * frame.along(gear[:3]), gain * frame.along(gear[3:])
        if force.any():
            at = reader.point(link, frame.place)
            reader.model.add(FollowerForce(reader.names.take("actuator", name), at, force.tolist(), scale=control))
        if couple.any():
            couples = Torque(reader.names.take("torque", f"{name} torque"), link.name, couple.tolist(), scale=control)
            couples.frame = "body"
            reader.model.add(couples)
        return ""
    return "what it acts on (slider-crank, body, or a site seen from another) is not carried"


def _law(record: Record, kind: str) -> tuple[float, Any] | str:
    """gain and (a, b, c) of the force gain · control + a + b length + c velocity; a text where it is another law."""
    if kind == "motor":
        return 1.0, np.zeros(3)
    if kind == "position":
        kp, kv = record.number("kp", 1.0), record.number("kv", 0.0)
        if record.number("timeconst", 0.0) or "dampratio" in record:
            return "a servo with timeconst or dampratio is not carried; give kv"
        return kp, np.array([0.0, -kp, -kv])
    if kind == "velocity":
        kv = record.number("kv", 1.0)
        return kv, np.array([0.0, 0.0, -kv])
    if kind != "general":
        return f"a {kind} actuator is not carried"
    if record.word("dyntype", "none") not in ("none", "filter", "filterexact"):
        return f"its own dynamics ('{record.word('dyntype')}') are not carried"
    gain, bias = record.array("gainprm", None, (1.0,)), np.zeros(3)
    if record.word("gaintype", "fixed") not in ("fixed", "affine") or gain[1:].any():
        return "a gain that depends on length or velocity is not carried"
    if record.word("biastype", "none") == "affine":
        given = record.array("biasprm", None, (0.0,))[:3]
        bias[: len(given)] = given
    elif record.word("biastype", "none") != "none":
        return f"its bias ('{record.word('biastype')}') is not carried"
    return float(gain[0]), bias


def _on_joints(
    reader: Reader, record: Record, name: str, control: Any, gain: float, bias: Any, factors: dict[str, float]
) -> str:
    """Forces on joint values q_i, with the length Σ f_i q_i."""
    coordinates = reader.coordinates
    for joint, factor in factors.items():
        q = coordinates[joint]
        title = name if len(factors) == 1 else f"{name} on {joint}"
        if gain:
            push = CoordinateForce(reader.names.take("actuator", title), q.name, q.sign * factor * gain, scale=control)
            reader.model.add(push)
        if bias[0]:
            offset = reader.names.take("actuator", f"{title} bias")
            reader.model.add(CoordinateForce(offset, q.name, q.sign * factor * float(bias[0])))
    stiffness, damping = -float(bias[1]), -float(bias[2])
    if stiffness < 0.0 or damping < 0.0:
        return "a bias that drives the motion on (a positive factor of length or velocity) is not carried"
    if len(factors) > 1:
        if stiffness:
            zero = sum(f * coordinates[joint].zero for joint, f in factors.items())
            terms = {coordinates[joint].name: f * coordinates[joint].sign for joint, f in factors.items()}
            servo = reader.names.take("spring", f"{name} servo")
            reader.model.add(Coupling(servo, terms, constant=-zero, enforcement=Penalty(stiffness)))
        return "the damping of a servo on a sum of joint values is not carried" if damping else ""
    joint, factor = next(iter(factors.items()))
    q = coordinates[joint]
    if stiffness and factor:
        spring = reader.names.take("spring", f"{name} servo")
        reader.model.add(CoordinateSpring(spring, q.name, stiffness * factor**2, rest=q.here(0.0)))
    if damping and factor:
        part = CoordinateDamper(reader.names.take("damper", f"{name} damping"), q.name, damping * factor**2)
        reader.model.add(part)
    return ""


def _add_muscle(reader: Reader, record: Record, name: str, control: Any) -> str:
    tendon = record.word("tendon")
    if tendon not in reader.tendons.paths:
        return "a muscle is carried along a path only"
    gain = np.array([0.75, 1.05, -1.0, 200.0, 0.5, 1.6, 1.5, 1.3, 1.2])
    given = record.array("gainprm", None, ())
    gain[: len(given)] = given[: len(gain)]
    low, high = record.array("range", 2, gain[:2])
    force = record.number("force", float(gain[2]))
    lengths = record.array("lengthrange", 2)
    if lengths is None or force <= 0.0:
        return "a muscle needs lengthrange and force; MuJoCo finds them itself, print actuator_lengthrange and actuator_biasprm"
    fibre = float(lengths[1] - lengths[0]) / float(high - low)
    slack = float(lengths[0]) - float(low) * fibre
    if not slack > 0.0:
        return f"by its lengthrange and range its tendon would be {slack:.3g} m long"
    times = record.array("timeconst", None, (0.01, 0.04))
    speed = record.number("vmax", float(gain[6]))
    reader.model.add(
        Muscle(
            reader.names.take("actuator", name),
            reader.tendons.paths[tendon],
            force,
            fibre,
            slack,
            excitation=control,
            tendon="rigid",
            activation_time=float(times[0]),
            deactivation_time=float(times[1]),
            max_speed=speed,
        )
    )
    return "is a muscle with a rigid tendon and the curves of De Groote et al. (2016), which are not those of MuJoCo"
