"""Coulomb's friction with more to it: a running surface, directions that differ, resistance to rolling and to spinning."""

from __future__ import annotations

from math import sqrt
from typing import ClassVar

import numpy as np

from condyle.contact.laws.law import FrictionLaw
from condyle.contact.surface import Array
from condyle.errors import InputError
from condyle.model.given import Given, VectorLike, VectorOrNone
from condyle.model.quantities import declared, given, quantity


@declared(frozen=True)
class SurfaceFriction(FrictionLaw):
    """Friction of `Nonsmooth` steps: |T| ≤ μ p, and what a surface does besides.

    mu: coefficient along `axis`; across: that square to it (None: the same, 0: free to move sideways), with the bound of an
    ellipse, (T₁/μ)² + (T₂/across)² ≤ p². axis: a vector in the coordinates of the target, projected onto the surface, or
    'along', the line of the cable or beam whose points touch. rolling, spinning [m]: moments about the tangents and about the
    normal are at most so much times the pressing force; both bodies need shapes. velocity [m/s]: of the surface of the target,
    in its coordinates: a belt that runs, while the body that carries it stands still.
    """

    exact: ClassVar[bool] = True
    of_impulses: ClassVar[bool] = True  # only steps at the level of velocities know it
    mu: float = quantity(at_least=0.0)
    across: float | None = quantity(default=None, at_least=0.0)
    axis: Given[VectorLike | str | None, tuple[float, ...] | str | None] = given(default=None)
    rolling: float = quantity("m", default=0.0, at_least=0.0)
    spinning: float = quantity("m", default=0.0, at_least=0.0)
    velocity: VectorOrNone = given(default=None)

    def __post_init__(self) -> None:
        if self.across is not None and self.axis is None:
            raise InputError("SurfaceFriction: across needs an axis, that of mu; give a vector, or 'along' of a cable")
        if isinstance(self.axis, str) and self.axis != "along":
            raise InputError(f"SurfaceFriction: axis is {self.axis!r}; give a vector, or 'along'")
        for name in ("axis", "velocity"):
            given = getattr(self, name)
            if given is None or isinstance(given, str):
                continue
            values = np.asarray(given, dtype=float)
            if values.ndim != 1 or values.size not in (2, 3) or not np.isfinite(values).all():
                raise InputError(f"SurfaceFriction: {name} must be a vector of 2 or 3 finite numbers, not {given!r}")
            if name == "axis" and not values.any():
                raise InputError("SurfaceFriction: axis has no length")
            object.__setattr__(self, name, tuple(values.tolist()))

    @property
    def scales(self) -> Array:
        """Of the rows along and across (2,): with them the ellipse is a circle of the radius `mean`; 0 where nothing rubs."""
        both = np.array([self.mu, self.mu if self.across is None else self.across])
        return np.asarray(both / self.mean if self.mean > 0.0 else np.ones(2))

    @property
    def mean(self) -> float:
        """The coefficient of scaled rows."""
        if self.across is None:
            return self.mu
        return sqrt(self.mu * self.across) if self.mu * self.across > 0.0 else max(self.mu, self.across)
