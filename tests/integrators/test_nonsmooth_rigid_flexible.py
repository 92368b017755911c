"""Rigid and ANCF bodies in one step of impulses: joints between both kinds, and contact of both."""

from typing import Any

import numpy as np
import pytest

import condyle as cd

SECTION = cd.RoundSection(0.02, cd.StVenantKirchhoff(1e8, 0.0, 1000.0))


def joined(kind: str) -> cd.Model:
    """A box that flies and turns, with a cable or beam on it."""
    model = cd.Model("joined", dimension=3)
    box = model.add(
        cd.RigidBody.box("box", (0.2, 0.2, 0.2), 500.0, position=(-0.1, 0.0, 0.0), velocity=(0.3, 0.0, 1.0),
                         angular_velocity=(0.5, 2.0, 0.0))
    )  # fmt: skip
    line: list[tuple[float, ...]] = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0)]
    body: Any = cd.Cable("tail", line, 3, SECTION)
    if kind in ("section", "rigid section", "rotation"):
        body = cd.AncfBeam("tail", line, 2, SECTION)
    model.add(body)
    end, face = body.point("start"), box.point((0.1, 0.0, 0.0))
    if kind == "spherical":
        model.add(cd.Spherical("joint", end, face))
    else:
        hold = {"rigid section": "gradient", "rotation": "rotation"}.get(kind, "direction")
        model.add(cd.Clamp("joint", end, face, hold=hold))
    return model


@pytest.mark.parametrize("kind", ["spherical", "clamp", "section", "rigid section", "rotation"])
def test_a_joint_between_a_rigid_and_an_elastic_body_keeps_the_momenta(kind: str) -> None:
    lost = []
    for dt in (0.004, 0.002):
        result = cd.simulate(joined(kind), end=0.2, dt=dt, integrator=cd.Nonsmooth())
        p, L = result.linear_momentum, result.angular_momentum
        assert np.abs(p[1:] - p[1]).max() < 1e-9 * np.abs(p).max()
        lost.append(np.abs(L[1:] - L[1]).max() / np.abs(L).max())
    assert lost[1] < 0.02 and lost[1] < 0.75 * lost[0]  # first order in the step


def test_a_clamp_of_rotation_turns_with_the_section_and_lets_it_deform() -> None:
    model = joined("rotation")
    result = cd.simulate(model, end=0.05, dt=0.0025, integrator=cd.GeneralizedAlpha())
    section, box = result.angular_velocity(cd.Point("tail", "start")), result.angular_velocity("box")
    assert np.abs(section - box).max() < 1e-12 and np.abs(box).max() > 1.0
    stretch = np.linalg.norm(result.directors(cd.Point("tail", "start")), axis=1)
    assert np.abs(stretch - 1.0).max() > 1e-5
    turned = result.rotation_matrix(cd.Point("tail", "start"))
    assert np.abs(turned - result.rotation_matrix("box")).max() < 1e-9


def test_a_clamp_of_rotation_in_the_plane_bends_a_cantilever_as_one_of_direction_does() -> None:
    ends = []
    for hold in ("direction", "rotation"):
        model = cd.Model("cantilever", dimension=2)
        section = cd.RectangularSection(0.1, 0.1, cd.StVenantKirchhoff(1e7, 0.0, 1000.0))
        beam = model.add(cd.AncfBeam("beam", [(0.0, 0.0), (2.0, 0.0)], 2, section))
        model.add(cd.Clamp("wall", beam.point("start"), model.ground.at(0.0, 0.0), hold=hold))
        model.add(cd.Load("tip", beam.point("end"), (0.0, -1.0)))
        ends.append(cd.solve_static(model).position("beam.end")[-1, 1])
    assert ends[0] < -1e-3 and abs(ends[1] / ends[0] - 1.0) < 0.02


def test_a_body_without_sections_has_no_rotation_to_clamp() -> None:
    model = cd.Model("cable", dimension=3)
    cable = model.add(cd.Cable("cable", [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0)], 1, SECTION))
    model.add(cd.Clamp("wall", cable.point("start"), model.ground, hold="rotation"))
    with pytest.raises(cd.InputError, match="1 gradients at a point, of which no rotation follows"):
        cd.compile(model)


