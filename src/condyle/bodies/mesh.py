"""Meshes: structured ones made here, others read from files; checked before they are used."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.bodies.cuts import cut, cut_alike
from condyle.bodies.elements import ELEMENTS, MIXED, Block, blocks_of, element, outer_facets, torn
from condyle.bodies.elements.cell import TETRAHEDRON, WEDGE
from condyle.bodies.sweep import swept
from condyle.errors import InputError
from condyle.model.fields import numbers
from condyle.model.given import Cells, Groups, Numbers, NumbersLike, VectorLike
from condyle.model.part import Declared
from condyle.model.quantities import declared, given

Array = NDArray[np.float64]
Map = Callable[[Array], Array]


@declared
class Mesh(metaclass=Declared):
    """Nodes [m] (n, d), cells (m, nodes per element) of one kind of element, and names for parts of it.

    Of several kinds, cells are {element: cells} and element is 'mixed'; cells are then numbered through in that order. sets:
    node numbers; surfaces: facets as lists of node numbers; regions: cell numbers. `Solid.from_mesh` makes a body.
    """

    nodes: Numbers
    cells: Cells
    element: str
    sets: Groups = given(default_factory=dict)
    surfaces: Groups = given(default_factory=dict)
    regions: Groups = given(default_factory=dict)

    def __post_init__(self) -> None:
        self.nodes = np.asarray(self.nodes, dtype=float)
        if isinstance(self.cells, Mapping) or self.element == MIXED:
            named = {b.kind.name: b.cells for b in blocks_of(self.cells, self.element, "Mesh")}
            self.cells, blocks = named, list(named.values())
        else:
            blocks = [np.asarray(self.cells, dtype=np.int64)]
            self.cells = blocks[0]
            element(self.element, "Mesh")
        for cells in blocks:
            if cells.size and (cells.min() < 0 or cells.max() >= len(self.nodes)):
                wrong = cells.min() if cells.min() < 0 else cells.max()
                raise InputError(f"Mesh: a cell refers to node {int(wrong)}, but there are {len(self.nodes)} nodes")

    @classmethod
    def of_blocks(cls, nodes: NumbersLike, cells: Mapping[str, NumbersLike], *named: Mapping[str, NumbersLike]) -> Mesh:
        """The mesh of {element: cells}, mixed only if there are several; named: sets, surfaces, regions."""
        if len(cells) == 1:
            ((kind, only),) = cells.items()
            return cls(nodes, only, kind, *named)
        return cls(nodes, cells, MIXED, *named)

    @property
    def blocks(self) -> list[Block]:
        """Its cells by their kinds."""
        return blocks_of(self.cells, self.element, "Mesh")

    def __repr__(self) -> str:
        named = {"sets": self.sets, "surfaces": self.surfaces, "regions": self.regions}
        extra = "".join(f", {what}: {', '.join(names)}" for what, names in named.items() if names)
        size = " × ".join(f"{s:.4g}" for s in np.ptp(self.nodes, axis=0)) if len(self.nodes) else "empty"
        cells = self.cells if self.element == MIXED else {self.element: self.cells}
        counts = ", ".join(f"{len(members)} {kind}" for kind, members in cells.items())
        return f"Mesh({len(self.nodes)} nodes, {counts}, {size} m{extra})"

    # --- structured meshes ------------------------------------------------------------------------------------------------

    @classmethod
    def block(
        cls,
        size: NumbersLike,
        divisions: int | Sequence[int],
        *,
        element: str | None = None,
        origin: VectorLike | None = None,
    ) -> Mesh:
        """A rectangle or box with one corner at `origin`; sets left/right (x), bottom/top (y), back/front (z)."""
        L = _sizes("block", size=size)
        if len(L) not in (2, 3):
            raise InputError(f"Mesh.block: size is 2 or 3 edge lengths [m], not {size!r}")
        n = _counts("block", divisions, len(L))
        start = np.zeros(len(L)) if origin is None else numbers(origin, "Mesh.block: origin", shape=(len(L),))
        mesh = _from_maps([lambda u: start + u * L], [n], element or _default(len(L)))
        at = mesh.nodes - start
        names = (("left", "right"), ("bottom", "top"), ("back", "front"))
        for i in range(len(L)):
            mesh._name(names[i][0], np.abs(at[:, i]) < 1e-9 * L.max())
            mesh._name(names[i][1], np.abs(at[:, i] - L[i]) < 1e-9 * L.max())
        return mesh

    @classmethod
    def annulus(
        cls,
        inner: float,
        outer: float,
        divisions: int | Sequence[int],
        *,
        angle: float = 2.0 * np.pi,
        start: float = 0.0,
        element: str = "quad4",
    ) -> Mesh:
        """A ring or a sector of one (2D) about the origin, from `start` over `angle` [rad]; divisions: across, around.

        Sets: inner, outer, and of a sector start, end.
        """
        ri, ro = _sizes("annulus", inner=inner, outer=outer)
        if not ri < ro or not 0 < angle <= 2 * np.pi * (1 + 1e-12):
            raise InputError("Mesh.annulus: inner must be below outer, and angle between 0 and 2π")
        n = _counts("annulus", divisions, 2)

        def ring(u: Array) -> Array:
            r, turn = ri + u[:, 0] * (ro - ri), start + u[:, 1] * angle
            return np.stack((r * np.cos(turn), r * np.sin(turn)), axis=1)

        mesh = _from_maps([ring], [n], element)
        r = np.hypot(*mesh.nodes.T)
        mesh._name("inner", r < ri + 1e-9 * ro)
        mesh._name("outer", r > ro - 1e-9 * ro)
        if angle < 2 * np.pi * (1 - 1e-9):
            for name, turn in (("start", start), ("end", start + angle)):
                mesh._name(
                    name, np.linalg.norm(mesh.nodes - r[:, None] * (np.cos(turn), np.sin(turn)), axis=1) < 1e-9 * ro
                )
        return mesh

    @classmethod
    def disk(cls, radius: float, divisions: int | Sequence[int], *, element: str = "quad4") -> Mesh:
        """A full disk (2D): a core and four blocks around it; divisions: around a quarter, across. Set: outer.

        element 'mixed': rings of quad4 around tri3 that meet in the centre.
        """
        (R,) = _sizes("disk", radius=radius)
        around, across = _counts("disk", divisions, 2)
        if element == MIXED:
            return _polar(R, 4 * int(around), int(across))
        mesh = _from_maps(_disk_maps(R), [np.array([around, around])] + 4 * [np.array([across, around])], element)
        mesh._name("outer", np.hypot(*mesh.nodes.T) > R * (1 - 1e-9))
        return mesh

    @classmethod
    def cylinder(
        cls, radius: float, length: float, divisions: int | Sequence[int], *, inner: float = 0.0, element: str = "hex8"
    ) -> Mesh:
        """A cylinder or tube along z from the origin; divisions: around (a quarter if full), across, along.

        element 'mixed': hex8 around wedge6 at the axis. Sets: outer, inner (of a tube), back (z = 0), front.
        """
        around, across, along = _counts("cylinder", divisions, 3)
        (L,) = _sizes("cylinder", length=length)
        # Middle nodes on the circle; wedges stand on triangles.
        planes = {"hex20": "quad8", "tet10": "tri6", "wedge6": "tri3", "wedge15": "tri6", MIXED: MIXED}
        plane = planes.get(element, "quad4")
        if inner > 0:
            flat = cls.annulus(inner, radius, (across, around), element=plane)
        else:
            flat = cls.disk(radius, (around, across), element=plane)
        drawn = flat.extruded(L, int(along), element="tet10" if element == "tet10" else None)
        return drawn if element == MIXED else drawn.converted(element)

    @classmethod
    def sphere(
        cls, radius: float, divisions: int | Sequence[int], *, inner: float = 0.0, element: str = "hex8"
    ) -> Mesh:
        """A ball, or a shell if `inner` is given; divisions: along a side of the cube inside, across. Sets: outer, inner."""
        along, across = _counts("sphere", divisions, 2)
        mesh = _ball(radius, inner, along, across, element, half=False)
        return mesh

    @classmethod
    def cup(
        cls,
        inner: float,
        outer: float,
        divisions: int | Sequence[int],
        *,
        dimension: int = 3,
        element: str | None = None,
    ) -> Mesh:
        """Half a shell, open upwards (y in 2D, z in 3D), about the origin: an acetabular cup, a liner.

        divisions: around (3D: along a side of the cube inside, an even number), across. Sets: inner, outer, rim.
        """
        around, across = _counts("cup", divisions, 2)
        if dimension == 2:
            mesh = cls.annulus(inner, outer, (across, around), angle=np.pi, start=np.pi, element=element or "quad4")
            mesh.sets.pop("start"), mesh.sets.pop("end")
        else:
            if around % 2:
                raise InputError("Mesh.cup: the number of divisions around must be even in 3D")
            mesh = _ball(outer, inner, around, across, element or "hex8", half=True)
        mesh._name("rim", np.abs(mesh.nodes[:, -1]) < 1e-9 * outer)
        return mesh

    # --- changed meshes -------------------------------------------------------------------------------------------------

    def extruded(self, length: float, divisions: int, *, element: str | None = None) -> Mesh:
        """A plane mesh drawn along z: quad4 into hex8, quad8 into hex20, tri3 into wedge6, tri6 into wedge15.

        element: 'tet4' or 'tet10' cuts the wedges into tetrahedra. Sets are kept as walls, back and front are added.
        """
        (L,), layers = _sizes("extruded", length=length), _counts("extruded", [divisions], 1)[0]
        return swept(self, int(layers), lambda X, u: np.column_stack((X, np.full(len(X), u * L))), "extruded", element)

    def revolved(self, angle: float, divisions: int, *, element: str | None = None) -> Mesh:
        """A plane mesh (x the radius, y the axis) turned about y by `angle` [rad] into a sector; elements as `extruded`."""
        if self.nodes[:, 0].min() <= 0 or not 0 < angle < 2 * np.pi:
            raise InputError("Mesh.revolved: the mesh must lie at x > 0, and angle between 0 and 2π")

        def turned(X: Array, u: float) -> Array:
            return np.column_stack((X[:, 0] * np.cos(u * angle), X[:, 1], X[:, 0] * np.sin(u * angle)))

        return swept(self, int(_counts("revolved", [divisions], 1)[0]), turned, "revolved", element)

    def converted(self, kind: str) -> Mesh:
        """The same mesh in another element: cut into other cells, with nodes in the middle of edges, or both.

        Quadrilaterals are cut into triangles; hexahedra into tetrahedra, pyramids (six each) or wedges; wedges and pyramids
        into tetrahedra.
        """
        wanted, mesh = element(kind, "Mesh"), self
        if any(b.kind.cell is not wanted.cell for b in self.blocks):
            corners = next((e.name for e in ELEMENTS.values() if e.cell is wanted.cell and e.nodes == e.corners), kind)
            mesh = cut(self, corners)
        if kind == mesh.element:
            return mesh
        if not wanted.middles or ELEMENTS[mesh.element].nodes > wanted.corners:
            raise InputError(f"Mesh: {self.element} cannot be converted into {kind}")
        return mesh._with_middles(kind)

    def mapped(self, function: Map) -> Mesh:
        """The mesh with its nodes moved by function(nodes (n, d)) → (n, d)."""
        return replace(self, nodes=np.asarray(function(self.nodes), dtype=float))

    def _with_middles(self, kind: str) -> Mesh:
        """Nodes in the middle of straight edges, and inside; a set has the middles of edges whose both ends it has."""
        edges, inner = ELEMENTS[kind].edges, np.array(ELEMENTS[kind].inner)
        ends = np.sort(self.cells[:, [e[:2] for e in edges]].reshape(-1, 2), axis=1)
        unique, where = np.unique(ends, axis=0, return_inverse=True)
        n = len(self.nodes)
        nodes = np.vstack((self.nodes, self.nodes[unique].mean(axis=1)))
        cells = np.hstack((self.cells, n + where.reshape(len(self.cells), len(edges))))
        if len(inner):
            inside = np.einsum("kn,cnd->ckd", ELEMENTS[self.element].shape(inner), self.nodes[self.cells])
            more = len(nodes) + np.arange(inside.shape[0] * len(inner)).reshape(-1, len(inner))
            nodes, cells = np.vstack((nodes, inside.reshape(-1, nodes.shape[1]))), np.hstack((cells, more))
        sets = {}
        for name, members in self.sets.items():
            inside = np.isin(unique, members).all(axis=1)
            sets[name] = np.concatenate((np.asarray(members, dtype=np.int64), n + np.flatnonzero(inside)))
        return Mesh(nodes, cells, kind, sets, {}, dict(self.regions))

    def _name(self, name: str, inside: NDArray[np.bool_]) -> None:
        self.sets[name] = np.flatnonzero(inside)

    # --- quality --------------------------------------------------------------------------------------------------------

    def check(self, label: str = "Mesh") -> Mesh:
        """Refuse cells that are inverted, of zero size or there twice, nodes that coincide, and nodes without a cell."""
        X, blocks = self.nodes, blocks_of(self.cells, self.element, label)
        if X.ndim != 2 or X.shape[1] != blocks[0].kind.dimension:
            raise InputError(f"{label}: nodes {X.shape} do not fit {self.element}")
        used = np.concatenate([b.cells.ravel() for b in blocks])
        if used.size and (used.min() < 0 or used.max() >= len(X)):
            raise InputError(f"{label}: a cell refers to node {int(used.max())}, but there are {len(X)} nodes")
        unused = np.setdiff1d(np.arange(len(X)), used)
        if unused.size:
            raise InputError(f"{label}: node {unused[0]} at {X[unused[0]].tolist()} belongs to no cell; remove it")
        for block in blocks:
            _, first, count = np.unique(np.sort(block.cells, axis=1), axis=0, return_index=True, return_counts=True)
            if (count > 1).any():
                twice = block.first + int(first[count > 1][0])
                raise InputError(f"{label}: cell {twice} is there {int(count.max())} times; remove copies")
        _, first, count = np.unique(_coincident(X, 1e-10), return_index=True, return_counts=True)
        if (count > 1).any():
            node = int(first[count > 1][0])
            raise InputError(f"{label}: {int(count.max())} nodes lie at {X[node].tolist()} (node {node}); merge them")
        for block in blocks:
            block.kind.reference_gradients(X[block.cells], label, first=block.first)
        if quad := torn(outer_facets(blocks)):
            raise InputError(
                f"{label}: triangles of one cell lie on the quadrilateral {quad} of another; put a pyramid5 on it, or convert "
                "the mesh into tet4"
            )
        return self

    @classmethod
    def from_geometry(
        cls, path: str | Path, *, size: float | None = None, order: int = 1, region: str | None = None
    ) -> Mesh:
        """Mesh a geometry file (.geo, .step, .iges, .brep) with Gmsh, of the extra 'gmsh'.

        size: largest length of a cell [m]; order: 1 for straight elements, 2 for quadratic ones. Physical groups become
        regions, surfaces and sets; where the file has none, its pieces are 'region 1', … and their sides 'surface 1', …
        """
        from condyle.bodies.geometry_files import mesh_geometry

        return mesh_geometry(path, size, order, region)

    def write(self, path: str | Path) -> None:
        """Write nodes, cells and, where the format has them, sets of nodes; the ending says how: .vtu, .msh, … (meshio)."""
        from condyle.bodies.mesh_files import write_mesh

        write_mesh(path, self)

    @classmethod
    def read(cls, path: str | Path, *, region: str | None = None) -> Mesh:
        """A mesh file of any kind that meshio knows (Gmsh, Abaqus, VTK, …), checked.

        Named groups of volume cells become regions, of facets surfaces and sets, of nodes sets. region: only that part.
        """
        from condyle.bodies.mesh_files import read_mesh

        return read_mesh(path, region)


def _default(d: int) -> str:
    return "quad4" if d == 2 else "hex8"


def _sizes(what: str, **given: Any) -> Array:
    """Lengths as one array, checked."""
    try:
        values = [np.atleast_1d(numbers(v, "", above=0.0)) for v in given.values()]
    except InputError:
        raise InputError(
            f"Mesh.{what}: {', '.join(given)} must be positive numbers, not {list(given.values())}"
        ) from None
    return np.concatenate(values)


def _counts(what: str, divisions: ArrayLike, number: int) -> NDArray[np.int64]:
    values = np.atleast_1d(numbers(divisions, f"Mesh.{what}: divisions"))
    if values.shape != (number,) or (values != np.floor(values)).any() or (values < 1).any():
        raise InputError(f"Mesh.{what}: divisions must be {number} whole numbers of at least 1, not {divisions!r}")
    return values.astype(np.int64)


def _unit(n: NDArray[np.int64], kind: str, upright: int) -> Mesh:
    """The unit square or cube divided into n cells along each side; upright: the axis along which wedges stand."""
    d = len(n)
    axes = [np.linspace(0.0, 1.0, k + 1) for k in n]
    nodes = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, d)
    number_of = np.arange(len(nodes)).reshape(n + 1)
    corner = np.stack([c.ravel() for c in np.meshgrid(*(np.arange(k) for k in n), indexing="ij")], axis=1)
    steps = ((ELEMENTS[_default(d)].reference_nodes + 1) / 2).astype(np.int64)
    cells = np.stack([number_of[tuple((corner + s).T)] for s in steps], axis=1)
    mesh = Mesh(nodes, cells, _default(d))
    return (cut(mesh, "wedge6", upright) if ELEMENTS[kind].cell is WEDGE else mesh).converted(kind)


def _from_maps(maps: Sequence[Map], divisions: Sequence[NDArray[np.int64]], kind: str, *, upright: int = 2) -> Mesh:
    """Blocks, each the unit square or cube under a map, with common nodes merged."""
    nodes, cells, count = [], [], 0
    if element(kind, "Mesh").dimension != len(divisions[0]):
        raise InputError(f"Mesh: {kind} is not an element of {len(divisions[0])}D")
    pieces = [_unit(n, kind, upright) for n in divisions]
    if ELEMENTS[kind].cell is TETRAHEDRON and len(maps) > 1:
        # Tetrahedra on both sides of where blocks meet have the same diagonals, if nodes are compared by common numbers.
        hexes = [_unit(n, "hex8", upright) for n in divisions]
        same = _coincident(np.vstack([place(h.nodes) for place, h in zip(maps, hexes, strict=True)]), 1e-9)
        numbers_of = np.split(same, np.cumsum([len(h.nodes) for h in hexes])[:-1])
        pieces = [cut_alike(h, number).converted(kind) for h, number in zip(hexes, numbers_of, strict=True)]
    for place, piece in zip(maps, pieces, strict=True):
        nodes.append(place(piece.nodes))
        cells.append(piece.cells + count)
        count += len(piece.nodes)
    X = np.vstack(nodes)
    group = _coincident(X, 1e-9)
    _, first, where = np.unique(group, return_index=True, return_inverse=True)
    order = np.lexsort(np.round(X[first] / (1e-9 * np.ptp(X))).T[::-1])
    rank = np.argsort(order)
    return Mesh(X[first][order], rank[where][np.vstack(cells)], kind)


def _coincident(X: Array, share: float) -> NDArray[np.int64]:
    """Nodes that lie within `share` of the mesh's size of each other have the same number, shape (n,)."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import cKDTree

    near = cKDTree(X).query_pairs(share * float(np.ptp(X, axis=0).max()), output_type="ndarray")
    graph = coo_matrix((np.ones(len(near)), (near[:, 0], near[:, 1])), shape=(len(X), len(X)))
    return np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)


