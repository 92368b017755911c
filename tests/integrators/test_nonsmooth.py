"""Steps at the level of velocities: what sticks does not creep, what strikes leaves as its restitution says."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import condyle as cd
from condyle.contact.stiffness import ContactWarning

G = 9.81


def on_a_slope(angle: float, mu: float, law=None) -> cd.Model:
    """A block of 1 m on four feet, gravity tilted by an angle."""
    model = cd.Model("slope", dimension=3, gravity=(G * np.sin(angle), 0.0, -G * np.cos(angle)))
    block = model.add(cd.RigidBody.box("block", (1.0, 1.0, 1.0), 1000.0, position=(0.0, 0.0, 0.5)))
    feet = [(x, y, -0.5) for x in (-0.5, 0.5) for y in (-0.5, 0.5)]
    model.add(cd.Contact("floor", block, feet, model.ground, cd.Plane((0, 0, 1)), law=law or cd.Hard(), friction=mu))
    return model


@pytest.mark.parametrize("dt", [0.001, 0.005, 0.02])
def test_a_block_below_the_angle_of_friction_does_not_creep_and_above_it_slides_exactly(dt):
    stays = cd.simulate(on_a_slope(0.2, 0.3), end=50 * dt, dt=dt, integrator=cd.Nonsmooth())
    assert np.abs(stays.velocity("block")).max() < 1e-10
    slides = cd.simulate(on_a_slope(0.5, 0.3), end=20 * dt, dt=dt, integrator=cd.Nonsmooth())
    expected = G * (np.sin(0.5) - 0.3 * np.cos(0.5)) * 20 * dt
    assert slides.velocity("block")[-1, 0] == pytest.approx(expected, rel=1e-8)
    weight = 1000.0 * G * np.cos(0.5)
    assert slides.contact("floor").resultant[-1] == pytest.approx([-0.3 * weight, 0.0, weight], rel=1e-8, abs=1e-5)


def test_every_model_of_friction_holds_the_block_and_says_how_well_the_exact_law_is_met():
    for friction in ("box", "polyhedral", "prox"):
        result = cd.simulate(on_a_slope(0.2, 0.3), end=0.1, dt=0.01, integrator=cd.Nonsmooth(friction=friction))
        assert np.abs(result.velocity("block")).max() < 1e-6
    regularised = cd.Nonsmooth(friction="penalty", contact_compliance=1e-7, creep=0.1)
    result = cd.simulate(on_a_slope(0.2, 0.3), end=1.0, dt=0.002, integrator=regularised)
    assert result.velocity("block")[-1, 0] == pytest.approx(0.1 * np.tan(0.2) / 0.3, rel=0.02)  # it creeps


def one_step(friction, depth, velocity, compliance, **options):
    """Velocity after a step of 10 ms of a particle of 2 kg that is `depth` inside a floor with μ = 0.4, and its force."""
    model = cd.Model("particle", dimension=2)
    ball = model.add(cd.PointMass("ball", 2.0, (0.0, -depth), velocity))
    model.add(cd.Contact("floor", ball, "nodes", model.ground, cd.Plane((0, 1)), friction=0.4, overlap="resolve"))
    method = cd.Nonsmooth(friction=friction, contact_compliance=compliance, **options)
    result = cd.simulate(model, end=0.01, dt=0.01, integrator=method)
    return result.velocity("ball")[-1], result.contact("floor").force[-1, 0]


@pytest.mark.parametrize("velocity", [(0.2, -0.3), (2.0, -0.3), (-2.0, 0.5)])
@pytest.mark.parametrize("depth", [1e-4, -1e-4])
def test_penalties_have_the_equations_of_the_source(depth, velocity):
    """hewlett-2020, 6.4.1: c λ = −φ − h u₊, of points inside, pulling too; friction −μ sign(u) min(1, |u|/u₀) (−φ)/c before."""
    m, h, c, creep = 2.0, 0.01, 1e-5, 0.5
    (u, v), force = one_step("penalty", depth, velocity, c, creep=creep)
    press = (depth - h * velocity[1]) / (c + h * h / m) if depth > 0.0 else 0.0
    rub = -0.4 * np.sign(velocity[0]) * min(1.0, abs(velocity[0]) / creep) * max(depth, 0.0) / c
    assert force == pytest.approx((rub, press), rel=1e-9, abs=1e-12)
    assert (u, v) == pytest.approx((velocity[0] + h * rub / m, velocity[1] + h * press / m), rel=1e-9)


@pytest.mark.parametrize("speed", [0.01, 2.0])
def test_box_friction_has_the_equations_of_the_source(speed):
    """hewlett-2020, 6.4.2: u₊ + (c/h²) z = −φ/h across; along it the same without a gap, bounded by μ of what presses."""
    m, h, c, depth = 2.0, 0.01, 1e-5, 1e-4
    (u, v), force = one_step("box", depth, (speed, -0.3), c)
    press = (depth / h + 0.3) / (1.0 / m + c / h**2)
    rub = -min(speed / (1.0 / m + c / h**2), 0.4 * press)
    assert force * h == pytest.approx((rub, press), rel=1e-9)
    assert (u, v) == pytest.approx((speed + rub / m, -0.3 + press / m), rel=1e-9)
    assert (abs(rub) < 0.4 * press) == (speed < 1.0)


def test_parameters_of_the_four_models_are_those_of_the_source():
    """hewlett-2020, 6.5: steps of 10 ms, compliance 1e-8 m²/N, reference speed 1.75 m/s, eight facets, ζ = 0.4."""
    from inspect import signature

    from condyle.integrators import nonsmooth_loop
    from condyle.studies import hewlett_bent_cable, hewlett_cylinders, hewlett_friction, hewlett_rolling

    for study in (hewlett_friction, hewlett_cylinders, hewlett_rolling, hewlett_bent_cable):
        given = {name: study.PARAMETERS[name].default for name in ("dt", "compliance", "creep")}
        assert given == {"dt": 0.01, "compliance": 1e-8, "creep": 1.75}
        assert 3 <= study.PARAMETERS["points"].default <= 9
    method = cd.Nonsmooth()
    assert (method.creep, method.prox_factor) == (1.75, 0.4)
    assert signature(cd.solvers.solve_polyhedral).parameters["directions"].default == 8 == nonsmooth_loop.DIRECTIONS


def test_steps_of_the_projections_can_be_chosen_and_adapt_themselves():
    def swept(**options):
        method = cd.Nonsmooth(friction="prox", **options)
        result = cd.simulate(on_a_slope(0.4, 0.3), end=0.1, dt=0.01, integrator=method)
        return result.velocity("block")[-1], result.contact_residual.max()

    exact = cd.simulate(on_a_slope(0.4, 0.3), end=0.1, dt=0.01, integrator=cd.Nonsmooth()).velocity("block")[-1]
    for options in ({}, {"prox_factor": 0.2}, {"prox_factor": 0.1, "prox_adaptive": True}, {"prox_decay": 0.999}):
        assert swept(**options)[0] == pytest.approx(exact, abs=1e-5)
    slow, quick = (swept(prox_factor=0.002, prox_adaptive=adaptive)[1] for adaptive in (False, True))
    assert quick < 0.1 * slow  # so short a step does not get there, unless it grows


@pytest.mark.parametrize("friction", ["cone", "box", "polyhedral", "prox"])
@pytest.mark.parametrize("form", ["auto", "velocity"])
def test_points_that_are_open_take_part_if_they_can_be_reached_or_only_once_they_touch(friction, form):
    """A block falls at 2 m/s from 5 mm, in steps of 10 ms. It is stopped on the floor; or, as published, where it is inside."""
    depths = []
    for options in ({}, {"reach": 0.0, "stabilise": False}):
        model = cd.Model("falls", dimension=3, gravity=(0, 0, -9.81))
        block = model.add(cd.RigidBody.box("block", (1, 1, 1), 1.0, position=(0, 0, 0.505), velocity=(0, 0, -2.0)))
        feet = [(x, y, -0.5) for x in (-0.5, 0.5) for y in (-0.5, 0.5)]
        model.add(cd.Contact("floor", block, feet, model.ground, cd.Plane((0, 0, 1)), friction=0.3))
        method = cd.Nonsmooth(friction=friction, form=form, **options)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ContactWarning)
            result = cd.simulate(model, end=0.1, dt=0.01, integrator=method)
        assert np.abs(result.velocity("block")[-3:]).max() < 1e-6
        depths.append(0.5 - result.position("block")[-1, 2])
    assert depths[0] == pytest.approx(0.0, abs=1e-6)
    assert depths[1] == pytest.approx(0.01 * (2.0 + 0.01 * 9.81) - 0.005, rel=1e-6)


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_a_particle_that_lands_rebounds_and_loses_what_friction_takes(e):
    model = cd.Model("landing", dimension=2)
    ball = model.add(cd.PointMass("ball", 2.0, (0.0, 0.0205), velocity=(3.0, -2.0)))
    model.add(cd.Contact("floor", ball, "nodes", model.ground, cd.Plane((0, 1)), law=cd.Impact(e), friction=0.3))
    for dt in (1e-2, 1e-3, 1e-4):
        result = cd.simulate(model, end=0.0205 / 2 + 3 * dt, dt=dt, integrator=cd.Nonsmooth())
        assert result.velocity("ball")[-1] == pytest.approx([3.0 - 0.3 * 2.0 * (1 + e), 2.0 * e], abs=1e-9)
        assert np.diff(result.energy["total"]).max() < 1e-12


def test_a_cable_on_a_slope_presses_evenly_and_stays():
    """Published densities of impulse on a cable at rest, and the creep of box friction, hewlett-2020 section 6.6.1."""
    angle, dt = np.radians(10.0), 0.01
    for friction, compliance, creep in (("cone", 0.0, 0.0), ("box", 1e-8, 4.1475e-4)):
        model = cd.Model("cable", dimension=3, gravity=(G * np.sin(angle), 0.0, -G * np.cos(angle)))
        steel = cd.StVenantKirchhoff(5e9, 0.0, 7750.0)
        cable = model.add(cd.Cable("cable", [(0, 0, 0), (10, 0, 0)], 1, cd.RoundSection(0.1, steel)))
        model.add(
            cd.Contact("plane", cable, None, model.ground, cd.Plane((0, 0, 1)), friction=1.0, points="integration")
        )
        method = cd.Nonsmooth(friction=friction, contact_compliance=compliance)
        result = cd.simulate(model, end=0.5, dt=dt, integrator=method)
        contact = result.contact("plane")
        assert dt * contact.pressure[-1] == pytest.approx(np.full(4, 23.522), abs=1e-3)
        assert result.velocity(cable.at(5.0))[-1, 0] == pytest.approx(creep, abs=1e-8)
        along = dt * contact.resultant[-1, 0] / 10.0
        assert along == pytest.approx(-4.148, abs=1e-3)


def test_joints_and_contact_are_solved_together():
    """A pendulum swings into a wall and rests against it; its hinge carries what the wall does not."""
    model = cd.Model("pendulum", dimension=2, gravity=(0.0, -G))
    bar = model.add(cd.RigidBody.box("bar", (1.0, 0.05), 100.0, position=(0.5, 0.0)))
    model.add(cd.Pin("pin", model.ground, bar, at=(0.0, 0.0)))
    model.add(cd.Contact("wall", bar, [(0.5, 0.0)], model.ground, cd.Plane((1, 0), (0.3, 0.0))))
    result = cd.simulate(model, end=2.0, dt=0.005, integrator=cd.Nonsmooth())
    assert result.position(bar.at(0.5, 0.0))[-1, 0] == pytest.approx(0.3, abs=1e-6)
    assert np.abs(result.velocity("bar")[-1]).max() < 1e-9
    assert np.diff(result.energy["total"]).max() < 2e-3 * result.energy["kinetic"].max()
    # Moments about the pin: weight times its arm 0.15 m is the force of the wall times the height of the tip.
    height = np.sqrt(1.0 - 0.3**2)
    assert result.contact("wall").resultant[-1, 0] == pytest.approx(-5.0 * G * 0.15 / height * -1.0, rel=1e-5)


def test_metres_and_millimetres_give_the_same():
    def landing(unit: float):
        model = cd.Model("unit", dimension=3, gravity=(0.0, 0.0, -G * unit))
        box = model.add(
            cd.RigidBody.box("box", (unit, unit, unit), 1000.0 / unit**3, position=(0, 0, 0.7 * unit), rotation=(0.2, 0.1, 0.0))
        )  # fmt: skip
        feet = [(0.5 * x * unit, 0.5 * y * unit, -0.5 * unit) for x in (-1, 1) for y in (-1, 1)]
        model.add(cd.Contact("floor", box, feet, model.ground, cd.Plane((0, 0, 1)), friction=0.4))
        return cd.simulate(model, end=0.3, dt=0.005, integrator=cd.Nonsmooth()).position("box") / unit

    assert np.allclose(landing(1000.0), landing(1.0), atol=1e-6)


@pytest.mark.parametrize(
    "words, law, method",
    [
        ("cannot take SpringDashpot of contact 'floor'", cd.SpringDashpot(1e5), {}),
        ("rule='poisson'", cd.Impact(0.5, "poisson"), {}),
        ("needs a contact_compliance", cd.Hard(), {"friction": "penalty"}),
        ("friction", cd.Hard(), {"friction": "ice"}),
    ],
)
def test_what_it_cannot_take_is_named(words, law, method):
    with pytest.raises(cd.InputError, match=words):
        cd.simulate(on_a_slope(0.1, 0.2, law), end=0.01, dt=0.01, integrator=cd.Nonsmooth(**method))


def test_a_run_is_resumed_bit_for_bit(tmp_path):
    model, file = on_a_slope(0.5, 0.3), tmp_path / "run.h5"
    whole = cd.simulate(model, end=0.2, dt=0.01, integrator=cd.Nonsmooth())
    cd.simulate(model, end=0.1, dt=0.01, integrator=cd.Nonsmooth(), file=file)
    rest = cd.resume(file, end=0.2)
    assert np.array_equal(rest.position("block")[-1], whole.position("block")[-1])


def dropped(kind: str, e: float) -> cd.Model:
    """A ball that falls by 0.3 m: a particle on a plane, or a shape of a group."""
    model = cd.Model("ball", dimension=3, gravity=(0.0, 0.0, -G))
    if kind == "particle":
        ball = model.add(cd.PointMass("ball", 1.0, (0.0, 0.0, 0.3)))
        model.add(cd.Contact("floor", ball, "nodes", model.ground, cd.Plane((0, 0, 1)), law=cd.Impact(e)))
    else:
        ball = model.add(cd.RigidBody.ball("ball", 0.1, 1000.0, position=(0.0, 0.0, 0.4)))
        model.add(cd.Collisions("floor", [ball], cd.Plane((0, 0, 1)), law=cd.Impact(e)))
    return model


@pytest.mark.parametrize("kind, e, dt", [
    ("particle", 0.3, 0.001), ("particle", 0.5, 0.02), ("particle", 0.9, 0.005), ("particle", 0.9, 0.02),
    ("group", 0.5, 0.005), ("group", 0.9, 0.01),
])  # fmt: skip
def test_energy_never_grows_while_a_ball_bounces_to_rest(kind, e, dt):
    """Places of a step are h/2 behind its velocities: g z + ½ (v − ½ g h)² is kept in flight, and never grows in a bounce.

    Of bounces with e ≤ 1/√3 the energy itself never grows, and a ball comes to rest for good. (With θ ≤ 1/(1 + e) it never
    grows in any bounce, as the next test shows.)
    """
    result = cd.simulate(dropped(kind, e), end=1.2, dt=dt, integrator=cd.Nonsmooth())
    z, v = result.position("ball")[:, 2], result.velocity("ball")[:, 2]
    level = G * z + 0.5 * (v - 0.5 * G * dt) ** 2
    assert np.diff(level[1:]).max() < 1e-9
    if e <= 1.0 / np.sqrt(3.0):
        assert np.diff(G * z + 0.5 * v**2).max() < 1e-9
        assert np.abs(v[-5:]).max() < 1e-12
        assert z[-1] == pytest.approx(0.0 if kind == "particle" else 0.1, abs=1e-9)
    else:
        assert np.abs(v).max() > 1.5  # it still bounces


@pytest.mark.parametrize("kind", ["particles", "group"])
@pytest.mark.parametrize("e", [0.0, 0.3, 0.6, 0.8, 0.9, 1.0])
def test_energy_never_grows_in_a_step_with_theta_of_one_over_one_plus_e(kind, e):
    """acary-2016, of ½ ≤ θ ≤ 1/(1 + e). Balls that land in every phase of a step, and slide: slow bounces and fast ones."""
    model, n = cd.Model("balls", dimension=3, gravity=(0.0, 0.0, -G)), 9
    heights = [0.005 + 0.03 * (k % 3) ** 2 + 0.0031 * k for k in range(n)]
    balls = []
    for k, height in enumerate(heights):
        name, place, velocity = f"ball {k}", (k, 0.0, height), (0.5, 0.0, 0.0)
        if kind == "particles":
            balls.append(model.add(cd.PointMass(name, 1.0, place, velocity)))
            law = {"law": cd.Impact(e), "friction": 0.2}
            model.add(cd.Contact(f"floor {k}", balls[-1], "nodes", model.ground, cd.Plane((0, 0, 1)), **law))
        else:
            balls.append(model.add(cd.RigidBody.ball(name, 0.01, 1000.0, position=place, velocity=velocity)))
    if kind == "group":
        floor = cd.Plane((0, 0, 1), (0.0, 0.0, -0.01))
        model.add(cd.Collisions("floor", balls, floor, law=cd.Impact(e), friction=0.2))
    for theta in {0.5, 1.0 / (1.0 + e)}:
        result = cd.simulate(model, end=0.6, dt=0.01, integrator=cd.Nonsmooth(theta=theta))
        whole = result.energy["total"] - result.energy["total"][0]
        assert np.diff(whole).max() < 1e-12 * np.abs(result.energy["total"]).max() + 1e-12
        places = np.array([result.position(ball.name)[:, 2] for ball in balls])
        assert places.min() > -1e-9  # nor does anything end a step inside


def test_energy_that_friction_of_penalties_makes_is_said_once_with_what_to_do():
    """A particle that lands deep inside: friction μ φ/c of that depth throws it along the floor."""
    model = cd.Model("particle", dimension=2)
    ball = model.add(cd.PointMass("ball", 2.0, (0.0, 0.005), (1.0, -1.0)))
    model.add(cd.Contact("floor", ball, "nodes", model.ground, cd.Plane((0, 1)), friction=0.4))
    penalty = cd.Nonsmooth(friction="penalty", contact_compliance=1e-8)
    with pytest.warns(cd.EnergyWarning, match="'ball'; friction='penalty' is that of the start of a step") as told:
        result = cd.simulate(model, end=0.05, dt=0.01, integrator=penalty)
    assert len([w for w in told if w.category is cd.EnergyWarning]) == 1
    assert np.abs(result.velocity("ball")[:, 0]).max() > 100.0
    assert "friction='penalty'" in result.summary()
    sim = cd.Simulation(model, dt=0.01, integrator=penalty)
    with pytest.warns(cd.EnergyWarning):
        said = [sim.step().unsolved for _ in range(5)]
    assert [bool(words) for words in said].count(True) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error", cd.EnergyWarning)
        for options, dt in (({"friction": "cone"}, 0.01), ({"friction": "penalty", "contact_compliance": 1e-5}, 5e-4)):
            calm = cd.simulate(model, end=0.05, dt=dt, integrator=cd.Nonsmooth(**options))
            assert np.abs(calm.velocity("ball")).max() < 2.0


@pytest.mark.parametrize("moves", ["belt", "tray"])
def test_energy_that_a_belt_or_a_tray_brings_is_not_from_nowhere(moves):
    model = cd.Model("dragged", dimension=2, gravity=(0.0, -G))
    mass = model.add(cd.PointMass("mass", 1.0, (0.0, 0.0)))
    on = model.ground if moves == "belt" else model.add(cd.Frame("tray", shift=(lambda t: 0.5 * t, 0.0)))
    friction = cd.SurfaceFriction(0.2, velocity=(0.5, 0.0)) if moves == "belt" else 0.2
    model.add(cd.Contact("top", mass, "nodes", on, cd.Plane((0, 1)), friction=friction))
    penalty = cd.Nonsmooth(friction="penalty", contact_compliance=1e-6, creep=1e-2)
    with warnings.catch_warnings():
        warnings.simplefilter("error", cd.EnergyWarning)
        result = cd.simulate(model, end=0.4, dt=1e-3, integrator=penalty)
    assert result.velocity("mass")[-1, 0] == pytest.approx(0.5, abs=2e-3)
    assert moves in result.summary() or "as prescribed" in result.summary()


def test_a_run_of_penalties_that_ends_in_infinity_says_so_without_warnings_of_numbers():
    """A book on a slope, at a step that is far too coarse for its creep and compliance."""
    angle, sizes = np.radians(21.7), (0.2, 0.15, 0.03)
    model = cd.Model("book", dimension=3, gravity=(G * np.sin(angle), 0.0, -G * np.cos(angle)))
    book = model.add(cd.RigidBody.box("book", sizes, 600.0, position=(0.0, 0.0, 0.015)))
    model.add(cd.Contact("table", book, cd.Box(sizes), model.ground, cd.Plane((0, 0, 1)), friction=0.4))
    coarse = cd.Nonsmooth(friction="penalty", contact_compliance=1e-7, creep=1e-3)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", cd.EnergyWarning)
        warnings.simplefilter("ignore", ContactWarning)
        with pytest.raises(cd.ConvergenceError, match="out of reach"):
            cd.simulate(model, end=0.5, dt=0.01, integrator=coarse)


def forearm_on_a_table() -> cd.Model:
    """A muscle that pulls little at first, while a table bears the hand, and lifts it from 0.2 s on."""
    model = cd.Model("arm", dimension=2, gravity=(0, -9.81))
    fore = model.add(cd.RigidBody("forearm", 1.5, inertia=0.02, position=(0.15, -0.3)))
    model.add(cd.Pin("elbow", model.ground, fore, at=(0, -0.3)))
    ends = cd.Point("ground", (0.02, 0.0), "world"), cd.Point("forearm", (0.04, -0.3), "world")
    model.add(cd.Muscle("biceps", ends, 600, 0.13, 0.17, cd.Table((0, 0.2, 0.21), (0.05, 0.05, 0.6))))
    table = cd.Plane((0, 1), (0, -0.3))
    model.add(cd.Contact("table", fore, [(0.15, 0.0)], model.ground, table, friction=0.4))
    return model


def test_muscles_joints_and_contact_are_in_one_step():
    exact = cd.simulate(forearm_on_a_table(), end=0.4, dt=1e-3).coordinate("elbow.angle")[-1]
    errors = []
    for dt in (2e-3, 1e-3):
        result = cd.simulate(forearm_on_a_table(), end=0.4, dt=dt, integrator=cd.Nonsmooth())
        resting = round(0.15 / dt)
        pull, length = result.path("biceps")["tension"][resting], np.hypot(0.02, 0.3)
        borne = (1.5 * 9.81 * 0.15 - pull * 0.04 * 0.3 / length) / 0.3
        assert result.contact("table").normal_force[resting, 0] == pytest.approx(borne, rel=1e-6)
        assert abs(result.coordinate("elbow.angle")[resting]) < 1e-12
        errors.append(abs(result.coordinate("elbow.angle")[-1] - exact))
    assert errors[0] < 0.02 * exact and 1.8 < errors[0] / errors[1] < 2.2  # of first order
