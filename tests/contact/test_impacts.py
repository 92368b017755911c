"""Impacts: friction that belongs to the impulse, restitution that does not depend on the step, chains of impacts, rest."""

import itertools

import numpy as np
import pytest
from scipy.optimize import brentq

import condyle as cd
from condyle.contact.response import STICK
from condyle.integrators.compiled import CompiledMethod
from condyle.system import held_rates
from condyle.system.row_problem import RowProblem

NAN = float("nan")
METHODS = {
    "energy–momentum": cd.EnergyMomentum(),
    "generalized-α": cd.GeneralizedAlpha(),
    "Newmark": cd.Newmark(),
    "HHT": cd.HHT(),
    "BDF": cd.BDF(),
    "compliant": cd.Compliant(),
    "BDF(1)": cd.BDF(1),
    "stabilised": cd.Stabilised(),
    "linearised implicit": cd.methods.LinearisedImplicit(),
    "semi-implicit": cd.methods.SemiImplicit(),
}
SECOND_ORDER = ("energy–momentum", "generalized-α", "Newmark", "HHT", "BDF")
FIRST_ORDER = [name for name in METHODS if name not in SECOND_ORDER]
FALL = {"BDF": 3e-3} | dict.fromkeys(FIRST_ORDER, 0.03)  # what the method itself takes from the speed of a fall
EACH = pytest.mark.parametrize("method", METHODS)
NONSMOOTH = (
    cd.Nonsmooth()
)  # restitution at the speed of the step's start, all points of a step at once: tests of its own
FLOOR = cd.Plane((0.0, 1.0))


def thrown(law, height: float, velocity=(0.0, 0.0), friction: float = 0.0, gravity: float = -9.81) -> cd.Model:
    model = cd.Model("thrown", dimension=2, gravity=(0.0, gravity))
    ball = model.add(cd.PointMass("ball", 2.0, (0.0, height), velocity))
    model.add(cd.Contact("floor", ball, "nodes", model.ground, FLOOR, law=law, friction=friction))
    return model


@pytest.mark.covering
@EACH
@pytest.mark.parametrize("e", [0.0, 0.5])
def test_friction_takes_mu_times_the_normal_impulse_wherever_in_the_step_a_particle_lands(method, e):
    """v = (3, −2), μ = 0.3: it leaves with 3 − 0.3 · 2 (1 + e); before, with 1.8 to 2.9."""
    for dt, phases in ((1e-3, (0.1, 0.4, 0.9)), (1e-4, (0.03, 0.6)), (1e-5, (0.3, 0.97))):
        for phase in phases:
            model = thrown(cd.Impact(e), 2.0 * dt * (2.0 + phase), (3.0, -2.0), friction=0.3, gravity=0.0)
            result = cd.simulate(model, end=5 * dt, dt=dt, integrator=METHODS[method])
            v = result.velocity("ball")[-1]
            assert v == pytest.approx((3.0 - 0.6 * (1.0 + e), 2.0 * e), abs=1e-9)
            floor = result.contact("floor")
            assert floor.impulse.sum(axis=0)[0] == pytest.approx((-1.2 * (1.0 + e), 4.0 * (1.0 + e)))


@pytest.mark.covering
@EACH
@pytest.mark.parametrize("rule", ["newton", "poisson", "stronge"])
@pytest.mark.parametrize("e", [0.3, 1.0])
def test_a_ball_rebounds_with_its_restitution_whatever_the_phase(method, rule, e):
    for height in (0.2, 0.207, 0.2161):
        result = cd.simulate(thrown(cd.Impact(e, rule), height), end=0.3, dt=0.01, integrator=METHODS[method])
        v, energy = result.velocity("ball")[:, 1], result.energy["total"]
        up = v[int(np.argmax(v > 0.0))]
        tolerance = FALL.get(method, 1e-9)
        assert up == pytest.approx(e * np.sqrt(2 * 9.81 * height), rel=tolerance)
        assert np.diff(energy).max() < 1e-12 * energy[0]


@EACH
def test_infinitely_many_bounces_end_at_rest(method):
    result = cd.simulate(
        thrown(cd.Impact(0.6), 0.1, (0.5, 0.0), friction=0.2), end=1.0, dt=0.005, integrator=METHODS[method]
    )
    assert np.abs(result.velocity("ball")[-20:]).max() < 1e-9
    assert result.contact("floor").normal_force[-5:, 0] == pytest.approx(2.0 * 9.81)
    assert np.diff(result.energy["total"]).max() < 1e-12


