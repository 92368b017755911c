"""Fields of a deformed solid: strain, stress and energy density at integration points, recovered at nodes, and sums of them.

Everything is computed from the recorded positions with the same weights and laws as the run itself. Tensors are 3 × 3, in
2D too (across the plane stands what plane strain, plane stress or the hoop make there; about an axis the components are
radial, axial and hoop). The fading stress of the past is in them, the viscous stress (of rates) is not.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.capabilities import Meshed, able
from condyle.errors import InputError, unknown_name
from condyle.model.part import name_of
from condyle.results.shapes import gathered

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from condyle.bodies.elements import Block
    from condyle.bodies.mesh_anchor import MeshAnchor
    from condyle.model.given import BodyLike, PointLike, VectorLike
    from condyle.results.result import Result

Array = NDArray[np.float64]
# Scalar fields that can be drawn by name.
SCALARS = (
    "pressure", "von_mises", "energy_density", "volume_ratio", "largest_stress", "smallest_stress", "largest_strain",
)  # fmt: skip


class BlockShape(NamedTuple):
    """What the fields of the cells of one kind need and no frame changes."""

    block: Block
    weights: Array  # of the gathered vectors on the nodes of each cell (cells, q, ny, nodes)
    volumes: Array  # (cells, q)
    laws: list[list[tuple[int, tuple[float, ...]]]]
    thinning: list[float | None]
    materials: Any


class SolidShape:
    """The same of a whole solid, kept by its result from frame to frame."""

    def __init__(self, body: Any, anchor: MeshAnchor, stretch: float, n: int) -> None:
        self.stretch = stretch
        self.nodes = gathered(anchor.vectors, n)
        self.blocks = []
        for block in anchor.blocks:
            weights, volumes = body.gathering(anchor, block, stretch)
            laws = body.cell_laws(anchor, block, volumes)
            thinning = body.thinning(anchor.X.shape[1])[block.own]
            materials = body._materials(body.cell_count)[block.own]
            self.blocks.append(BlockShape(block, weights, volumes, laws, thinning, materials))


class SolidFields:
    """Fields of one solid in one frame of a result. Arrays start with (cells, points): `cauchy` is (cells, points, 3, 3).

    Where a mesh has several kinds of cells, those with fewer points repeat their last one, with no volume.
    """

    def __init__(self, result: Result, body: BodyLike, frame: int = -1) -> None:
        name = name_of(body)
        part = result.model.body(name)
        anchor: Any = able(result.system.anchors[part.name], Meshed, part.name, "fields")
        if not -len(result) <= frame < len(result):
            raise InputError(f"fields: the result has frames 0 … {len(result) - 1}, not {frame}")
        self._result = result
        self.body: Any = part
        self.name, self.frame = part.name, frame
        self._anchor: MeshAnchor = anchor
        number = frame % len(result)
        x, start = (np.asarray(result._store.frame("x", int(k))) for k in (result._frames[number], 0))
        self.stretch = self._reached(part, float(result.times[number])) if anchor.body.swells else 1.0
        known = result._solids.get(part.name)
        if known is None or known.stretch != self.stretch:
            known = result._solids[part.name] = SolidShape(part, anchor, self.stretch, result.system.n)
        self._shape: SolidShape = known
        self.positions = np.asarray(known.nodes @ x)
        self._start = np.asarray(known.nodes @ start)

    def _reached(self, part: Any, t: float) -> float:
        """The natural stretch in this frame; in statics it grows with the load factor."""
        method = self._result.integrator
        if method.get("name") == "Statics":
            return 1.0 + t * (part.natural_stretch(float(method.get("at", 0.0))) - 1.0)
        return float(part.natural_stretch(t))

    # --- nodes ----------------------------------------------------------------------------------------------------------

    @property
    def displacement(self) -> Array:
        """From the start of the run [m], shape (nodes, d)."""
        return self.positions - self._start

    # --- integration points ---------------------------------------------------------------------------------------------

    @cached_property
    def places(self) -> Array:
        """Reference places of the integration points [m], shape (cells, points, d)."""
        X = self._anchor.X
        return _stacked([np.einsum("qn,cnd->cqd", k.shape(k.points), X[c]) for k, c, _ in self._anchor.blocks])

    @cached_property
    def volumes(self) -> Array:
        """Reference volumes of the integration points [m³], shape (cells, points)."""
        each = [shape.volumes for shape in self._shape.blocks]
        most = max(v.shape[1] for v in each)
        return np.concatenate([np.pad(v, ((0, 0), (0, most - v.shape[1]))) for v in each])

    @cached_property
    def _state(self) -> tuple[Array, Array, Array]:
        """F (cells, points, 3, 3), second Piola–Kirchhoff stress, and energy density."""
        parts = [self._block_state(shape) for shape in self._shape.blocks]
        F, stress, energy = (_stacked([part[k] for part in parts]) for k in range(3))
        return F, stress, energy

    def _block_state(self, shape: BlockShape) -> tuple[Array, Array, Array]:
        """The same of the cells of one kind."""
        from condyle.bodies.dilatation import pressures
        from condyle.laws.codes import INITIAL_STRESS
        from condyle.laws.record import PLANE_STRESS

        block, volumes, laws, thinning, materials = (
            shape.block, shape.volumes, shape.laws, shape.thinning, shape.materials,
        )  # fmt: skip
        d = self._anchor.X.shape[1]
        y = np.einsum("cqkn,cnd->cqkd", shape.weights, self.positions[block.cells])
        F = np.zeros((*y.shape[:2], 3, 3))
        F[..., :d, :d] = np.swapaxes(y[..., :d, :], -1, -2)
        if d == 2:
            F[..., 2, 2] = y[..., 2, 0] if y.shape[2] == 3 else 1.0 / (self.stretch * self.body._natural(2)[2, 2])
        mean = self.body.dilatation == "mean"
        J = np.linalg.det(F)
        stress, energy = np.zeros_like(F), np.zeros(F.shape[:2])
        for c in range(len(F)):
            for code, params in laws[c]:
                p = np.array(params, dtype=float)
                averaged = mean and code != INITIAL_STRESS
                pressure, volume_energy = pressures(p, J[c], volumes[c]) if averaged else (np.zeros(0), 0.0)
                psi, S = _at_points(code, materials[c], F[c], p, pressure, d, thinning[c])
                stress[c] += 2.0 * S
                energy[c] += psi
                if thinning[c] is not None or code >= PLANE_STRESS:
                    stress[c, :, 2, :] = stress[c, :, :, 2] = 0.0
                if averaged:
                    energy[c] += volume_energy - pressure * J[c]
        if self._result.system.fades:
            self._add_remembered(stress, block)
        return F, stress, energy

    def _add_remembered(self, stress: Array, block: Block) -> None:
        """Add the fading stress of the past, as far as it lies in the plane (in space and about an axis: all of it)."""
        from condyle.laws.codes import INITIAL_STRESS
        from condyle.system.fading import STRESS_MEMORY, Fading

        system = self._result.system
        memory = self._result.state(self.frame).memory.get(STRESS_MEMORY)
        if memory is None:
            return
        kept = Fading(system.energies, system.instances[0]).by_instance(memory)
        cells = [
            kept.get(id(i)) for i in system.contributions.energies if i.part == self.name and i.law != INITIAL_STRESS
        ]
        for c, values in enumerate(cells[block.own]):
            if values is not None:
                plane = 2 if values.shape[1] in (2, 4) else 3
                stress[c, :, :plane, :plane] += 2.0 * values[:, :plane, :plane]
                if values.shape[1] == 4:
                    stress[c, :, 2, 2] += 2.0 * values[:, 2, 2]

    @property
    def deformation_gradient(self) -> Array:
        """F, shape (cells, points, 3, 3)."""
        return self._state[0]

    @property
    def second_piola(self) -> Array:
        """Second Piola–Kirchhoff stress S [Pa], shape (cells, points, 3, 3)."""
        return self._state[1]

    @property
    def energy_density(self) -> Array:
        """Stored energy per reference volume [J/m³], shape (cells, points)."""
        return self._state[2]

    @cached_property
    def volume_ratio(self) -> Array:
        """J = det F, shape (cells, points)."""
        return np.asarray(np.linalg.det(self.deformation_gradient))

    @cached_property
    def cauchy(self) -> Array:
        """Cauchy stress σ = F S Fᵀ / J [Pa], shape (cells, points, 3, 3)."""
        F, S, _ = self._state
        return F @ S @ np.swapaxes(F, -1, -2) / self.volume_ratio[..., None, None]

    @cached_property
    def strain(self) -> Array:
        """Green–Lagrange strain ½ (FᵀF − 1), shape (cells, points, 3, 3)."""
        F = self.deformation_gradient
        return 0.5 * (np.swapaxes(F, -1, -2) @ F - np.eye(3))

    @property
    def pressure(self) -> Array:
        """Hydrostatic pressure −tr σ / 3 [Pa], positive in compression, shape (cells, points)."""
        return -np.trace(self.cauchy, axis1=-2, axis2=-1) / 3.0

    @property
    def von_mises(self) -> Array:
        """Von Mises stress √(3/2 s:s) [Pa], shape (cells, points)."""
        s = self.cauchy + self.pressure[..., None, None] * np.eye(3)
        return np.sqrt(1.5 * np.sum(s * s, axis=(-2, -1)))

    def principal_stresses(self) -> tuple[Array, Array]:
        """Principal Cauchy stresses [Pa], ascending, shape (…, 3), and their axes as columns, shape (…, 3, 3)."""
        values, axes = np.linalg.eigh(self.cauchy)
        return values, axes

    def principal_strains(self) -> tuple[Array, Array]:
        """Principal Green–Lagrange strains, ascending, and their axes in the reference shape as columns."""
        values, axes = np.linalg.eigh(self.strain)
        return values, axes

    def scalar(self, name: str) -> Array:
        """One of the scalar fields by name, shape (cells, points)."""
        if name == "largest_stress":
            return self.principal_stresses()[0][..., 2]
        if name == "smallest_stress":
            return self.principal_stresses()[0][..., 0]
        if name == "largest_strain":
            return self.principal_strains()[0][..., 2]
        if name not in SCALARS:
            raise unknown_name("field", name, SCALARS)
        return np.asarray(getattr(self, name))

    # --- recovered, probed, summed --------------------------------------------------------------------------------------

    def at_nodes(self, values: Array) -> Array:
        """Values at integration points (cells, points, …) recovered at the nodes, shape (nodes, …).

        In each cell a polynomial of the order of its linear element is fitted to the points and read at the nodes; what the
        cells say of a node is averaged by their volumes.
        """
        anchor = self._anchor
        values, volumes = np.asarray(values), self.volumes.sum(axis=1)
        total = np.zeros((len(anchor.X), *values.shape[2:]))
        weight = np.zeros(len(anchor.X))
        for block in anchor.blocks:
            kind, cells, _ = block
            local = np.einsum("nq,cq...->cn...", kind.extrapolation, values[block.own, : len(kind.weights)])
            volume = np.broadcast_to(volumes[block.own][:, None], cells.shape)
            np.add.at(total, cells, local * volume.reshape(*volume.shape, *(1,) * (values.ndim - 2)))
            np.add.at(weight, cells, volume)
        return total / weight.reshape(-1, *(1,) * (values.ndim - 2))

    def probe(self, values: Array, place: PointLike | VectorLike) -> Array:
        """A field, given at integration points, at a place [m] of the reference shape."""
        from condyle.system.points import Reader

        kind, nodes, xi = self._anchor.find(np.asarray(place, dtype=float), Reader())
        return np.einsum("n,n...->...", kind.shape(xi), self.at_nodes(values)[nodes])

    def surface_force(self, surface: str) -> Array:
        """∫ P N dA over a surface [N], shape (d,): the force that the outside puts on the solid there, from its stress."""
        from condyle.system.points import Reader

        anchor, d = self._anchor, self._anchor.X.shape[1]
        F, S, _ = self._state
        nodal = self.at_nodes(F @ S)
        total = np.zeros(d)
        for kind, faces in anchor.facets(surface, Reader()):
            for face in faces:
                N, normals = anchor.facet_normals(kind, face)
                total += np.einsum("qn,nij,qj->i", N, nodal[face][:, :d, :d], normals)
        return total

    # --- figures and files ----------------------------------------------------------------------------------------------

    def plot(self, field: str = "von_mises", *, unit: str = "Pa", scale: float = 1.0, show: bool = False) -> Figure:
        """A map of a scalar field on the deformed shape (2D), recovered at the nodes; scale: 1e-6 and unit 'MPa'."""
        from condyle.results.figure import new_axes, shown

        anchor = self._anchor
        if anchor.X.shape[1] != 2:
            raise InputError("fields: maps are drawn of 2D solids; write 3D ones to VTK")
        values = self.at_nodes(self.scalar(field)) * scale
        ax = new_axes(None, show=show, size=(6.4, 4.8))
        triangles = np.vstack([
            block.cells[:, [0, k, k + 1]] for block in anchor.blocks for k in range(1, block.kind.corners - 1)
        ])  # fmt: skip
        from matplotlib.tri import Triangulation

        x, y = self.positions.T
        drawn = ax.tripcolor(Triangulation(x, y, triangles), values, shading="gouraud", cmap="viridis")
        for kind, faces in anchor.boundary:
            for face in faces:
                ax.plot(*self.positions[face[list(kind.paths[0])]].T, color="0.2", linewidth=0.7)
        ax.set_aspect("equal")
        ax.set_xlabel("x [m]")
        ax.set_ylabel("y [m]")
        ax.figure.colorbar(drawn, label=f"{field.replace('_', ' ')} [{unit}]" if unit else field.replace("_", " "))
        return shown(ax, show)


def _at_points(
    code: int, material: Any, F: Array, p: Array, pressure: Array, d: int, thin: float | None
) -> tuple[Array, Array]:
    """ψ (q,) and ∂ψ/∂C (q, 3, 3) of one law at the points of a cell; in plane stress F gets the stretch across."""
    from condyle.laws.points import gram_points
    from condyle.laws.record import PLANE_STRESS, numbered
    from condyle.laws.solids import plane_stress_state

    C = np.swapaxes(F, -1, -2) @ F
    psi, S = np.zeros(len(C)), np.zeros_like(C)
    if numbered(code).kind == "energy":
        for q in range(len(C)):
            psi[q], S[q] = material.state(C[q], d)
    elif code >= PLANE_STRESS:
        C6, S6, H6 = np.zeros(6), np.zeros(6), np.zeros((6, 6))
        for q in range(len(C)):
            psi[q] = plane_stress_state(code - PLANE_STRESS, C[q, 0, 0], C[q, 1, 1], C[q, 0, 1], p, C6, S6, H6)
            S[q, :2, :2] = ((S6[0], S6[3]), (S6[3], S6[1]))
            F[q, 2, 2] = np.sqrt(C6[2])
    else:
        if thin is not None:  # plane stress of St. Venant–Kirchhoff: S₃₃ = 0 in closed form
            F[:, 2, 2] = np.sqrt(np.maximum(1.0 - thin * (C[:, 0, 0] + C[:, 1, 1] - 2.0), 0.0))
        gram_points(code, C, p, pressure, S, np.zeros((3,) * 4), psi)
    return psi, S


def write_vtk(result: Result, body: BodyLike, folder: str | Path, *, every: int = 1) -> list[Path]:
    """A series of VTK files (.vtu, and a .pvd that lists them with their times) of one solid, one for each frame.

    Points carry displacement, Cauchy stress, pressure, von Mises stress and energy density, recovered at the nodes.
    """
    from condyle.bodies.mesh_files import with_meshio

    meshio = with_meshio("writing VTK files")
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    name = name_of(body)
    paths, lines = [], []
    for frame in range(0, len(result), every):
        fields = SolidFields(result, name, frame)
        anchor = fields._anchor
        data = {
            "displacement [m]": _in_space(fields.displacement),
            "Cauchy stress [Pa]": fields.at_nodes(fields.cauchy).reshape(-1, 9),
            "pressure [Pa]": fields.at_nodes(fields.pressure),
            "von Mises [Pa]": fields.at_nodes(fields.von_mises),
            "energy density [J/m3]": fields.at_nodes(fields.energy_density),
        }
        path = out / f"{name}_{frame:05d}.vtu"
        cells = [(block.kind.file_name, block.cells) for block in anchor.blocks]
        meshio.Mesh(_in_space(fields.positions), cells, point_data=data).write(path)
        paths.append(path)
        lines.append(f'<DataSet timestep="{result.times[frame]:.12g}" file="{path.name}"/>')
    listing = "\n".join(lines)
    pvd = f'<VTKFile type="Collection" version="0.1"><Collection>\n{listing}\n</Collection></VTKFile>\n'
    (out / f"{name}.pvd").write_text(pvd, encoding="utf-8")
    return paths


def _in_space(X: Array) -> Array:
    return X if X.shape[1] == 3 else np.pad(X, ((0, 0), (0, 1)))


def _stacked(parts: list[Array]) -> Array:
    """Values (cells, points, …) of all kinds of cells in one array; where there are fewer points the last one is repeated."""
    most = max(part.shape[1] for part in parts)
    if len(parts) == 1:
        return parts[0]
    return np.concatenate([part[:, np.minimum(np.arange(most), part.shape[1] - 1)] for part in parts])
