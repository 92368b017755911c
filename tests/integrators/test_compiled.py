"""Compiled steps: the same motion as in Python, bit for bit the same alone and in a row, and what they may not take."""

import numpy as np
import pytest

import condyle as cd
from condyle.analysis.profile import profile
from condyle.integrators.newton import StepInfo
from condyle.system.blocks import in_blocks
from condyle.system.compile import running
from condyle.system.linear.block_lu import factor_blocks, pad_blocks, solve_blocks
from units import SI, flexible, mechanism


def links(parents, dimension=3, joint="ball"):
    """Bars that hang from each other: bar i from bar parents[i], −1 for the ground."""
    m = cd.Model("links", dimension=dimension, gravity=(0.0,) * (dimension - 1) + (-9.81,))
    ends = {-1: np.zeros(dimension)}
    rng = np.random.default_rng(3)
    bars = {-1: m.ground}
    for i, parent in enumerate(parents):
        along = rng.normal(size=dimension)
        along *= 0.1 / np.linalg.norm(along)
        start = ends[parent]
        box = (0.1, 0.02, 0.03)[:dimension]
        bars[i] = m.add(cd.RigidBody.box(f"bar{i}", box, 1000.0, position=start + 0.5 * along))
        if dimension == 2:
            m.add(cd.Pin(f"joint{i}", bars[parent], bars[i], at=start))
        elif joint == "ball":
            m.add(cd.Spherical(f"joint{i}", bars[parent], bars[i], at=start))
        else:
            m.add(cd.Revolute(f"joint{i}", bars[parent], bars[i], at=start, axis=np.cross(along, (0.3, 0.2, 0.9))))
        ends[i] = start + along
    return m, ends


def chain(n, **options):
    return links(range(-1, n - 1), **options)[0]


