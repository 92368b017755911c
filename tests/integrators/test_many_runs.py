"""Many simulations on one compiled system, in turn, step by step, in threads: each as if it were alone, bit for bit."""

import threading

import numpy as np
import pytest

import condyle as cd
import condyle.methods
from zoo import ZOO, tissue
from zoo_contact import knee, pulley

STEPS = 2


def swelling():
    return tissue(2, "quad4", "robust", natural_stretch=cd.Ramp(0.0, 0.05, 1.0, 1.1))


def redundant():
    """A door on two hinges."""
    m = cd.Model("door", dimension=3, gravity=(0.0, 0.0, -9.81))
    door = m.add(cd.RigidBody("door", 5.0, inertia=(0.5, 0.3, 0.3), position=(0.5, 0.0, 0.0)))
    door.angular_velocity = (0.0, 0.0, 1.0)
    for name, height in (("low", -0.5), ("high", 0.5)):
        m.add(cd.Revolute(name, m.ground, door, at=(0.0, 0.0, height), axis=(0.0, 0.0, 1.0)))
    return m


def rolling_patch():
    """A ball of points on a smooth surface, which looks for closest points from where they were last."""
    m = cd.Model("on a patch", dimension=3, gravity=(0.0, 0.0, -9.81))
    x, y = np.meshgrid(np.linspace(-1.0, 1.0, 4), np.linspace(-1.0, 1.0, 4), indexing="ij")
    grid = np.stack((x, y, 0.1 * (x * x + y * y)), axis=-1)
    ball = m.add(cd.RigidBody("ball", 1.0, inertia=(0.1, 0.1, 0.1), position=(0.1, 0.0, 0.3)))
    ball.velocity = (0.5, 0.2, -1.0)
    feet = [(0.0, 0.0, -0.2), (0.1, 0.0, -0.17), (0.0, 0.1, -0.17)]
    m.add(cd.Contact("rolls", ball, feet, m.ground, cd.SplineSurface(grid.tolist()), law="penalty", friction=0.2))
    return m


CASES = {
    **{name: ZOO[name] for name in (
        "joints in the plane, penalty", "joints in space, multiplier", "joints in space, uzawa", "coordinates in space",
        "forces in space", "quad4", "tet4, fading stress", "hexahedra bonded by a penalty", "quasi-static pad in the plane",
        "cables in the plane", "winch", "beams in space", "muscles in space",
    )},
    "swelling": swelling,
    "redundant": redundant,
    "rope over a pulley": lambda: pulley(0.3),
    "knee": knee,
    "points on a patch": rolling_patch,
}  # fmt: skip

METHODS = {"energy–momentum": cd.EnergyMomentum, "generalized-α": cd.GeneralizedAlpha}
STEP = {"energy–momentum": 2e-3, "generalized-α": 1.5e-3}
OUT_OF_ORDER = {"energy_tolerance": np.inf}  # of a few coarse steps nothing is expected


def begun(system, method, factor):
    """A simulation; inputs set by hand, if it has any that may jump, differ from those of others."""
    sim = cd.Simulation(system, dt=factor * STEP[method], integrator=METHODS[method](), **OUT_OF_ORDER)
    for name in sim.inputs.names():
        if isinstance(sim.system.model[name], cd.Load | cd.Torque | cd.Muscle | cd.MomentActuator | cd.ForceActuator):
            sim.inputs[name] = 0.1 * factor
    return sim


def reached(sim):
    """Everything that a run has come to, as bytes."""
    s = sim.state
    arrays = {"x": s.x, "v": s.v, "multipliers": s.multipliers, "turns": s.turns, **s.memory}
    energies = np.array([*sim.energy().values(), sim.work])
    return {name: np.asarray(a).tobytes() for name, a in arrays.items()} | {"energies": energies.tobytes()}


def alone(model, method, factor, steps=STEPS):
    sim = begun(cd.compile(model), method, factor)
    for _ in range(steps):
        sim.step()
    return reached(sim)


@pytest.mark.filterwarnings("ignore::condyle.EnergyWarning")
@pytest.mark.parametrize("name", CASES)
def test_simulations_on_one_system_are_as_each_alone(name):
    model = CASES[name]()
    kinds = [("energy–momentum", 1.0), ("generalized-α", 1.0), ("energy–momentum", 0.7)]
    expected = [alone(model, *kind) for kind in kinds]
    system = cd.compile(model)
    runs = [begun(system, *kind) for kind in kinds]
    for _ in range(STEPS):  # step by step
        for sim in runs:
            sim.step()
    assert [reached(sim) for sim in runs] == expected
    again = begun(system, *kinds[0])  # in turn
    for _ in range(STEPS):
        again.step()
    assert reached(again) == expected[0]


@pytest.mark.filterwarnings("ignore::condyle.EnergyWarning")
@pytest.mark.parametrize(
    "name", ["joints in space, multiplier", "quad4", "muscles in space", "swelling", "rope over a pulley", "knee"]
)
def test_simulations_in_threads_are_as_each_alone(name):
    model = CASES[name]()
    kinds = [("energy–momentum", 1.0), ("generalized-α", 1.0), ("energy–momentum", 0.7), ("generalized-α", 0.8)]
    expected = [alone(model, *kind, steps=3 * STEPS) for kind in kinds]
    system, found, together = cd.compile(model), {}, threading.Barrier(len(kinds))

    def run(k):
        together.wait()
        sim = begun(system, *kinds[k])
        for _ in range(3 * STEPS):
            sim.step()
        found[k] = reached(sim)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(len(kinds))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found.get(k) for k in range(len(kinds))] == expected


