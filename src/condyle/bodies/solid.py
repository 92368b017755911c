"""Deformable solids: meshes of isoparametric elements, rows are node positions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.dilatation import averaged, keeps_locking, linear_functions, warn_of_thin_layer
from condyle.bodies.elements import Block, blocks_of, check_nodes_of_cells, element
from condyle.bodies.materials import Material, StVenantKirchhoff
from condyle.bodies.mesh import Mesh
from condyle.bodies.mesh_anchor import MeshAnchor
from condyle.errors import InputError
from condyle.laws.codes import INITIAL_STRESS
from condyle.model.body import Body
from condyle.model.functions import TimeFunction, as_function
from condyle.model.given import (
    Cells,
    Facets,
    Numbers,
    NumbersLike,
    NumbersOrNone,
    Option,
    Sets,
    Swelling,
    VectorLike,
    VectorOrNone,
)
from condyle.model.part import did_you_mean, fits, plain, rows, spin
from condyle.model.quantities import choice, declared, given, quantity
from condyle.system.builder import turned
from condyle.system.weights import Weights, common_rows

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder

Array = NDArray[np.float64]
PLANES = ("strain", "stress", "axisymmetric")


@declared
class Solid(Body):
    """An elastic solid on a mesh.

    nodes [m] (n, d); cells: node numbers (m, nodes per element); element: tri3, tri6, quad4, quad8 (2D), tet4, tet10,
    hex8, hex20, wedge6, wedge15, pyramid5 (3D); or cells {element: node numbers} and element='mixed'; material with
    density, or one per region, {region: material}; thickness [m] in 2D.

    sets: named lists of node numbers; surfaces: named lists of facets, each a list of node numbers; regions: named lists
    of cell numbers. velocity [m/s] and angular_velocity [rad/s] about the world origin give the initial motion.

    plane (2D): 'strain', 'stress', or 'axisymmetric' (x is the radius, y the axis; a full turn of 2π). dilatation: 'local',
    or 'mean': averaged over each element (quadratic ones keep its linear part), which keeps nearly incompressible materials
    from locking. directions: of fibres in each cell (m, d). natural_stretch: by how much the stress-free shape is larger
    than the mesh, a number (swelling), a function of time or a symmetric matrix. initial_stress: second Piola–Kirchhoff
    stress [Pa] of the mesh as given, a 3 × 3 matrix.

    quasi_static: the body has weight but no inertia and is in balance at every instant, while the rest of the model moves; it
    needs supports against every rigid motion.
    """

    name: str
    nodes: Numbers = quantity("m")
    cells: Cells
    element: str
    material: Material | dict[str, Material]
    thickness: float = quantity("m", default=1.0, above=0.0)
    sets: Sets = given(default_factory=dict)
    velocity: VectorOrNone = quantity("m/s", default=None, vector=True)
    angular_velocity: NumbersOrNone = quantity("rad/s", default=None)
    surfaces: Facets = given(default_factory=dict)
    regions: Sets = given(default_factory=dict)
    plane: str | None = choice(*PLANES, default=None)
    dilatation: str = choice("local", "mean", default="local")
    directions: NumbersOrNone = given(default=None)
    natural_stretch: Swelling = given(default=None)
    initial_stress: NumbersOrNone = quantity("Pa", default=None)
    quasi_static: bool = False

    def __post_init__(self) -> None:
        rows(self, "nodes")
        rows(self, "cells", whole=True)
        self.sets = {str(k): [int(i) for i in v] for k, v in self.sets.items()}
        self.regions = {str(k): [int(i) for i in v] for k, v in self.regions.items()}
        self.surfaces = {str(k): [[int(i) for i in face] for face in v] for k, v in self.surfaces.items()}
        self.angular_velocity = plain(self.angular_velocity)
        for name in ("directions", "initial_stress"):
            if getattr(self, name) is not None:
                rows(self, name)
        if isinstance(self.natural_stretch, TimeFunction) or callable(self.natural_stretch):
            self.natural_stretch = as_function(self.natural_stretch, self.label)
        else:
            self.natural_stretch = plain(self.natural_stretch)
        given = self.material.values() if isinstance(self.material, dict) else [self.material]
        if not given or not all(isinstance(m, Material) for m in given):
            raise InputError(f"{self.label}: give a material such as StVenantKirchhoff(young=…, poisson=…, density=…)")

    @classmethod
    def block(
        cls,
        name: str,
        size: NumbersLike,
        divisions: int | Sequence[int],
        material: Material | dict[str, Material],
        *,
        origin: VectorLike | None = None,
        **options: Option,
    ) -> Self:
        """A rectangular block with one corner at `origin`; sets left/right (x), bottom/top (y), back/front (z).

        element: quad4 or hex8 unless given.
        """
        try:
            mesh = Mesh.block(size, divisions, element=options.pop("element", None), origin=origin)
        except InputError as error:
            raise InputError(f"Solid '{name}': {error}") from None
        return cls.from_mesh(name, mesh, material, **options)

    @classmethod
    def from_mesh(cls, name: str, mesh: Mesh, material: Material | dict[str, Material], **options: Option) -> Self:
        """The solid on a mesh, with the names of its sets, surfaces and regions."""
        for group in ("sets", "surfaces", "regions"):
            options[group] = getattr(mesh, group) | options.get(group, {})
        return cls(name, mesh.nodes, mesh.cells, mesh.element, material, **options)

    def in_short(self) -> str:
        return f"{len(self.nodes)} nodes, {self.cell_count} {self.element}"

    # --- checks ---------------------------------------------------------------------------------------------------------

    def validate(self, model: Model) -> None:
        d = model.dimension
        X = np.array(self.nodes)
        kind = element(
            next(iter(self.cells), self.element) if isinstance(self.cells, dict) else self.element, self.label
        )
        if kind.dimension != d or X.ndim != 2 or X.shape[1] != d:
            raise InputError(f"{self.label}: {self.element} nodes of shape {X.shape} do not fit a {d}D model")
        blocks = self.blocks
        cells = np.concatenate([b.cells.ravel() for b in blocks])
        if not np.isfinite(X).all():
            raise InputError(f"{self.label}: node {int(np.flatnonzero(~np.isfinite(X).all(axis=1))[0])} is not finite")
        check_nodes_of_cells(cells, len(X), self.label)
        flat_faces = {name: [i for face in faces for i in face] for name, faces in self.surfaces.items()}
        for what, groups, count in (("set", self.sets, len(X)), ("surface", flat_faces, len(X)),
                                    ("region", self.regions, self.cell_count)):  # fmt: skip
            thing = "cell" if what == "region" else "node"
            for name, members in groups.items():
                wrong = [i for i in members if not 0 <= i < count]
                if wrong or not members:
                    fault = f"refers to {thing} {wrong[0]} of {count}" if wrong else "is empty; remove it"
                    raise InputError(f"{self.label}: the {what} '{name}' {fault}")
        self._validate_materials(d, blocks)
        if self.plane == "axisymmetric" and X[:, 0].min() < -1e-12 * np.ptp(X):
            raise InputError(f"{self.label}: node {int(X[:, 0].argmin())} has a negative radius; x must be at least 0")
        fits(self, "velocity", d)
        spin(self, d)

    @property
    def blocks(self) -> list[Block]:
        """Its cells by their kinds."""
        return blocks_of(self.cells, self.element, self.label)

    @property
    def cell_count(self) -> int:
        """Number of all its cells."""
        return sum(map(len, self.cells.values())) if isinstance(self.cells, dict) else len(self.cells)

    def _validate_materials(self, d: int, blocks: list[Block]) -> None:
        cells = self.cell_count
        materials = self._materials(cells)
        if d == 3 and self.plane is not None:
            raise InputError(f"{self.label}: plane is for 2D models; leave it out in 3D")
        for material in {id(m): m for m in materials}.values():
            if self.dilatation == "mean" and not material.splits:
                raise InputError(
                    f"{self.label}: dilatation='mean' needs a law with a bulk modulus, such as "
                    f"MooneyRivlin.from_moduli(young, poisson); {type(material).__name__} has none"
                )
            if material.law.kind == "energy" and d == 2 and (self.swells or self._natural(d)[2, 2] != 1.0):
                raise InputError(
                    f"{self.label}: a material of one's own does not swell across the plane; give natural_stretch as a "
                    "2 × 2 matrix"
                )
            if self._plane(material) == "stress" and d == 2 and any(n[2] != 0.0 for n in material.fibres()):
                raise InputError(f"{self.label}: in plane stress fibres must lie in the plane")
        if self.dilatation == "mean" and all(keeps_locking(b.kind) for b in blocks):
            names = ", ".join(b.kind.name for b in blocks)
            why = (
                "has one dilatation already and locks"
                if names in ("tri3", "tet4")
                else "locks with one dilatation, too"
            )
            raise InputError(f"{self.label}: {names} {why}; use tri6, quad4, wedge15, hex8, …")
        if self.dilatation == "mean" and self.plane == "stress":
            raise InputError(f"{self.label}: nothing locks in plane stress; leave dilatation='local'")
        families = max(len(material.fibres()) for material in materials)
        shape = (cells,) if families < 2 else (cells, families)
        if self.directions is not None and np.shape(self.directions) not in ((*shape, d), (*shape, 3)):
            each = "one vector" if families < 2 else f"{families} vectors"
            raise InputError(f"{self.label}: directions must be {each} per cell, shape {(*shape, d)}")
        if self.initial_stress is not None and np.shape(self.initial_stress) != (3, 3):
            raise InputError(f"{self.label}: initial_stress must be a 3 × 3 matrix [Pa]")
        self._natural(d)

    def _materials(self, cells: int) -> list[Material]:
        """The material of each cell."""
        if not isinstance(self.material, dict):
            return [self.material] * cells
        found: list[Any] = [None] * cells
        for region, material in self.material.items():
            if region not in self.regions:
                raise InputError(f"{self.label}: there is no region '{region}'{did_you_mean(region, self.regions)}")
            for e in self.regions[region]:
                found[e] = material
        if None in found:
            raise InputError(f"{self.label}: cell {found.index(None)} lies in no region with a material")
        return found

    def _plane(self, material: Material) -> str:
        return self.plane or str(getattr(material, "plane", "strain"))

    @property
    def swells(self) -> bool:
        """Does its stress-free shape change with time?"""
        return isinstance(self.natural_stretch, TimeFunction)

    def _natural(self, d: int) -> Array:
        """Stretch of the stress-free shape, shape (3, 3); across a plane 1, unless swelling is one number."""
        fixed = not (self.natural_stretch is None or self.swells)
        given = np.asarray(self.natural_stretch if fixed else 1.0, dtype=float)
        U = np.eye(3)
        if np.ndim(given) == 0:
            U *= given
        elif np.shape(given) in ((d, d), (3, 3)):
            U[: len(given), : len(given)] = given
        else:
            raise InputError(f"{self.label}: natural_stretch must be a number or a {d} × {d} or 3 × 3 matrix")
        if not np.isfinite(U).all() or np.abs(U - U.T).max() > 1e-12 or np.linalg.eigvalsh(U).min() <= 0:
            raise InputError(f"{self.label}: natural_stretch must be positive (1 is the mesh as given)")
        if d == 2 and np.abs(U[2, :2]).max() > 0:
            raise InputError(f"{self.label}: natural_stretch must not shear out of the plane")
        return U

    # --- compiling ------------------------------------------------------------------------------------------------------

    def compile(self, builder: Builder) -> MeshAnchor:
        X = np.array(self.nodes)
        vectors, row_of = self._rows(builder, X)
        anchor = self.shape_anchor(X, vectors)
        poisson = max(m.poisson for m in self._materials(self.cell_count))
        warn_of_thin_layer(anchor, poisson, self.dilatation == "mean")
        for block in anchor.blocks:
            self._compile_block(builder, anchor, block, row_of)
        return anchor

    def _compile_block(self, builder: Builder, anchor: MeshAnchor, block: Block, row_of: NDArray[np.int64]) -> None:
        """Masses and laws of cells of one kind."""
        d, X, vectors = builder.d, anchor.X, anchor.vectors
        kind, cells, first = block
        axisymmetric = self.plane == "axisymmetric"
        depth = anchor.depth
        weights, volumes = self.gathering(anchor, block)
        masses = kind.mass_matrices(X[cells], self.label, radius=axisymmetric, first=first)
        materials = self._materials(self.cell_count)[block.own]
        scale = 1.0 if depth is None else depth
        masses *= np.array([material.density * scale for material in materials])[:, None, None]
        rows = row_of[cells]
        free: list[bool] = np.all(rows >= 0, axis=1).tolist()
        across = self._natural(d)[2, 2]
        swollen = d == 2 and (across != 1.0 or self.swells) and not axisymmetric
        laws = self.cell_laws(anchor, block, volumes)
        for e, (cell, material) in enumerate(zip(cells, materials, strict=True)):
            own, W = (rows[e], None) if free[e] else common_rows([vectors[i] for i in cell])
            mass = masses[e]
            (builder.weight if self.quasi_static else builder.mass).append((own, mass if W is None else W.T @ mass @ W))
            gathered = weights[e] if W is None else weights[e] @ W
            rows_of_law = own
            if axisymmetric or (swollen and self._plane(material) == "strain"):
                gathered = _with_hoop(gathered, None if axisymmetric else across)
                rows_of_law = np.append(own, builder.anchors["ground"].directors[0])  # type: ignore[attr-defined]
            damping, fading = material.viscosity, material.prony
            for law, params in laws[e]:
                builder.add_element(
                    self.name,
                    law,
                    rows_of_law,
                    gathered,
                    volumes[e],
                    params,
                    damping=damping,
                    prony=fading,
                    swelling=self.natural_stretch if self.swells else None,
                    columns=d,
                    element=first + e,
                )
                damping, fading = 0.0, ()

    def shape_anchor(self, X: Array | None = None, vectors: Sequence[Weights] = ()) -> MeshAnchor:
        """Facets and places of the mesh, and with vectors its points; X: nodes [m] if not as given."""
        nodes = np.array(self.nodes) if X is None else X
        depth = None if self.plane == "axisymmetric" else (self.thickness if nodes.shape[1] == 2 else 1.0)
        return MeshAnchor(self, self.blocks, nodes, list(vectors), depth)

    def gathering(self, anchor: MeshAnchor, block: Block, stretch: float = 1.0) -> tuple[Array, Array]:
        """Weights of the gathered vectors on the nodes of each cell, shape (cells, q, ny, nodes), and volumes (cells, q).

        The vectors are ∂x/∂X_I (about an axis then x/R), of the stress-free shape. stretch: what a shape that changes with
        time has reached.
        """
        kind, d = block.kind, anchor.X.shape[1]
        X = anchor.X[block.cells]
        gradients, volumes = kind.reference_gradients(X, self.label, first=block.first)
        U = stretch * self._natural(d)
        if self.natural_stretch is not None:
            gradients = np.einsum("IJ,cqJn->cqIn", np.linalg.inv(U[:d, :d]), gradients)
            volumes = volumes * np.linalg.det(U)
        if anchor.depth is not None:
            return gradients, volumes * anchor.depth
        N = kind.shape(kind.points)
        R = X[..., 0] @ N.T
        turn = N[None] / R[..., None] / U[2, 2]
        return np.concatenate((gradients, turn[:, :, None]), axis=2), volumes * 2.0 * np.pi * R

    def cell_laws(self, anchor: MeshAnchor, block: Block, volumes: Array) -> list[list[tuple[int, tuple[float, ...]]]]:
        """Codes and parameters of the laws of each cell; volumes: of the points, as `gathering` gives them."""
        d = anchor.X.shape[1]
        mean = self.dilatation == "mean"
        functions = linear_functions(block.kind, anchor.X[block.cells], volumes) if mean else ()
        known: dict[int, tuple[int, tuple[float, ...]]] = {}
        out = []
        for e, material in enumerate(self._materials(self.cell_count)[block.own]):
            if id(material) not in known:
                known[id(material)] = material.setting(d, self._plane(material))
            law, params = known[id(material)]
            if self.directions is not None and material.fibres():
                params = material.along(params, self.directions[block.first + e])
            if mean:
                params = averaged(params, material, functions[e])
            laws = [(law, params)]
            if self.initial_stress is not None:
                laws.append((INITIAL_STRESS, tuple(np.ravel(self.initial_stress).tolist())))
            out.append(laws)
        return out

    def thinning(self, d: int) -> list[float | None]:
        """λ/(λ + 2μ) of cells whose plane stress is written in closed form (E₃₃ = −that · tr E), None elsewhere."""
        out: list[float | None] = []
        for material in self._materials(self.cell_count):
            if d == 2 and isinstance(material, StVenantKirchhoff) and self._plane(material) == "stress":
                lam, mu = material.lame()
                out.append(lam / (lam + 2.0 * mu))
            else:
                out.append(None)
        return out

    def _rows(self, builder: Builder, X: Array) -> tuple[list[Weights], NDArray[np.int64]]:
        """The position of each node as weights, and its row, −1 where it is tied to another body; X is moved onto mortars."""
        d = builder.d
        velocity = np.zeros(d) if self.velocity is None else np.asarray(self.velocity)
        omega: Any = np.zeros(3) if d == 3 else 0.0
        if self.angular_velocity is not None:
            omega = np.asarray(self.angular_velocity) if d == 3 else float(np.ravel(self.angular_velocity)[0])
        tied = builder.tied_points(self.name, dict(enumerate(X)), self.sets)
        for node, follows in builder.mortar_points(self.name):
            X[node] = builder.value(follows)  # surfaces that are tied must meet
        row_of = np.full(len(X), -1, dtype=np.int64)
        own = np.array([i for i in range(len(X)) if i not in tied], dtype=np.int64)
        row_of[own] = builder.rows(self.name, X[own], velocity + turned(omega, X[own]))
        if self.quasi_static:
            builder.quasi_static.update(row_of[own].tolist())
        one = np.ones(1)
        vectors = [tied[i].point if i in tied else Weights(row_of[i : i + 1], one) for i in range(len(X))]
        return vectors, row_of


def _with_hoop(gathered: Array, across: float | None) -> Array:
    """Weights (q, ny, nr) with a fixed unit vector e as last row and vector, so that the stretch across is y_2·e.

    About an axis y_2 = x/R stands there already; in plane strain of a swollen body it is e / across.
    """
    more = 1 if across is None else 2
    out = np.pad(gathered, ((0, 0), (0, more), (0, 1)))
    out[:, -1, -1] = 1.0
    if across is not None:
        out[:, -2, -1] = 1.0 / across
    return out