def test_nonsmooth_steps_rebound_with_the_speed_of_the_steps_start():
    """Friction takes its share wherever in the step a particle lands.

    In the step of a rebound gravity lifts by h e v: as v falls below g h, energy may grow, by ½ m (g h e)²/(1 − e²) at
    most, and the ball comes to rest.
    """
    for dt, phase in ((1e-3, 0.1), (1e-3, 0.9), (1e-4, 0.6), (1e-5, 0.3)):
        for e in (0.0, 0.5):
            model = thrown(cd.Impact(e), 2.0 * dt * (2.0 + phase), (3.0, -2.0), friction=0.3, gravity=0.0)
            v = cd.simulate(model, end=5 * dt, dt=dt, integrator=NONSMOOTH).velocity("ball")[-1]
            assert v == pytest.approx((3.0 - 0.6 * (1.0 + e), 2.0 * e), abs=1e-9)
    for height, e in itertools.product((0.2, 0.207, 0.2161), (0.3, 1.0)):
        v = cd.simulate(thrown(cd.Impact(e), height), end=0.3, dt=0.01, integrator=NONSMOOTH).velocity("ball")[:, 1]
        k = int(np.argmax(v > 0.0))
        assert v[k] == pytest.approx(-e * v[k - 1], rel=1e-9)
    for dt in (0.005, 0.01):
        result = cd.simulate(
            thrown(cd.Impact(0.6), 0.1, (0.5, 0.0), friction=0.2), end=300 * dt, dt=dt, integrator=NONSMOOTH
        )
        assert np.abs(result.velocity("ball")[-20:]).max() < 1e-9
        assert result.contact("floor").normal_force[-5:, 0] == pytest.approx(2.0 * 9.81)
        most = 0.5 * 2.0 * (9.81 * dt * 0.6) ** 2 / (1.0 - 0.6**2)
        assert np.diff(result.energy["total"]).max() < most * (1.0 + 1e-9)


def test_nonsmooth_steps_strike_all_balls_of_a_cradle_at_once():
    """Newton's rule for all points together: u⁺ = −e u⁻ at the first, the others stay closed; momentum and energy are kept."""
    model = cd.Model("cradle", dimension=2)
    balls = [model.add(cd.RigidBody("ball 0", 1.0, inertia=0.1, position=(-0.033, 0.0), velocity=(1.0, 0.0)))]
    balls += [model.add(cd.RigidBody(f"ball {i}", 1.0, inertia=0.1, position=(0.2 * i, 0.0))) for i in range(1, 5)]
    for a, b in itertools.pairwise(balls):
        model.add(cd.Contact(f"{a.name}, {b.name}", a, [(0.1, 0.0)], b, cd.Sphere(0.1), law=cd.Impact(1.0)))
    result = cd.simulate(model, end=0.08, dt=0.01, integrator=NONSMOOTH)
    speeds = [result.velocity(b.name)[-1, 0] for b in balls]
    assert speeds == pytest.approx([-0.6, 0.4, 0.4, 0.4, 0.4], abs=1e-9)
    with pytest.raises(cd.InputError, match=r"rule='poisson' of contact 'floor'; give it .*Impact"):
        cd.simulate(thrown(cd.Impact(0.5, "poisson"), 0.1), end=0.1, dt=0.01, integrator=NONSMOOTH)


@EACH
def test_newtons_cradle_hands_the_speed_on_to_the_last_ball(method):
    model = cd.Model("cradle", dimension=2)
    balls = [model.add(cd.RigidBody("ball 0", 1.0, inertia=0.1, position=(-0.033, 0.0), velocity=(1.0, 0.0)))]
    balls += [model.add(cd.RigidBody(f"ball {i}", 1.0, inertia=0.1, position=(0.2 * i, 0.0))) for i in range(1, 5)]
    for a, b in itertools.pairwise(balls):
        model.add(cd.Contact(f"{a.name}, {b.name}", a, [(0.1, 0.0)], b, cd.Sphere(0.1), law=cd.Impact(1.0)))
    result = cd.simulate(model, end=0.08, dt=0.01, integrator=METHODS[method])
    speeds = [result.velocity(b.name)[-1, 0] for b in balls]
    assert speeds == pytest.approx([0.0, 0.0, 0.0, 0.0, 1.0], abs=1e-9)