def falling_box(height=0.05):
    m = cd.Model("box", dimension=3, gravity=(0.0, 0.0, -9.81))
    box = m.add(cd.RigidBody("box", 1.0, inertia=(0.01, 0.01, 0.01), position=(0.0, 0.0, 0.1 + height)))
    box.velocity, box.angular_velocity = (0.3, 0.0, -1.0), (0.0, 2.0, 0.0)
    corners = [(x, y, z) for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1)]
    m.add(
        cd.Contact("floor", box, corners, m.ground, cd.Plane((0.0, 0.0, 1.0)), law=cd.SpringDashpot(1e4), friction=0.3)
    )
    return m


def boxes():
    m = cd.Model("boxes", dimension=3, gravity=(0.0, 0.0, -9.81))
    made = [
        m.add(cd.RigidBody.box(f"box {k}", (0.2,) * 3, 500.0, position=(0.03 * k, 0, 0.21 * k + 0.1))) for k in range(3)
    ]
    m.add(cd.Collisions("boxes", made, cd.Plane((0, 0, 1)), friction=0.3))
    return m


def swinging():
    return ZOO["joints in space, multiplier"]()


SHARED = {
    "RungeKutta": (lambda: cd.RungeKutta(coordinates="rows"), falling_box, swinging),
    "Newmark, explicit": (lambda: cd.Newmark(beta=0.0, unknown="acceleration"), falling_box, lambda: falling_box(0.1)),
    "IteratedNewmark": (lambda: cd.methods.IteratedNewmark(), falling_box, lambda: falling_box(0.1)),
    "ScipyReference": (lambda: cd.methods.ScipyReference("DOP853", stabilisation="baumgarte"), swinging, swinging),
    "Compliant, contact at the start": (lambda: cd.Compliant(contact="explicit"), falling_box, lambda: falling_box(0.1)),
    "Stabilised": (lambda: cd.Stabilised(monitor="linear", target="start", width=1.0, form="velocity"), swinging,
                   ZOO["coordinates in space"]),
    "Nonsmooth": (lambda: cd.Nonsmooth(), boxes, swinging),
    "Nonsmooth, in Python": (lambda: cd.Nonsmooth(theta=0.6), boxes, swinging),
    "AsynchronousVariational": (lambda: cd.methods.AsynchronousVariational(), swinging, swinging),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::condyle.EnergyWarning")
@pytest.mark.parametrize("name", SHARED)
def test_runs_that_share_one_integrator_are_as_each_alone(name):
    make, *models = SHARED[name]
    steps = (2e-4, 1.5e-4)

    def runs(methods):
        return [
            cd.Simulation(model(), dt=dt, integrator=method, **OUT_OF_ORDER)
            for model, dt, method in zip(models, steps, methods, strict=True)
        ]

    alone = runs([make(), make()])
    for sim in alone:
        for _ in range(4):
            sim.step()
    shared = make()
    together = runs([shared, shared])
    for _ in range(4):
        for sim in together:
            sim.step()
    assert [reached(sim) for sim in together] == [reached(sim) for sim in alone]


def test_simulate_takes_a_system_as_often_as_wanted():
    model = ZOO["coordinates in space"]()
    system = cd.compile(model)
    options = dict(end=0.05, dt=0.005)
    first, second = cd.simulate(system, **options), cd.simulate(system, **options)
    other = cd.simulate(model, **options)
    for result in (second, other):
        np.testing.assert_array_equal(result.state(-1).x, first.state(-1).x)
        np.testing.assert_array_equal(result.energy["total"], first.energy["total"])
    assert first.system is system and second.system is system


# --- a System does not change -----------------------------------------------------------------------------------------------


def fingerprint(value, seen=None):
    """All numbers and words in a value and in what it is made of, in a form that can be compared."""
    seen = {} if seen is None else seen
    if isinstance(value, int | float | complex | str | bytes | bool | np.generic | None.__class__):
        return repr(value)
    if id(value) in seen:
        return "again"
    seen[id(value)] = value
    if isinstance(value, np.ndarray):
        return (
            value.shape,
            str(value.dtype),
            value.tobytes() if value.dtype != object else fingerprint(value.tolist(), seen),
        )
    if isinstance(value, dict):
        return [(repr(k), fingerprint(v, seen)) for k, v in value.items()]
    if isinstance(value, set | frozenset):
        return sorted(map(repr, value))
    if isinstance(value, list | tuple):
        return [fingerprint(v, seen) for v in value]
    return fingerprint(vars(value), seen) if hasattr(value, "__dict__") else type(value).__name__


@pytest.mark.covering
@pytest.mark.filterwarnings("ignore::condyle.EnergyWarning")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["coordinates in space", "tet4, fading stress", "muscles in space", "swelling",
                                  "quasi-static pad in the plane", "redundant", "knee", "points on a patch"])  # fmt: skip
def test_a_run_leaves_its_system_as_it_was(name, method):
    system = cd.compile(CASES[name]())
    # A layout collects what is found out of it once, for all systems that share it.
    before = {key: fingerprint(value) for key, value in vars(system).items() if key != "layout"}
    sim = begun(system, method, 1.0)
    for _ in range(STEPS):
        sim.step()
    after = {key: fingerprint(vars(system)[key]) for key in before}
    assert [key for key in before if before[key] != after[key]] == []


def test_a_system_refuses_to_be_changed():
    system = cd.compile(ZOO["forces in the plane"]())
    for name in ("step", "overrides", "x_start", "anything"):
        with pytest.raises(AttributeError, match=f"'{name}' cannot be set"):
            setattr(system, name, 1.0)
    with pytest.raises(AttributeError, match="'rows'"):
        del system.rows
    assert not hasattr(system, "builder")
