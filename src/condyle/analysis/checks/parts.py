"""Parts of a model: the way to a file and back, and a small model around a part to try it in."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from condyle.analysis.checks.laws import CheckFailed
from condyle.analysis.checks.motion import conservation
from condyle.analysis.checks.tangent import tangent
from condyle.bodies import Body, RigidBody
from condyle.errors import CondyleError, InputError
from condyle.joints import Joint
from condyle.model.part import Part
from condyle.parts import Model
from condyle.system.compile import running
from condyle.system.running import RunningSystem

# What fields of an example are when nothing else is known: the bodies of the model it is tried in.
USUAL = {"name": "part", "a": "a", "b": "b", "body": "a", "point": "a"}
NO_EXAMPLE = "define a classmethod example() that returns one, on the bodies 'a' at (0, 0, 0) and 'b' at (1, 0, 0)"


def example_of(kind: type[Part]) -> Part:
    """An instance to try: what the class method `example` returns, or one made of defaults. LookupError if neither works."""
    if hasattr(kind, "example"):
        made = kind.example()
        if not isinstance(made, kind):
            raise CheckFailed(f"its example() returns {made!r}, not a {kind.__name__}")
        return made
    if not dataclasses.is_dataclass(kind):
        raise CheckFailed("it is no dataclass, so it has no fields to be written; put @dataclass above it")
    needed = [f.name for f in dataclasses.fields(kind) if f.init and _has_no_default(f)]
    unknown = [name for name in needed if name not in USUAL]
    if unknown:
        raise LookupError(f"no example: {', '.join(unknown)} have no default; {NO_EXAMPLE}")
    options: dict[str, Any] = {name: USUAL[name] for name in needed}
    if issubclass(kind, Joint) and "at" in kind.__dataclass_fields__:
        options["at"] = (0.5, 0.0, 0.0) if 3 in kind.dimensions else (0.5, 0.0)
    try:
        return kind(**options)
    except CondyleError as error:
        raise LookupError(f"no example: with defaults, {error}; {NO_EXAMPLE}") from None


def round_trip(part: Part) -> None:
    """A part becomes JSON and an equal part again, by its own class and by `Part`."""
    text = json.dumps(part.to_dict(), allow_nan=False)
    for cls in (Part, type(part)):
        again = cls.from_dict(json.loads(text), allow_code=True)  # it is the user's own
        if type(again) is not type(part) or again != part:
            raise CheckFailed(f"from_dict(to_dict()) gives another part: {again!r}")
        if json.dumps(again.to_dict()) != text:
            raise CheckFailed("what is written a second time differs from the first")


def system_with(part: Part) -> RunningSystem:
    """A compiled model with the part: alone if it is a body, else with two rigid bodies 'a' and 'b' that move and turn."""
    refused = None
    for d in sorted(getattr(part, "dimensions", (2, 3)), reverse=True):
        model = Model("check", dimension=d)
        try:
            if not isinstance(part, Body):
                model.add(_free_body("a", 0.0, d))
                model.add(_free_body("b", 1.0, d))
            model.add(part)
            return running(model)
        except InputError as error:
            refused = refused or error
    raise CheckFailed(f"a model with it cannot be compiled: {refused}")


def part_derivatives(system: RunningSystem) -> str:
    """The matrix of a model with the part is the derivative of its forces."""
    if system.user_forces:
        return "a Python function has no derivatives"
    tangent(system)
    return ""


def part_in_motion(system: RunningSystem, part: Part) -> str:
    """A run keeps the energy less the work that is put in; a body's or a joint's also both momenta."""
    internal = isinstance(part, Body) or (isinstance(part, Joint) and "ground" not in (part.a.body, part.b.body))
    driven = bool(system.driven)
    return conservation(system, 0.005, 100, momenta=internal and not driven)


def _free_body(name: str, x: float, d: int) -> RigidBody:
    if d == 2:
        return RigidBody(name, 1.0 + x, inertia=0.1, position=(x, 0.0), velocity=(0.0, 0.2), angular_velocity=1.0)
    return RigidBody(name, 1.0 + x, inertia=(0.1, 0.15, 0.2), position=(x, 0.0, 0.0), velocity=(0.0, 0.2, 0.1),
                     angular_velocity=(0.6, 0.8, 1.0))  # fmt: skip


def _has_no_default(field: dataclasses.Field[Any]) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
