"""Surfaces by two parameters, with tangents and curvature: what articular contact is made of (gantoi-2013, chapter 3)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.errors import InputError
from condyle.model.fields import Numbers
from condyle.model.part import Part, number, vector

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
        _, a, b, aa, ab, bb = self.jet(np.asarray(s, dtype=float))
        n = np.cross(a, b)
        n /= np.linalg.norm(n)
        if axes is None:
            e1 = a / np.linalg.norm(a)
            axes = np.array([e1, np.cross(n, e1)])
        inverse = np.linalg.inv(axes @ np.array([a, b]).T)
        return np.asarray(-inverse.T @ np.array([[aa @ n, ab @ n], [ab @ n, bb @ n]]) @ inverse)


@dataclass
class FlatSurface(ParametricSurface):
    """A plane through `point` [m] with the outward normal `direction`, a square of half side `extent` [m]."""

    direction: Numbers
    point: Any = (0.0, 0.0, 0.0)
    extent: float = 0.1

    def __post_init__(self) -> None:
        vector(self, "direction", nonzero=True)
        vector(self, "point")
        number(self, "extent", low=0.0, strict=True)
        n = np.array(self.direction) / np.linalg.norm(self.direction)
        first = np.eye(3)[int(np.argmin(np.abs(n)))]
        first = first - (first @ n) * n
        first /= np.linalg.norm(first)
        self._jet = np.vstack((np.zeros(3), first, np.cross(n, first), np.zeros((3, 3))))

    @property
    def domain(self) -> Array:
        return np.array([(-self.extent, self.extent)] * 2)

    def jet(self, s: Array) -> Array:
        out = self._jet.copy()
        out[0] = np.asarray(self.point) + s @ out[1:3]
        return out


@dataclass
class RevolvedSurface(ParametricSurface):
    """A profile turned about an axis: u = centre + y axis + f(y) (cos φ side + sin φ axis × side), parameters φ [rad], y [m].

    profile: coefficients a₀, a₁, … of the radius f(y) = Σ a_k yᵏ [m], or pairs (y, f) of a spline, at least four; half_width
    [m]: y from −half_width to half_width (of a spline: between its ends); side: where φ = 0; angles: least and largest φ.
    """

    profile: Numbers
    axis: Numbers
    side: Numbers
    centre: Any = (0.0, 0.0, 0.0)
    half_width: float | None = None
    angles: Any = (-np.pi / 2, np.pi / 2)

    def __post_init__(self) -> None:
        for name in ("axis", "side"):
            vector(self, name, nonzero=True)
        vector(self, "centre")
        given = np.asarray(self.profile, dtype=float)
        self.profile = given.tolist()
        self.angles = tuple(float(a) for a in self.angles)
        a = np.array(self.axis) / np.linalg.norm(self.axis)
        side = np.array(self.side) - (np.array(self.side) @ a) * a
        if not np.linalg.norm(side) > 1e-9 * np.linalg.norm(self.side):
            raise InputError(f"{self.label}: side is parallel to the axis; give a direction across it")
        side /= np.linalg.norm(side)
        self._frame = np.array([a, side, np.cross(a, side)])
        if given.ndim == 2:
            self._prepare_spline(given)
        else:
            number(self, "half_width", low=0.0, strict=True)
            f = np.polynomial.Polynomial(given)
            self._curves: Any = (f, f.deriv(), f.deriv(2))
            self._ends = (-float(self.half_width), float(self.half_width))  # type: ignore[arg-type]
        radii = self._curves[0](np.linspace(*self._ends, 101))
        if not radii.min() > 0.0:
            raise InputError(f"{self.label}: its radius falls to {radii.min():g} m; take a smaller half_width")

    def _prepare_spline(self, pairs: Array) -> None:
        from scipy.interpolate import CubicSpline

        if pairs.shape[1] != 2 or len(pairs) < 4 or not (np.diff(pairs[:, 0]) > 0).all():
            raise InputError(
                f"{self.label}: a profile is coefficients, or at least four pairs (y, radius) with rising y"
            )
        f = CubicSpline(pairs[:, 0], pairs[:, 1], bc_type="natural")
        self._curves = (f, f.derivative(), f.derivative(2))
        self._ends = (float(pairs[0, 0]), float(pairs[-1, 0]))

    @property
    def domain(self) -> Array:
        return np.array([self.angles, self._ends])

    def jet(self, s: Array) -> Array:
        axis, side, across = self._frame
        f, f1, f2 = (float(curve(s[1])) for curve in self._curves)
        out, turned = np.cos(s[0]) * side + np.sin(s[0]) * across, np.cos(s[0]) * across - np.sin(s[0]) * side
        u = np.asarray(self.centre) + s[1] * axis + f * out
        return np.array([u, f * turned, axis + f1 * out, -f * out, f1 * turned, f2 * out])


@dataclass
class SplinePatch(ParametricSurface):
    """The C² bicubic spline through a grid of points [m], shape (k, l, 3), k and l at least 4; parameters 0 … k − 1, 0 … l − 1.

    `SplinePatch.fit` makes one of a cloud of points, such as a scanned or segmented joint surface.
    """

    points: Numbers
    _made: Any = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        from scipy.interpolate import RectBivariateSpline

        P = np.asarray(self.points, dtype=float)
        if P.ndim != 3 or P.shape[2] != 3 or min(P.shape[:2]) < 4 or not np.isfinite(P).all():
            raise InputError(f"{self.label}: give a grid of at least 4 × 4 finite points in space, not {P.shape}")
        self.points = P.tolist()
        places = np.arange(P.shape[0]), np.arange(P.shape[1])
        self._made = [RectBivariateSpline(*places, P[:, :, a]) for a in range(3)]
        self._domain = np.array([(0.0, P.shape[0] - 1.0), (0.0, P.shape[1] - 1.0)])

    @classmethod
    def fit(
        cls, cloud: ArrayLike, up: ArrayLike, *, divisions: tuple[int, int] = (12, 12), tolerance: float = 5e-4
    ) -> Self:
        """A surface through a cloud of points [m] (n, 3), as heights along `up`, smoothed.

        divisions: points of its grid. tolerance [m]: the root mean square of what is left; more is an error.
        """
        from scipy.interpolate import LSQBivariateSpline

        X = np.asarray(cloud, dtype=float)
        if X.ndim != 2 or X.shape[1] != 3 or not np.isfinite(X).all():
            raise InputError(f"SplinePatch.fit: a cloud is finite points in space (n, 3), not {X.shape}")
        pieces = [max(1, d // 3) for d in divisions]
        if len(X) < 4 * (pieces[0] + 3) * (pieces[1] + 3):
            raise InputError(
                f"SplinePatch.fit: {len(X)} points are too few for {divisions} divisions; take fewer divisions"
            )
        n = np.asarray(up, dtype=float) / np.linalg.norm(np.asarray(up, dtype=float))
        first = np.eye(3)[int(np.argmin(np.abs(n)))]
        first = first - (first @ n) * n
        axes = np.array([first / np.linalg.norm(first), np.cross(n, first / np.linalg.norm(first)), n])
        middle = X.mean(axis=0)
        flat = (X - middle) @ axes.T
        low, high = np.percentile(flat[:, :2], (2, 98), axis=0)
        knots = [np.linspace(low[k], high[k], pieces[k] + 1)[1:-1] for k in (0, 1)]
        fitted = LSQBivariateSpline(flat[:, 0], flat[:, 1], flat[:, 2], knots[0], knots[1])
        left = float(np.sqrt(np.mean((fitted.ev(flat[:, 0], flat[:, 1]) - flat[:, 2]) ** 2)))
        if not left <= tolerance:
            raise InputError(
                f"SplinePatch.fit: the surface misses its points by {left:g} m (root mean square), above {tolerance:g}; take "
                "more divisions, another direction `up`, or a larger tolerance"
            )
        places = [np.linspace(low[k], high[k], divisions[k]) for k in (0, 1)]
        grid = np.stack((*np.meshgrid(*places, indexing="ij"), fitted(places[0], places[1])), axis=2)
        return cls(grid @ axes + middle)

    @property
    def domain(self) -> Array:
        return np.asarray(self._domain)

    def jet(self, s: Array) -> Array:
        orders = ((0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2))
        return np.array([[float(f(s[0], s[1], dx=i, dy=j)[0, 0]) for f in self._made] for i, j in orders])
