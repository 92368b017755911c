"""Equality constraints of MJCF: exact here, soft in MuJoCo."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from condyle.imports.frames import Frame
from condyle.imports.mjcf.document import Record
from condyle.joints.couplings import Coupling, Follow
from condyle.joints.fixed import Fixed
from condyle.joints.spherical import Spherical
from condyle.model.rotations import rotation

if TYPE_CHECKING:
    from condyle.imports.mjcf.reading import Reader
    from condyle.imports.mjcf.tree import Link

__all__ = ["add_equalities"]

APART = 1e-6  # [m or rad], of points and axes that are meant to be together
PIECES = 41  # points of the spline that stands for a polynomial


def add_equalities(reader: Reader) -> None:
    """connect, weld and joint; others are listed."""
    adders = {"connect": _connect, "weld": _weld, "joint": _joint, "tendon": _tendon}
    for element in reader.document.listed("equality"):
        record = reader.document.record(element, kind="equality")
        label = record.name or record.where
        if not record.switch("active", True):
            reader.leave_out(str(element.tag), label, "is not active at the start")
        elif element.tag in adders:
            why = adders[str(element.tag)](reader, record)
            if why:
                reader.leave_out(f"equality {element.tag}", label, why)
        else:
            reader.leave_out("equality", label, f"'{element.tag}' is not read")


def _ends(reader: Reader, record: Record) -> tuple[tuple[Link, Frame], tuple[Link, Frame]]:
    """The two links with the frames on them that are held together."""
    if "site1" in record:
        return reader.site(record.word("site1"), record), reader.site(record.word("site2"), record)
    return reader.body(record.word("body1"), record), reader.body(record.word("body2", "world"), record)


def _tendon(reader: Reader, record: Record) -> str:
    """L₁ − L₁⁰ = c₀ + c₁ (L₂ − L₂⁰) of sums L of joint values; 0: at the reference."""
    names = [record.word(name) for name in ("tendon1", "tendon2") if name in record]
    if any(name not in reader.tendons.fixed for name in names):
        return "only tendons that are sums of joint values can be held"
    c: Any = np.zeros(5)
    given = record.array("polycoef", None, (0.0, 1.0, 0.0, 0.0, 0.0))
    c[: len(given)] = given
    if len(names) > 1 and c[2:].any():
        return "its polynomial is not linear"
    terms: dict[str, float] = {}
    constant = float(c[0])
    for name, share in zip(names, (1.0, -float(c[1])), strict=False):
        for joint, factor in reader.tendons.fixed[name].items():
            q, ref = reader.coordinates[joint], reader.tree.joints[joint][1].ref
            terms[q.name] = terms.get(q.name, 0.0) + share * factor * q.sign
            constant += share * factor * (ref - q.zero)
    reader.model.add(Coupling(reader.names.take("equality", record.name), terms, constant=constant))
    return ""


def _connect(reader: Reader, record: Record) -> str:
    (a, at_a), (b, at_b) = _ends(reader, record)
    one = at_a.at(record.array("anchor", 3, (0.0, 0.0, 0.0)) if "site1" not in record else np.zeros(3))
    other = at_b.place if "site1" in record else b.world.inverse().at(a.world.at(one))
    name = reader.names.take("connect", record.name)
    apart = float(np.linalg.norm(a.world.at(one) - b.world.at(other)))
    reader.model.add(Spherical(name, reader.point(a, one), reader.point(b, other), assemble=apart > APART))
    return f"its points are {apart:.3g} m apart at the start; bodies are moved together" if apart > APART else ""


def _weld(reader: Reader, record: Record) -> str:
    (a, at_a), (b, at_b) = _ends(reader, record)
    relative = record.array("relpose", 7)
    if relative is not None and relative[3:].any():
        now = (a.world @ at_a).inverse() @ (b.world @ at_b)
        turn = rotation(quaternion=(relative[3:] / np.linalg.norm(relative[3:])).tolist())
        if max(np.abs(now.place - relative[:3]).max(), np.abs(now.turn - turn).max()) > APART:
            return "its relpose is not that of the start; start from a state in which bodies are in that pose"
    if "site1" in record:
        apart = float(np.linalg.norm(a.world.at(at_a.place) - b.world.at(at_b.place)))
        if apart > APART:
            return f"its sites are {apart:.3g} m apart at the start"
        if np.abs((a.world @ at_a).turn - (b.world @ at_b).turn).max() > APART:
            return "its sites are turned against each other at the start"
    place = b.world.at(at_b.at(record.array("anchor", 3, (0.0, 0.0, 0.0)))).tolist()
    reader.model.add(Fixed(reader.names.take("weld", record.name), a.name, b.name, at=place))
    return ""


def _joint(reader: Reader, record: Record) -> str:
    """q₁ − ref₁ = Σ c_k (q₂ − ref₂)^k."""
    names = [record.word(name) for name in ("joint1", "joint2") if name in record]
    if any(name not in reader.coordinates for name in names):
        return "only hinges and slides can be coupled"
    q = [reader.coordinates[name] for name in names]
    refs = [reader.tree.joints[name][1].ref for name in names]
    c: Any = np.zeros(5)
    given = record.array("polycoef", None, (0.0, 1.0, 0.0, 0.0, 0.0))
    c[: len(given)] = given
    name = reader.names.take("equality", record.name)
    if len(q) == 1:
        reader.model.add(Coupling(name, {q[0].name: 1.0}, constant=q[0].here(refs[0] + c[0])))
        return ""
    if not c[2:].any():
        # here_k = s_k (δ_k + ref_k − zero_k), so δ_k = s_k here_k + zero_k − ref_k.
        shifts = [one.zero - ref for one, ref in zip(q, refs, strict=True)]
        factors = {q[0].name: q[0].sign, q[1].name: -c[1] * q[1].sign}
        reader.model.add(Coupling(name, factors, constant=c[0] + c[1] * shifts[1] - shifts[0]))
        return ""
    span = reader.tree.joints[names[1]][1].record.array("range", 2, (-np.pi, np.pi))
    joint = reader.tree.joints[names[1]][1]
    low, high = (joint.record.angle(span) if joint.kind == "hinge" and "range" in joint.record else span) - refs[1]
    moved = np.linspace(low, high, PIECES)
    x = [q[1].here(refs[1] + v) for v in moved]
    y = [q[0].here(refs[0] + float(np.polyval(c[::-1], v))) for v in moved]
    if x[0] > x[-1]:
        x, y = x[::-1], y[::-1]
    reader.model.add(Follow(name, q[0].name, q[1].name, x, y))
    return f"its polynomial is a spline of {PIECES} points"
