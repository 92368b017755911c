"""Points over pieces that deform in compiled steps: those of Python, over any number of facets, with none left to it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import condyle as cd
from condyle.integrators.compiled import NO_BLOCKS, CompiledMethod

RUBBER = cd.NeoHookean(1e6, 0.3, 1000.0)


def slid(d: int, law: Any, friction: Any, points: str = "nodes") -> cd.Model:
    """A soft block that falls askew on another one, which is bonded to a plate that turns, and slides over it."""
    m = cd.Model("slid", dimension=d, gravity=(0, -9.81, 0)[:d])
    low = m.add(cd.Solid.block("low", (1.0,) * d, (3,) * d, RUBBER, origin=(-0.5, -1.0, -0.5)[:d]))
    size, at, speed = (0.7, 0.5, 0.7), (-0.42, 1e-3, -0.31), (0.8, -0.3, 0.2)
    high = m.add(cd.Solid.block("high", size[:d], (2,) * d, RUBBER, origin=at[:d], velocity=speed[:d]))
    turning = (
        {"inertia": 10.0, "angular_velocity": 0.3}
        if d == 2
        else {"inertia": (10.0,) * 3, "angular_velocity": (0, 0.3, 0.1)}
    )
    plate = m.add(cd.RigidBody("plate", 100.0, position=(0, -1, 0)[:d], **turning))
    m.add(cd.Tie("base", low, "bottom", plate))
    m.add(cd.Contact("joint", high, "bottom", low, "top", points=points, law=law, friction=friction))
    return m


def dragged(law: Any = "augmented", friction: float = 0.3, speed: float = 1.5) -> cd.Model:
    """A small block that slides along a long one of many short facets."""
    m = cd.Model("dragged", dimension=2, gravity=(0, -9.81))
    low = m.add(cd.Solid.block("low", (1.0, 0.2), (16, 1), RUBBER))
    high = m.add(cd.Solid.block("high", (0.2, 0.1), (3, 1), RUBBER, origin=(0.03, 0.2001), velocity=(speed, 0.0)))
    m.add(cd.Tie("base", low, "bottom", m.ground))
    m.add(cd.Contact("joint", high, "bottom", low, "top", law=law, friction=friction))
    return m


def bead(law: Any, friction: float) -> cd.Model:
    """A bead that slides along the upper side of a cable, from element to element."""
    m = cd.Model("bead", dimension=2)
    x = np.linspace(-0.5, 0.5, 5)
    section = cd.RoundSection(0.02, cd.StVenantKirchhoff(1e8, 0.3, 4000.0))
    cable = m.add(cd.Cable("cable", np.column_stack((x, 0.4 * x**2)), 1, section))
    stone = m.add(cd.RigidBody("bead", 0.02, inertia=1e-6, position=(-0.3, 0.058), velocity=(1.2, -0.4)))
    m.add(cd.Contact("touch", stone, [(0.0, 0.0)], cable, "top", law=law, friction=friction))
    return m


def plate(law: Any, friction: float) -> cd.Model:
    """A stone with four feet that falls on a shell whose elements are curved."""
    m = cd.Model("plate", dimension=3, gravity=(0, 0, -9.81))
    shape = lambda u, v: (u - 0.5, v - 0.5, 0.2 * u * v + 0.1 * u * u)  # noqa: E731
    soft = m.add(cd.Shell.surface("soft", shape, (1.0, 1.0), (2, 2), cd.StVenantKirchhoff(1e6, 0.3, 1000.0), 0.06))
    feet = [(-0.2, 0.1, 0.0), (0.2, 0.15, 0.1), (0.1, -0.2, 0.06), (-0.3, -0.25, 0.3)]
    start = {"position": (0.02, 0.0, 0.12), "velocity": (0.5, 0.3, -2.0)}
    stone = m.add(cd.RigidBody("stone", 1.0, inertia=(0.1, 0.2, 0.15), **start))
    m.add(cd.Contact("touch", stone, feet, soft, "top", law=law, friction=friction))
    return m


def steps(model: cd.Model, method: Any, count: int, dt: float = 2e-3) -> tuple[np.ndarray, list[Any], cd.Simulation]:
    """Places and contact forces after each step, and what the steps tell."""
    sim, out, infos = cd.Simulation(model, dt=dt, integrator=method), [], []
    for _ in range(count):
        infos.append(sim.step())
        out.append(np.concatenate((sim.state.x.ravel(), 1e-3 * sim.state.memory["contact force"])))
    return np.array(out), infos, sim


METHODS = {
    "energy-momentum": cd.EnergyMomentum(),
    "alpha": cd.GeneralizedAlpha(),
    "alpha, positions": cd.GeneralizedAlpha(0.6, hold="positions"),
    "Newmark": cd.Newmark(0.3025, 0.6),
    "HHT": cd.HHT(),
    "BDF": cd.BDF(),
    "BDF, positions": cd.BDF(hold="positions"),
}
HARD, SOFT = cd.Hard(), cd.SpringDashpot(1e5)
CASES = {
    "in the plane, hard": (lambda: slid(2, HARD, 0.0), ("energy-momentum", "alpha, positions")),
    "in the plane, hard, friction": (lambda: slid(2, HARD, 0.4), ("energy-momentum", "alpha, positions", "BDF, positions")),
    "in the plane, soft": (lambda: slid(2, SOFT, 0.0), ("energy-momentum", "alpha", "HHT")),
    "in the plane, soft, friction": (lambda: slid(2, SOFT, 0.4), ("energy-momentum", "alpha", "Newmark", "BDF")),
    "in the plane, Hunt and Crossley": (
        lambda: slid(2, cd.HuntCrossley(1e5, 1.5, 0.5), cd.Coulomb(0.2, 0.5, 0.3)), ("energy-momentum", "alpha"),
    ),
    "in space, hard, friction": (lambda: slid(3, HARD, 0.4), ("energy-momentum",)),
    "in space, soft, friction": (lambda: slid(3, SOFT, 0.4), ("energy-momentum", "alpha")),
    "in space, Gauss points": (lambda: slid(3, SOFT, 0.4, "integration"), ("energy-momentum",)),
    "on a cable": (lambda: bead(SOFT, 0.2), ("energy-momentum", "alpha")),
    "on a shell": (lambda: plate(HARD, 0.2), ("energy-momentum",)),
    "on a shell, soft": (lambda: plate(SOFT, 0.2), ("alpha",)),
}  # fmt: skip


@pytest.mark.parametrize(("case", "method"), [(case, name) for case, (_, names) in CASES.items() for name in names])
def test_compiled_steps_over_pieces_are_those_of_python(
    case: str, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled, infos, sim = steps(CASES[case][0](), METHODS[method], 25)
    assert {info.in_python for info in infos} == {""}
    assert sim.state.memory["contact force"].size and np.abs(compiled[:, sim.state.x.size :]).max() > 0.0
    monkeypatch.setattr(CompiledMethod, "why_in_python", lambda self, system: "asked for")
    python, others, _ = steps(CASES[case][0](), METHODS[method], 25)
    assert all(info.in_python for info in others)
    np.testing.assert_allclose(compiled, python, rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("law", [HARD, SOFT], ids=["hard", "soft"])
def test_a_block_slides_over_many_facets_without_a_step_in_python(law: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled, infos, sim = steps(dragged(law), cd.EnergyMomentum(), 120)
    assert {info.in_python for info in infos} == {""}
    assert sim.position(cd.Point("high", 0))[0] - 0.03 > 3.0 / 16.0  # over facets as long as a sixteenth
    assert max(info.iterations for info in infos) <= 8
    monkeypatch.setattr(CompiledMethod, "why_in_python", lambda self, system: "asked for")
    python, _, _ = steps(dragged(law), cd.EnergyMomentum(), 120)
    np.testing.assert_allclose(compiled, python, rtol=0.0, atol=1e-9)


def test_newtons_method_is_quadratic_over_facets() -> None:
    _, infos, _ = steps(slid(3, HARD, 0.4), cd.EnergyMomentum(), 40)
    last = [info.residuals[-2:] for info in infos if len(info.residuals) > 3]
    # Residuals over what is tolerated, of forces that are 1e11 to 1e12 times as large: the last step leaves round-off.
    assert len(last) > 10 and all(after < max(1.0, 1e-10 * before**2) for before, after in last)


@pytest.mark.parametrize(("law", "friction"), [(HARD, 0.4), (SOFT, 0.4), (HARD, 0.0)])
def test_a_run_over_facets_is_resumed_bit_for_bit(law: Any, friction: float, tmp_path: Any) -> None:
    whole = cd.simulate(dragged(law, friction), end=0.2, dt=2e-3, file=tmp_path / "whole.h5")
    cd.simulate(dragged(law, friction), end=0.1, dt=2e-3, file=tmp_path / "part.h5")
    again = cd.resume(tmp_path / "part.h5", end=0.2)
    corner = cd.Point("high", 0)
    assert (again.position(corner) == whole.position(corner)).all()
    assert (again.contact("joint").force == whole.contact("joint").force).all()
    assert (again.contact("joint").slip == whole.contact("joint").slip).all()


def test_steps_over_facets_in_a_row_and_one_by_one_have_the_same_bits() -> None:
    in_a_row, alone = (
        cd.simulate(dragged(), end=0.1, dt=2e-3, events=events).state(-1) for events in ([], [lambda sim: 1.0])
    )
    assert np.array_equal(in_a_row.x, alone.x)
    for name, array in alone.memory.items():
        assert np.array_equal(in_a_row.memory[name], array), name


@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_blocks_that_collide_in_compiled_steps_keep_both_momenta_and_gain_no_energy(friction: float) -> None:
    m = cd.Model("collision", dimension=2)
    soft = cd.NeoHookean(1e5, 0.3, 1000.0)
    low = m.add(cd.Solid.block("low", (0.2, 0.2), (4, 4), soft))
    high = m.add(cd.Solid.block("high", (0.2, 0.2), (3, 3), soft, origin=(0.07, 0.21), velocity=(friction, -1.0)))
    m.add(cd.Contact("hit", high, "bottom", low, "top", friction=friction))
    why: list[str] = []
    run = cd.simulate(m, end=0.1, dt=2e-3, hooks=[lambda system, state, info: why.append(info.in_python)])
    energy, L, p = run.energy["total"], run.angular_momentum, run.linear_momentum
    assert run.contact("hit").active.any() and why.count("") == len(why)
    assert np.abs(L - L[0]).max() < 1e-12 * np.abs(L[0]).max()
    assert np.abs(p - p[0]).max() < 1e-11
    assert energy.max() <= energy[0] * (1.0 + 1e-9)


def test_steps_over_pieces_that_are_not_compiled_say_why() -> None:
    def why(model: cd.Model, method: Any) -> str:
        return str(cd.Simulation(model, dt=1e-3, integrator=method).step().in_python)

    assert why(dragged(HARD), cd.GeneralizedAlpha()) == "bodies that deform are in hard contact, with hold='all'"
    assert "'joint' is over a surface that deforms" in why(dragged(SOFT), cd.Compliant())
    mean = dragged(HARD)
    mean["joint"].points = "mortar"
    assert "'joint' holds the gaps of surfaces in the mean" in why(mean, cd.EnergyMomentum())
    wide = cd.Model("wide", dimension=2)
    low = wide.add(cd.Solid.block("low", (4.0, 0.1), (200, 1), RUBBER))
    drop = wide.add(cd.PointMass("drop", 1.0, (2.0, 0.11)))
    wide.add(cd.Contact("joint", drop, "nodes", low, "top"))
    assert why(wide, cd.EnergyMomentum()) == NO_BLOCKS  # any two of its nodes would be coupled
