"""Contact beside the linear solve, by number of points, and its iterations beside another program's on the same problem.

python benchmarks/contact.py                    all sizes, and the indented block with all engines that are installed
python benchmarks/contact.py points 31          one size: a line of JSON
python benchmarks/contact.py press condyle penalty   one engine and law on the indented block: a line of JSON

Points: the upper side of a block of hex8, pressed by a rigid ellipsoid. Time is that of one Newton iteration: search and
assembly of contact, and factorising and solving the whole matrix by the solver that Condyle chooses.

Indented block: a rubber block of 20 × 2 × 6 hex8 under a rigid cylinder that goes down in ten load steps and, with friction,
is dragged along in ten more; the example of felupe's ContactRigidCylinder. Both programs press with the same penalty; Condyle
drags with multipliers only (points that stick do not creep), felupe with its elastic slip. KratosMultiphysics presses by mortar
contact with multipliers, without friction; it knows no rigid cylinder, so that its place is taken by 24 facets that are driven.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from goals import Goal

SIZES = (31, 99, 315)  # cells along a side of the surface: about 1,000, 10,000 and 100,000 points
LAYERS = {315: 1}  # of cells below it, else 3: what a direct solver can hold in memory
SHARE = 0.25  # of the linear solve
GROWTH = 1.15  # exponent of points in the time of contact
STIFFNESS, FRICTION, DEPTH, DRAG, STEPS = 10.0, 0.3, 0.2, 0.5, 10  # of the indented block


@dataclass
class PointsRow:
    """One size: points, unknowns, milliseconds of contact and of the solve."""

    points: int
    unknowns: int
    contact: float
    solve: float
    solver: str


@dataclass
class PressRow:
    """One engine on the indented block: Newton iterations of all load steps, without and with friction, and seconds."""

    engine: str
    law: str
    pressed: list[int]
    dragged: list[int]
    seconds: float
    force: float


def best(action: Callable[[], Any], least: float = 0.3) -> float:
    """Shortest time of an action [ms], repeated for at least `least` seconds, after a first time that lays out what is kept."""
    action()
    shortest, began = math.inf, time.perf_counter()
    while True:
        start = time.perf_counter()
        action()
        shortest = min(shortest, time.perf_counter() - start)
        if time.perf_counter() - began > least:
            return 1e3 * shortest


def points(n: int) -> PointsRow:
    """A block of n × n cells seen from above."""
    import condyle as cd
    from condyle.analysis import statics
    from condyle.system.compile import running

    m = cd.Model("press", dimension=3)
    cells = (n, n, LAYERS.get(n, 3))
    block = m.add(cd.Solid.block("block", (1.0, 1.0, 0.1), cells, cd.NeoHookean(1e6, 0.3, 1.0)))
    m.add(cd.Tie("base", block, "back", m.ground))
    die = m.add(cd.Frame("die", position=(0.5, 0.5, 1.095)))
    m.add(cd.Contact("contact", block, "front", die, cd.Ellipsoid((1.5, 1.2, 1.0))))
    system = running(m)
    state = cd.State(0.0, system.x_start.copy(), np.zeros_like(system.x_start), np.zeros(len(system.multipliers)))
    assert system.contact is not None
    state.memory = system.contact.start(state, None)
    step = statics._Step(statics.Statics(), system, state, 1.0)
    step.evaluate(True)
    step.remember()
    contact = step.contact
    assert contact is not None
    evaluate = best(lambda: contact.evaluate(step.x0, step.x1, True, step.out))
    matrix = best(lambda: contact.assemble(step.out.A))
    solver, rhs = system.contact.solver, np.zeros(system.contact.unknowns)

    def solve() -> None:
        solver.factor(contact.A)
        solver.solve(rhs)

    return PointsRow(system.contact.points, system.contact.unknowns, evaluate + matrix, best(solve), solver.name)


def condyle(law: str) -> PressRow:
    """The indented block; law: 'penalty', as the other program has it, or 'augmented'."""
    import condyle as cd

    found, seconds, force = [], 0.0, 0.0
    for friction in (0.0, FRICTION) if law == "augmented" else (0.0,):
        m = cd.Model("indented block", dimension=3)
        rubber = cd.NeoHookean(2.8, 0.4, 1.0)  # μ = 1, λ = 4
        block = m.add(cd.Solid.block("block", (3.0, 1.0, 1.0), (20, 2, 6), rubber))
        m.add(cd.Tie("base", block, "back", m.ground))
        end = 0.5 if friction else 1.0
        down, along = (
            cd.Table((0.0, end, 1.0 + 1e-9), (0.0, -DEPTH, -DEPTH)),
            cd.Table((0.0, 0.5, 1.0), (0.0, 0.0, DRAG)),
        )
        shift = (along if friction else 0.0, 0.0, down)
        roll = m.add(cd.Frame("roll", position=(0.8, 0.5, 1.5), shift=shift))
        stiffness = STIFFNESS if law == "penalty" else None
        m.add(cd.Contact("touch", block, "front", roll, cd.Cylinder(0.5, (0, 1, 0)), law=law, friction=friction,
                         stiffness=stiffness))  # fmt: skip
        began = time.perf_counter()
        result = cd.solve_static(m, steps=2 * STEPS if friction else STEPS)
        seconds += time.perf_counter() - began
        found.append(result.iterations.tolist())
        force = force or float(-result.contact("touch").resultant[-1, 2])
    return PressRow("condyle", law, found[0], found[1] if len(found) > 1 else [], seconds, force)


def felupe(law: str) -> PressRow:
    """The same in felupe."""
    import felupe as fem

    found, seconds, force = [], 0.0, 0.0
    for friction in (0.0, FRICTION):
        mesh = fem.Cube(b=(3, 1, 1), n=(21, 3, 7))
        mesh.add_points([0.8, 0.5, 1.5])
        region = fem.RegionHexahedron(mesh)
        place = fem.Field(region, dim=3)
        field = fem.FieldContainer([place])
        body = fem.SolidBody(umat=fem.NeoHookeCompressible(mu=1.0, lmbda=4.0), field=field)
        rubs = {"friction": friction, "elastic_slip": 5e-3} if friction else {}
        touch = fem.ContactRigidCylinder(
            field=field, points=np.arange(mesh.npoints)[mesh.z == 1], centerpoint=-1, radius=0.5, axis=[0, 1, 0],
            multiplier=STIFFNESS, **rubs,
        )  # fmt: skip
        held = {
            "fixed": fem.Boundary(place, fz=0), "y": fem.Boundary(place, fz=1.5, skip=(1, 0, 1)),
            "z": fem.Boundary(place, fz=1.5, skip=(1, 1, 0)), "x": fem.Boundary(place, fz=1.5, skip=(0, 1, 1)),
        }  # fmt: skip
        s = np.linspace(0.0, 1.0, STEPS + 1)[1:]
        z, x = -DEPTH * s, 0.0 * s
        if friction:
            z, x = np.concatenate((z, 0.0 * s - DEPTH)), np.concatenate((x, DRAG * s))
        counts: list[int] = []
        step = fem.Step(items=[body, touch], ramp={held["z"]: z, held["x"]: x}, boundaries=held)
        began = time.perf_counter()
        fem.Job(
            steps=[step], plugins=[lambda context, state, to=counts: to.append(context.substep.iterations)]
        ).evaluate(verbose=False)
        seconds += time.perf_counter() - began
        found.append(counts)
        force = force or float(-touch.results.force.toarray().reshape(-1, 3)[-1, 2])
    return PressRow("felupe", law, *found, seconds, abs(force))


def kratos(law: str) -> PressRow:
    """The same without friction in KratosMultiphysics, by its mortar contact with multipliers."""
    import KratosMultiphysics as km
    import KratosMultiphysics.ConstitutiveLawsApplication as laws
    import KratosMultiphysics.ContactStructuralMechanicsApplication
    from KratosMultiphysics.StructuralMechanicsApplication.structural_mechanics_analysis import (
        StructuralMechanicsAnalysis,
    )

    counts: list[int] = []
    forces: list[float] = []

    class Press(StructuralMechanicsAnalysis):
        def ApplyBoundaryConditions(self) -> None:
            super().ApplyBoundaryConditions()
            down = -DEPTH * part.ProcessInfo[km.TIME]
            for name, height in (("base", 0.0), ("roll", down)):
                for node in part.GetSubModelPart(name).Nodes:
                    for axis, value in zip("XYZ", (0.0, 0.0, height), strict=True):
                        variable = getattr(km, f"DISPLACEMENT_{axis}")
                        node.Fix(variable)
                        node.SetSolutionStepValue(variable, value)

        def FinalizeSolutionStep(self) -> None:
            super().FinalizeSolutionStep()
            counts.append(int(part.ProcessInfo[km.NL_ITERATION_NUMBER]))
            forces.append(sum(n.GetSolutionStepValue(km.REACTION_Z) for n in part.GetSubModelPart("base").Nodes))

    km.Logger.GetDefaultOutput().SetSeverity(km.Logger.Severity.WARNING)
    model = km.Model()
    part = model.CreateModelPart("all")
    analysis = Press(model, km.Parameters(json.dumps(kratos_settings())))
    analysis._GetSolver()  # variables before nodes
    material = part.CreateNewProperties(1)
    for variable, value in ((km.YOUNG_MODULUS, 2.8), (km.POISSON_RATIO, 0.4), (km.DENSITY, 1.0)):
        material.SetValue(variable, value)
    material.SetValue(km.CONSTITUTIVE_LAW, laws.HyperElastic3DLaw())

    def body(name: str, shape: tuple[int, int, int], place: Callable[[float, float, float], Any]) -> np.ndarray:
        """A box of cells, its nodes where `place` puts those of the unit cube; node numbers on its grid."""
        first, cells = part.NumberOfNodes() + 1, part.NumberOfElements()
        grid = np.indices([n + 1 for n in shape]).reshape(3, -1).T / shape
        for k, at in enumerate(grid):
            part.CreateNewNode(first + k, *(float(c) for c in place(*at)))
        nodes = first + np.arange(len(grid)).reshape([n + 1 for n in shape])
        corners = ((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1))
        for k, (i, j, m) in enumerate(np.ndindex(*shape)):
            own = [int(nodes[i + a, j + b, m + c]) for a, b, c in corners]
            part.CreateNewElement("TotalLagrangianElement3D8N", cells + k + 1, own, material)
        sub = part.CreateSubModelPart(name)
        sub.AddNodes(nodes.ravel().tolist())
        sub.AddElements(list(range(cells + 1, part.NumberOfElements() + 1)))
        return nodes

    def skin(name: str, side: np.ndarray) -> list[int]:
        """Facets of one side of a body, whose nodes are given on a grid."""
        first = part.NumberOfConditions() + 1
        for k, (i, j) in enumerate(np.ndindex(side.shape[0] - 1, side.shape[1] - 1)):
            facet = [int(side[i, j]), int(side[i + 1, j]), int(side[i + 1, j + 1]), int(side[i, j + 1])]
            part.CreateNewCondition("SurfaceCondition3D4N", first + k, facet, material)
        made = list(range(first, part.NumberOfConditions() + 1))
        part.GetSubModelPart(name).AddConditions(made)
        return made

    def arc(s: float, y: float, depth: float) -> tuple[float, float, float]:
        angle, radius = math.radians(-150.0 + 120.0 * s), 0.5 - 0.1 * (1.0 - depth)
        return 0.8 + radius * math.cos(angle), 1.2 - 1.4 * y, 1.5 + radius * math.sin(angle)

    block = body("block", (20, 2, 6), lambda x, y, z: (3.0 * x, y, z))
    roll = body("roll", (24, 1, 1), arc)
    facets = skin("block", block[:, :, -1]) + skin("roll", roll[:, :, -1])
    touch = part.CreateSubModelPart("touch")
    touch.AddNodes([*block[:, :, -1].ravel().tolist(), *roll[:, :, -1].ravel().tolist()])
    touch.AddConditions(facets)
    part.CreateSubModelPart("base").AddNodes(block[:, :, 0].ravel().tolist())
    began = time.perf_counter()
    analysis.Run()
    return PressRow("kratos", law, counts, [], time.perf_counter() - began, abs(forces[-1]))


def kratos_settings() -> dict[str, Any]:
    """Static steps with mortar contact, as exact as the others."""
    exact = {f"{kind}_{size}_tolerance": value for kind in ("displacement", "residual")
             for size, value in (("relative", 1e-10), ("absolute", 1e-18))}  # fmt: skip
    contact = {"model_part_name": "all", "contact_model_part": {"0": ["touch"]}, "assume_master_slave": {"0": ["block"]},
               "contact_type": "Frictionless"}  # fmt: skip
    return {
        "problem_data": {"problem_name": "press", "parallel_type": "OpenMP", "echo_level": 0, "start_time": 0.0,
                         "end_time": 1.0 - 0.5 / STEPS},
        "solver_settings": {
            "model_part_name": "all", "domain_size": 3, "solver_type": "Static", "analysis_type": "non_linear",
            "model_import_settings": {"input_type": "use_input_model_part"},
            "material_import_settings": {"materials_filename": ""}, "time_stepping": {"time_step": 1.0 / STEPS},
            "contact_settings": {"mortar_type": "ALMContactFrictionless", "contact_residual_relative_tolerance": 1e-10,
                                 "contact_residual_absolute_tolerance": 1e-18},
            "clear_storage": True, "reform_dofs_at_each_step": True, "max_iteration": 30,
            "convergence_criterion": "contact_residual_criterion", **exact,
            "linear_solver_settings": {"solver_type": "LinearSolversApplication.sparse_lu"},
        },
        "processes": {"contact_process_list": [
            {"python_module": "alm_contact_process", "process_name": "ALMContactProcess", "Parameters": contact,
             "kratos_module": "KratosMultiphysics.ContactStructuralMechanicsApplication"}
        ]},
    }  # fmt: skip


ENGINES: dict[str, Callable[[str], PressRow]] = {"condyle": condyle, "felupe": felupe, "kratos": kratos}
PRESSED = (("condyle", "penalty"), ("condyle", "augmented"), ("felupe", "penalty"), ("kratos", "mortar"))


def run(*arguments: str) -> dict[str, Any] | None:
    """One measurement in a process of its own; None, with a line that says why, if it fails."""
    done = subprocess.run([sys.executable, __file__, *arguments], capture_output=True, text=True)
    if done.returncode == 0:
        return dict(json.loads(done.stdout.splitlines()[-1]))
    print(f"contact {' '.join(arguments)}: {(done.stderr.strip() or 'killed').splitlines()[-1]}")
    return None


def measured(sizes: tuple[int, ...] = SIZES) -> tuple[list[PointsRow], list[PressRow]]:
    """All sizes, and the indented block with all engines that are installed."""
    found = [run("points", str(n)) for n in sizes]
    pressed = [run("press", *which) for which in PRESSED]
    return [PointsRow(**f) for f in found if f], [PressRow(**f) for f in pressed if f]


def judge(rows: list[PointsRow], pressed: list[PressRow]) -> list[Goal]:
    """Share of the solve, growth with the number of points, iterations beside the other program's."""
    goals = [
        Goal(f"contact of {row.points:,} points, of the linear solve", row.contact / row.solve, SHARE,
             note=f"{row.contact:.4g} ms; {row.unknowns:,} unknowns solved in {row.solve:.4g} ms, {row.solver}")
        for row in rows
    ]  # fmt: skip
    if len(rows) > 1:
        first, last = rows[0], rows[-1]
        growth = math.log(last.contact / first.contact) / math.log(last.points / first.points)
        goals.append(Goal(f"contact of {first.points:,} to {last.points:,} points: time ~ points^", growth, GROWTH))
    for own in (row for row in pressed if row.engine == "condyle"):
        for peer in (row for row in pressed if row.engine != "condyle"):
            if own.law == "penalty" != peer.law:
                continue  # softer than multipliers
            for what, ours, its in (("pressed", own.pressed, peer.pressed), ("dragged", own.dragged, peer.dragged)):
                if not (ours and its):
                    continue
                name = f"indented block, {what}, {own.law}: iterations of a load step, of {peer.engine}'s"
                note = f"{np.mean(ours):.3g} beside {np.mean(its):.3g}; at most {max(ours)} beside {max(its)}"
                goals.append(Goal(name, float(np.mean(ours) / np.mean(its)), 1.0, note=note))
    return goals


