"""The benchmark compares like with like: descriptions agree with themselves, and all engines move them the same way."""

from __future__ import annotations

import os
import sys
from datetime import date
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import alternate
import run
from first_run import PARTS, Taken, measured, with_part
from found import Found, Table
from goals import Goal, judge
from lines import FRAME, against, beam, growth, in_real_time
from measure import Row, errors
from parts import PARTS as ALL_PARTS
from parts import Asked, Part, chosen
from pendulum_tables import ELAPSED, TableRow, cells, seconds_per_step
from pendulum_tables import judge as judge_tables
from report import MARKS, goal_cells, others, write_page
from run import tried
from stiff_chains import measured as measure_stiff_chains
from stiff_chains import steppers
from store import goals_of, read, write
from workloads import GROUND, Line, Mechanism, at_start, chain, energies, human, joint_gap, ladder, ring, tree

MECHANISMS = {
    "spherical": lambda: chain(6),
    "revolute": lambda: chain(6, hinges=True),
    "tree": lambda: tree(7),
    "ring": lambda: ring(8),
    "ladder": lambda: ladder(9),
    "human": human,
    "copies": lambda: chain(3, copies=2),
}
# Largest distance of a body from where Condyle has it after 0.1 s in steps of 1 ms [m]. Semi-implicit Euler is of first
# order; MuJoCo's closed loops are soft.
CLOSE = {"exudyn": 1e-5, "mujoco RK4": 1e-5, "mujoco Euler": 2e-2, "pinocchio": 2e-2}


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_description_agrees_with_its_joints(name: str):
    m = MECHANISMS[name]()
    assert joint_gap(m, at_start(m)) < 1e-13

    def moving(body: np.ndarray) -> np.ndarray:
        velocity = m.velocity[body] + np.cross(m.spin[body], m.at - m.position[body])
        return np.where((body == GROUND)[:, None], 0.0, velocity)

    np.testing.assert_allclose(moving(m.a), moving(m.b), atol=1e-13)
    relative = m.spin[m.b] - np.where((m.a == GROUND)[:, None], 0.0, m.spin[m.a])
    np.testing.assert_allclose(np.cross(relative, m.axis)[m.hinges], 0.0, atol=1e-12)
    assert np.abs(m.spin).max() > 1.0  # it does move
    assert sorted(child for _, child, _ in m.tree()) == list(range(m.size))
    assert m.closing().sum() == {"ring": 1, "ladder": 3}.get(name, 0)


def test_a_gap_is_seen_in_points_and_in_axes():
    m = chain(3, hinges=True)
    now = at_start(m)
    apart = np.array([[0.0, 0.0, 0.0], [0.0, 0.02, 0.0], [0.0, 0.0, 0.0]])
    assert joint_gap(m, type(now)(now.position + apart, now.rotation, now.velocity, now.spin)) == pytest.approx(0.1)
    c, s = np.cos(0.01), np.sin(0.01)
    turned = now.rotation.copy()
    turned[2] = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ turned[2]
    assert joint_gap(m, type(now)(now.position, turned, now.velocity, now.spin)) > 2e-3


def test_condyle_starts_as_described_and_keeps_energy_and_joints():
    condyle = import_module("engines.condyle")
    m = ladder(6)
    for variant, drift in (("energy–momentum", 1e-7), ("generalized-α", 1e-4)):
        energy, gap, shift = errors(m, condyle.Run(m, variant, 1e-3), 20)
        assert energy[-1] < drift and gap[-1] < 1e-12 and abs(shift) < 1e-6


def test_the_rigid_flexible_chain_runs():
    condyle = import_module("engines.condyle")
    chain = condyle.mixed(2)
    assert "energy–momentum" in condyle.variants(chain)
    energy, gap = condyle.Run(chain, "energy–momentum", 1e-3).own_errors(5)
    assert energy < 1e-9 and gap < 1e-12


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("peer", ("exudyn", "mujoco", "pinocchio"))
def test_every_engine_moves_it_the_same_way(peer: str, name: str):
    other, condyle, m = pytest.importorskip(f"engines.{peer}"), import_module("engines.condyle"), MECHANISMS[name]()
    reference = condyle.Run(m, "energy–momentum", 1e-3).run(100, 1)[1][-1]
    described = energies(m, at_start(m))[1]
    for variant in other.variants(m):
        frames = other.Run(m, variant, 1e-3).run(100, 4)[1]
        assert energies(m, frames[0])[1] == pytest.approx(described, rel=1e-10)
        close = CLOSE.get(f"{peer} {variant.split()[0]}", CLOSE.get(peer, CLOSE["mujoco Euler"]))
        assert np.abs(frames[-1].position - reference.position).max() < close, variant


