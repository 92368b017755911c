"""Every joint type: free motion and reaction forces against Newton–Euler equations in minimal coordinates."""

from functools import cache

import numpy as np
import pytest

import condyle as cd
from condyle.joints.joint import triad
from jointed import AXIS, CASES, OTHER, SECOND, Pair, held

END = 0.15
STEPS = (30, 60)
METHODS = {"energy–momentum": cd.EnergyMomentum(), "generalized-α": cd.GeneralizedAlpha(spectral_radius=1.0)}


@cache
def solved(name):
    """The pair of a case with its reference, integrated once for both methods."""
    pair = Pair(name)
    pair.mechanism.solve(END)
    return pair


def limit(values):
    """The limit of two runs with h and h/2 for a method of second order."""
    return (4.0 * values[1] - values[0]) / 3.0


def force_on_b(result, name):
    """Joint force on b; a coupling of the slide pushes along it too, with −λ ∂c/∂x_b."""
    force = result.joint_force("joint")
    if name == "Coupling":
        middle = result.multiplier_times
        axis = np.array([m.rotation @ AXIS for m in (solved(name).mechanism.at(t)[0] for t in middle)])
        force = force - 2.0 * result.multipliers("rack")["coupling"][:, None] * axis
    return force


@pytest.mark.covering
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", CASES)
def test_free_motion_and_reactions_are_those_of_minimal_coordinates(name, method):
    pair = solved(name)
    d = pair.model.dimension
    runs = [cd.simulate(pair.model, end=END, dt=END / n, integrator=METHODS[method]) for n in STEPS]

    # The start is not changed: joint and minimal coordinates describe the same velocities.
    first = pair.mechanism.at(0.0)
    for k, body in enumerate("ab"):
        assert np.allclose(runs[0].velocity(body)[0], first[k].velocity[:d], atol=1e-3)

    last = pair.mechanism.at(END)
    for k, body in enumerate("ab"):
        ends = [r.position(body)[-1] for r in runs]
        turns = [r.rotation_matrix(body)[-1] for r in runs]
        assert np.abs(limit(ends) - last[k].place[:d]).max() < 1e-6
        assert np.abs(limit(turns) - (last[k].rotation @ pair.turned[k])[:d, :d]).max() < 2e-6
        assert np.abs(ends[1] - last[k].place[:d]).max() < 1e-4

    errors = {"joint": [], "root": []}
    for result, every in zip(runs, (12, 24), strict=True):
        some = slice(every // 2, None, every)
        times = result.multiplier_times[some]
        on_b = pair.mechanism.force_on(1, times)[:, :d]
        on_a = pair.mechanism.force_on(0, times)[:, :d]
        errors["joint"].append(np.abs(force_on_b(result, name)[some] - on_b).max())
        errors["root"].append(np.abs(result.joint_force("root")[some] - on_a - on_b).max())
    weight = sum(pair.mechanism.masses) * 9.81
    for error in errors.values():
        assert error[1] < 3e-4 * weight
        assert error[1] < 0.45 * error[0] or error[0] < 1e-5 * weight  # of second order, not just small

    for result in runs:
        assert result.constraint_error.max() < 1e-10
    drift = [np.ptp(r.energy["total"]) / r.energy["kinetic"].max() for r in runs]
    if method == "energy–momentum":
        assert max(drift) < 1e-10
    else:
        assert drift[1] < 1e-4 and drift[1] < 0.3 * drift[0]


def test_the_multiplier_of_a_held_rotation_is_its_moment():
    pair = solved("Rotation")
    result = cd.simulate(pair.model, end=END, dt=END / STEPS[1])
    some = slice(3, None, 15)
    times = result.multiplier_times[some]
    value = result.multipliers("joint")["rotation"][some]
    about = np.zeros(3)  # a pure moment is the same about every point
    wanted = pair.mechanism.moment_on(1, times, about)
    bodies = [pair.mechanism.at(t) for t in times]
    found = [s * np.cross(a.rotation @ AXIS, b.rotation @ OTHER) for s, (a, b) in zip(value, bodies, strict=True)]
    assert np.abs(wanted).max() > 0.05
    assert np.abs(np.array(found) - wanted).max() < 1e-3 * np.abs(wanted).max()


def test_the_multipliers_of_a_hinge_are_the_moments_across_its_axis():
    pair = solved("Revolute")
    result = cd.simulate(pair.model, end=END, dt=END / STEPS[1], integrator=METHODS["generalized-α"])
    some = slice(3, None, 15)
    values = result.multipliers("joint")
    v1, v2, v3 = triad(AXIS)
    for time, one, two in zip(
        result.multiplier_times[some], values["axis 1"][some], values["axis 2"][some], strict=True
    ):
        a, b = pair.mechanism.at(time)
        wanted = pair.mechanism.moment_on(1, [time], pair.place - pair.centres[1])[0]
        found = np.cross(a.rotation @ (one * v1 + two * v2), b.rotation @ v3)
        assert abs(wanted @ (a.rotation @ v3)) < 1e-8  # free about the axis
        assert np.abs(found - wanted).max() < 1e-3 * np.abs(wanted).max()


def swapped(kind, **options):
    return lambda m, a, b, at: m.add(getattr(cd, kind)("joint", b, a, at=at, **options))


SWAPS = {
    "Spherical": ({}, {}),
    "Revolute": (dict(axis=AXIS), dict(axis=AXIS)),
    "Fixed": ({}, {}),
    "Cylindrical": (dict(axis=AXIS), dict(axis=AXIS)),
    "Prismatic": (dict(axis=AXIS), dict(axis=AXIS)),
    "Screw": (dict(axis=AXIS, pitch=0.8), dict(axis=AXIS, pitch=0.8)),
    "Planar": (dict(axis=AXIS), dict(axis=AXIS)),
    "Universal": (dict(axis=AXIS, second_axis=SECOND), dict(axis=SECOND, second_axis=AXIS)),
    "Rotation": (dict(direction_a=AXIS, direction_b=OTHER), dict(direction_a=OTHER, direction_b=AXIS)),
}


@pytest.mark.parametrize("kind", SWAPS)
def test_swapping_the_bodies_of_a_joint_changes_nothing_but_the_sign_of_its_force(kind):
    given, turned = SWAPS[kind]
    one = cd.simulate(Pair(kind, add=held(kind, **given)).model, end=END, dt=0.005)
    two = cd.simulate(Pair(kind, add=swapped(kind, **turned)).model, end=END, dt=0.005)
    # Where a carried the direction of a held translation, b carries it now: another force at mid-step, by terms in h².
    for body in "ab":
        assert np.abs(one.position(body) - two.position(body)).max() < 1e-7
        assert np.abs(one.directors(body) - two.directors(body)).max() < 1e-7
    size = max(np.abs(one.joint_force("joint")).max(), 1.0)
    assert np.abs(one.joint_force("joint") + two.joint_force("joint")).max() < 1e-3 * size


def test_the_triad_of_an_axis_is_what_the_page_says():
    """v1 is the world axis most square to the axis, without its part along it; v2 = v3 × v1."""
    assert triad((0, 0, 2)) == pytest.approx(np.eye(3))
    for axis in np.random.default_rng(4).normal(size=(20, 3)):
        v1, v2, v3 = triad(axis)
        e = np.eye(3)[np.argmin(np.abs(axis))]
        assert v3 == pytest.approx(axis / np.linalg.norm(axis)) and v2 == pytest.approx(np.cross(v3, v1))
        assert v1 @ e > 0.5 and v1 == pytest.approx((e - e @ v3 * v3) / np.linalg.norm(e - e @ v3 * v3))
