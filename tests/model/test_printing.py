"""What models, meshes, tables and runs say of themselves."""

import re

import numpy as np
import pytest

import condyle as cd
from condyle.laws.compiling import AGAIN, FIRST, Compiling


def test_a_printed_model_lists_its_parts_and_what_they_connect():
    model = cd.Model("arm", gravity=(0, 0, -9.81))
    upper = model.add(cd.RigidBody.box("upper", (0.3, 0.05, 0.05), 1000.0, position=(0.15, 0, 0)))
    lower = model.add(cd.RigidBody.box("lower", (0.3, 0.05, 0.05), 1000.0, position=(0.45, 0, 0)))
    model.add(cd.Spherical("shoulder", model.ground, upper, at=(0, 0, 0)))
    model.add(cd.Revolute("elbow", upper, lower, at=(0.3, 0, 0), axis=(0, 1, 0)))
    model.add(cd.CoordinateSpring("stiffness", "elbow.angle", 2.0))
    model.add(cd.Spring("band", upper.at(0, 0, 0.1), lower.at(0, 0, 0.1), 100.0))
    assert str(model).splitlines() == [
        "Model 'arm', 3D, gravity (0, 0, -9.81): 2 bodies, 3 joints and couplings, 1 force",
        "  RigidBody         upper      0.75 kg",
        "  RigidBody         lower      0.75 kg",
        "  Spherical         shoulder   ground – upper",
        "  Revolute          elbow      upper – lower",
        "  CoordinateSpring  stiffness  elbow.angle",
        "  Spring            band       upper – lower",
    ]
    assert repr(model) == "Model('arm', 3D, 6 parts)"
    assert str(cd.Model("nothing")).endswith(": empty")


def test_a_long_model_is_printed_shortly():
    model = cd.Model("chain", dimension=2)
    for k in range(300):
        model.add(cd.PointMass(f"mass {k}", 1.0, (k, 0)))
    lines = str(model).splitlines()
    assert len(lines) < 15 and lines[-1].split() == ["PointMass", "…", "and", "290", "more"]


def test_meshes_and_tables_print_themselves_in_a_line():
    mesh = cd.Mesh.block((2.0, 1.0, 0.5), (20, 10, 5))
    assert repr(mesh).startswith("Mesh(1386 nodes, 1000 hex8, 2 × 1 × 0.5 m") and len(repr(mesh)) < 200
    table = cd.MotionTable(np.linspace(0, 1, 101), {f"column {k}": np.zeros(101) for k in range(30)}, source="walk.mot")
    assert repr(table) == (
        "MotionTable('walk.mot', 0 … 1 s in 101 rows: column 0, column 1, column 2, column 3, … (30 columns))"
    )


def test_a_run_that_an_event_stops_says_so():
    model = cd.Model(dimension=2, gravity=(0, -9.81))
    model.add(cd.PointMass("stone", 1.0, (0, 1)))

    def landing(sim):
        return sim.position("stone")[1]

    result = cd.simulate(model, end=2.0, dt=0.01, events=[landing])
    assert result.status == "stopped" and "landing" in result.message
    assert re.match(r"model: stopped \(stopped by the event 'landing' at t = 0\.45", result.summary())


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def test_long_compiling_is_shown_with_the_kernels_that_are_left():
    clock, shown, left = Clock(), [], [3]
    compiling = Compiling(lambda *state: shown.append(state), clock)
    compiling.expect(lambda: left[0])
    compiling.start("assemble")
    for _ in range(5):  # kernels that it calls are compiled within it
        clock.now += 1.0
        compiling.start("gram_law")
        clock.now += 0.5
        compiling.end()
    compiling.end()
    assert compiling.seconds == pytest.approx(7.5) and compiling.seconds >= FIRST
    assert [state[:2] for state in shown] == [(3, 3)] * 4 and shown[0][2:] == (2.5, "gram_law")
    left[0] = 1
    clock.now += 100.0  # simulating
    compiling.start("project")
    clock.now += AGAIN
    compiling.start("inner")
    assert shown[-1][:2] == (1, 3) and shown[-1][2] == pytest.approx(7.5 + AGAIN)


def test_short_compiling_and_a_warm_cache_are_silent(capfd):
    said, clock = [], Clock()
    compiling = Compiling(lambda *state: said.append(state), clock)
    compiling.start("tiny")
    clock.now += 0.5 * FIRST
    compiling.end()
    assert said == []


def test_the_summary_tells_compiling_from_running():
    from condyle.results.recorder import Recorder

    model = cd.Model(dimension=2)
    model.add(cd.PointMass("stone", 1.0, (0, 1)))
    sim = cd.Simulation(model, dt=0.1)
    recorder = Recorder(sim.system, integrator={"name": "EnergyMomentum"}, options={})
    recorder.start(sim.state, sim.scalars(sim.step(), 0.1))
    result = recorder.finish("completed", "", 1.5, 70.0)
    assert "wall time        1.5 s, and 70 s to compile kernels, which are kept" in result.summary()
    assert (result.wall_time, result.compile_time) == (1.5, 70.0)


def test_the_compile_time_is_in_the_file_and_older_files_have_none(tmp_path):
    import h5py

    model = cd.Model(dimension=2)
    model.add(cd.PointMass("stone", 1.0, (0, 1)))
    cd.simulate(model, end=0.2, dt=0.1, file=tmp_path / "run.h5")
    assert cd.load(tmp_path / "run.h5").compile_time >= 0.0
    with h5py.File(tmp_path / "run.h5", "a") as file:
        outcome = file["outcome"][:]
        del file["outcome"]
        file["outcome"] = outcome[["status", "message", "wall_time"]].astype(
            [("status", "S32"), ("message", "S4000"), ("wall_time", "<f8")]
        )
    old = cd.load(tmp_path / "run.h5")
    assert old.compile_time == 0.0 and old.status == "completed"


def test_waiting_for_another_process_counts_as_compiling():
    shown = []
    compiling = Compiling(lambda *state: shown.append(state))
    compiling.announce()
    compiling.announce()
    assert len(shown) == 1
    compiling.waited("assemble", 0.5 * AGAIN)
    assert len(shown) == 1  # not yet
    compiling.waited("assemble", 1.5 * AGAIN)
    assert shown[1][2:] == (1.5 * AGAIN, "assemble")
    compiling.waited("assemble", 2.0 * AGAIN)
    assert len(shown) == 2
