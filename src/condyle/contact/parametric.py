"""Surfaces by two parameters, with tangents and curvature: what articular contact is made of (gantoi-2013, chapter 3).

Those with a formula are here, those in pieces (splines, elements, clouds, meshes) in pieces.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.errors import InputError
from condyle.model.given import Given, Numbers, Vector, VectorLike, means
from condyle.model.part import Part, number
from condyle.model.quantities import declared, given, quantity
from condyle.system.touching.articular import PIECES, TURNED, SurfaceTable, jet_of

Array = NDArray[np.float64]


class ParametricSurface(Part, abstract=True):
    """A surface u(s₁, s₂) in the coordinates of its body; its outside is where ∂u/∂s₁ × ∂u/∂s₂ points."""

    @property
    def domain(self) -> Array:
        """Least and largest value of each parameter, shape (2, 2)."""
        raise TypeError(f"{type(self).__name__} does not say where it ends: define domain")

    def jet(self, s: Array) -> Array:
        """u, u₁, u₂, u₁₁, u₁₂, u₂₂ at s, shape (6, 3)."""
        raise TypeError(f"{type(self).__name__} does not say where its points are: define jet(self, s)")

    def grid(self, count: int = 13) -> tuple[Array, Array]:
        """Parameters (n, 2) and points (n, 3) spread over it."""
        low, high = self.domain.T
        share = (np.arange(count) + 0.5) / count
        s = np.array([(a, b) for a in low[0] + share * (high[0] - low[0]) for b in low[1] + share * (high[1] - low[1])])
        return s, np.array([self.jet(one)[0] for one in s])

    def normal(self, s: ArrayLike) -> Array:
        """Unit normal, outward."""
        _, a, b, *_ = self.jet(np.asarray(s, dtype=float))
        n = np.cross(a, b)
        return np.asarray(n / np.linalg.norm(n))

    def curvature(self, s: ArrayLike, axes: Array | None = None) -> Array:
        """Curvature in two tangential axes (rows of `axes`; by default along u₁ and across it), (2, 2); positive: convex."""
        return curvature_of(self.jet(np.asarray(s, dtype=float)), axes)


means("ParametricSurface", "a parametric surface", "object")


def curvature_of(jet: Array, axes: Array | None = None) -> Array:
    """Curvature of a jet in two tangential axes (rows; by default along u₁ and across it), (2, 2); positive: convex."""
    _, a, b, aa, ab, bb = jet
    n = np.cross(a, b)
    n /= np.linalg.norm(n)
    if axes is None:
        e1 = a / np.linalg.norm(a)
        axes = np.array([e1, np.cross(n, e1)])
    inverse = np.linalg.inv(axes @ np.array([a, b]).T)
    return np.asarray(-inverse.T @ np.array([[aa @ n, ab @ n], [ab @ n, bb @ n]]) @ inverse)


class TabledSurface(ParametricSurface, abstract=True):
    """A surface that kernels know: what it declares is put into a `SurfaceTable`."""

    _table: Any

    @property
    def domain(self) -> Array:
        return np.column_stack((self._table.low, self._table.high))

    def jet(self, s: Array) -> Array:
        out = np.empty((6, 3))
        jet_of(self._table, float(s[0]), float(s[1]), out)
        return out


def table_of(surface: ParametricSurface) -> SurfaceTable | None:
    """What kernels know of a surface; nothing of one whose jet is its own."""
    known = isinstance(surface, TabledSurface) and type(surface).jet is TabledSurface.jet
    return surface._table if known else None  # type: ignore[attr-defined]


def pieces_table(first: Any, second: Any, coefficients: Any) -> SurfaceTable:
    """Of a surface in pieces of polynomials."""
    a, b = np.ascontiguousarray(first, dtype=float), np.ascontiguousarray(second, dtype=float)
    low, high = np.array([a[0], b[0]]), np.array([a[-1], b[-1]])
    return SurfaceTable(PIECES, np.zeros((4, 3)), a, b, np.ascontiguousarray(coefficients, dtype=float), low, high)


@declared
class FlatSurface(TabledSurface):
    """A plane through `point` [m] with the outward normal `direction`, a square of half side `extent` [m]."""

    direction: Vector = quantity(vector=True, nonzero=True)
    point: Vector = quantity("m", default=(0.0, 0.0, 0.0), vector=True)
    extent: float = quantity("m", default=0.1, above=0.0)

    def __post_init__(self) -> None:
        n = np.array(self.direction) / np.linalg.norm(self.direction)
        first = np.eye(3)[int(np.argmin(np.abs(n)))]
        first = first - (first @ n) * n
        first /= np.linalg.norm(first)
        c = np.zeros((1, 1, 2, 2, 3))
        corner = np.array(self.point) - self.extent * (first + np.cross(n, first))
        c[0, 0, 0, 0], c[0, 0, 1, 0], c[0, 0, 0, 1] = corner, first, np.cross(n, first)
        self._table = pieces_table((-self.extent, self.extent), (-self.extent, self.extent), c)


@declared
class RevolvedSurface(TabledSurface):
    """A profile turned about an axis: u = centre + y axis + f(y) (cos φ side + sin φ axis × side), parameters φ [rad], y [m].

    profile: coefficients a₀, a₁, … of the radius f(y) = Σ a_k yᵏ [m], or pairs (y, f) of a spline, at least four; half_width
    [m]: y from −half_width to half_width (of a spline: between its ends); side: where φ = 0; angles: least and largest φ.
    """

    profile: Numbers
    axis: Vector = quantity(vector=True, nonzero=True)
    side: Vector = quantity(vector=True, nonzero=True)
    centre: Vector = quantity("m", default=(0.0, 0.0, 0.0), vector=True)
    half_width: float | None = quantity("m", default=None, above=0.0)
    angles: Given[VectorLike, tuple[float, ...]] = given(default=(-np.pi / 2, np.pi / 2))

    def __post_init__(self) -> None:
        given = np.asarray(self.profile, dtype=float)
        self.profile = given.tolist()
        self.angles = tuple(float(a) for a in self.angles)
        a = np.array(self.axis) / np.linalg.norm(self.axis)
        side = np.array(self.side) - (np.array(self.side) @ a) * a
        if not np.linalg.norm(side) > 1e-9 * np.linalg.norm(self.side):
            raise InputError(f"{self.label}: side is parallel to the axis; give a direction across it")
        side /= np.linalg.norm(side)
        if given.ndim == 2:
            breaks, c = self._spline(given)
        else:
            number(self, "half_width", low=0.0, strict=True)
            half = float(self.half_width)  # type: ignore[arg-type]
            breaks = np.array([-half, half])
            c = np.asarray(
                np.polynomial.Polynomial(given)(np.polynomial.Polynomial((-half, 1.0))).coef[None], dtype=float
            )
        frame = np.array([self.centre, a, side, np.cross(a, side)])
        self._table = SurfaceTable(
            TURNED, frame, np.array(self.angles), breaks, np.ascontiguousarray(c[None, :, None, :, None]),
            np.array([self.angles[0], breaks[0]]), np.array([self.angles[1], breaks[-1]]),
        )  # fmt: skip
        steps = [
            np.polynomial.Polynomial(own)(np.linspace(0.0, h, 41)) for own, h in zip(c, np.diff(breaks), strict=True)
        ]
        least = float(np.min(steps))
        if not least > 0.0:
            raise InputError(f"{self.label}: its radius falls to {least:g} m; take a smaller half_width")

    def _spline(self, pairs: Array) -> tuple[Array, Array]:
        """Breaks and coefficients of the radius through pairs (y, radius)."""
        from scipy.interpolate import CubicSpline

        if pairs.shape[1] != 2 or len(pairs) < 4 or not (np.diff(pairs[:, 0]) > 0).all():
            raise InputError(
                f"{self.label}: a profile is coefficients, or at least four pairs (y, radius) with rising y"
            )
        f = CubicSpline(pairs[:, 0], pairs[:, 1], bc_type="natural")
        return np.array(f.x), np.array(f.c[::-1].T)