def tree(n):
    return links([-1, *((k - 1) // 2 for k in range(1, n))])[0]


def loop(n):
    """A chain whose last end is held by the ground, too."""
    m, ends = links(range(-1, n - 1))
    m.add(cd.Spherical("closing", m.ground, f"bar{n - 1}", at=ends[n - 1]))
    return m


def driven():
    m = chain(3, joint="hinge")
    m.add(cd.Drive("drive", "joint0.angle", lambda t: 0.3 * np.sin(5.0 * t)))
    m.add(cd.CoordinateSpring("spring", "joint1.angle", 0.5))
    m.add(cd.Load("wind", "bar2", (0.1, 0.2, 0.0), scale=lambda t: np.cos(9.0 * t)))
    return m


def shaken():
    """Two rods that hang from a frame that moves as prescribed (with accelerations that differences give exactly)."""
    m = cd.Model("shaken", dimension=3, gravity=(0.0, 0.0, -9.81))
    base = m.add(cd.Frame("base", shift=(lambda t: 0.4 * t**2, 0.0, lambda t: 0.3 * t**3)))
    rod = m.add(cd.RigidBody("rod", 1.0, inertia=(0.01, 0.1, 0.1), position=(0.5, 0.0, 0.0)))
    end = m.add(cd.RigidBody("end", 0.3, inertia=(0.01, 0.02, 0.02), position=(1.2, 0.0, 0.0)))
    m.add(cd.Revolute("pin", base, rod, at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
    m.add(cd.Spherical("ball", rod, end, at=(1.0, 0.0, 0.0)))
    m.add(cd.Spring("spring", base, end.at(0.2, 0.0, 0.0), stiffness=30.0, rest_length=1.3))
    return m


def pulled():
    """A hinged bone with a muscle that carries its activation and the length of its fibres from step to step."""
    m = cd.Model("pulled", dimension=2, gravity=(0.0, -9.81))
    bone = m.add(cd.RigidBody.box("bone", (0.4, 0.05), 300.0, position=(0.2, 0.0)))
    m.add(cd.Pin("elbow", m.ground, bone, at=(0.0, 0.0)))
    path = [cd.Point("ground", (0.0, 0.3), "world"), cd.Point("bone", (0.05, 0.0), "world")]
    m.add(cd.Muscle("biceps", path, 500.0, 0.12, 0.18, cd.Harmonic(0.3, 2.0, 0.1, 0.4), 0.2))
    return m


MODELS = {
    "chain in space": (lambda: chain(5), 2e-3),
    "hinges": (lambda: chain(4, joint="hinge"), 2e-3),
    "chain in the plane": (lambda: chain(5, dimension=2), 2e-3),
    "tree": (lambda: tree(7), 2e-3),
    "loop": (lambda: loop(4), 2e-3),
    "driven": (driven, 2e-3),
    "spring, damper, torque": (lambda: mechanism(SI), 0.01),
    "augmented": (lambda: mechanism(SI, "augmented"), 0.01),
    "penalty": (lambda: mechanism(SI, cd.Penalty(1e6)), 0.005),
    "elements": (lambda: flexible(SI), 0.005),
    "moving support": (shaken, 0.005),
    "muscle with states": (pulled, 0.002),
}


@pytest.mark.parametrize("name", MODELS)
def test_compiled_steps_are_those_of_python(name):
    """The solver 'dense' asks for steps in Python; numbers agree to round-off, iterations exactly."""
    build, h = MODELS[name]
    compiled, python = (cd.simulate(build(), end=30 * h, dt=h, solver=solver) for solver in ("auto", "dense"))
    method = cd.EnergyMomentum()
    assert method.compiled(compiled._running()) is not None and method.compiled(python._running()) is None
    a, b = compiled.state(-1), python.state(-1)
    np.testing.assert_allclose(a.x, b.x, atol=1e-11)
    np.testing.assert_allclose(a.v, b.v, atol=1e-8 * np.abs(b.v).max())
    np.testing.assert_allclose(a.multipliers, b.multipliers, atol=1e-6 * np.abs(b.multipliers).max(initial=1e-12))
    for energy in ("kinetic", "stored", "gravity", "work"):
        scale = np.abs(python.energy["kinetic"]).max()
        np.testing.assert_allclose(compiled.energy[energy], python.energy[energy], atol=1e-9 * scale)
    assert int(compiled.iterations.sum()) <= int(python.iterations.sum()) + 1
    assert compiled.constraint_error.max() <= 10 * python.constraint_error.max() + 1e-13


@pytest.mark.covering
@pytest.mark.parametrize("method", [cd.BDF(), cd.BDF(1), cd.BDF(hold="positions")], ids=["2", "1", "positions"])
@pytest.mark.parametrize("name", MODELS)
def test_compiled_backward_differences_are_those_of_python(name, method):
    """Steps of two lengths in turn, so that those of order 2 look back over another step than their own."""
    build, h = MODELS[name]
    runs = []
    for solver in ("auto", "dense"):
        sim = cd.Simulation(build(), dt=h, integrator=method, solver=solver)
        infos = [sim.step(h if k % 3 else 0.6 * h) for k in range(12)]
        runs.append((sim.state, sum(info.iterations for info in infos), {info.in_python for info in infos}))
    (a, few, compiled), (b, many, python) = runs
    assert compiled == {""} and python == {"solver='dense' was asked for"}
    assert a.memory.keys() == b.memory.keys() and a.memory["previous step"] == b.memory["previous step"] > 0.0
    np.testing.assert_allclose(a.x, b.x, atol=1e-11)
    np.testing.assert_allclose(a.v, b.v, atol=1e-8 * np.abs(b.v).max())
    np.testing.assert_allclose(a.multipliers, b.multipliers, atol=1e-6 * np.abs(b.multipliers).max(initial=1e-12))
    assert few <= many + 1


def test_rows_of_backward_differences_have_the_bits_of_single_steps_and_the_work_of_python():
    method, build = cd.BDF(), MODELS["moving support"][0]
    run = lambda **how: cd.simulate(build(), end=0.06, dt=0.002, integrator=method, **how)  # noqa: E731
    row, alone, python = run(), run(events=[lambda sim: 1.0]), run(solver="dense")
    assert row.in_python == alone.in_python == {} and sum(python.in_python.values()) == 30
    for frame in (1, 7, 30):
        for name, array in alone.state(frame).memory.items():
            np.testing.assert_array_equal(row.state(frame).memory[name], array, err_msg=name)
    np.testing.assert_array_equal(row.state(-1).x, alone.state(-1).x)
    work = python.energy["work"]
    np.testing.assert_allclose(row.energy["work"], work, atol=1e-9 * np.abs(work).max())


@pytest.mark.covering
@pytest.mark.parametrize("hold", ["all", "positions"])
@pytest.mark.parametrize("name", MODELS)
def test_compiled_steps_of_generalized_alpha_are_those_of_python(name, hold):
    build, h = MODELS[name]
    method = cd.GeneralizedAlpha(spectral_radius=0.7, hold=hold)
    compiled, python = (
        cd.simulate(build(), end=8 * h, dt=h, solver=solver, integrator=method) for solver in ("auto", "dense")
    )
    assert method.compiled(compiled._running(), in_rows=True) is not None and compiled.in_python == {}
    assert method.compiled(python._running()) is None
    a, b = compiled.state(-1), python.state(-1)
    np.testing.assert_allclose(a.x, b.x, atol=1e-11)
    np.testing.assert_allclose(a.v, b.v, atol=1e-8 * np.abs(b.v).max())
    np.testing.assert_allclose(a.multipliers, b.multipliers, atol=1e-6 * np.abs(b.multipliers).max(initial=1e-12))
    np.testing.assert_allclose(a.turns, b.turns, atol=1e-9)
    for key, value in b.memory.items():
        np.testing.assert_allclose(a.memory[key], value, atol=1e-6 * np.abs(value).max(initial=1e-12), err_msg=key)
    assert (compiled.iterations <= python.iterations).all()
    assert compiled.energy["work"][-1] == pytest.approx(python.energy["work"][-1], abs=1e-9)


@pytest.mark.parametrize("method", [cd.EnergyMomentum(), cd.GeneralizedAlpha(0.9)], ids=["momentum", "alpha"])
@pytest.mark.parametrize(
    "name", ["hinges", "driven", "spring, damper, torque", "penalty", "moving support", "muscle with states"]
)
def test_steps_alone_and_in_a_row_agree_bit_for_bit(name, method):
    """However they are stored."""
    build, h = MODELS[name]
    result, sparse = (cd.simulate(build(), end=50 * h, dt=h, every=n, integrator=method) for n in (1, 25))
    sim = cd.Simulation(build(), dt=h, integrator=method)
    for k in range(1, 51):
        sim.advance(k * h - sim.time)
        sim.state.t = k * h
    last = result.state(-1)
    assert sim.work == result.energy["work"][-1] == sparse.energy["work"][-1]
    assert sim.scalars(StepInfo(), h)["total"] == pytest.approx(result.energy["total"][-1], rel=1e-12)
    for other in (sim.state, sparse.state(-1)):
        for array in ("x", "v", "multipliers", "turns"):
            np.testing.assert_array_equal(getattr(last, array), getattr(other, array))
        for key, array in last.memory.items():
            np.testing.assert_array_equal(other.memory[key], array)


@pytest.mark.parametrize("method", [cd.EnergyMomentum(), cd.GeneralizedAlpha(0.9)], ids=["momentum", "alpha"])
@pytest.mark.parametrize("asked", ["hooks", "events", "controllers", "memory"])
def test_what_asks_for_python_between_steps_changes_no_bit_of_them(asked, method):
    """Each step is compiled, as in a run that asks for nothing."""
    called = {"hooks": [lambda system, state, info: None], "events": [lambda sim: 1.0], "controllers": [lambda sim: None],
              "memory": {"count": 0.0}}  # fmt: skip
    build, h = MODELS["driven"]
    plain, other = (
        cd.simulate(build(), end=30 * h, dt=h, integrator=method, **options) for options in ({}, {asked: called[asked]})
    )
    assert plain.in_python == other.in_python == {}
    np.testing.assert_array_equal(plain.state(-1).x, other.state(-1).x)
    np.testing.assert_array_equal(plain.iterations, other.iterations)
    np.testing.assert_array_equal(plain.constraint_error[1:], other.constraint_error[1:])
    np.testing.assert_array_equal(plain.angular_momentum, other.angular_momentum)
    for name, values in plain.energy.items():
        np.testing.assert_array_equal(values, other.energy[name], err_msg=name)


@pytest.mark.parametrize("method", [cd.EnergyMomentum(), cd.GeneralizedAlpha(0.9)], ids=["momentum", "alpha"])
@pytest.mark.parametrize("every", [1, 7, 50])
def test_a_run_in_compiled_code_is_resumed_bit_for_bit(every, method, tmp_path):
    build, h = MODELS["driven"]
    whole = cd.simulate(build(), end=190 * h, dt=h, every=every, integrator=method)
    cd.simulate(build(), end=147 * h, dt=h, every=every, integrator=method, file=tmp_path / "run.h5")
    result = cd.resume(tmp_path / "run.h5", model=build(), end=190 * h)
    np.testing.assert_array_equal(result.times, whole.times)
    np.testing.assert_array_equal(result.state(-1).x, whole.state(-1).x)
    np.testing.assert_array_equal(result.iterations, whole.iterations)
    np.testing.assert_array_equal(result.energy["total"], whole.energy["total"])


@pytest.mark.parametrize("method", [cd.EnergyMomentum, cd.GeneralizedAlpha])
@pytest.mark.parametrize("solver", ["auto", "sparse"])  # in compiled code, in Python
def test_kept_factors_give_the_same_motion(solver, method):
    full, *others = (
        cd.simulate(chain(6), end=0.1, dt=1e-3, integrator=method(newton=n), solver=solver)
        for n in ("full", "modified", cd.ModifiedNewton(share=0.2))
    )
    for other in others:
        np.testing.assert_allclose(full.state(-1).x, other.state(-1).x, atol=1e-11)
        if method is cd.EnergyMomentum:
            assert np.ptp(other.energy["total"]) < 1e-12 * np.abs(other.energy["kinetic"]).max()


def test_kept_factors_save_factorisations(monkeypatch):
    """A chain of steel links that swings far in each step: fewer factorisations, more iterations, the same end."""
    counts = []
    for newton in ("full", cd.ModifiedNewton(share=0.5)):
        system = cd.Simulation(chain(6), dt=5e-3, integrator=cd.EnergyMomentum(newton=newton), solver="sparse")
        made = [0]
        factor = type(system.system.solver).factor

        def counted(self, A, made=made, factor=factor):
            made[0] += 1
            return factor(self, A)

        with monkeypatch.context() as patch:
            patch.setattr(type(system.system.solver), "factor", counted)
            infos = [system.step() for _ in range(20)]
        counts.append((made[0], sum(info.iterations for info in infos), system.state.x))
    assert counts[1][0] < 0.8 * counts[0][0]
    assert counts[1][1] >= counts[0][1]
    np.testing.assert_allclose(counts[1][2], counts[0][2], atol=1e-10)


@pytest.mark.parametrize("solver", ["auto", "dense"])
@pytest.mark.parametrize("method", [cd.EnergyMomentum(), cd.GeneralizedAlpha(1.0)], ids=["momentum", "alpha"])
def test_the_work_of_a_moving_support_is_what_the_energy_grows_by(method, solver):
    def shaken(h):
        m = cd.Model("shaken", dimension=3, gravity=(0.0, 0.0, -9.81))
        base = m.add(
            cd.Frame("base", shift=(lambda t: 0.2 * t**2 * np.sin(8 * t), 0.0, lambda t: 0.1 * t**2 * np.sin(5 * t)))
        )
        rod = m.add(cd.RigidBody("rod", 1.0, inertia=(0.01, 0.1, 0.1), position=(0.5, 0.0, 0.0)))
        m.add(cd.Revolute("pin", base, rod, at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
        energy = cd.simulate(m, end=0.6, dt=h, integrator=method, solver=solver).energy
        return abs(energy["total"][-1] - energy["total"][0] - energy["work"][-1]) / np.abs(energy["kinetic"]).max()

    if isinstance(method, cd.EnergyMomentum):
        assert shaken(0.01) < 1e-11
    else:
        assert shaken(0.01) < (2e-3 if solver == "auto" else 2e-2)


@pytest.mark.parametrize("strategy", ["modified", cd.FullNewton(), cd.ModifiedNewton(share=0.2)])
def test_a_run_is_resumed_with_its_strategy(strategy, tmp_path):
    method = cd.EnergyMomentum(newton=strategy)
    whole = cd.simulate(chain(3), end=0.02, dt=1e-3, integrator=method)
    cd.simulate(chain(3), end=0.01, dt=1e-3, integrator=method, file=tmp_path / "run.h5")
    resumed = cd.resume(tmp_path / "run.h5", end=0.02)
    np.testing.assert_array_equal(resumed.state(-1).x, whole.state(-1).x)


def strip(n):
    """A plane strip of n squares that carries a plate."""
    m = cd.Model("strip", dimension=2)
    soft = m.add(cd.Solid.block("soft", (0.1 * n, 0.1), (n, 1), cd.Robust(1e6, 0.3, 1000.0)))
    plate = m.add(cd.RigidBody("plate", 1.0, inertia=0.1, position=(0.1 * n, 0.0)))
    m.add(cd.Pin("pin", soft.point("right"), plate, at=(0.1 * n, 0.05)))
    return m


def planar_cable(elements):
    """A cable in the plane, pinned."""
    m = cd.Model("cable", dimension=2)
    section = cd.RoundSection(0.01, cd.StVenantKirchhoff(1e6, density=1e3))
    cable = m.add(cd.Cable("c", [(0.0, 0.0), (1.0, 0.0)], elements, section))
    m.add(cd.Pin("pin", m.ground, cable.point("start"), at=(0.0, 0.0)))
    return m


@pytest.mark.parametrize(
    ("build", "size"),
    [
        (lambda n: chain(n), 3),
        (tree, 3),
        (loop, 3),
        (lambda n: chain(n, dimension=2), 3),
        (strip, 2),
        (planar_cable, 2),
    ],
)
def test_block_elimination_solves_and_grows_with_the_number_of_bodies(build, size):
    products = []
    for n in (15, 30, 60):
        blocks = in_blocks(cd.compile(build(n)))
        products.append(len(blocks.schedule.target) / n)
    assert products[2] < 1.5 * products[0] + 5.0
    assert blocks.schedule.size == size
    # A matrix with large diagonal blocks in this pattern, against its dense form.
    schedule, rng = blocks.schedule, np.random.default_rng(1)
    A = 0.01 * rng.normal(size=blocks.entries)
    for at in schedule.diagonal:
        A[at : at + size * size : size + 1] += 2.0
    pad_blocks(schedule, A)
    dense = np.zeros((blocks.size, blocks.size))
    for k, pivot in enumerate(schedule.pivot):
        others = schedule.other[schedule.start[k] : schedule.start[k + 1]]
        lower = schedule.lower[schedule.start[k] : schedule.start[k + 1]]
        upper = schedule.upper[schedule.start[k] : schedule.start[k + 1]]
        for i, j, at in [(pivot, pivot, schedule.diagonal[k]), *((o, pivot, p) for o, p in zip(others, lower, strict=True)),
                         *((pivot, o, p) for o, p in zip(others, upper, strict=True))]:  # fmt: skip
            dense[size * i : size * (i + 1), size * j : size * (j + 1)] = A[at : at + size * size].reshape(size, size)
    b = rng.normal(size=blocks.size)
    x, inverse = b.copy(), np.zeros(3 * blocks.size)
    assert factor_blocks(schedule, A, inverse)
    solve_blocks(schedule, A, inverse, x)
    np.testing.assert_allclose(dense @ x, b, atol=1e-10)
    zeros = np.zeros(blocks.entries)
    assert not factor_blocks(schedule, zeros, inverse)  # no pivots


def test_what_needs_python_is_stepped_in_python():
    model = chain(2)
    model.add(cd.UserForce("push", "bar1", lambda t, x, v: (0.0, 0.0, 1.0)))
    system = running(model)
    cd.simulate(system, end=0.01, dt=1e-3)
    assert cd.EnergyMomentum().compiled(system) is None
    seen = []
    cd.simulate(chain(2), end=0.01, dt=1e-3, hooks=[lambda system, state, info: seen.append(info.iterations)])
    assert len(seen) == 10


def test_the_profile_of_a_run_names_its_phases():
    result = cd.simulate(chain(4, joint="hinge"), end=0.05, dt=1e-3)
    phases = {p.name: p for p in profile(result, repeats=2)}
    assert {"balance of the tree", "elimination", "rest: steps, output"} == set(phases)
    assert all(np.isfinite(p.total) and p.total > 0.0 for p in phases.values())
    result = cd.simulate(chain(4, joint="hinge"), end=0.05, dt=1e-3, integrator=cd.EnergyMomentum(coordinates="rows"))
    phases = {p.name: p for p in profile(result, repeats=2)}
    assert {"gather and maps, inertia", "laws: links", "laws: constraints", "factor (blocks)", "solve (blocks)"} <= set(
        phases
    )
    assert all(np.isfinite(p.total) and p.total >= 0.0 for p in phases.values())
    alpha = cd.simulate(chain(2), end=0.01, dt=1e-3, integrator=cd.GeneralizedAlpha())
    phases = {p.name: p for p in profile(alpha, repeats=2)}
    assert phases["factor (blocks)"].times == alpha.iterations.mean() + 1.0  # one for the consistent end
    python = cd.simulate(chain(2), end=0.01, dt=1e-3, solver="dense")
    assert any(p.name == "factor (dense)" for p in profile(python, repeats=2))


def test_the_profile_of_a_run_names_contact():
    m = cd.Model("sledge", dimension=2, gravity=(0, -10.0))
    sledge = m.add(cd.RigidBody("sledge", 2.0, inertia=0.1, position=(0, 0.1), velocity=(2.0, 0)))
    m.add(cd.Contact("snow", sledge, [(-0.3, -0.1), (0.3, -0.1)], m.ground, cd.Plane((0, 1))))
    phases = {p.name: p for p in profile(cd.simulate(m, end=0.05, dt=0.01), repeats=2)}
    assert phases["contact"].total > 0.0
    assert any(name.startswith("factor (") for name in phases)


def test_a_step_that_overflows_is_not_taken_and_those_before_are(monkeypatch):
    """It is then tried in Python, from a state that belongs to its time."""
    sim, given = cd.Simulation(chain(3), dt=2e-3), iter((np.ones(5), np.array([1.0, 1.0, 1.0, np.nan, 1.0, 1.0])))
    compiled, plain = sim.method.compiled(sim.system), cd.Simulation(chain(3), dt=2e-3)
    monkeypatch.setattr(compiled, "_gravity", lambda times: next(given))  # mid-step; at the end, only for its energy
    done = compiled.run(sim.state, [k * 2e-3 for k in range(1, 6)], 1, 1, 3.0)
    assert done.failed and done.state.t == 0.004 and len(done.scalars) == len(done.times) == 2
    for _ in range(2):
        plain.step()
    np.testing.assert_array_equal(done.state.x, plain.state.x)
    assert done.work == 3.0