@pytest.mark.covering
@pytest.mark.parametrize("method", SECOND_ORDER)
@pytest.mark.parametrize("e", [1.0, 0.9])
def test_balls_that_hang_and_touch_are_struck_one_after_the_other(method, e):
    """Pins turn what the step moves them by into small speeds at all points: they must not count as one impact."""
    model = cd.Model("cradle", dimension=2, gravity=(0.0, -9.81))
    balls = []
    for k in range(4):
        angle = -0.1 if k == 0 else 0.0
        place, turning = (0.1 * k + np.sin(angle), -np.cos(angle)), (2.0 if k == 0 else 0.0)
        speed = turning * np.array((np.cos(angle), np.sin(angle)))
        balls.append(model.add(cd.RigidBody(f"ball {k}", 1.0, inertia=1e-3, position=place, rotation=angle,
                                            velocity=speed, angular_velocity=turning)))  # fmt: skip
        model.add(cd.Pin(f"rod {k}", model.ground, balls[-1], at=(0.1 * k, 0.0)))
    for a, b in itertools.pairwise(balls):
        model.add(cd.Contact(f"{a.name}, {b.name}", a, [(0.05, 0.0)], b, cd.Sphere(0.05), law=cd.Impact(e)))
    result = cd.simulate(model, end=0.06, dt=5e-3, integrator=METHODS[method])
    rates = np.array([result.angular_velocity(b.name)[-1] for b in balls])
    came = result.angular_velocity("ball 0").max()
    assert rates[-1] / came == pytest.approx((0.5 * (1.0 + e)) ** 3, abs=4e-3)  # (1 + e)/2 goes on from pair to pair
    assert rates[:-1].sum() / came == pytest.approx(1.0 - (0.5 * (1.0 + e)) ** 3, abs=4e-3)
    assert np.diff(rates).min() > -1e-3 * came  # and none pushes the next any more


@pytest.mark.covering
@EACH
@pytest.mark.parametrize("rule", ["newton", "poisson", "stronge"])
def test_a_plank_that_lands_on_both_ends_at_once_does_not_turn(method, rule):
    model = cd.Model("plank", dimension=2, gravity=(0.0, -9.81))
    plank = model.add(cd.RigidBody("plank", 1.0, inertia=0.1, position=(0.0, 0.2)))
    model.add(cd.Contact("floor", plank, [(-0.5, 0.0), (0.5, 0.0)], model.ground, FLOOR, law=cd.Impact(0.6, rule)))
    result = cd.simulate(model, end=0.25, dt=0.01, integrator=METHODS[method])
    v = result.velocity("plank")[:, 1]
    assert v[int(np.argmax(v > 0.0))] == pytest.approx(
        0.6 * np.sqrt(2 * 9.81 * 0.2), rel=max(FALL.get(method, 0.0), 5e-3)
    )
    assert np.abs(result.angular_velocity("plank")).max() < 1e-9


@pytest.mark.covering
@pytest.mark.parametrize("method", SECOND_ORDER)
@pytest.mark.parametrize("rule", ["newton", "poisson", "stronge"])
def test_a_rod_that_strikes_with_friction_gains_no_energy(method, rule):
    """Steep rods that strike with their tip: where Newton's rule alone would create energy (Kane)."""
    rng = np.random.default_rng(1)
    for _ in range(6):
        angle, mu, e = rng.uniform(0.6, 1.3), rng.uniform(0.2, 1.5), rng.uniform(0.3, 1.0)
        model = cd.Model("rod", dimension=2)
        middle = 0.5 * np.array((np.cos(angle), np.sin(angle))) + (0.0, 0.0133)
        speed = (rng.uniform(-2.0, 2.0), -1.0)
        rod = model.add(cd.RigidBody("rod", 1.0, inertia=1 / 12, position=middle, rotation=angle, velocity=speed))
        model.add(cd.Contact("tip", rod, [(-0.5, 0.0)], model.ground, FLOOR, law=cd.Impact(e, rule), friction=mu))
        result = cd.simulate(model, end=0.02, dt=0.001, integrator=METHODS[method])
        energy = result.energy["total"]
        assert result.contact("tip").impulse.any()
        assert np.diff(energy).max() < 1e-12 * energy[0]
        assert result.contact("tip").gap.min() > -1e-9


