"""Model -> System: check, number the rows, lay out the laws, find the sparsity pattern. Done once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.errors import AssemblyError, InputError, unknown_name
from condyle.laws import compiling, precompile
from condyle.laws.codes import (
    CABLE,
    DEAD_LOAD,
    DOT_PRODUCT,
    FRAME_STRAINS,
    LINEAR_STRAINS,
    SECTION_CURVATURE,
    SECTION_STRAINS,
)
from condyle.laws.record import FLAGS, PLANE_STRESS, TABLE, TRAITS
from condyle.model.body import Body
from condyle.model.fields import blamed, shown
from condyle.model.model import Model
from condyle.system.builder import Builder
from condyle.system.contributions import Contributions, Instance
from condyle.system.layouts import Layout, flat, keep, kept, signature, with_numbers
from condyle.system.linear import KINDS
from condyle.system.pattern import Pattern, all_pairs, any_of_each, build_pattern, counted, distinct
from condyle.system.quasi_static import check_supports
from condyle.system.releases import release_components
from condyle.system.running import RunningSystem
from condyle.system.system import SINGULAR_INERTIA, System
from condyle.system.tables import AUGMENTED, DIRECTOR, FIXED, FREE, MULTIPLIER, UZAWA, LawTable, MassTable, Rows
from condyle.system.thread_groups import in_groups
from condyle.system.ties import NodeTie
from condyle.system.weights import Weights, places_of

if TYPE_CHECKING:
    from condyle.system.cut import Cut


def compile(
    model: Model,
    *,
    formulation: str = "tangent",
    solver: str = "auto",
    massless: bool = False,
    release: str = "",
    cut: Cut | None = None,
) -> System:
    """The system of equations of a model.

    formulation: 'tangent' gives a rigid body 6 unknowns (3 in 2D) through tangent maps, without internal multipliers;
    'rows' keeps every row as an unknown and holds rigid bodies together by multipliers (Taylor 2000).
    solver: 'auto', 'dense', 'band', 'sparse', 'pardiso' or 'amg'.
    massless: accept materials without density, for balance alone.
    release: name of a tie that is held by multipliers, though it says 'eliminate': they are its forces.
    cut: a rigid body in two parts, see `cut.py`; without contacts.
    """
    if not isinstance(model, Model):
        raise InputError(f"a Model is expected, not {shown(model)}; Model.from_dict makes one of plain data")
    if formulation not in ("tangent", "rows"):
        raise InputError(f"formulation is {formulation!r}; choose 'tangent' or 'rows'")
    if solver not in KINDS:
        raise unknown_name("linear solver", solver, KINDS)
    compiling.watch()  # kernels that this model is the first to need
    precompile.start()
    model.validate()
    builder = Builder(model, formulation, release)
    for body in _masters_first(model):
        with blamed(body.label):
            builder.under_way = body.name
            anchor = body.compile(builder)
            builder.anchors[body.name] = anchor if cut is None or cut.body != body.name else cut.divide(builder, anchor)
    for part in model:
        if not isinstance(part, Body) and (cut is None or part.name not in cut.contacts):
            with blamed(part.label):
                builder.under_way = part.name
                part.compile(builder)
    release_components(builder)
    builder.check_finite()
    if not any(k != FIXED for k in builder.kind):
        raise InputError(f"Model '{model.name}' has nothing that moves; add a body")
    _check_joints(builder)
    _stand_in_for_mass(builder, massless)
    system = assemble_system(builder.contributions(), identity=formulation == "rows", solver=solver)
    if system.quasi_static.size:
        check_supports(RunningSystem(system))
    _expect_kernels(system)
    return system


def running(model: Model | System, **options: Any) -> RunningSystem:
    """A run of its own on a model, which is compiled with these options, or on a System."""
    return RunningSystem(model if isinstance(model, System) else compile(model, **options))


def _expect_kernels(system: System) -> None:
    """Tell those who watch the compiler what the model needs."""
    tables = {"energies": system.energies, "forces": system.forces, "constraints": system.constraints}
    others = system.d == 2 or bool((system.constraints.law != DOT_PRODUCT).any())
    families = [name for name, table in tables.items() if table.law.size and (name != "constraints" or others)]
    numbers = np.unique(np.concatenate([table.law for table in tables.values()]))
    laws = (int(number) for number in numbers if number != DOT_PRODUCT)
    precompile.expect([*families, *_kinds_of_elements(system)], laws)


def _kinds_of_elements(system: System) -> list[str]:
    """Kinds of elements among the energies of a system, as far as laws tell (`assembly/elements.py:kind_of`)."""
    table, d = system.energies, system.d
    slender = np.isin(table.law, (CABLE, LINEAR_STRAINS))
    forgets = (table.viscosity == 0.0) & (np.diff(table.past_start) == 0)
    elastic = (table.damping == 0.0) & forgets
    sections = np.isin(table.law, (SECTION_STRAINS, SECTION_CURVATURE)) & forgets
    frames = (table.law == FRAME_STRAINS) & forgets
    plain = TABLE[table.law % PLANE_STRESS, FLAGS] & TRAITS["solid"] > 0
    plain &= (table.law < PLANE_STRESS) & (table.vectors == d) & elastic
    traits = TABLE[table.law % PLANE_STRESS, FLAGS]
    springs = (table.vectors == 1) & elastic & (table.gradients == 0) & ~slender
    springs &= traits & (TRAITS["solid"] | TRAITS["between"]) == 0
    kinds = {
        "slender": slender, "sections": sections, "frames": frames, "springs": springs,
        "solids in space" if d == 3 else "plane solids": plain, "general": ~(slender | sections | frames | plain | springs),
    }  # fmt: skip
    return [name for name, there in kinds.items() if there.any()]


def _stand_in_for_mass(builder: Builder, massless: bool) -> None:
    """Bodies whose material has no density: an error unless they need none; the start is then found with equal masses."""
    mass = builder.row_masses()
    moving = np.flatnonzero((np.array(builder.kind) == FREE) & (np.array(builder.translation) > 0))
    heavy = {builder.owner[row] for row in moving if mass[row] > 0} | {
        builder.owner[row] for row in builder.quasi_static
    }
    light = [row for row, owner in enumerate(builder.owner) if builder.kind[row] == FREE and owner not in heavy]
    if light and not massless:
        raise InputError(
            f"{builder.model[builder.owner[light[0]]].label}: the density of its material must be positive for it to move, "
            "unless it is quasi_static; solve_static needs none"
        )
    builder.singular.update(dict.fromkeys(light, float(mass.max(initial=0.0) or 1.0) / SINGULAR_INERTIA))


def assemble_system(
    given: Contributions,
    *,
    identity: bool,
    solver: str,
    exact: bool = False,
    inertial: bool = False,
    extra: Sequence[Instance] = (),
) -> System:
    """Lay out what parts have contributed.

    identity: maps that make every row an unknown of its own; exact: Uzawa's constraints are held by multipliers too;
    inertial: without constraints on quasi-static bodies; extra: more scalar constraints, after all others.
    """
    x, kind = given.x, given.kind.copy()
    if identity:
        kind[kind == DIRECTOR] = FREE
    links = list(given.links)
    constraints = [c for c in given.constraints if identity or not c.internal]
    constraints = [*constraints, *extra]
    if inertial and given.quasi_static:
        links = [i for i in links if given.quasi_static.isdisjoint(i.rows.tolist())]
        constraints = [i for i in constraints if given.quasi_static.isdisjoint(i.rows.tolist())]
    if exact:
        links, constraints = (
            [replace(i, hold=MULTIPLIER) if i.hold == UZAWA else i for i in group] for group in (links, constraints)
        )

    energies, forces, links, constraints = (
        _quasi_static_last(given, group) for group in (given.energies, given.forces, links, constraints)
    )
    rates = list(given.rates)
    groups: list[int] = []
    if len({given.quasi_static.isdisjoint(i.rows.tolist()) for i in energies}) == 1:
        energies, groups = in_groups(energies, x)

    mass = _merge_mass(given)
    families = (energies, forces, links, constraints, rates)
    key = None if groups else signature(given, identity, families, mass)
    layout = kept(key) or keep(key, _lay_out(given, kind, families, mass, groups, identity))
    drag = np.array([given.drag.get(row, 0.0) for row in range(len(x))])
    return System(
        contributions=given,
        identity=identity,
        rows=layout.rows._replace(drag=drag, size=_row_sizes(given), pace=np.zeros(1)),
        mass=layout.mass._replace(value=mass[2]),
        laws=layout.laws if key is None else with_numbers(layout.laws, [i for family in families for i in family]),
        spans=layout.spans,
        instances=families,
        pattern=layout.pattern,
        motion_unknowns=layout.motion_unknowns,
        solver_kind=solver,
        layout=layout,
    )


def _lay_out(
    given: Contributions, kind: NDArray[np.int64], families: tuple[list[Instance], ...], mass: tuple[Any, ...],
    groups: list[int], identity: bool,
) -> Layout:  # fmt: skip
    """Where everything stands: unknowns, entries of the matrix, rows of the tables."""
    d, n_rows = given.points.d, len(given.x)
    energies, forces, links, constraints, rates = families
    block_of_row, size, bodies, motion_blocks = _unknown_blocks(given, kind, links, [*constraints, *rates], identity)
    offset = np.concatenate(([0], np.cumsum(size)[:-1])) if size.size else np.zeros(0, dtype=np.int64)

    pairs = _Pairs()
    mass_at = pairs.add(block_of_row[mass[0]], block_of_row[mass[1]])
    layouts = [
        _Layout(energies, block_of_row, pairs),
        _Layout(forces, block_of_row, pairs, dead=True),
        _Layout(links, block_of_row, pairs, linear=True),
        _Layout(constraints, block_of_row, pairs),
        _Layout(rates, block_of_row, pairs),
    ]
    next_block = motion_blocks
    multiplier = 0
    for layout, width in ((layouts[2], d), (layouts[3], 1), (layouts[4], 1)):
        next_block, multiplier = layout.add_multipliers(block_of_row, pairs, next_block, multiplier, width)

    pattern, slot, stride = build_pattern(*pairs.kept(), offset, size, int(size.sum()))
    slots = pairs.spread(slot)
    row_stride = np.where(block_of_row >= 0, stride[block_of_row], 0) if size.size else np.zeros(n_rows, dtype=np.int64)
    unknown = np.where(block_of_row >= 0, offset[block_of_row], -1)
    quasi = np.zeros(n_rows, dtype=np.bool_)
    quasi[list(given.quasi_static)] = True
    rows = Rows(
        kind.astype(np.int64),
        unknown.astype(np.int64),
        row_stride.astype(np.int64),
        np.array(bodies, dtype=np.int64).reshape(-1, d),
        _diagonals(pattern, unknown[[b[0] for b in bodies]].astype(np.int64)),
        np.zeros(n_rows),
        np.zeros(n_rows),
        quasi,
        np.zeros(1),
    )
    laws, spans = _one_table([layout.table(slots, stride, quasi) for layout in layouts])
    spans = np.append(spans, np.array(groups, dtype=np.int64))
    table = MassTable(mass[0], mass[1], mass[2], slots[mass_at])
    return Layout(rows, table, laws, spans, pattern, int(size[:motion_blocks].sum()))


def _unknown_blocks(
    given: Contributions, kind: NDArray[np.int64], links: list[Instance], constraints: list[Instance], identity: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64], list[tuple[int, ...]], int]:
    """Block of each row (−1: fixed), sizes of all blocks, directors of the rigid bodies, and how many blocks are of motion.

    Free rows come first. Of a rigid body δr is the block of its r, and δθ is one block for all its directors. Blocks of
    multipliers follow.
    """
    d = given.points.d
    block_of_row = np.full(len(kind), -1, dtype=np.int64)
    sizes: list[int] = []
    for row in np.flatnonzero(kind == FREE):
        block_of_row[row] = len(sizes)
        sizes.append(d)
    bodies = []
    if not identity:
        for _, directors in given.rigid:
            block_of_row[list(directors)] = len(sizes)
            sizes.append(3 if d == 3 else 1)
            bodies.append(directors)
    motion_blocks = len(sizes)
    for link in links:
        if link.hold in (MULTIPLIER, AUGMENTED):
            sizes.append(d)
    for constraint in constraints:
        if constraint.hold in (MULTIPLIER, AUGMENTED):
            sizes.append(1)
    size = np.array(sizes, dtype=np.int64)
    return block_of_row, size, bodies, motion_blocks


def _quasi_static_last(given: Contributions, instances: Sequence[Instance]) -> list[Instance]:
    """What acts on quasi-static bodies stands at the end of its table."""
    if not given.quasi_static:
        return list(instances)
    return sorted(instances, key=lambda i: not given.quasi_static.isdisjoint(i.rows.tolist()))


def _one_table(tables: list[LawTable]) -> tuple[LawTable, NDArray[np.int64]]:
    """The tables of all families one after another, and where each begins."""
    columns = {}
    for name in LawTable._fields:
        pieces = [getattr(t, name) for t in tables]
        if name.endswith("_start"):
            ends = np.cumsum([0, *(p[-1] for p in pieces)])
            pieces = [p[:-1] + end for p, end in zip(pieces, ends, strict=False)] + [ends[-1:]]
        filled = [p for p in pieces if p.size]
        columns[name] = np.ascontiguousarray(filled[0] if len(filled) == 1 else np.concatenate(pieces))
    spans = np.cumsum([0, *(t.law.size for t in tables)]).astype(np.int64)
    return LawTable(**columns), spans


def _row_sizes(given: Contributions) -> NDArray[np.float64]:
    """What the error of a row is judged against at least: the extent of the model [m], or 1 for unit vectors."""
    out = np.full(len(given.x), given.size)
    out[list(given.unit_vectors)] = 1.0
    return out


def _diagonals(pattern: Pattern, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where the entries on the diagonal of these rows stand; columns of a row are in increasing order."""
    starts, counts = pattern.indptr[rows].astype(np.int64), np.diff(pattern.indptr)[rows].astype(np.int64)
    before = pattern.indices[np.repeat(starts, counts) + counted(counts)] < np.repeat(rows, counts)
    return starts + np.bincount(np.repeat(np.arange(rows.size), counts), before, rows.size).astype(np.int64)