def _disk_maps(R: float) -> list[Map]:
    """A square core of half the radius, and four blocks from its sides to the circle."""
    c = 0.5 * R

    def core(u: Array) -> Array:
        return c * (2.0 * u - 1.0) / np.sqrt(2.0)

    def side(turn: int) -> Map:
        axis = np.array([[np.cos(a), np.sin(a)] for a in (0.5 * np.pi * turn, 0.5 * np.pi * (turn + 1))])

        def place(u: Array) -> Array:
            angle = 0.25 * np.pi * (2.0 * u[:, 1:] - 1.0)
            inside = c / np.sqrt(2.0) * np.hstack((np.ones_like(angle), 2.0 * u[:, 1:] - 1.0))
            outside = R * np.hstack((np.cos(angle), np.sin(angle)))
            return ((1.0 - u[:, :1]) * inside + u[:, :1] * outside) @ axis

        return place

    return [core, *(side(k) for k in range(4))]


def _polar(R: float, around: int, across: int) -> Mesh:
    """A disk of rings of quadrilaterals around triangles that meet in its centre."""
    turn = 2.0 * np.pi * np.arange(around) / around
    rings = [R * (k + 1) / across * np.column_stack((np.cos(turn), np.sin(turn))) for k in range(across)]
    here = 1 + np.arange(around)
    there = 1 + (np.arange(around) + 1) % around
    cells = {"tri3": np.column_stack((np.zeros(around, dtype=np.int64), here, there))}
    if across > 1:
        inside = [np.column_stack((here, here + around, there + around, there)) for _ in range(across - 1)]
        cells["quad4"] = np.vstack([quads + k * around for k, quads in enumerate(inside)])
    outer = 1 + around * (across - 1) + np.arange(around)
    return Mesh.of_blocks(np.vstack((np.zeros((1, 2)), *rings)), cells, {"outer": outer})