def row(engine: str, step: float, energy: float, *, workload: str = "spherical chain of 10") -> Row:
    bodies = int(workload.split()[-1])
    return Row(workload, "spherical chains", bodies, engine, "", [step] * 3, steps=100, energy=[energy], gap=[1e-15])


def test_a_goal_counts_only_with_errors_that_are_equal_or_smaller():
    exudyn = row("exudyn", 1e-4, 1e-6)
    (met,) = judge([exudyn, row("condyle", 9e-6, 1e-7), row("condyle", 1e-6, 1e-5)])
    assert met.met and met.measured == pytest.approx(0.09)
    (missed,) = judge([exudyn, row("condyle", 1e-6, 1e-5)])
    assert not missed.met


def test_errors_are_compared_over_the_time_that_both_ran():
    exudyn, own = row("exudyn", 1e-4, 0.0), row("condyle", 5e-6, 0.0)
    exudyn.energy, exudyn.gap = [0.0, 1e-8, 1e-6], [1e-15] * 3
    own.energy, own.gap, own.steps = [0.0, 1e-7], [1e-15] * 2, 50  # against 1e-8 after 50 steps
    assert not judge([exudyn, own])[0].met
    own.steps = 100
    assert judge([exudyn, own])[0].met


def test_a_run_that_fails_is_a_goal_that_is_not_met():
    failed = row("condyle", np.inf, np.inf)
    failed.failure = "the equations are singular"
    (goal,) = judge([row("exudyn", 1e-4, 1e-6), failed])
    assert not goal.met and goal.note == "the equations are singular"


def test_growth_is_judged_per_body():
    (goal,) = judge(
        [row("condyle", 1e-4, 0.0, workload="chain of 100"), row("condyle", 3e-2, 0.0, workload="chain of 10000")]
    )
    assert goal.measured == pytest.approx(3.0) and not goal.met and "n^1.24" in goal.note


def test_mechanisms_grow_to_large_sizes():
    for make in (chain, tree, ring, ladder):
        m: Mechanism = make(1000)
        assert 990 <= m.size <= 1000 and joint_gap(m, at_start(m)) < 1e-11


class StandIn:
    """An engine whose speed [s per step and element] and error [m] are known, by variant."""

    def __init__(self, **variants: tuple[float, float]) -> None:
        self.INTEGRATORS = variants

    def LineRun(self, line: Line, variant: str, dt: float):
        pace, error = self.INTEGRATORS.get(variant, (1.0, 0.0))
        error = 0.0 if dt < 1e-3 else error / line.elements**2

        class Timed:
            def run(self, steps: int) -> tuple[float, np.ndarray]:
                return steps * pace * line.elements, np.array([1.0 + error, 0.0])

        return Timed()

    def real_time(self, line: Line, dt: float, steps: int) -> float:
        return 1e-5 * line.elements


def test_cables_are_judged_by_the_fastest_variant_that_is_exact_enough():
    peer = StandIn(sparse=(2e-5, 1e-4), dense=(1e-5, 1e-4))
    goal = against(StandIn(hasty=(1e-7, 1e-3), exact=(2e-6, 1e-5)), peer, Line(8), 0.5, 1)
    assert goal.met and goal.measured == pytest.approx(0.2) and goal.note.startswith("exact")
    assert not against(StandIn(hasty=(1e-7, 1e-3)), peer, Line(8), 0.5, 1).met


def test_beams_are_judged_at_equal_error_of_the_end():
    own = StandIn(**{"energy–momentum": (1e-6, 1e-4)})
    goal = beam(own, StandIn(sparse=(1e-5, 1.6e-3)), 1)  # its 8 elements are as exact as 2 of these
    assert goal.met and goal.measured == pytest.approx(0.025) and goal.note.startswith("beam of 2: ")
    assert not beam(own, StandIn(sparse=(1e-5, 0.0)), 1).met


def test_the_longest_cable_in_real_time_and_the_growth_of_its_cost_are_found():
    pendulum, longest = in_real_time(StandIn(), quick=True)
    assert pendulum.met and pendulum.measured == pytest.approx(16e-5 / 0.06)
    assert longest.note.startswith("1024 elements") and 1e-3 * longest.measured < FRAME
    assert growth(StandIn(**{"energy–momentum": (1e-6, 0.0)}), 1000, 1).measured == pytest.approx(1.0)


def test_condyle_moves_the_cable_and_the_beam_of_the_benchmark():
    condyle = import_module("engines.condyle")
    for line in (Line(4, damping=1e-3), Line(2, kind="beam", dimension=3, radius=0.05, young=1e7, length=1.0)):
        ends = [condyle.LineRun(line, variant, 1e-3).run(20)[1] for variant in condyle.INTEGRATORS]
        assert np.ptp(ends, axis=0).max() < 1e-6 and ends[0].min() < -1e-5  # it falls, the same way in all
    assert condyle.real_time(Line(4), 0.06, 2) > 0.0