@pytest.mark.parametrize("method", SECOND_ORDER)
@pytest.mark.parametrize(("angle", "slip", "mu"), [(1.0, 0.3, 0.9), (1.0, -0.2, 0.9), (0.8, 0.4, 1.3)])
def test_newton_poisson_and_stronge_differ_as_routh_says_where_a_slip_ends_in_compression(method, angle, slip, mu):
    """A rod of 1 kg, I = 1/12, strikes with its tip. Normal and tangential rate are linear in the normal impulse p while it
    slips, and then while it sticks; c: rate of the gap. Newton: c = e; Poisson: p = (1 + e) p_c; Stronge: ∫ c dp of the
    expansion is e² times that of compression."""
    e, (x, y) = 0.6, -0.5 * np.array((np.cos(angle), np.sin(angle)))
    along, across, both = 1.0 + 12.0 * y * y, 1.0 + 12.0 * x * x, -12.0 * x * y
    rub = np.sign(slip) * mu
    ends = -slip / (both - rub * along)
    rate = -1.0 + (across - rub * both) * ends
    sticks = across - both**2 / along
    assert ends > 0.0 > rate and abs(both / along) < mu
    pressed = ends - rate / sticks
    work = -0.5 * (rate - 1.0) * ends - 0.5 * rate * (pressed - ends)
    expected = {"newton": e, "poisson": sticks * e * pressed, "stronge": e * np.sqrt(2.0 * sticks * work)}
    assert min(np.abs(np.diff(sorted(expected.values())))) > 3e-3
    for rule, leaves in expected.items():
        model = cd.Model("rod", dimension=2)
        start = {"position": (-x, -y + 1.33e-5), "rotation": angle, "velocity": (slip, -1.0)}
        rod = model.add(cd.RigidBody("rod", 1.0, inertia=1 / 12, **start))
        model.add(cd.Contact("tip", rod, [(-0.5, 0.0)], model.ground, FLOOR, law=cd.Impact(e, rule), friction=mu))
        result = cd.simulate(model, end=4e-5, dt=1e-5, integrator=METHODS[method])
        v, spin = result.velocity("rod")[-1], result.angular_velocity("rod")[-1]
        assert (v[0] - spin * y, v[1] + spin * x) == pytest.approx((0.0, leaves), abs=1e-3)


def by_routh(tip: tuple[float, float], inertia: float, start: tuple[float, float], mu: float, rule: str, e: float):
    """Rates along and across after an impact of 1 kg at `tip` from its centre, by Routh's diagram; and how the slip went.

    While the slip keeps its sense, rates are linear in the normal impulse p. Where it ends, the point sticks if friction
    can hold it, else it slips back.
    """
    (x, y), (slip, c) = tip, start
    along, across, both = 1.0 + y * y / inertia, 1.0 + x * x / inertia, -x * y / inertia
    rub, ends = np.sign(slip) * mu, np.inf
    if (both - rub * along) * slip < 0.0:
        ends = -slip / (both - rub * along)
    after = -both / along if abs(both / along) <= mu else -np.sign(both) * mu  # tangential over normal impulse
    one, two = across - rub * both, across + after * both  # slopes of c
    knee = c + one * ends

    def reached(rate: float) -> float:
        return (rate - c) / one if rate <= knee else ends + (rate - knee) / two

    def rate_at(p: float) -> float:
        return c + one * p if p <= ends else knee + two * (p - ends)

    def work(p: float) -> float:
        early = min(p, ends)
        return 0.5 * (c + rate_at(early)) * early + 0.5 * (rate_at(early) + rate_at(p)) * (p - early)

    pressed = reached(0.0)
    p = (1.0 + e) * pressed
    if rule == "stronge":
        p = brentq(lambda p: work(p) - (1.0 - e * e) * work(pressed), pressed, 10.0 * pressed, xtol=1e-14)
    way = "compression" if ends < pressed else "expansion" if ends < p else "never"
    early, late = min(p, ends), max(p - ends, 0.0)
    leaves = slip + (both - rub * along) * early + (both + after * along) * late
    return (leaves, rate_at(p)), way, "sticks" if abs(leaves) < 1e-12 else "slips"


STRIKES = {  # tip from the centre, inertia, slip, friction; when the slip ends, and what comes then
    "rod": ((-0.27, -0.42), 1 / 12, 1.5, 0.75, "expansion", "sticks"),
    "rod, the other way": ((0.27, -0.42), 1 / 12, -1.5, 0.75, "expansion", "sticks"),
    "rod that slips back": ((-0.35, -0.35), 1 / 12, 0.9, 0.3, "expansion", "slips"),
    "rod that slips back early": ((-0.35, -0.35), 1 / 12, 0.3, 0.3, "compression", "slips"),
    "disk": ((0.0, -0.5), 0.125, 1.2, 0.3, "expansion", "sticks"),
    "disk that slips on": ((0.0, -0.5), 0.125, 3.0, 0.3, "never", "slips"),
}


