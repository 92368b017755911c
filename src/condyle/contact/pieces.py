"""Parametric surfaces in pieces of polynomials: splines, NURBS, ANCF elements, and what is fitted to clouds and meshes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.bodies.ancf.beam import AncfBeam
from condyle.bodies.ancf.body import Mesh
from condyle.bodies.ancf.plate import Plate
from condyle.bodies.spline_pieces import checked_knots, homogeneous, sheet_of
from condyle.contact.parametric import Array, TabledSurface, pieces_table
from condyle.errors import InputError
from condyle.model.given import Numbers, NumbersLike
from condyle.model.part import plain
from condyle.model.quantities import declared


@declared
class PolynomialPatch(TabledSurface):
    """A surface of polynomials, u = Σ c_ab (s₁ − x_i)^a (s₂ − y_j)^b in each cell of a grid of breaks x, y.

    first, second: the breaks x (m + 1,) and y (n + 1,); coefficients [m]: shape (m, n, p + 1, q + 1, 3), or 4 at the end: a
    rational surface, whose coordinates come times a weight, and then the weight. `of_spline` makes one of a B-spline, Bézier
    or NURBS surface, `of_plate` and `of_beam` of ANCF elements.
    """

    first: Numbers
    second: Numbers
    coefficients: Numbers

    def __post_init__(self) -> None:
        a, b, c = (np.asarray(getattr(self, name), dtype=float) for name in ("first", "second", "coefficients"))
        self.first, self.second, self.coefficients = a.tolist(), b.tolist(), c.tolist()
        for name, breaks in (("first", a), ("second", b)):
            if breaks.ndim != 1 or len(breaks) < 2 or not (np.diff(breaks) > 0).all():
                raise InputError(f"{self.label}: {name} must be at least two rising numbers")
        if (
            c.ndim != 5
            or c.shape[:2] != (len(a) - 1, len(b) - 1)
            or c.shape[4] not in (3, 4)
            or not np.isfinite(c).all()
        ):
            raise InputError(
                f"{self.label}: coefficients must be finite, of shape ({len(a) - 1}, {len(b) - 1}, ·, ·, 3 or 4), not {c.shape}"
            )
        self._table = pieces_table(a, b, c)

    @classmethod
    def of_spline(
        cls,
        control: ArrayLike,
        *,
        degree: Sequence[int] = (3, 3),
        knots: Sequence[NumbersLike | None] = (None, None),
        weights: ArrayLike | None = None,
    ) -> Self:
        """A B-spline, Bézier or NURBS surface, exactly: control points [m] (k, l, 3), weights (k, l).

        knots: of both parameters, k + p + 1 and l + q + 1; by default even ones from 0 to 1 that start and end at the border.
        """
        P = np.asarray(control, dtype=float)
        if P.ndim != 3 or P.shape[2] != 3:
            raise InputError(f"PolynomialPatch.of_spline: control points are (k, l, 3), not {P.shape}")
        label = "PolynomialPatch.of_spline"
        t = [checked_knots(knots[i], P.shape[i], degree[i], label) for i in (0, 1)]
        return cls(*sheet_of(homogeneous(P, weights, label), degree, t))

    @classmethod
    def of_plate(cls, plate: Plate) -> Self:
        """The middle surface at rest of a Plate whose cells are a grid: of `Plate.rectangle`, `surface` or `of_spline`."""
        mesh = plate.mesh(3)
        if mesh.starts is None:
            raise InputError(
                f"PolynomialPatch.of_plate: {plate.label} has cells without parameters of their own; draw a grid"
            )
        return cls._of_mesh(mesh, plate.label, lambda e: _monomials(mesh, e)[:, :, 0])

    @classmethod
    def of_beam(
        cls,
        beam: AncfBeam,
        height: ArrayLike | tuple[ArrayLike, ArrayLike, ArrayLike],
        *,
        half_width: float | None = None,
    ) -> Self:
        """The surface z = f(x, y) in the volume of a beam at rest, with x [m] along it and y, z [m] in its sections.

        height: coefficients c_k of f = Σ c_k y^k, or c_ik of f = Σ c_ik x^i y^k (rows: x), with y between −half_width and
        half_width [m]; or a table (x, y, f): rising x (k,) and y (l,), at least four each, and f (k, l), through which a
        bicubic spline goes. The outside is where r_x × r_y points, the side of growing z.
        """
        mesh = beam.mesh(3)
        assert mesh.starts is not None
        ends = np.append(mesh.starts[:, 0], mesh.starts[-1, 0] + mesh.lengths[-1, 0])
        x, y, f = _height(height, half_width, ends)
        first = np.unique(np.concatenate((ends, x[(x > ends[0]) & (x < ends[-1])])))
        first = first[np.append(True, np.diff(first) > 1e-12 * ends[-1])]
        middles = 0.5 * (first[1:] + first[:-1])
        rows = []
        for a, middle in zip(first[:-1], middles, strict=True):
            e, i = (int(np.searchsorted(breaks, middle, "right")) - 1 for breaks in (ends, x))
            volume = _shifted(_monomials(mesh, e), a - ends[e], 0)  # powers of x, y, z
            rows.append([
                _substituted(volume, _shifted(f[i, j], a - x[i], 0), y[j]) for j in range(len(y) - 1)
            ])  # fmt: skip
        return cls(first, y, np.array(rows))

    @classmethod
    def _of_mesh(cls, mesh: Mesh, label: str, pieces: Any) -> Self:
        """Cells that are a grid of their first corners, in any order."""
        assert mesh.starts is not None
        ends = mesh.starts + mesh.lengths
        lines = [_breaks(np.concatenate((mesh.starts[:, k], ends[:, k]))) for k in (0, 1)]
        shape = len(lines[0]) - 1, len(lines[1]) - 1
        if shape[0] * shape[1] != len(mesh.cells):
            raise InputError(f"PolynomialPatch.of_plate: the cells of {label} are no full grid; draw one")
        c = np.zeros((*shape, *pieces(0).shape))
        for e, start in enumerate(mesh.starts):
            i, j = (int(np.argmin(np.abs(lines[k][:-1] - start[k]))) for k in (0, 1))
            c[i, j] = pieces(e)
        return cls(lines[0], lines[1], c)


def _breaks(values: Array) -> Array:
    """Different values, in order."""
    out = np.unique(values)
    return np.asarray(out[np.append(True, np.diff(out) > 1e-9 * np.ptp(out))])


def _monomials(mesh: Mesh, e: int) -> Array:
    """Coefficients of an element at rest in powers of x, y(, z) [m] from its first corner, shape (·, ·, ·, 3)."""
    powers, L = np.array(mesh.shape.powers), mesh.lengths[e]
    own = np.prod(L ** np.array(mesh.shape.slots), axis=1)
    values = mesh.shape.coefficients @ (np.tile(own, len(mesh.shape.corners))[:, None] * mesh.local(e))
    out = np.zeros((*(powers.max(axis=0) + 1), *((1,) if powers.shape[1] == 2 else ()), 3))
    for power, value in zip(powers, values, strict=True):
        place = tuple(power) if len(power) == 3 else (*power, 0)
        out[place] += value / np.prod(L**power)
    return out


def _shifted(c: Array, way: float, axis: int) -> Array:
    """The coefficients of a polynomial in powers of the distance from a place that lies `way` further along an axis."""
    if way == 0.0:
        return c
    n = c.shape[axis]
    T = np.array([[_binomial(k, i) * way ** (k - i) if k >= i else 0.0 for k in range(n)] for i in range(n)])
    return np.moveaxis(np.tensordot(T, c, axes=(1, axis)), 0, axis)


def _binomial(n: int, k: int) -> float:
    from math import comb

    return float(comb(n, k))


def _substituted(volume: Array, f: Array, y: float) -> Array:
    """r(x, y, f(x, y)) with y counted from `y`: volume (a, b, 2, 3) in powers of x, y, z, f (m, n) in those of x and y."""
    volume = _shifted(volume, y, 1)
    a, b = volume.shape[:2]
    out = np.zeros((a + f.shape[0] - 1, b + f.shape[1] - 1, 3))
    out[:a, :b] = volume[:, :, 0]
    for i, j in np.ndindex(a, b):
        out[i : i + f.shape[0], j : j + f.shape[1]] += f[:, :, None] * volume[i, j, 1]
    return out


def _height(given: Any, half_width: float | None, ends: Array) -> tuple[Array, Array, Array]:
    """Breaks along x and y and coefficients (m, n, p + 1, q + 1) of a height over a beam."""
    label = "PolynomialPatch.of_beam"
    if isinstance(given, tuple) and len(given) == 3 and np.ndim(given[2]) == 2:
        from scipy.interpolate import RectBivariateSpline

        x, y, f = (np.asarray(part, dtype=float) for part in given)
        fits = f.shape == (len(x), len(y)) and min(f.shape) >= 4 and np.isfinite(f).all()
        if not fits or (np.diff(x) <= 0).any() or (np.diff(y) <= 0).any():
            raise InputError(
                f"{label}: a table is (x, y, f) with rising x and y, at least four each, and finite f (x, y)"
            )
        if x[0] > ends[0] + 1e-9 * ends[-1] or x[-1] < ends[-1] * (1 - 1e-9):
            raise InputError(
                f"{label}: the table goes from {x[0]:g} to {x[-1]:g} m, but the beam is {ends[-1]:g} m long"
            )
        made = RectBivariateSpline(x, y, f)
        first, second, c = sheet_of(
            made.get_coeffs().reshape(len(x), len(y), 1),
            (3, 3),
            tuple(made.get_knots()),
        )
        return first, second, c[..., 0]
    c = np.atleast_2d(np.asarray(given, dtype=float))
    if c.ndim != 2 or not np.isfinite(c).all() or half_width is None or not half_width > 0.0:
        raise InputError(f"{label}: give finite coefficients with a half_width, or a table (x, y, f)")
    c = _shifted(c, -half_width, 1)
    return np.array([0.0, ends[-1]]), np.array([-half_width, half_width]), c[None, None]


@declared
class SplinePatch(TabledSurface):
    """The C² bicubic spline through a grid of points [m], shape (k, l, 3), k and l at least 4; parameters 0 … k − 1, 0 … l − 1.

    `SplinePatch.fit` makes one of a cloud of points, such as a scanned or segmented joint surface, `SplinePatch.of_mesh` of
    the triangles of a bone.
    """

    points: Numbers

    def __post_init__(self) -> None:
        from scipy.interpolate import make_interp_spline

        P = np.asarray(self.points, dtype=float)
        if P.ndim != 3 or P.shape[2] != 3 or min(P.shape[:2]) < 4 or not np.isfinite(P).all():
            raise InputError(f"{self.label}: give a grid of at least 4 × 4 finite points in space, not {P.shape}")
        self.points = plain(P)
        along = make_interp_spline(np.arange(P.shape[0]), P)
        both = make_interp_spline(np.arange(P.shape[1]), np.swapaxes(along.c, 0, 1))
        self._table = pieces_table(*sheet_of(np.swapaxes(both.c, 0, 1), (3, 3), (along.t, both.t)))

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
        axes = _axes(up)
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

    @classmethod
    def of_mesh(
        cls,
        mesh: tuple[ArrayLike, ArrayLike] | str | Path,
        up: ArrayLike,
        *,
        box: NumbersLike | None = None,
        steepest: float = 60.0,
        scale: float = 1.0,
        divisions: tuple[int, int] = (12, 12),
        tolerance: float = 5e-4,
    ) -> Self:
        """The side of a bone that looks along `up`: of a file of triangles (.stl, .ply, .vtk, …), or of (nodes, triangles).

        box [m]: two opposite corners of the part that is wanted, in the coordinates of the mesh; steepest [deg]: triangles that
        lean more from `up` are left out; scale: metres per unit of the file, 1e-3 of one in millimetres. Corners and middles of
        the triangles are the cloud that is then fitted; divisions, tolerance: of `fit`.
        """
        nodes, triangles = read_triangles(mesh) if isinstance(mesh, str | Path) else mesh
        X, cells = np.asarray(nodes, dtype=float) * scale, np.asarray(triangles, dtype=np.int64)
        corners = X[cells]
        n = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        size = np.linalg.norm(n, axis=1)
        towards = _axes(up)[2]
        kept = (size > 0.0) & (n @ towards >= np.cos(np.radians(steepest)) * size)
        middles = corners.mean(axis=1)
        if box is not None:
            low, high = np.sort(np.asarray(box, dtype=float), axis=0)
            kept &= ((middles >= low) & (middles <= high)).all(axis=1)
        if not kept.any():
            raise InputError(
                "SplinePatch.of_mesh: no triangle of the mesh looks along `up` inside the box; turn or move them"
            )
        cloud = np.vstack((X[np.unique(cells[kept])], middles[kept]))
        return cls.fit(cloud, towards, divisions=divisions, tolerance=tolerance)


def _axes(up: ArrayLike) -> Array:
    """Two axes across `up`, and its unit vector (3, 3)."""
    n = np.asarray(up, dtype=float)
    if n.shape != (3,) or not np.linalg.norm(n) > 0.0:
        raise InputError(f"SplinePatch: up must be a direction in space, not {up!r}")
    n = n / np.linalg.norm(n)
    first = np.eye(3)[int(np.argmin(np.abs(n)))]
    first = first - (first @ n) * n
    first /= np.linalg.norm(first)
    return np.array([first, np.cross(n, first), n])


def read_triangles(path: str | Path) -> tuple[Array, NDArray[np.int64]]:
    """Nodes and triangles of a surface file (.stl, .ply, .obj, .vtk, …); quadrilaterals are cut in two."""
    from condyle.bodies.mesh_files import with_meshio

    meshio = with_meshio("reading surfaces")
    if not Path(path).exists():
        raise InputError(f"surface file '{path}' does not exist")
    try:
        data = meshio.read(path)
    except (Exception, SystemExit) as error:  # meshio leaves the interpreter on some bad files
        raise InputError(f"surface file '{path}' cannot be read: {error}") from None
    found = [np.asarray(block.data) for block in data.cells if block.type == "triangle"]
    for block in data.cells:
        if block.type == "quad":
            found += [np.asarray(block.data)[:, [0, 1, 2]], np.asarray(block.data)[:, [0, 2, 3]]]
    if not found:
        raise InputError(
            f"surface file '{path}' holds no triangles; write the surface of the bone as .stl, .ply or .vtk"
        )
    return np.asarray(data.points, dtype=float)[:, :3], np.vstack(found).astype(np.int64)
