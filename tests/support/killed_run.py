"""A run that is meant to be killed: python killed_run.py integrator file."""

import sys

import numpy as np

import condyle as cd

END, DT, EVERY = 1.2, 0.005, 4
METHODS = {"EnergyMomentum": cd.EnergyMomentum, "GeneralizedAlpha": cd.GeneralizedAlpha}


def model():
    """An arm that a controlled motor winds up over many turns against a torsion spring, with a bar on its end."""
    m = cd.Model("wound arm", dimension=3, gravity=(0.0, 0.0, -9.81))
    arm = m.add(cd.RigidBody("arm", 1.0, inertia=(0.02, 0.05, 0.06), position=(0.3, 0.0, 0.0)))
    bar = m.add(cd.RigidBody("bar", 0.5, inertia=(0.01, 0.02, 0.02), position=(0.6, 0.0, -0.2)))
    m.add(cd.Revolute("hub", m.ground, arm, at=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0)))
    m.add(cd.Spherical("ball", arm, bar, at=(0.6, 0.0, 0.0)))
    m.add(cd.CoordinateSpring("winding", "hub.angle", 0.05))
    m.add(cd.CoordinateForce("motor", "hub.angle"))
    return m


def control(sim):
    """PI control of speed, with its integral in the memory of the run."""
    error = 8.0 - sim.coordinate_rate("hub.angle")
    sim.memory["integral"] = sim.memory["integral"] + error * DT
    return {"motor": 2.0 * error + 5.0 * sim.memory["integral"]}


def whole(integrator, file=None, end=END):
    """The uninterrupted run."""
    return cd.simulate(
        model(), end=end, dt=DT, integrator=METHODS[integrator](), file=file, every=EVERY, controllers=[control],
        memory={"integral": 0.0},
    )  # fmt: skip


def same(one, two):
    """Every number of two results is the same, bit for bit."""
    a, b = one._store, two._store
    assert np.array_equal(a.frame_steps, b.frame_steps)
    assert a.steps.tobytes() == b.steps.tobytes()
    assert sorted(a.memory_names()) == sorted(b.memory_names())
    for name in ("x", "v", "multipliers", "turns", *(f"memory/{m}" for m in a.memory_names())):
        assert a.array(name).tobytes() == b.array(name).tobytes(), name


def eager(integrator, file):
    """The run, writing every few steps."""
    from condyle.results import recorder

    recorder.FLUSH_SECONDS = 0.01
    whole(integrator, file)


if __name__ == "__main__":
    eager(sys.argv[1], sys.argv[2])