@pytest.mark.parametrize("method", ["energy–momentum", "generalized-α"])
@pytest.mark.parametrize("rule", ["poisson", "stronge"])
@pytest.mark.parametrize("name", STRIKES)
def test_a_slip_may_end_in_the_expansion_as_in_rouths_diagram(name, rule, method):
    tip, inertia, slip, mu, way, then = STRIKES[name]
    expected, *found = by_routh(tip, inertia, (slip, -1.0), mu, rule, 0.7)
    assert found == [way, then]
    model = cd.Model("strike", dimension=2)
    start = {"position": (-tip[0], -tip[1] + 1.33e-5), "velocity": (slip, -1.0)}
    body = model.add(cd.RigidBody("body", 1.0, inertia=inertia, **start))
    model.add(cd.Contact("tip", body, [tip], model.ground, FLOOR, law=cd.Impact(0.7, rule), friction=mu))
    result = cd.simulate(model, end=4e-5, dt=1e-5, integrator=METHODS[method])
    v, spin = result.velocity("body")[-1], result.angular_velocity("body")[-1]
    assert (v[0] - spin * tip[1], v[1] + spin * tip[0]) == pytest.approx(expected, abs=5e-4)


@EACH
def test_a_weak_spring_of_a_coordinate_makes_no_impact_elastic(method):
    for height in (0.2, 0.206, 0.212):
        model = cd.Model("guided", dimension=2, gravity=(0.0, -9.81))
        body = model.add(cd.RigidBody("body", 1.0, inertia=0.1, position=(0.0, height)))
        model.add(cd.Slider("guide", model.ground, body, axis=(0, 1)))
        model.add(cd.CoordinateSpring("spring", "guide.position", 1e-6))
        model.add(cd.Contact("floor", body, [(0.0, 0.0)], model.ground, FLOOR))
        result = cd.simulate(model, end=0.35, dt=0.01, integrator=METHODS[method])
        assert np.abs(result.velocity("body")[-8:, 1]).max() < 1e-6


@EACH
@pytest.mark.parametrize(("speed", "friction"), [(0.31, 0.9), (0.4, 0.9), (0.31, 0.3)])
def test_friction_that_stops_a_sledge_within_a_step_does_not_drive_it_back(method, speed, friction):
    """Energy–momentum takes friction as the mean over the step: it may end with a velocity of μ g h that the next one stops."""
    model = cd.Model("sledge", dimension=2, gravity=(0.0, -9.81))
    sledge = model.add(cd.RigidBody("sledge", 1.0, inertia=0.1, position=(0.0, 0.1), velocity=(speed, 0.0)))
    feet = [(-0.2, -0.1), (0.2, -0.1)]
    model.add(cd.Contact("snow", sledge, feet, model.ground, FLOOR, friction=friction))
    result = cd.simulate(model, end=0.3, dt=0.01, integrator=METHODS[method])
    v, back = result.velocity("sledge")[:, 0], 0.01 * 9.81 * friction * (method == "energy–momentum")
    assert v.min() > -back - 1e-9
    assert np.sum(v < -1e-9) <= 1 and np.abs(v[-10:]).max() < 1e-9
    assert np.diff(result.position("sledge")[:, 0]).min() > -1e-9


@EACH
def test_a_sledge_that_stops_stays_where_it_is(method):
    model = cd.Model("sledge", dimension=2, gravity=(0.0, -9.81))
    sledge = model.add(cd.RigidBody("sledge", 1.0, inertia=0.1, position=(0.0, 0.1), velocity=(0.5, 0.0)))
    feet = [(-0.2, -0.1), (0.2, -0.1)]
    model.add(cd.Contact("snow", sledge, feet, model.ground, FLOOR, friction=0.3))
    result = cd.simulate(model, end=0.4, dt=0.01, integrator=METHODS[method])
    assert np.abs(result.velocity("sledge")[-15:]).max() < 1e-9
    step = 0.5 * 0.5 * 0.01 if method in FIRST_ORDER else 0.0  # what a method of first order leaves out of the way
    assert result.position("sledge")[-1, 0] == pytest.approx(0.25 / (2 * 0.3 * 9.81) - step, rel=0.02)


