"""Lines and surfaces that a body is made of, on which contact points can be put anywhere: y(u) = Σ_k N_k(u) x_k.

A cell has one parameter along a line or two along a surface, 0 ≤ u ≤ 1; a beam has two more, the place in its section [m].
Weights of a point on rows of the state are constant once its parameters are known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.capabilities import Faceted, Parametric, Slender
from condyle.bodies.elements.blocks import Facets
from condyle.contact.basis import bilinear
from condyle.contact.deformable import padded
from condyle.contact.surface import Array
from condyle.errors import InputError
from condyle.model.part import Part
from condyle.system.touching.patches import functions_at
from condyle.system.weights import Weights

Index = NDArray[np.int64]


@dataclass
class Material:
    """Cells of a line or surface: y(u) = Σ_j Π_a u_a^{powers_ja} Σ_k C_jk x_k."""

    vectors: list[Weights]
    cells: Index  # (f, K) into vectors
    coefficients: Array  # C (f, J, K)
    powers: Index  # (J, p)
    along: int  # parameters along it: 1 of a line, 2 of a surface; further ones are places in a section [m]
    triangle: NDArray[np.bool_]  # which cells are triangles (f,)
    rest: Array  # the vectors at rest (v, d)
    radius: float = 0.0  # [m] from the line or mid-surface to the outside
    round: bool = False  # a section of its own turns, and its outside is a circle

    def __post_init__(self) -> None:
        self.rows, self.weights = padded(self.vectors)
        sizes = np.linalg.norm(self.derivative(*_middles(len(self.cells), self.powers.shape[1]), 0), axis=1)
        self.lengths: Array = sizes  # of the cells along their first parameter, in the middle [m]
        ends = np.concatenate(([0.0], np.cumsum(sizes)))
        self.starts: Array = ends[:-1]  # of the cells, one after the other [m]
        self.length = float(ends[-1])
        # A cell goes on from the one before it where the end of one is the start of the other.
        u = np.zeros((len(self.cells), self.powers.shape[1]))
        first = self.shape_functions(np.arange(len(self.cells)), u)
        u[:, 0] = 1.0
        last = self.shape_functions(np.arange(len(self.cells)), u)
        a = np.einsum("fk,fkd->fd", first, self.rest[self.cells])
        b = np.einsum("fk,fkd->fd", last, self.rest[self.cells])
        self.linked = np.linalg.norm(a[1:] - b[:-1], axis=1) < 1e-9 * self.length  # (f − 1,)

    @property
    def d(self) -> int:
        return int(self.rest.shape[1])

    def shape_functions(self, cell: Index, u: Array, *order: int) -> Array:
        """N (n, K) at parameters u (n, p) of cells (n,), or a derivative: order by each parameter."""
        out = np.empty((len(cell), self.cells.shape[1]))
        orders = np.array(order or (0,) * self.powers.shape[1], dtype=np.int64)
        functions_at(self.coefficients, self.powers, cell, u, orders, out)
        return out

    def derivative(self, cell: Index, u: Array, by: int) -> Array:
        """∂y/∂u_by at rest (n, d)."""
        order = [int(a == by) for a in range(self.powers.shape[1])]
        return np.asarray(np.einsum("nk,nkd->nd", self.shape_functions(cell, u, *order), self.rest[self.cells[cell]]))

    def on_rows(self, cell: Index, N: Array) -> tuple[Index, Array]:
        """Σ_k N_k x_k as rows (n, r) and weights on them (n, r)."""
        own = self.cells[cell]
        wide = (len(cell), own.shape[1] * self.rows.shape[1])
        return self.rows[own].reshape(wide), (N[:, :, None] * self.weights[own]).reshape(wide)

    def values(self, x: Array) -> Array:
        """The vectors at a state (v, d)."""
        return np.asarray(np.einsum("vr,vrd->vd", self.weights, x[self.rows]))

    def at(self, x: Array, cell: Index, N: Array) -> Array:
        """Σ_k N_k x_k at a state (n, d)."""
        return np.asarray(np.einsum("nk,nkd->nd", N, self.values(x)[self.cells[cell]]))

    def by_length(self, s: Array) -> tuple[Index, Array]:
        """Cell (n,) and parameters (n, p) of places s [m] along a line, counted through all cells."""
        cell = np.clip(np.searchsorted(self.starts, s, side="right") - 1, 0, len(self.cells) - 1)
        u = np.zeros((len(s), self.powers.shape[1]))
        u[:, 0] = np.clip((s - self.starts[cell]) / self.lengths[cell], 0.0, 1.0)
        return cell, u

    def area(self, cell: Index, u: Array) -> Array:
        """Length or area at rest of a unit of the parameters along it (n,)."""
        first = self.derivative(cell, u, 0)
        if self.along == 1:
            return self.lengths[cell]
        return np.asarray(np.linalg.norm(np.cross(first, self.derivative(cell, u, 1)), axis=1))


def material_of(anchor: Any, surface: Any, wanted_by: Part) -> Material:
    """The line of a cable or beam, the mid-surface of a plate or shell, a named surface of a solid."""
    label = wanted_by.label
    if isinstance(anchor, Faceted):
        if not isinstance(surface, str):
            raise InputError(f"{label}: give the name of a surface of the solid as surface=…")
        return _of_facets(anchor, anchor.facets(surface, wanted_by), label)
    if not isinstance(anchor, Parametric):
        raise InputError(
            f"{label}: patches lie on a Cable, AncfBeam, Plate, Shell or a surface of a Solid; use Contact"
        )
    mesh, body = anchor.mesh, anchor.body
    inside = anchor.along()
    if len(inside) > 2:
        raise InputError(f"{label}: patches lie on lines and surfaces, and '{body.name}' is neither; use Contact")
    shape = mesh.shape
    across = [i for i in range(shape.parameters) if i not in inside]
    order = [*inside, *across]
    slots = np.prod(mesh.lengths[:, None, :] ** np.array(shape.slots)[None], axis=2)
    C = shape.coefficients[None] * np.tile(slots, (1, len(shape.corners)))[:, None, :]
    powers = np.array(shape.powers)[:, order]
    # Places in a section are lengths, not parts of the element.
    C = C / np.prod(mesh.lengths[:, None, :][:, :, across] ** powers[None, :, len(inside) :], axis=2)[:, :, None]
    k = len(shape.slots)
    cells = (mesh.cells[:, :, None] * k + np.arange(k)).reshape(len(mesh.cells), -1)
    vectors = [v for own in anchor.vectors for v in own]
    rest = mesh.nodal.reshape(-1, mesh.nodal.shape[2])
    section = body.section if isinstance(body, Slender) else None
    turns = len(inside) == 1 and len(across) == rest.shape[1] - 1 and hasattr(section, "radius")
    return Material(
        vectors, cells, C, powers, len(inside), np.zeros(len(cells), dtype=bool), rest, body.half_thickness(), turns
    )


def _of_facets(anchor: Any, groups: list[Facets], label: str) -> Material:
    if any(kind.nodes != kind.corners for kind, _ in groups) or any(kind.corners == 2 for kind, _ in groups):
        raise InputError(
            f"{label}: patches of solids lie on straight facets in space; use elements such as hex8 or tet4"
        )
    triangle = np.concatenate([np.full(len(nodes), kind.corners == 3) for kind, nodes in groups])
    facets = np.vstack([nodes[:, np.arange(4) % kind.corners] for kind, nodes in groups])
    basis, C = bilinear(triangle)
    used, where = np.unique(facets, return_inverse=True)
    vectors = [anchor.vectors[i] for i in used]
    return Material(vectors, where.reshape(facets.shape), C, basis.powers, 2, triangle, anchor.X[used])


def _middles(cells: int, parameters: int) -> tuple[Index, Array]:
    u = np.zeros((cells, parameters))
    u[:, 0] = 0.5
    return np.arange(cells), u