def _masters_first(model: Model) -> list[Body]:
    """Bodies in an order in which what a tie refers to comes before what is tied."""
    needs: dict[str, set[str]] = {body.name: set() for body in model.bodies}
    for tie in model:
        if isinstance(tie, NodeTie):
            needs[tie.body].add(tie.to)
    done: dict[str, None] = {}
    while len(done) < len(needs):
        ready = [name for name in needs if name not in done and needs[name] <= done.keys()]
        if not ready:
            stuck = ", ".join(f"'{n}'" for n in needs if n not in done)
            raise InputError(
                f"the bodies {stuck} are tied to each other in a circle; use a Fixed joint for one of them"
            )
        done |= dict.fromkeys(ready)
    return [model.body(name) for name in done]


def _check_joints(builder: Builder) -> None:
    """Points that a joint holds together must be within 1 % of the model's size at the start, or be assembled."""
    x, size, links = builder.places(), builder.extent(), builder.links
    if not links:
        return
    joined = [Weights.in_order(link.rows, link.weights[0, 0]) for link in links]
    gaps = np.linalg.norm(places_of(joined, x) - np.array([link.params for link in links]), axis=1)
    for k in np.flatnonzero(gaps > 0.01 * size):
        part, gap = builder.model[links[k].part], float(gaps[k])
        if not getattr(part, "assemble", False):
            raise AssemblyError(
                f"{part.label}: its points are {gap:.4g} m apart ({100 * gap / size:.3g} % of the model's size); "
                "correct the points, or set assemble=True to move the bodies together"
            )