@pytest.mark.parametrize("method", [name for name in METHODS if name != "semi-implicit"])
def test_a_flexible_bar_rebounds_at_the_speed_of_its_nodes(method):
    """Nodes rebound with e, the bar as a whole loses what its vibrations keep; there is never more energy than at the start.

    Nor does it grow from step to step, but with methods that do not balance the energy of a vibration in each step: as the
    bottom lifts off, one step carries the acceleration of the last contact force on (with a quarter of the step less than 1e-5
    for Newmark, 2e-4 for generalized-α and HHT). The semi-implicit method is left out: the energy of any vibration swings in
    its steps, also without contact.
    """
    model = cd.Model("bar", dimension=2, gravity=(0.0, -9.81))
    rubber = cd.NeoHookean(1e6, 0.3, 1000.0)
    bar = model.add(cd.Solid.block("bar", (0.1, 0.2), (1, 2), rubber, origin=(0.0, 0.011), velocity=(0.0, -1.0)))
    model.add(cd.Contact("floor", bar, "bottom", model.ground, FLOOR, law=cd.Impact(0.8)))
    result = cd.simulate(model, end=0.06, dt=0.001, integrator=METHODS[method])
    energy = result.energy["total"]
    assert result.contact("floor").impulse.any()
    kinetic = result.energy["kinetic"].max()
    assert energy.max() - energy[0] < 1e-12 * kinetic
    swings = method in ("generalized-α", "Newmark", "HHT")
    assert np.diff(energy).max() < (4e-3 if swings else 1e-12) * kinetic
    assert result.contact("floor").gap.min() > -1e-9


def test_rates_are_held_by_full_matrices_as_by_sparse_ones(monkeypatch):
    """A box that four corners hold twice over, because they stick: nothing moves there any more."""
    model = cd.Model("box", gravity=(0.0, 0.0, -9.81))
    turning = {"velocity": (0.4, 0.1, -1.0), "angular_velocity": (0.3, -0.2, 0.5)}
    box = model.add(cd.RigidBody.box("box", (0.4, 0.4, 0.2), 100.0, position=(0.0, 0.0, 0.1), **turning))
    corners = [(x, y, -0.1) for x in (-0.2, 0.2) for y in (-0.2, 0.2)]
    model.add(cd.Contact("floor", box, corners, model.ground, cd.Plane((0.0, 0.0, 1.0)), friction=0.4))
    sim = cd.Simulation(model, dt=0.005, start="as-given")
    (pair,), state = sim.system.contact.pairs, sim.state
    held = pair.held(np.full(4, STICK, dtype=np.int8), state.x, state.v)
    assert sim.system.plain.unknowns + len(held.rows) <= held_rates.FEW
    found = []
    for few in (held_rates.FEW, 0):
        monkeypatch.setattr(held_rates, "FEW", few)
        v = state.v.copy()
        reactions, forces = RowProblem(sim.system).hold_rates(state.x, v, 0.0, held.rows, held.gradients)
        assert np.abs(np.einsum("kra,kra->k", held.gradients, v[held.rows])).max() < 1e-12
        found.append((v, reactions, forces))
    for full, sparse in zip(*found, strict=True):
        np.testing.assert_allclose(full, sparse, rtol=1e-7, atol=1e-7 * np.abs(sparse).max(initial=1e-3))
    assert np.abs(found[0][0] - state.v).max() > 0.1


@EACH
@pytest.mark.parametrize("steps", ["compiled", "in Python"])
def test_every_method_reports_the_mean_of_two_steps_too_and_says_when_its_forces_act(method, steps, monkeypatch):
    if steps == "in Python":
        monkeypatch.setattr(CompiledMethod, "why_in_python", lambda self, system: "asked for")
    model = cd.Model("sledge", dimension=2, gravity=(0.0, -9.81))
    body = model.add(cd.RigidBody("body", 1.0, inertia=0.1, position=(0.0, 0.1), velocity=(0.5, 0.0)))
    model.add(cd.Contact("floor", body, [(-0.2, -0.1), (0.2, -0.1)], model.ground, FLOOR, friction=0.3))
    model.add(cd.Load("push", body.at(0.0, -0.1), (0.0, -50.0), cd.Ramp(0.0, 0.06)))
    result = cd.simulate(model, end=0.05, dt=0.005, integrator=METHODS[method])
    floor = result.contact("floor")
    assert np.diff(floor.resultant[2:, 1]).min() > 0.1
    assert np.allclose(floor.mean_force[2:], 0.5 * (floor.force[2:] + floor.force[1:-1]))
    behind = 0.0025 if method == "energy–momentum" else 0.0
    assert floor.force_times[1:] == pytest.approx(result.times[1:] - behind)


