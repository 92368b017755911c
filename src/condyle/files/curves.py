"""Curves that a model file asks for: histories of a result by name, and what is read of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from condyle.errors import InputError, nearest, unknown_name
from condyle.files.expressions import Measure, evaluate
from condyle.files.tree import Node
from condyle.model.body import Body
from condyle.model.model import Model
from condyle.model.part import Part, did_you_mean
from condyle.model.point import as_point
from condyle.units import base

if TYPE_CHECKING:
    from condyle.system.system import System

__all__ = ["READINGS", "TAKES", "CurveSpec", "History", "in_unit", "take"]

COMPONENTS = {"x": 0, "y": 1, "z": 2}
# What can be read of a result: how, in which unit, and whether at the times of steps or of frames.
READINGS: dict[str, tuple[str, Callable[[Any, str], Any]]] = {
    "position": ("m", lambda r, name: r.position(name)),
    "displacement": ("m", lambda r, name: r.displacement(name)),
    "velocity": ("m/s", lambda r, name: r.velocity(name)),
    "acceleration": ("m/s^2", lambda r, name: r.acceleration(name)),
    "coordinate": ("", lambda r, name: r.coordinate(name)),
    "coordinate_rate": ("", lambda r, name: r.coordinate_rate(name)),
    "angle": ("rad", lambda r, name: r.angle(name)),
    "angular_velocity": ("rad/s", lambda r, name: r.angular_velocity(name)),
    "joint_force": ("N", lambda r, name: r.at_frames(r.joint_force(name))),
    "joint_torque": ("N m", lambda r, name: r.at_frames(r.joint_torque(name))),
    "reaction": ("N", lambda r, name: r.at_frames(r.reaction(name))),
    "contact_force": ("N", lambda r, name: r.contact(name).resultant),
    "contact_area": ("m^2", lambda r, name: r.contact(name).area),
    "contact_pressure": ("Pa", lambda r, name: np.max(r.contact(name).pressure, axis=1)),
    "tension": ("N", lambda r, name: r.path(name)["tension"]),
    "path_length": ("m", lambda r, name: r.path(name)["length"]),
    "energy": ("J", lambda r, name: _energy(r, name)),
}


VECTORS = ("position", "displacement", "velocity", "acceleration", "joint_force", "reaction", "contact_force")
TURNS = ("angular_velocity", "joint_torque")  # vectors in 3D, numbers in 2D
ON_BODIES = ("position", "displacement", "velocity", "acceleration", "angle", "angular_velocity")


class _Curve(Part, abstract=True):
    """Who asks for a coordinate when it is a curve."""

    @property
    def label(self) -> str:
        return "curve"


def _energy(result: Any, name: str) -> Any:
    """At the frames, as all other curves."""
    if name not in result.energy:
        raise InputError(f"there is no energy '{name}'; choose one of {', '.join(result.energy)}")
    return np.interp(result.times, result.step_times, result.energy[name])


@dataclass(frozen=True)
class History:
    """Times [s] and values in SI units, with the unit that they are shown in."""

    times: Any
    values: Any
    unit: str
    factor: float

    @property
    def shown(self) -> Any:
        """The values in the unit that they are shown in."""
        return self.values / self.factor


@dataclass(frozen=True)
class CurveSpec:
    """``{position: bob.tip, component: y, unit: mm}``."""

    reading: str
    name: str
    component: str
    unit: str
    factor: float
    node: Node

    @classmethod
    def of(cls, node: Node) -> CurveSpec:
        """What a node asks for; FileError where it cannot be."""
        readings = [key for key, _ in node.items() if key in READINGS]
        wrong = [key for key, _ in node.items() if key not in (*READINGS, "component", "unit")]
        if not readings and len(wrong) == 1 and nearest(wrong[0], READINGS):
            raise node.keys[wrong[0]].error(
                str(unknown_name("reading", wrong[0], READINGS, where="a curve reads one thing"))
            )
        if not node.is_map or len(readings) != 1:
            raise node.error(
                f"a curve reads one thing, such as {{position: bob, component: y}}; there are {', '.join(READINGS)}"
            )
        node.check_names((readings[0], "component", "unit"), f"curve of {readings[0]}")
        what, component, unit = node.get(readings[0]), node.get("component"), node.get("unit")
        assert what is not None
        if component is not None and component.text not in (*COMPONENTS, "size"):
            raise component.error(f"component is '{component.text}'; choose one of x, y, z, size")
        own = READINGS[readings[0]][0]
        written = own if unit is None else unit.text
        factor = 1.0
        if unit is not None:
            try:
                made = evaluate(f"1 {written}", {})
                assert isinstance(made, Measure)
                if own and made.dimension != base(own, "")[1]:
                    raise InputError(f"a curve of {readings[0]} is in {own}; {written!r} has another dimension")
            except InputError as error:
                raise unit.error(str(error)) from None
            factor = made.value
        return cls(readings[0], what.text, "" if component is None else component.text, written, factor, node)

    def check(self, model: Model, system: System | None = None) -> None:
        """FileError where the model has nothing of that name, or the component does not fit.

        system: the equations of the model, which know nodes of meshes and places on bodies.
        """
        node = self.node.get(self.reading)
        assert node is not None
        try:
            self._check_name(model)
            if system is not None and self.reading in ON_BODIES:
                system.position(self.name)
        except InputError as error:
            raise node.error(str(error)) from None
        d = model.dimension
        if self.reading in VECTORS or (self.reading in TURNS and d == 3):
            self._check_component(3 if self.reading in TURNS else d)
        elif self.component in COMPONENTS and self.reading not in TURNS:
            raise self.node.error(f"a curve of {self.reading} has no components; remove component")

    def _check_component(self, count: int) -> None:
        if not self.component:
            raise self.node.error(f"a curve of {self.reading} has components: add component: x, y, z or size")
        if COMPONENTS.get(self.component, 0) >= count:
            raise self.node.error("the model is 2D; component is x, y or size")

    def _check_name(self, model: Model) -> None:
        if self.reading in ("coordinate", "coordinate_rate"):
            from condyle.system.coordinate import split

            split(model, self.name, _Curve())
        elif self.reading in ON_BODIES:
            point = as_point(self.name)
            body = model.body(point.body)
            named = body.named_points()
            if isinstance(point.at, str) and type(body).named_points is not Body.named_points and point.at not in named:
                raise InputError(f"{body.label} has no point '{point.at}'{did_you_mean(point.at, named)}")
        elif self.reading in ("tension", "path_length"):
            from condyle.muscles.reading import with_path

            with_path(model, self.name)
        elif self.reading != "energy":
            part = model[self.name]
            if isinstance(part, Body):
                raise InputError(f"{part.label} is a body, which has no {self.reading.replace('_', ' ')}")

    def read(self, result: Any) -> History:
        """The curve of a result."""
        try:
            values = np.asarray(READINGS[self.reading][1](result, self.name), dtype=float)
        except InputError as error:
            raise self.node.error(str(error)) from None
        if values.ndim > 1:
            values = self._component(values)
        return History(np.asarray(result.times), values, self.unit, self.factor)

    def _component(self, values: Any) -> Any:
        if self.component == "size":
            return np.linalg.norm(values, axis=1)
        self._check_component(values.shape[1])
        return values[:, COMPONENTS[self.component]]


def _period(t: Any, y: Any) -> float:
    """Mean time between crossings of the mean, upwards."""
    level = y - y.mean()
    up = np.flatnonzero((level[:-1] < 0.0) & (level[1:] >= 0.0))
    if len(up) < 2:
        raise InputError("it does not swing twice about its mean; simulate longer")
    at = t[up] - level[up] * (t[up + 1] - t[up]) / (level[up + 1] - level[up])
    return float((at[-1] - at[0]) / (len(at) - 1))


# What can be taken of a curve, and whether it is a time.
TAKES: dict[str, tuple[bool, Callable[[Any, Any], float]]] = {
    "first": (False, lambda t, y: float(y[0])),
    "final": (False, lambda t, y: float(y[-1])),
    "max": (False, lambda t, y: float(y.max())),
    "min": (False, lambda t, y: float(y.min())),
    "range": (False, lambda t, y: float(np.ptp(y))),
    "mean": (False, lambda t, y: float(0.5 * (y[1:] + y[:-1]) @ np.diff(t) / np.ptp(t)) if len(t) > 1 else float(y[0])),
    "time_of_max": (True, lambda t, y: float(t[int(np.argmax(y))])),
    "time_of_min": (True, lambda t, y: float(t[int(np.argmin(y))])),
    "period": (True, _period),
}


def take(history: History, what: str) -> Measure:
    """One number of a curve."""
    is_time, function = TAKES[what]
    value = function(history.times, history.values)
    return in_unit(value, "s" if is_time else history.unit)


def in_unit(value: float, unit: str) -> Measure:
    """A number in SI units with the dimension of a unit, which may be empty."""
    one = evaluate(f"1 {unit}", {})
    assert isinstance(one, Measure)
    return one._replace(value=value)
