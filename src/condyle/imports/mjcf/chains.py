"""Joints of an MJCF body one after the other, and which of them are one joint of Condyle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from condyle.imports.frames import Array
from condyle.imports.mjcf.document import Record

__all__ = ["FREE", "WIDTHS", "JointOf", "axes_of", "in_groups"]

FREE = "free"
WIDTHS = {FREE: (7, 6), "ball": (4, 3), "hinge": (1, 1), "slide": (1, 1)}  # numbers in qpos and qvel
SQUARE = 1e-9  # cosine of two axes that are square to each other


@dataclass
class JointOf:
    """A joint of a body: axis and anchor [m] in the body, its place in qpos and qvel, and where it stands.

    moved: from the reference [rad or m]; of a ball a rotation matrix, of a free joint a frame. rate: its velocities.
    """

    record: Record
    kind: str
    name: str
    axis: Array
    anchor: Array
    ref: float
    places: tuple[int, int] = (0, 0)
    moved: Any = 0.0
    rate: Any = 0.0


def in_groups(joints: list[JointOf]) -> list[list[JointOf]]:
    """Joints that are one joint of Condyle each: slides square to each other, then hinges square to each other or a ball."""
    groups = []
    while joints:
        count = _of_one_joint(joints)
        groups.append(joints[:count])
        joints = joints[count:]
    return groups


def axes_of(joints: list[JointOf]) -> Array | None:
    """A right-handed triad, rows in the body, the axes of the hinges first; None where slides are not along its rows."""
    slides, hinges = ([j for j in joints if j.kind == kind] for kind in ("slide", "hinge"))
    if len(hinges) >= 2:
        first, second = hinges[0].axis, hinges[1].axis
    elif hinges:
        first = hinges[0].axis
        second = next((s.axis for s in slides if _square(s, hinges)), _across(first))
    elif slides:
        first = slides[0].axis
        second = slides[1].axis if len(slides) > 1 else _across(first)
    else:
        return np.eye(3)
    triad = np.array([first, second, np.cross(first, second)])
    fits = all(np.abs(np.abs(triad @ s.axis) - 1.0).min() < SQUARE for s in slides)
    return triad if fits else None


def _of_one_joint(joints: list[JointOf]) -> int:
    slides = 0
    while slides < len(joints) and joints[slides].kind == "slide" and _square(joints[slides], joints[:slides]):
        slides += 1
    rest, hinges = joints[slides:], 0
    if rest and rest[0].kind in ("ball", FREE):
        return slides + 1
    while hinges < min(3, len(rest)) and rest[hinges].kind == "hinge" and _square(rest[hinges], rest[:hinges]):
        if np.linalg.norm(rest[hinges].anchor - rest[0].anchor) > 1e-12:
            break
        hinges += 1
    while slides and hinges and axes_of(joints[: slides + hinges]) is None:
        hinges -= 1
    return slides + hinges


def _square(joint: JointOf, others: list[JointOf]) -> bool:
    return all(abs(float(joint.axis @ other.axis)) < SQUARE for other in others)


def _across(axis: Array) -> Array:
    first = np.eye(3)[int(np.argmin(np.abs(axis)))]
    first = first - (first @ axis) * axis
    return np.asarray(first / np.linalg.norm(first))