@pytest.mark.parametrize("d", [2, 3])
def test_the_spin_of_gradients_is_the_rate_of_their_polar_rotation(d: int) -> None:
    random = np.random.default_rng(3)
    F, rate, h = np.eye(d) + 0.3 * random.normal(size=(d, d)), random.normal(size=(d, d)), 1e-6
    ahead, behind = (cd.polar_frame(F + sign * h * rate) for sign in (1.0, -1.0))
    W = ((ahead - behind) / (2.0 * h)).T @ cd.polar_frame(F)  # frames have their axes as rows
    spin = cd.polar_spin(F, rate)
    expected = W[1, 0] if d == 2 else np.array([W[2, 1], W[0, 2], W[1, 0]])
    assert np.allclose(spin, expected, atol=1e-8)
    assert np.allclose(cd.polar_frame(F) @ cd.polar_frame(F).T, np.eye(d))


def test_a_stiff_rope_carries_a_rigid_load_over_a_pulley_as_two_rigid_masses_do() -> None:
    """Atwood's machine: a rope over a wheel that turns with it, masses at its ends."""
    R, r, low, high = 0.2, 0.005, 4.0, 6.0
    model = cd.Model("pulley", dimension=3, gravity=(0.0, 0.0, -9.81))
    turn = np.linspace(np.pi, 0.0, 9)
    around = np.stack(((R + r) * np.cos(turn), 0.0 * turn, (R + r) * np.sin(turn)), axis=1)
    along = np.stack((np.sin(turn), 0.0 * turn, -np.cos(turn)), axis=1)
    line = np.vstack(((-R - r, 0.0, -0.4), around, (R + r, 0.0, -0.4)))
    tangents = np.vstack(((0.0, 0.0, 1.0), along, (0.0, 0.0, -1.0)))
    section = cd.RoundSection(r, cd.StVenantKirchhoff(1e8, 0.0, 200.0))
    rope = model.add(cd.Cable("rope", line, 1, section, tangents=tangents, damping=0.01))
    wheel = model.add(cd.RigidBody.cylinder("wheel", R, 0.05, 300.0, rotation=(np.pi / 2, 0.0, 0.0)))
    model.add(
        cd.Revolute("axle", model.ground.point((0.0, 0.0, 0.0)), wheel.point((0.0, 0.0, 0.0)), axis=(0.0, 1.0, 0.0))
    )
    rim = cd.Cylinder(R, (0.0, 0.0, 1.0))
    model.add(cd.PatchContact("rim", rope, wheel, rim, friction=0.5, per_patch=2, longest=0.1, margin=1e-3))
    for end, mass, place in (("start", low, line[0]), ("end", high, line[-1])):
        size = 0.1
        box = model.add(
            cd.RigidBody.box(
                f"{end} load", (size,) * 3, mass / size**3, position=place - np.array([0.0, 0.0, 0.5 * size])
            )
        )
        model.add(cd.Spherical(f"{end} hook", rope.point(end), box.point((0.0, 0.0, 0.5 * size))))
    result = cd.simulate(model, end=0.3, dt=0.005, integrator=cd.Nonsmooth())
    speed = -result.velocity(cd.Point("end load", (0.0, 0.0, 0.0)))[:, 2]
    wheel_mass = 0.5 * 300.0 * np.pi * R**2 * 0.05
    rope_mass = 200.0 * np.pi * r**2 * (0.8 + np.pi * (R + r))
    expected = 9.81 * (high - low) / (high + low + wheel_mass * (R / (R + r)) ** 2 + rope_mass)
    assert abs(np.polyfit(result.times[20:], speed[20:], 1)[0] / expected - 1.0) < 0.1
    assert result.unsolved_steps == 0 and result.contact_residual.max() <= 1e-10
    assert result.contact("rim").cone_margin.min() > -1e-6  # no point is outside its cone
