"""A parametric surface as points meet it: cartilage, menisci and meshes against condyles and plateaus."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from condyle.contact.parametric import ParametricSurface, table_of
from condyle.contact.surface import Array, Distance, Surface
from condyle.errors import InputError
from condyle.model.quantities import declared
from condyle.system.touching.parametric_distance import MOST, foot_step, over_foot, parametric_distances
from condyle.system.touching.surfaces import PARAMETRIC

if TYPE_CHECKING:
    from condyle.model.given import NumbersLike

SAMPLES = 17  # along each parameter, from which the nearest point is looked for


@declared
class ArticularSurface(Surface):
    """A parametric surface (RevolvedSurface, FlatSurface, SplinePatch, PolynomialPatch or one's own) as the shape of a Contact.

    Its outside is where ∂u/∂s₁ × ∂u/∂s₂ points. Beyond its edge, distances are those from the edge: nothing is pressed
    there.
    """

    dimensions: ClassVar[tuple[int, ...]] = (3,)
    surface: ParametricSurface
    _numbers: Any = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.surface, ParametricSurface):
            raise InputError(f"{self.label}: surface must be a parametric surface such as RevolvedSurface(…)")
        low, high = self.surface.domain.T
        share = np.linspace(0.0, 1.0, SAMPLES)
        s = np.array([low + np.array((a, b)) * (high - low) for a in share for b in share])
        self._samples = np.column_stack((s, [self.surface.jet(one)[0] for one in s]))
        table = table_of(self.surface)
        if table is not None:
            head = [PARAMETRIC, 0.0, table.kind, *table.coefficients.shape, len(s)]
            parts = (
                head,
                table.frame,
                table.first,
                table.second,
                table.coefficients,
                table.low,
                table.high,
                self._samples,
            )
            self._numbers = np.concatenate([np.ravel(np.asarray(part, dtype=float)) for part in parts])

    @property
    def numbers(self) -> Array | None:
        """As kernels read it; None of a surface of one's own."""
        return None if self._numbers is None else np.asarray(self._numbers)

    def distance(self, points: Array) -> Distance:
        p = np.ascontiguousarray(points, dtype=float)
        near = Distance(np.empty(len(p)), np.empty((len(p), 3)), np.empty((len(p), 3, 3)))
        if self._numbers is not None:
            parametric_distances(self._numbers, p, *near)
            return near
        for k, point in enumerate(p):
            near.gap[k] = over_foot(self._foot(point), point, near.normal[k], near.hessian[k])
        return near

    def _foot(self, point: Array) -> Array:
        """The jet at the nearest point, of a surface that kernels do not know."""
        low, high = (np.ascontiguousarray(end) for end in self.surface.domain.T)
        s = self._samples[np.argmin(np.sum((self._samples[:, 2:] - point) ** 2, axis=1)), :2].copy()
        step = np.empty(2)

        def jet(at: Array) -> Array:
            return np.ascontiguousarray(self.surface.jet(at), dtype=float)

        now = jet(s)
        for _ in range(MOST):
            if not foot_step(now, point, low, high, s, step):
                break
            far, share = np.sum((now[0] - point) ** 2), 1.0
            for _ in range(8):
                later = jet(s + share * step)
                if np.sum((later[0] - point) ** 2) <= far:
                    break
                share *= 0.5
            s, now = s + share * step, later
        return now

    def outline(self, dimension: int) -> list[NumbersLike]:
        places = self._samples[:, 2:].reshape(SAMPLES, SAMPLES, 3)
        return [places[k] for k in range(0, SAMPLES, 4)] + [places[:, k] for k in range(0, SAMPLES, 4)]


def spread_points(surface: ParametricSurface, counts: tuple[int, int]) -> tuple[Array, Array]:
    """Points (n, 3) [m] in the middles of an even grid over a surface, and the area of each [m²]."""
    low, high = surface.domain.T
    step = (high - low) / counts
    places, areas = [], []
    for i in range(counts[0]):
        for j in range(counts[1]):
            jet = surface.jet(low + (np.array((i, j)) + 0.5) * step)
            places.append(jet[0])
            areas.append(float(np.linalg.norm(np.cross(jet[1], jet[2]))) * step[0] * step[1])
    return np.array(places), np.array(areas)