def test_schemes_of_a_pendulum_are_timed_at_the_published_steps_and_judged_by_the_published_times(monkeypatch):
    from condyle.studies.ancf_pendulum import PUBLISHED

    assert ELAPSED.keys() == PUBLISHED.keys()
    monkeypatch.setattr("pendulum_tables.STEPS", {"proposed": 10})
    assert 0.0 <= seconds_per_step((5, "soft"), "proposed", 0.1, 1) < 0.1
    row = TableRow("5 elements, soft", "Newmark", 2e-3, 4.0, 9.672, 80.0, 24.4)
    assert [goal.met for goal in judge_tables([row])] == [True]
    assert cells([row])[0][3:] == ("4 s", "80", "9.672 s", "24")


def test_contact_is_judged_by_its_share_its_growth_and_its_iterations():
    contact = import_module("contact")
    rows = [
        contact.PointsRow(1000, 10_000, 10.0, 100.0, "s"),
        contact.PointsRow(100_000, 1_000_000, 4000.0, 10_000.0, "s"),
    ]
    own = contact.PressRow("condyle", "augmented", [4, 4], [5, 5], 1.0, 0.5)
    peer = contact.PressRow("felupe", "penalty", [5, 5], [4, 4], 1.0, 0.5)
    goals = contact.judge(rows, [own, peer])
    assert [goal.met for goal in goals] == [True, False, False, True, False]
    assert goals[2].measured == pytest.approx(1.301, abs=1e-3)


def test_a_first_run_is_judged_from_an_empty_folder_and_parts_by_what_they_add():
    asked = []

    def run(script: str, cache: Path) -> Taken:
        asked.append(script)
        cache.mkdir(exist_ok=True)
        kept = cache / str(len(asked))
        seen = len(list(cache.iterdir()))
        kept.write_text(script)
        wall = 20.0 if seen == 0 else 1.4 - 0.1 * seen  # 20 s from nothing; a part finds what the pendulum left
        return Taken(wall, 2.0 * wall)

    goals = measured(("a spring", "a cable"), run)
    assert [goal.measured for goal in goals] == pytest.approx([20.0, 1.3, -0.1, -0.1])
    assert goals[0].note == "40.0 s of processors"
    assert all(goal.met for goal in goals) and "plot_energy" in asked[0]


@pytest.mark.parametrize("name", PARTS)
def test_each_part_of_the_first_run_can_be_added_to_the_pendulum(name: str):
    scope: dict = {}
    exec(with_part(PARTS[name]).split("result =")[0], scope)
    scope["cd"].compile(scope["model"])


class Recorded:
    """A tree that answers with a list of times instead of running anything."""

    def __init__(self, names: list[str], times: list[float], asked: list[tuple[str, int]]) -> None:
        self.names, self.times, self.asked = names, iter(times), asked

    def seconds(self, name: str, steps: int) -> float:
        self.asked.append((name, steps))
        return next(self.times)


def test_two_states_of_the_sources_take_turns_and_their_shortest_bursts_are_compared():
    asked: list[tuple[str, int]] = []
    old = Recorded(["chain", "gone"], [9.0, 1e-3, 1.0, 3.0, 1.0, 2.0], asked)  # the first calls build, and do not count
    new = Recorded(["chain", "added"], [9.0, 1.1, 2.2, 1.6, 2.2], asked)
    ((name, pairs),) = alternate.compared(old, new, 4)
    assert name == "chain" and pairs == [(1.0, 1.1), (3.0, 2.2), (1.0, 1.6), (2.0, 2.2)]
    assert asked == [("chain", 20)] * 3 + [("chain", 30)] * 8  # bursts of the same steps, as long as the old tree's say
    before, after, ratio, low, high, slower = alternate.verdict(pairs)
    assert (before, after) == (1.0, 1.1) and ratio == pytest.approx(1.1) and slower
    assert low == pytest.approx(1.1) and high == pytest.approx(1.1)
    assert not alternate.verdict([(1.0, 9.0), (1.0, 1.04)])[-1]  # noise of one burst


def test_every_workload_that_is_compared_runs():
    known = alternate.workloads(["chains", "solids"], quick=True)
    assert len(known) == 3
    assert all(np.isfinite(run(20)) for run in known.values())


def test_a_folder_without_the_package_is_refused(tmp_path: Path):
    with pytest.raises(SystemExit, match="holds no package condyle"):
        alternate.Tree(tmp_path, "", True)