def test_forces_of_energy_momentum_scatter_about_their_means_which_are_smooth():
    """A particle that swings in a bowl: what the force jumps by from step to step cancels in the mean of two."""
    model = cd.Model("bob", dimension=2, gravity=(0.0, -9.81))
    bob = model.add(cd.PointMass("bob", 1.0, (0.3, -np.sqrt(1.0 - 0.09))))
    model.add(cd.Contact("bowl", bob, "nodes", model.ground, cd.Sphere(1.0, inside=True)))
    result = cd.simulate(model, end=1.0, dt=0.02)
    bowl, y = result.contact("bowl"), -result.position("bob")[:, 1]
    exact = 9.81 * (3.0 * y - 2.0 * np.sqrt(1.0 - 0.09))  # m g (3 cos φ − 2 cos φ₀)
    scatter = bowl.normal_force[3:, 0] - np.interp(bowl.force_times[3:], result.times, exact)
    mean = np.linalg.norm(bowl.mean_force[3:, 0], axis=1) - exact[2:-1]
    assert np.abs(np.diff(scatter)).max() > 10.0 * np.abs(np.diff(mean)).max()
    assert np.abs(mean).max() < 1e-3 * 9.81


def test_index_sets_are_nested_and_tell_what_points_do():
    """A plank that slides on two feet, and then rests; its third point is in the air."""
    model = cd.Model("plank", dimension=2, gravity=(0.0, -9.81))
    start = {"position": (0.0, 0.1), "velocity": (0.3, 0.0)}
    plank = model.add(cd.RigidBody("plank", 1.0, inertia=0.1, **start))
    feet = [(-0.2, -0.1), (0.2, -0.1), (0.0, 0.1)]
    model.add(cd.Contact("floor", plank, feet, model.ground, FLOOR, friction=0.3))
    floor = cd.simulate(model, end=0.2, dt=0.005).contact("floor")
    for frame, closed, staying, sticking in ((2, [0, 1], [0, 1], []), (-1, [0, 1], [0, 1], [0, 1])):
        found = floor.index_sets(frame)
        assert found.every.tolist() == [0, 1, 2]
        assert (found.closed.tolist(), found.staying.tolist(), found.sticking.tolist()) == (closed, staying, sticking)
    parting = cd.simulate(thrown(cd.Impact(0.5), 0.0, (0.0, 1.0)), end=1e-3, dt=1e-3).contact("floor").index_sets(0)
    assert (parting.closed.tolist(), parting.staying.tolist()) == ([0], [])
    with pytest.raises(cd.InputError, match="slow must be a speed"):
        floor.index_sets(slow=-1.0)


@pytest.mark.parametrize("method", [*METHODS.values(), NONSMOOTH], ids=[*METHODS, "nonsmooth"])
def test_equal_boxes_stand_on_each_other(method):
    model = cd.Model("boxes", dimension=2, gravity=(0.0, -9.81))
    low = model.add(cd.RigidBody.box("low", (0.4, 0.4), 100.0, position=(0.0, 0.2)))
    high = model.add(cd.RigidBody.box("high", (0.4, 0.4), 100.0, position=(0.0, 0.6)))
    corners = [(-0.2, -0.2), (0.2, -0.2), (0.2, 0.2), (-0.2, 0.2)]
    model.add(cd.Contact("floor", low, corners, model.ground, FLOOR, friction=0.5))
    model.add(cd.Contact("stack", high, corners, low, cd.Box((0.4, 0.4)), friction=0.5))
    result = cd.simulate(model, end=0.3, dt=0.01, integrator=method)
    assert np.abs(result.position("high") - (0.0, 0.6)).max() < 1e-9