def _ball(radius: float, inner: float, along: int, across: int, kind: str, *, half: bool) -> Mesh:
    """A cube and six blocks around it, or the six blocks of a shell; half: only z ≤ 0 of a shell."""
    (R,) = _sizes("sphere", radius=radius)
    if not 0.0 <= inner < R:
        raise InputError(f"Mesh.sphere: inner must lie between 0 and the radius {R:g}, not {inner}")
    side = 0.5 * R / np.sqrt(3.0)
    maps: list[Map] = []
    counts = []
    if inner == 0.0:
        maps.append(lambda u: side * (2.0 * u - 1.0))
        counts.append(np.array([along] * 3))
    for axis in range(3):
        for sign in (-1.0, 1.0):
            if half and axis == 2 and sign > 0:
                continue
            maps.append(_wall(axis, sign, R, inner, side, half))
            counts.append(np.array([across, along, along // 2 if half and axis != 2 else along]))
    if inner == 0.0 and element(kind, "Mesh.sphere").cell is WEDGE:
        raise InputError(f"Mesh.sphere: a full ball has no mesh of {kind}; give `inner`, or use hex8, tet4 or pyramid5")
    mesh = _from_maps(maps, counts, kind, upright=0)
    r = np.linalg.norm(mesh.nodes, axis=1)
    mesh._name("outer", r > R * (1 - 1e-9))
    if inner > 0.0:
        mesh._name("inner", r < inner + 1e-9 * R)
    return mesh


def _wall(axis: int, sign: float, R: float, inner: float, side: float, half: bool) -> Map:
    """From one side of the cube (or the inner sphere) to the sphere; the third coordinate of a side wall is along z."""
    others = (1, 2) if axis == 0 else (0, 2) if axis == 1 else (0, 1)

    def place(u: Array) -> Array:
        # Equal angles rather than equal lengths on the cube make cells of like size on the sphere.
        t = 2.0 * u[:, 1:] - 1.0
        if half and axis != 2:
            t[:, 1] = u[:, 2] - 1.0
        if sign * (1 if axis != 1 else -1) < 0:
            t[:, 0] = -t[:, 0]
        cube = np.empty((len(u), 3))
        cube[:, axis] = sign
        cube[:, others] = np.tan(0.25 * np.pi * t)
        flat = np.empty_like(cube)
        flat[:, axis] = sign
        flat[:, others] = t
        outside = R * cube / np.linalg.norm(cube, axis=1, keepdims=True)
        inside = side * flat if inner == 0.0 else outside * inner / R
        return (1.0 - u[:, :1]) * inside + u[:, :1] * outside

    return place