def test_stiff_chains_are_timed_under_every_stepper():
    goals = list(measure_stiff_chains(1, (4,), 6))
    assert all(np.isfinite(goal.measured) and goal.measured > 0.0 for goal in goals)
    assert all(name in goals[0].note for name in steppers())
    assert goals[-1].what == "stiff chain of 6 bars: seconds per second"


FACTS = {"quick": False, "repeats": 3, "versions": {"condyle": "0"}, "machine": {"others": "0.01", "processor": "P",
         "cores": "2", "system": "S", "python": "3"}}  # fmt: skip


def test_parts_that_are_stored_are_judged_together(tmp_path: Path):
    failed = row("condyle", np.inf, np.inf)
    failed.failure = "no pivot"
    shares = {"spherical chain of 10, ": "factor 5 µs"}
    write(tmp_path, "chains", FACTS, Found(rows=[row("condyle", 2e-5, 1e-7)], shares=shares))
    write(tmp_path, "other chains", FACTS, Found(rows=[row("exudyn", 1e-4, 1e-6)], goals=[Goal("late", np.inf, 1.0)]))
    write(tmp_path, "failed", FACTS, Found(rows=[failed]))
    missed, late = goals_of(read(tmp_path, ["chains", "other chains", "never measured"]))
    assert missed.measured == pytest.approx(0.2) and "factor 5 µs" in missed.note
    assert late.measured == np.inf and not late.met
    (again,) = read(tmp_path, ["failed"])[0].found.rows
    assert again.times == failed.times and again.failure == "no pivot"


def test_a_number_without_a_limit_is_stored_and_shown_without_one(tmp_path: Path):
    write(tmp_path, "falling", FACTS, Found(goals=[Goal("of 10,000 spheres", 0.5, np.inf, "s")]))
    (stored,) = read(tmp_path, ["falling"])
    assert not stored.found.goals[0].judged
    assert goal_cells(stored.found.goals) == [("of 10,000 spheres", "0.5 s", "–", "–", "")]


def test_the_page_has_all_stored_parts_between_its_marks(tmp_path: Path):
    page = tmp_path / "page.md"
    page.write_text("before".join(f"{begin} old {end} " for begin, end in MARKS.values()) + "after", encoding="utf-8")
    busy = {**FACTS, "machine": {**FACTS["machine"], "others": "1.50"}}
    write(tmp_path, "one", FACTS, Found([Goal("quick", 0.5, 1.0)], [Table("sizes", ("a", "b"), [("1", "2")])]))
    write(tmp_path, "two", busy, Found([Goal("slow", 2.0, 1.0, note="half of it waits")]))
    write(tmp_path, "three", FACTS, Found(rows=[row("condyle", 2e-5, 1e-7), row("exudyn", 1e-4, 1e-6)]))
    write_page(page, read(tmp_path, ["one", "two", "three"]), {"one": "Speed", "two": "Speed", "three": "Chains"})
    text = page.read_text(encoding="utf-8")
    assert "before" in text and text.endswith("after") and " old " not in text
    for line in (
        "| quick | 0.5 | ≤ 1 | met |", "| slow | 2 | ≤ 1 | NOT MET |", "| slow | half of it waits |", "| 1 | 2 |",
        "**1 of 3 goals met.**", "**Speed**, 1 of 2:", "**Chains**, 0 of 1:",
        "| spherical chain of 10: time per step, of exudyn's | 0.2 | ≤ 0.1 | NOT MET |",
    ):  # fmt: skip
        assert line in text
    assert f"two ({date.today()}, other work on 1.50 cores)" in text and f"one ({date.today()});" in text


def test_other_work_on_the_machine_is_seen():
    assert 0.0 <= others(0.05) <= (os.cpu_count() or 1)


def test_a_part_that_fails_does_not_end_the_benchmark():
    def fails(asked: Asked) -> Found:
        raise RuntimeError("no such engine")

    (goal,) = tried(Part("broken", fails), Asked({}, (10,), 1), []).goals
    assert not goal.met and goal.note == "no such engine"


def test_a_part_whose_process_crashes_does_not_end_the_benchmark(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(run, "subprocess", SimpleNamespace(run=lambda command: SimpleNamespace(returncode=-11)))
    monkeypatch.setattr(sys, "argv", ["run.py", "--only", "human,mixed", "--folder", str(tmp_path)])
    run.main()
    stored = read(tmp_path, ["human", "mixed"])
    assert [goal.note for part in stored for goal in part.found.goals] == ["its process ended with -11"] * 2


def test_parts_have_names_of_their_own():
    assert len({part.name for part in ALL_PARTS}) == len(ALL_PARTS)
    assert [part.name for part in chosen(["piles"])] == ["falling piles", "resting piles"]
    assert chosen(["nothing"]) == []