def _merge_mass(given: Contributions) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """The mass matrix as triplets without repetition, all diagonal entries of moving rows included."""
    n = len(given.x)
    own = np.arange(n)
    first, second = all_pairs([rows for rows, _ in given.mass])
    key = np.concatenate((own, first)) * n + np.concatenate((own, second))
    unique = distinct(key)
    inverse = np.searchsorted(unique, key)
    value = np.concatenate([np.zeros(n), *(matrix.ravel() for _, matrix in given.mass)])
    total = np.bincount(inverse, weights=value, minlength=unique.size)
    keep = (total != 0.0) | (unique // n == unique % n)
    return (unique // n)[keep], (unique % n)[keep], total[keep]


class _Pairs:
    """Couplings of unknown blocks, some of which (fixed rows) do not exist."""

    def __init__(self) -> None:
        self._first: list[NDArray[np.int64]] = []
        self._second: list[NDArray[np.int64]] = []
        self._count = 0

    def add(self, first: NDArray[np.int64], second: NDArray[np.int64]) -> slice:
        """Register couplings; the slice finds their slots later."""
        self._first.append(np.asarray(first, dtype=np.int64))
        self._second.append(np.asarray(second, dtype=np.int64))
        at = slice(self._count, self._count + len(first))
        self._count = at.stop
        return at

    def kept(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Couplings of blocks that exist."""
        first, second = np.concatenate(self._first), np.concatenate(self._second)
        self._exists = (first >= 0) & (second >= 0)
        if self._exists.all():
            return first, second
        return first[self._exists], second[self._exists]

    def spread(self, slot: NDArray[np.int64]) -> NDArray[np.int64]:
        """Slots of all couplings, −1 where there is none."""
        if len(slot) == self._count:
            return slot
        full = np.full(self._count, -1, dtype=np.int64)
        full[self._exists] = slot
        return full


class _Layout:
    """A list of instances laid out in flat arrays.

    linear: those held by multipliers have no stiffness of their own; dead: nor have dead loads.
    """

    def __init__(
        self,
        instances: Sequence[Instance],
        block_of_row: NDArray[np.int64],
        pairs: _Pairs,
        *,
        linear: bool = False,
        dead: bool = False,
    ) -> None:
        self.instances = instances
        self.rows = np.concatenate([i.rows for i in instances]) if instances else np.zeros(0, dtype=np.int64)
        counts = np.array([len(i.rows) for i in instances], dtype=np.int64)
        self.row_start = np.concatenate(([0], np.cumsum(counts)))
        first, second = all_pairs([i.rows for i in instances])
        stiff = [not ((linear and i.hold == MULTIPLIER) or (dead and i.law == DEAD_LOAD)) for i in instances]
        acts = np.repeat(np.array(stiff, dtype=bool), counts**2)
        self.pairs_at = pairs.add(np.where(acts, block_of_row[first], -1), block_of_row[second])
        self.slot_start = np.concatenate(([0], np.cumsum(counts**2)))
        self.channel = np.array([i.channel for i in instances], dtype=np.int64)
        self.block = np.full(len(instances), -1, dtype=np.int64)
        self.column_at = self.line_at = slice(0, 0)

    def add_multipliers(
        self, block_of_row: NDArray[np.int64], pairs: _Pairs, block: int, multiplier: int, width: int
    ) -> tuple[int, int]:
        """Number the multipliers of constraints; those iterated with the motion also get an unknown block."""
        for k, instance in enumerate(self.instances):
            self.channel[k] = multiplier
            multiplier += width
            if instance.hold in (MULTIPLIER, AUGMENTED):
                self.block[k] = block
                block += 1
        owner = np.repeat(self.block, np.diff(self.row_start))
        here = block_of_row[self.rows]
        self.column_at = pairs.add(here, owner)
        self.line_at = pairs.add(owner, here)
        return block, multiplier

    def table(self, slots: NDArray[np.int64], stride: NDArray[np.int64], quasi: NDArray[np.bool_]) -> LawTable:
        """The finished table."""
        inst = self.instances
        points = np.array([len(i.measure) for i in inst], dtype=np.int64)
        sizes = np.repeat(np.array([i.weights.shape[1] * i.weights.shape[2] for i in inst], dtype=np.int64), points)
        params = [np.array(i.params, dtype=float) for i in inst]
        none = np.full(len(self.rows), -1, dtype=np.int64)
        remembered = [(1 + i.weights.shape[0] * i.weights.shape[1] ** 2) * bool(i.prony) for i in inst]
        held = self.block >= 0
        width = np.zeros(len(inst), dtype=np.int64)
        width[held] = stride[self.block[held]]
        return LawTable(
            law=np.array([i.law for i in inst], dtype=np.int64),
            vectors=np.array([i.weights.shape[1] for i in inst], dtype=np.int64),
            row_start=self.row_start.astype(np.int64),
            rows=self.rows.astype(np.int64),
            point_start=np.concatenate(([0], np.cumsum(points))).astype(np.int64),
            weight_start=np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
            weights=flat([i.weights.ravel() for i in inst]),
            measure=flat([i.measure for i in inst]),
            param_start=np.concatenate(([0], np.cumsum([len(p) for p in params]))).astype(np.int64),
            params=flat(params),
            slot_start=self.slot_start.astype(np.int64),
            slots=np.ascontiguousarray(slots[self.pairs_at]),
            channel=self.channel,
            hold=np.array([i.hold for i in inst], dtype=np.int64),
            gradients=np.array([i.columns for i in inst], dtype=np.int64),
            column=np.ascontiguousarray(slots[self.column_at]) if self.column_at.stop else none,
            line=np.ascontiguousarray(slots[self.line_at]) if self.line_at.stop else none,
            width=width,
            damping=np.array([i.damping for i in inst], dtype=float),
            viscosity=np.array([i.viscosity for i in inst], dtype=float),
            drive=np.array([i.drive for i in inst], dtype=np.int64),
            at_end=any_of_each(quasi[self.rows], self.row_start),
            past_start=np.concatenate(([0], np.cumsum(remembered))).astype(np.int64),
            past=np.zeros(sum(remembered)),
        )
