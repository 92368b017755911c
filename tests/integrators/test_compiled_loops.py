"""Closed loops in compiled code: all steps, the same motion as in Python; and runs that fall back say how often and why."""

import warnings

import numpy as np
import pytest

import condyle as cd
from condyle.integrators import loop
from condyle.integrators.compiled import FAILURES
from condyle.integrators.convergence import SINGULAR
from condyle.results.tables import python_steps
from condyle.system.blocks import in_blocks
from condyle.system.compile import compile
from loops import bricard, door, four_bar, planar_four_bar, planar_ladder

METHODS = {
    "energy–momentum": cd.EnergyMomentum(),
    "generalized-α": cd.GeneralizedAlpha(0.9),
    "index 3": cd.GeneralizedAlpha(0.6, hold="positions"),
}
LOOPS = {
    "planar four-bar": planar_four_bar,
    "planar ladder": lambda: planar_ladder(3),
    "four-bar in space": four_bar,
    "four-bar without redundancy": lambda: four_bar("minimal"),
    "Bricard": bricard,
    "door on two hinges": door,
}
REDUNDANT = ("four-bar in space", "Bricard", "door on two hinges")


def run(model, method, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cd.RedundancyWarning)
        return cd.simulate(model, dt=0.005, integrator=method, **options)


@pytest.mark.covering
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", LOOPS)
def test_every_step_of_a_loop_is_compiled_and_moves_as_in_python(name, method):
    """The solver 'dense' asks for steps in Python."""
    compiled, python = (run(LOOPS[name](), METHODS[method], end=0.1, solver=solver) for solver in ("auto", "dense"))
    assert compiled.in_python == {} and python_steps(compiled) == []
    assert python.in_python == {"solver='dense' was asked for": 20}
    a, b = compiled.state(-1), python.state(-1)
    close = 1e-11 if method == "energy–momentum" else 1e-9
    np.testing.assert_allclose(a.x, b.x, atol=close)
    np.testing.assert_allclose(a.v, b.v, atol=1e3 * close * np.abs(b.v).max())
    np.testing.assert_allclose(a.multipliers, b.multipliers, atol=1e-5 * np.abs(b.multipliers).max())


@pytest.mark.parametrize("method", ["energy–momentum", "generalized-α"])
@pytest.mark.parametrize("name", REDUNDANT)
def test_redundant_loops_step_alone_in_a_row_and_resumed_bit_for_bit(name, method, tmp_path):
    first = run(LOOPS[name](), METHODS[method], end=0.65, file=tmp_path / "run.h5").state(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cd.RedundancyWarning)
        resumed = cd.resume(tmp_path / "run.h5", end=0.7).state(-1)
        sim = cd.Simulation(LOOPS[name](), dt=0.005, integrator=METHODS[method], state=first)
    for t in (*(k * 0.005 for k in range(1, 140)), 0.7):
        sim.advance(t - sim.time)
        sim.state.t = t
    np.testing.assert_array_equal(resumed.x, sim.state.x)
    np.testing.assert_array_equal(resumed.multipliers, sim.state.multipliers)


def test_reactions_of_redundant_loops_do_not_drift_over_many_compiled_steps():
    result = run(door(), cd.EnergyMomentum(), end=10.0)
    low, high = result.joint_force("low"), result.joint_force("high")
    assert result.in_python == {}
    np.testing.assert_allclose(low[:, 2], 9.81, atol=1e-6)  # half of 2 kg each
    np.testing.assert_allclose(high[:, 2], 9.81, atol=1e-6)


@pytest.mark.parametrize("cells", [2, 20])
def test_the_elimination_of_a_ladder_grows_with_its_length(cells):
    """A multiplier waits for as many bodies as it needs and no more: the factors stay sparse."""
    blocks = in_blocks(compile(planar_ladder(cells)))
    assert len(blocks.schedule.target) < 45 * len(blocks.schedule.pivot)


def test_blocks_are_eliminated_branch_after_branch_and_stored_in_that_order():
    """Every pivot before those it changes, and its blocks beside it in memory, however the bodies are numbered."""
    schedule = in_blocks(compile(planar_ladder(6))).schedule
    rank = np.empty(schedule.pivot.size, dtype=int)
    rank[schedule.pivot] = np.arange(schedule.pivot.size)
    owner = np.repeat(np.arange(schedule.pivot.size), np.diff(schedule.start))
    assert (rank[schedule.other] > owner).all()
    parents = {int(k): int(rank[schedule.other[owner == k]].min()) for k in np.unique(owner)}
    branches = {k: 1 for k in range(schedule.pivot.size)}
    for k in sorted(parents):
        branches[parents[k]] += branches[k]
    assert all(
        k > above - branches[above] for k, above in parents.items()
    )  # between them only what the parent has below
    assert (np.diff(schedule.diagonal) == 9 * (1 + 2 * np.diff(schedule.start))[:-1]).all()


def test_a_run_that_falls_back_says_how_often_and_why(monkeypatch, tmp_path):
    original, calls = loop.run_steps, []

    def failing(*arguments):
        calls.append(1)
        return (SINGULAR, 0, 0, arguments[7]) if len(calls) in (1, 2) else original(*arguments)

    monkeypatch.setattr(loop, "run_steps", failing)
    result = cd.simulate(planar_four_bar(), end=0.05, dt=0.005, file=tmp_path / "run.h5")
    assert result.in_python == {FAILURES[SINGULAR]: 1}  # a stretch and a single step failed, the rest was compiled
    said = "in Python        1 of 10 steps, slowly: a pivot was lost in the compiled elimination"
    assert said in result.summary() and said in cd.load(tmp_path / "run.h5").summary()


def test_models_that_need_python_say_why():
    m = planar_four_bar()
    method = cd.EnergyMomentum()
    assert method.why_in_python(compile(m)) == ""
    assert "'sparse'" in method.why_in_python(compile(m, solver="sparse"))
    assert "formulation='rows'" in method.why_in_python(compile(m, formulation="rows"))
    m["A"].enforcement = "uzawa"
    assert "'A' is held by Uzawa" in method.why_in_python(compile(m))