@EACH
def test_a_block_on_a_penalty_settles(method):
    model = cd.Model("block", dimension=2, gravity=(0.0, -9.81))
    block = model.add(cd.RigidBody.box("block", (0.4, 0.4), 100.0, position=(0.0, 0.21)))
    feet = [(-0.2, -0.2), (0.2, -0.2)]
    model.add(cd.Contact("floor", block, feet, model.ground, FLOOR, law="penalty", stiffness=1e5))
    result = cd.simulate(model, end=1.2, dt=0.002, integrator=METHODS[method])
    assert np.abs(result.velocity("block")[-20:]).max() < 1e-3
    tolerance = 1e-3 if method in FALL else 1e-6  # these press with the force at the end of the step
    assert np.diff(result.energy["total"]).max() < tolerance * result.energy["total"][0]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: cd.Impact(1.2), "between 0"),
        (lambda: cd.Impact(-0.1), "between 0"),
        (lambda: cd.Impact(0.5, "huygens"), "choose one of newton, poisson, stronge"),
        (lambda: cd.Coulomb(-0.1), "mu must be at least 0"),
        (lambda: cd.Bristle(-0.1, 3e4), "Bristle: mu must be at least 0, not -0.1"),
        (lambda: cd.Stronge(-0.1, poisson=0.3), "Stronge: mu must be at least 0, not -0.1"),
        (lambda: cd.Regularised(-0.1, 0.05), "Regularised: mu must be at least 0, not -0.1"),
        (lambda: cd.LuGre(-0.1, 0.6, 0.1, 1e3, 3.0, 0.01), "LuGre: mu must be above 0, not -0.1"),
        (lambda: cd.Coulomb(NAN), "Coulomb: mu must be finite, not nan"),
        (lambda: cd.Bristle(NAN, 3e4), "Bristle: mu must be finite, not nan"),
        (lambda: cd.Stronge(NAN, poisson=0.3), "Stronge: mu must be finite, not nan"),
        (lambda: cd.Regularised(NAN, 0.05), "Regularised: mu must be finite, not nan"),
        (lambda: cd.LuGre(0.4, NAN, 0.1, 1e3, 3.0, 0.01), "LuGre: static must be finite, not nan"),
        (lambda: cd.Impact(NAN), "restitution must be finite, not nan"),
        (lambda: cd.Flores(1e5, e=NAN), "Flores: e must be finite, not nan"),
        (lambda: cd.Hertz(NAN), "Hertz: stiffness must be finite, not nan"),
        (lambda: cd.HertzHysteresis(1e5, dent=NAN), "dent must be finite, not nan"),
        (lambda: cd.NonlinearDashpot(1e5, NAN), "damping must be finite, not nan"),
        (lambda: cd.ContactTable((0, 1, 2), (0, NAN, 2)), r"loading must be finite \(entry 1 is nan\)"),
        (lambda: cd.Coulomb(0.3, static=0.2, speed=0.1), "at least mu"),
        (lambda: cd.ContactTable((0, 2, 1), (0, 1, 2)), "grow from entry to entry, as they do not at entry 2"),
        (lambda: cd.ContactTable((0, 1, 1), (0, 1, 2)), "grow from entry to entry, as they do not at entry 2"),
        (lambda: cd.ContactTable((0.5, 1, 2), (0, 1, 2)), "depths must begin with 0, not 0.5"),
        (lambda: cd.ContactTable((0, 1, 2), (0.1, 1, 2)), "loading must begin with 0, not 0.1"),
        (lambda: cd.ContactTable((0, 1, 2), (0, 0, 0)), "loading must press somewhere"),
        (lambda: cd.ContactTable((0, 1, 2), (0, 2, 1)), "not fall with the depth"),
        (lambda: cd.ContactTable((0, 1, 2), (0, 1, 2), (0, 1.5, 2)), "nowhere above loading"),
        (lambda: cd.Flores(1e5, e=0.0), "infinite damping"),
        (lambda: cd.HuntCrossley(1e5, e=1.5), "at least 0 and at most 1"),
        (lambda: cd.SpringDashpot(1e5, damping=1.0, ratio=0.1), "not both"),
    ],
)
def test_bad_laws_are_refused_with_the_fix(make, words):
    with pytest.raises(cd.InputError, match=words):
        make()


@pytest.mark.parametrize(
    ("method", "words"),
    [
        (cd.methods.Baumgarte(), "use Compliant or Nonsmooth"),
        (cd.methods.AugmentedLagrangian(), "use Compliant or Nonsmooth"),
        (cd.methods.VariationalPenalty(), "use Compliant, EnergyMomentum"),
        (cd.methods.AsynchronousVariational(), "use Compliant or EnergyMomentum"),
        (cd.ComposedEnergyMomentum(), r"take EnergyMomentum\(\)"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_methods_without_contact_name_some_that_have_it(method, words):
    with pytest.raises(cd.InputError, match=words):
        cd.simulate(thrown(cd.Impact(0.5), 0.1), end=0.1, dt=0.01, integrator=method)


def test_laws_that_a_method_cannot_carry_are_named_with_those_that_can():
    with pytest.raises(cd.InputError, match="law is Impact; give it a soft law"):
        cd.simulate(thrown(cd.Impact(0.5), 0.1), end=0.1, dt=0.01, integrator=cd.RungeKutta())
    model = thrown(cd.SpringDashpot(1e4), 0.1, friction=cd.Regularised(0.3, 0.01))
    with pytest.raises(cd.InputError, match="use Coulomb, Bristle or Stronge"):
        cd.simulate(model, end=0.1, dt=0.01, integrator=cd.RungeKutta())