COLUMNS = ("points", "unknowns", "contact ms", "solve ms", "solver")
PRESS_COLUMNS = ("engine", "law", "mean iterations", "dragged", "most", "seconds", "force N")


def cells(rows: list[PointsRow]) -> list[tuple[str, ...]]:
    """The rows of the table of sizes."""
    return [(f"{r.points:,}", f"{r.unknowns:,}", f"{r.contact:.4g}", f"{r.solve:.4g}", r.solver) for r in rows]


def press_cells(rows: list[PressRow]) -> list[tuple[str, ...]]:
    """The rows of the table of the indented block."""
    return [
        (r.engine, r.law, f"{np.mean(r.pressed):.3g}", f"{np.mean(r.dragged):.3g}" if r.dragged else "–",
         str(max(r.pressed + r.dragged)), f"{r.seconds:.3g}", f"{r.force:.6g}")
        for r in rows
    ]  # fmt: skip


def main() -> None:
    """One measurement as JSON, or all of them as lines."""
    if len(sys.argv) == 3 and sys.argv[1] == "points":
        print(json.dumps(asdict(points(int(sys.argv[2])))))
        return
    if len(sys.argv) == 4 and sys.argv[1] == "press":
        print(json.dumps(asdict(ENGINES[sys.argv[2]](sys.argv[3]))))
        return
    rows, pressed = measured()
    for line in (COLUMNS, *cells(rows), PRESS_COLUMNS, *press_cells(pressed)):
        print("  ".join(f"{cell:>16s}" for cell in line))
    for goal in judge(rows, pressed):
        print(f"{goal.what}: {goal.measured:.3g} (≤ {goal.limit:g}) {goal.note}")


if __name__ == "__main__":
    main()
