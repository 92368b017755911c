"""Parts that act by a law of the user's own: a stored energy, a constraint of places or velocities, or a force."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

import numpy as np

from condyle.bodies.enforcement import Enforcement, held
from condyle.errors import InputError
from condyle.laws.record import Law
from condyle.laws.user import compiled, find_law
from condyle.model.functions import TimeFunction, as_function
from condyle.model.given import Given, OverTime, TimeLike
from condyle.model.part import Part, number
from condyle.model.point import Gathered, GatheredLike, Point, as_vector
from condyle.model.quantities import declared, given

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder
    from condyle.system.weights import Weights


@declared
class LawPart(Part, abstract=True):
    """Base of parts with a law of the user's own (see `condyle.law`).

    law: its name; params: its parameters by name; vectors: a list of what it gathers as y_0, y_1, …: a pair of points
    (a, b), meaning x_b − x_a, or a point and a direction (world, at the start) that its body carries along.
    """

    kind = "energy"
    name: str
    law: str
    vectors: Given[Sequence[GatheredLike], tuple[Gathered, ...]]
    params: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.params = self.find().values(self.params, self.label)
        if not isinstance(self.vectors, list | tuple):
            raise InputError(f"{self.label}: vectors must be a list of pairs of points, not {self.vectors!r}")
        self.vectors = tuple(as_vector(v, self.label) for v in self.vectors)
        if self.kind not in ("force", "rate") and any(isinstance(v, Point) for v in self.vectors):
            raise InputError(
                f"{self.label}: a place alone depends on the origin; give pairs of points such as (ground, body)"
            )

    def find(self) -> Law:
        """The law itself."""
        return find_law(self.law, self.kind, self.label)

    def validate(self, model: Model) -> None:
        self.find().check_size(len(self.vectors), model.dimension, self.label)
        for vector in self.vectors:
            for end in (vector,) if isinstance(vector, Point) else vector:
                if isinstance(end, Point):
                    model.body(end.body, self)
                elif len(end) != model.dimension:
                    raise InputError(
                        f"{self.label}: the direction {end} does not fit a model of {model.dimension} dimensions"
                    )

    def gathered(self, builder: Builder) -> list[Weights]:
        """The vectors as weights on rows."""
        found = [builder.vector(vector, self) for vector in self.vectors]
        for k, vector in enumerate(found):
            if not vector.rows.size:
                raise InputError(f"{self.label}: the two points of vector {k} are the same point")
        return found


@declared
class LawEnergy(LawPart):
    """A stored energy ψ(G) [J] by a law of the user's own. law, vectors, params: see `LawPart`."""

    def compile(self, builder: Builder) -> None:
        """One stored energy."""
        builder.add_energy(self.name, compiled(self.find()), self.gathered(builder), tuple(self.params.values()))


@declared
class LawConstraint(LawPart):
    """A scalar constraint c(G) = value by a law of the user's own. law, vectors, params: see `LawPart`.

    value: a number, a function of time, or None for what c is at the start. Write c so that its changes are of the size of
    the lengths it holds, or of their squares. enforcement: as for joints. The multiplier λ is called 'constraint'; the
    force is −λ ∂c/∂x.
    """

    value: Given[TimeLike | None, TimeFunction | float | None] = given(default=0.0)
    enforcement: Enforcement = "multiplier"

    kind = "constraint"

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.value, int | float | np.number):
            number(self, "value")
        elif self.value is not None:
            self.value = as_function(self.value, self.label)
        held(self.enforcement, self)

    def compile(self, builder: Builder) -> None:
        """One scalar constraint."""
        law, params, vectors = compiled(self.find()), tuple(self.params.values()), self.gathered(builder)
        value = self._start(builder, law, vectors, params) if self.value is None else self.value
        builder.add_constraint(
            self.name, law, vectors, params, *held(self.enforcement, self), "constraint",
            function=None if value == 0.0 else value,
        )  # fmt: skip

    def _start(self, builder: Builder, law: int, vectors: list[Any], params: tuple[float, ...]) -> float:
        from condyle.laws.gram import gram_law

        y = np.array([builder.value(v) for v in vectors])
        ny = len(y)
        c = float(gram_law(law, ny, y @ y.T, np.array(params), np.zeros((ny, ny)), np.zeros((ny, ny, ny, ny))))
        if not np.isfinite(c):
            raise InputError(f"{self.label}: the law '{self.law}' is {c} at the start")
        return c


@declared
class LawRate(LawPart):
    """A constraint of velocities a(y)·ẏ = rate by a law of the user's own. law, vectors, params: see `LawPart`.

    A vector may also be a point alone: its place. rate: a number or a function of time. The multiplier λ is called 'rate'; the
    force on y is −λ a.
    """

    rate: Given[TimeLike, TimeFunction | float] = given(default=0.0)

    kind = "rate"

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.rate, int | float | np.number):
            number(self, "rate")
        else:
            self.rate = as_function(self.rate, self.label)

    def compile(self, builder: Builder) -> None:
        """One velocity."""
        law, params, vectors = compiled(self.find()), tuple(self.params.values()), self.gathered(builder)
        builder.add_rate(self.name, law, vectors, params, "rate", None if self.rate == 0.0 else self.rate)


@declared
class LawForce(LawPart):
    """A force f(y, ẏ, t) by a law of the user's own. law, vectors, params: see `LawPart`.

    A vector may also be a point alone: its place. Of a pair (a, b), +f acts on b and −f on a. scale: the function of time
    whose value the law gets as its amplitude.
    """

    scale: OverTime = given(default=1.0)

    kind = "force"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.scale = as_function(self.scale, self.label)

    def compile(self, builder: Builder) -> None:
        """One force."""
        law, params = compiled(self.find()), tuple(self.params.values())
        builder.add_force(self.name, law, self.gathered(builder), params, self.scale)
