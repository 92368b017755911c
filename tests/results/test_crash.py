"""Filters, criteria of injury, blows and ratings against closed forms and the rules of their standards."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

import condyle as cd
from condyle.results import crash
from condyle.results.crash.rating import weighted

G = 9.80665


# --- channel filters ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("channel_class", [60, 180, 600, 1000])
def test_the_amplitude_of_a_filtered_sine_is_within_the_corridor_of_the_standard(channel_class: int):
    """±0.5 dB low down, +0.5 to −1 dB at CFC, +0.5 to −4 dB (here −3) at CFC/0.6, and 24 dB an octave far above."""
    rate = 100.0 * channel_class
    t = np.arange(0.0, 80.0 / channel_class, 1.0 / rate)

    def decibels(frequency: float) -> float:
        wave = np.sin(2.0 * np.pi * frequency * t)
        filtered = crash.cfc_filter(t, wave, channel_class)
        middle = slice(t.size // 4, 3 * t.size // 4)
        return float(20.0 * np.log10(np.abs(filtered[middle]).max() / np.abs(wave[middle]).max()))

    assert decibels(0.1 * channel_class) == pytest.approx(0.0, abs=0.5)
    assert -1.0 < decibels(channel_class) < 0.5
    assert decibels(channel_class / 0.6) == pytest.approx(-3.01, abs=0.05)
    assert decibels(4.0 * channel_class) - decibels(8.0 * channel_class) == pytest.approx(24.0, abs=1.5)


def test_the_coefficients_are_those_of_the_published_algorithm():
    """CFC 180 at 10 kHz: ω_d = 2π 180 · 2.0775, ω_a = tan(ω_d T/2)."""
    b, a = crash.cfc_coefficients(180, 1e-4)
    w = np.tan(2 * np.pi * 180 * 2.0775 * 1e-4 / 2)
    n = 1 + np.sqrt(2) * w + w**2
    assert b == pytest.approx([w**2 / n, 2 * w**2 / n, w**2 / n])
    assert -a[1:] == pytest.approx([-2 * (w**2 - 1) / n, (-1 + np.sqrt(2) * w - w**2) / n])
    assert b.sum() / a.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("channel_class", [60, 180, 600, 1000])
def test_the_response_is_butterworths_and_stays_in_the_corridor(channel_class: int):
    """Both ways: 1/(1 + (tan(π f h)/ω_a)⁴). Within ±0.5 dB to a tenth, +0.5 to −1 dB to CFC; from CFC/0.6 on falling by 9 dB an
    octave at least, and no more than 24."""
    from scipy.signal import freqz

    step = 1.0 / (100.0 * channel_class)
    b, a = crash.cfc_coefficients(channel_class, step)
    f = channel_class * np.geomspace(0.01, 12.0, 200)
    decibels = 20.0 * np.log10(np.abs(freqz(b, a, f, fs=1.0 / step)[1]) ** 2)
    closed = -20.0 * np.log10(1.0 + (np.tan(np.pi * f * step) / np.tan(np.pi * 2.0775 * channel_class * step)) ** 4)
    assert decibels == pytest.approx(closed, abs=1e-9)
    assert np.abs(decibels[f <= 0.1 * channel_class]).max() < 0.5
    assert decibels[f <= channel_class].min() > -1.0 and decibels.max() < 0.5
    octaves = np.log2(f / (channel_class / 0.6))
    beyond = octaves >= 0.0
    assert (decibels[beyond] <= 0.5 - 9.0 * octaves[beyond]).all()
    assert (decibels[beyond] >= -4.0 - 24.0 * octaves[beyond] * 1.02).all()


@pytest.mark.parametrize(
    ("channel_class", "corner", "stop"),
    [(60, 100.0, 30.0), (180, 300.0, 30.0), (600, 1000.0, 40.0), (1000, 1650.0, 40.0)],
)
def test_each_class_has_the_corner_and_the_attenuation_of_the_published_table(channel_class, corner, stop):
    """weisang-2021: −3 dB at 100, 300, 1000 and 1650 Hz, and 30, 30, 40 and 40 dB less far above.

    The last corner is a rounded one: CFC/0.6 is 1667 Hz.
    """
    from scipy.signal import freqz

    step = 1.0 / (100.0 * channel_class)
    b, a = crash.cfc_coefficients(channel_class, step)

    def decibels(frequency: float) -> float:
        return float(40.0 * np.log10(np.abs(freqz(b, a, [frequency], fs=1.0 / step)[1][0])))

    assert decibels(corner) == pytest.approx(-3.0, abs=0.1)
    assert decibels(4.0 * corner) < -stop


def test_a_class_60_filter_takes_half_of_the_power_of_a_wave_of_100_hz():
    """The example of altair-2021: 100 Hz, 10,000 samples a second, class 60, both ways, continued by mirror images."""
    t = np.arange(0.0, 0.02 + 5e-5, 1e-4)
    filtered = crash.cfc_filter(t, np.sin(2 * np.pi * 100 * t), 60)
    assert np.abs(filtered).max() == pytest.approx(np.sqrt(0.5), abs=0.01)
    assert t[filtered.argmax()] == pytest.approx(0.0025, abs=1e-4) or t[filtered.argmax()] == pytest.approx(
        0.0125, abs=1e-4
    )
    assert np.abs(filtered[[0, -1]]).max() < 1e-3


def test_a_filter_shifts_nothing_and_keeps_what_is_constant_or_straight():
    t = np.arange(0.0, 0.2, 1e-4)
    pulse = np.exp(-(((t - 0.1) / 0.01) ** 2))
    smooth = crash.cfc_filter(t, pulse, 180)
    assert smooth[1:][::-1] == pytest.approx(smooth[1:], abs=1e-6)  # the pulse is even about 0.1 s
    assert t[smooth.argmax()] == pytest.approx(0.1)
    assert crash.cfc_filter(t, np.stack((3.0 + 0 * t, 2.0 * t), axis=1), 60) == pytest.approx(
        np.stack((3.0 + 0 * t, 2.0 * t), axis=1), abs=1e-6
    )


def test_a_filter_refuses_what_it_cannot_do():
    t = np.arange(0.0, 0.1, 1e-3)
    with pytest.raises(cd.InputError, match="60, 180, 600, 1000"):
        crash.cfc_filter(t, t, 100)
    with pytest.raises(cd.InputError, match="needs more than 2493 samples"):
        crash.cfc_filter(t, t, 600)
    with pytest.raises(cd.InputError, match="evenly spaced"):
        crash.cfc_filter(t**2, t, 60)
    with pytest.warns(cd.InputWarning, match="fewer than ten times CFC 180"):
        crash.cfc_filter(t, t, 180)


# --- head -----------------------------------------------------------------------------------------------------------------


def test_hic_of_a_rectangle_is_its_height_to_the_power_of_two_and_a_half_times_its_length():
    t = np.array([0.0, 0.02, 0.02 + 1e-9, 0.03, 0.03 + 1e-9, 0.1])
    a = G * np.array([0.0, 0.0, 80.0, 80.0, 0.0, 0.0])
    found = crash.hic(t, a)
    assert found.value == pytest.approx(80.0**2.5 * 0.01, rel=1e-5)
    assert (found.start, found.end) == pytest.approx((0.02, 0.03), abs=1e-8)
    long = crash.hic([0.0, 0.1], [50.0 * G, 50.0 * G])
    assert long.value == pytest.approx(50.0**2.5 * 0.015)
    assert crash.hic([0.0, 0.1], [50.0 * G, 50.0 * G], 0.036).value == pytest.approx(50.0**2.5 * 0.036)


def test_hic_of_a_half_sine():
    """The best interval lasts 2 x T/π about the peak, with tan x = 5 x / 3; HIC = 0.4146 A^2.5 T."""
    x = brentq(lambda x: np.sin(x) - 5.0 / 3.0 * x * np.cos(x), 0.5, 1.5)
    T, A = 0.012, 150.0
    wanted = (2 * x / np.pi) ** -1.5 * (2.0 / np.pi * np.sin(x)) ** 2.5 * A**2.5 * T
    assert wanted == pytest.approx(0.4146 * A**2.5 * T, rel=1e-3)
    t = np.linspace(0.0, T, 4001)
    found = crash.hic(t, A * G * np.sin(np.pi * t / T))
    assert found.value == pytest.approx(wanted, rel=1e-6)
    assert found.end - found.start == pytest.approx(2 * x / np.pi * T, rel=1e-3)
    components = np.outer(A * G * np.sin(np.pi * t / T), (0.6, 0.0, -0.8))
    assert crash.hic(t, components).value == pytest.approx(found.value)
    with pytest.raises(cd.InputError, match="never negative"):
        crash.hic(t, -t)


def test_hic_of_the_published_examples():
    """altair-2021: half a sine of 50 ms and 1 g with windows of 30 and 36 ms. HIC(d) = 0.75446 HIC + 166.4."""
    t = np.arange(0.0, 0.05 + 5e-5, 1e-4)
    a = G * np.sin(20 * np.pi * t)
    found = crash.hic(t, a, 0.03)
    assert found == pytest.approx((0.02048, 0.01000, 0.04000), abs=5e-6)
    wide = crash.hic(t, a, 0.036)
    assert 0.75446 * wide.value + 166.4 == pytest.approx(166.41564, abs=5e-6)
    assert wide[1:] == pytest.approx((0.00820, 0.04180), abs=5e-6)


@pytest.mark.parametrize(("shape", "factor"), [("half sine", 0.4146), ("triangle", 0.2464), ("square", 1.0)])
@pytest.mark.parametrize("window", [0.015, 0.036])
def test_hic_of_simple_pulses_is_the_published_one(shape: str, factor: float, window: float):
    """chou-1974: HIC = factor A^2.5 T where the window does not bind; both ends of the best interval have equal values,
    and the mean between them is 5/3 of these."""
    T, A = 0.012, 120.0
    t = np.linspace(0.0, T, 6001)
    a = A * {"half sine": np.sin(np.pi * t / T), "triangle": 1 - np.abs(2 * t / T - 1), "square": 1 + 0 * t}[shape]
    found = crash.hic(t, G * a, window)
    assert found.value == pytest.approx(factor * A**2.5 * T, rel=3e-4)
    if shape != "square":
        ends = np.interp((found.start, found.end), t, a)
        assert ends[0] == pytest.approx(ends[1], rel=1e-3)
        inside = (t >= found.start) & (t <= found.end)
        assert a[inside].mean() == pytest.approx(5.0 / 3.0 * ends.mean(), rel=2e-3)


def test_3_ms_of_the_published_example():
    """altair-2021: half a sine of 10 ms and height 1 is above 0.89101 from 3.5 to 6.5 ms."""
    t = np.arange(0.0, 0.01 + 5e-5, 1e-4)
    assert crash.clip_3ms(t, np.sin(100 * np.pi * t)) == pytest.approx(0.89101, abs=5e-6)
    assert crash.clip_3ms(t, np.sin(100 * np.pi * t), contiguous=True) == pytest.approx(0.89101, abs=5e-6)


def test_3_ms_of_a_triangle_and_of_two_peaks():
    t = np.array([0.0, 0.01, 0.02])
    a = np.array([0.0, 100.0, 0.0])
    assert crash.clip_3ms(t, a) == pytest.approx(100.0 * (1 - 0.003 / 0.02))
    two_t = np.array([0.0, 0.01, 0.02, 0.03, 0.04])
    two = np.array([0.0, 100.0, 0.0, 100.0, 0.0])
    assert crash.clip_3ms(two_t, two) == pytest.approx(100.0 * (1 - 0.0015 / 0.02))
    assert crash.clip_3ms(two_t, two, contiguous=True) == pytest.approx(85.0)
    assert crash.clip_3ms([0.0, 0.002], [5.0, 5.0]) == 0.0
    assert crash.clip_3ms([0.0, 0.01], [5.0, 5.0], contiguous=True) == pytest.approx(5.0)


# --- blows ----------------------------------------------------------------------------------------------------------------


def test_impacts_of_a_spring_and_of_a_spring_with_a_damper():
    """Half a period of m x″ + b x′ + k x = 0 from a speed v: impulse and energy are those of the momentum and energy lost."""
    m, k, v = 2.0, 1e5, 3.0
    w = np.sqrt(k / m)
    t = np.linspace(0.0, np.pi / w, 2001)
    later = np.concatenate((t, t[-1] + 0.1 + t))
    depth = np.tile(v / w * np.sin(w * t), 2)
    force = np.maximum(k * depth, 0.0)
    force[[2000, -1]] = 0.0
    first, second = crash.impacts(later, force, depth)
    for blow in (first, second):
        assert blow.impulse == pytest.approx(2 * m * v, rel=1e-5)
        assert blow.peak == pytest.approx(v * np.sqrt(k * m), rel=1e-6)
        assert blow.duration == pytest.approx(np.pi / w, rel=1e-3)
        assert blow.depth == pytest.approx(v / w, rel=1e-6)
        assert blow.dissipated == pytest.approx(0.0, abs=1e-6)
    assert second.start > first.end
    D = 0.1
    s, wd = D * w, w * np.sqrt(1 - D * D)
    t = np.linspace(0.0, 0.98 * (np.pi - 2 * np.arcsin(D)) / wd, 4001)
    x = v / wd * np.exp(-s * t) * np.sin(wd * t)
    rate = v * np.exp(-s * t) * (np.cos(wd * t) - s / wd * np.sin(wd * t))
    (blow,) = crash.impacts(t, k * x + 2 * D * m * w * rate, x)
    assert blow.impulse == pytest.approx(m * (v - rate[-1]), rel=1e-5)
    assert blow.dissipated == pytest.approx(0.5 * m * (v**2 - rate[-1] ** 2), rel=1e-5)


def test_the_blow_of_a_ball_on_a_hertz_floor_is_the_published_one():
    """spicka-2013, (2.22): F = k δ^1.5. Depth (5 m v²/4 k)^0.4; it lasts 2.943 δ/v, reverses the momentum, loses nothing."""
    m, k, v = 1.0, 1e8, 4.202
    model = cd.Model("ball", dimension=2)
    ball = model.add(cd.PointMass("ball", m, (0.0, 1e-5), (0.0, -v)))
    model.add(cd.Contact("floor", ball, "nodes", model.ground, cd.Plane((0, 1)), law=cd.Hertz(k)))
    (blow,) = crash.contact_impacts(cd.simulate(model, end=1.7e-3, dt=1e-6), "floor")
    depth = (1.25 * m * v**2 / k) ** 0.4
    assert blow.depth == pytest.approx(depth, rel=1e-3)
    assert blow.peak == pytest.approx(k * depth**1.5, rel=1e-3)
    assert blow.duration == pytest.approx(2.943 * depth / v, rel=5e-3)
    assert blow.impulse == pytest.approx(2 * m * v, rel=1e-3)
    assert blow.dissipated == pytest.approx(0.0, abs=1e-3 * 0.5 * m * v**2)


@pytest.mark.parametrize(
    "law", [cd.SpringDashpot(1e8, damping=2e3), cd.HuntCrossley(1e8, e=0.7)], ids=["linear", "Hertz"]
)
@pytest.mark.parametrize(
    ("method", "tolerance"),
    [
        (cd.EnergyMomentum(), 1e-9),
        (cd.GeneralizedAlpha(), 0.02),
        (cd.Newmark(), 0.02),
        (cd.HHT(), 0.02),
        (cd.BDF(), 0.02),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_a_law_dissipates_is_what_the_body_loses(law, method, tolerance):
    """Forces of energy–momentum are means over steps: times the way they are the work of each step, without a remainder."""
    model = cd.Model("ball", dimension=2)
    ball = model.add(cd.PointMass("ball", 1.0, (0.0, 1e-5), (0.0, -4.0)))
    model.add(cd.Contact("floor", ball, "nodes", model.ground, cd.Plane((0, 1)), law=law))
    result = cd.simulate(model, end=2.5e-3, dt=2e-6 if isinstance(law, cd.SpringDashpot) else 2e-5, integrator=method)
    (blow,) = crash.contact_impacts(result, "floor")
    kinetic = result.energy["kinetic"]
    assert kinetic[-1] < 0.9 * kinetic[0]
    assert blow.dissipated == pytest.approx(kinetic[0] - kinetic[-1], rel=tolerance)
    assert blow.impulse == pytest.approx(result.velocity("ball")[-1, 1] + 4.0, rel=max(tolerance, 1e-6))


@pytest.mark.parametrize("friction", [0.0, 0.3])
@pytest.mark.parametrize("law", [cd.Impact(0.5), cd.Impact(1.0), cd.Hard()], ids=["half", "elastic", "hard"])
@pytest.mark.parametrize(
    "method",
    [cd.EnergyMomentum(), cd.GeneralizedAlpha(), cd.Newmark(), cd.HHT(), cd.BDF(), cd.Compliant(), cd.Nonsmooth()],
    ids=lambda value: type(value).__name__,
)
def test_an_impact_in_no_time_is_a_blow_with_the_impulse_and_the_energy_that_restitution_says(method, law, friction):
    """p = m v (1 + e), ½ m v² (1 − e²): with each method, wherever in its step it is; friction takes its energy besides."""
    for height in (0.0121, 0.0133):
        model = cd.Model("blow", dimension=2)
        ball = model.add(cd.PointMass("ball", 2.0, (0.0, height), (3.0, -2.0)))
        floor = (model.ground, cd.Plane((0, 1)))
        model.add(cd.Contact("floor", ball, "nodes", *floor, law=law, friction=friction))
        result = cd.simulate(model, end=0.02, dt=1e-3, integrator=method)
        (blow,) = crash.contact_impacts(result, "floor")
        e = law.restitution
        assert blow.impulse == pytest.approx(2.0 * 2.0 * (1.0 + e), rel=1e-9)
        assert blow.dissipated == pytest.approx(0.5 * 2.0 * 4.0 * (1.0 - e * e), abs=1e-9)
        assert blow.start < height / 2.0 < blow.end and blow.duration < 4e-3
        assert max(crash.plot_contact(result, "floor").axes[0].get_lines()[0].get_ydata()) == pytest.approx(blow.peak)


def test_impacts_in_steps_that_were_not_kept_are_missing_and_that_is_said():
    model = cd.Model("blow", dimension=2)
    ball = model.add(cd.PointMass("ball", 2.0, (0.0, 0.0133), (0.0, -2.0)))
    model.add(cd.Contact("floor", ball, "nodes", model.ground, cd.Plane((0, 1)), law=cd.Impact(0.5)))
    result = cd.simulate(model, end=0.02, dt=1e-3, every=7)
    with pytest.warns(cd.InputWarning, match="contact 'floor': impacts in steps that were not kept .* every=1"):
        crash.contact_impacts(result, "floor")


def pressed_pad(law) -> cd.Model:
    """A plate of 50 J that falls on a pad without inertia."""
    model = cd.Model("press", dimension=2)
    rubber = cd.NeoHookean(1e6, 0.3, 1000.0)
    block = model.add(cd.Solid.block("block", (1.0, 0.5), (4, 2), rubber, quasi_static=True))
    model.add(cd.Tie("base", block, "bottom", model.ground))
    plate = model.add(cd.RigidBody("plate", 100.0, inertia=1.0, position=(0.5, 0.505), velocity=(0.0, -1.0)))
    model.add(cd.Slider("guide", model.ground, plate, axis=(0, 1)))
    model.add(cd.Contact("top", block, "top", plate, cd.Plane((0.0, -1.0)), law=law))
    return model


def test_forces_on_quasi_static_bodies_act_as_means_of_energy_momentum_steps():
    """They are those of the end of a step, and do the work F Δx of it on both bodies: what is left is what the law takes."""
    result = cd.simulate(pressed_pad(cd.SpringDashpot(1e6, damping=3e3)), end=0.1, dt=1e-3)
    top, kinetic = result.contact("top"), result.energy["kinetic"]
    into_plate = -np.sum(top.resultant[1:, 1] * np.diff(result.position("plate")[:, 1]))
    into_block = np.sum(top.force[1:] * np.diff(top.places, axis=0))
    assert into_plate == pytest.approx(kinetic[-1] - kinetic[0], rel=1e-3)
    (blow,) = crash.contact_impacts(result, "top")
    assert blow.dissipated == pytest.approx(-into_plate - into_block, rel=1e-9)
    assert blow.dissipated == pytest.approx(13.12, rel=2e-3)  # of 50 J, what small steps find with every method
    assert np.array_equal(top.force_times, result.times)


@pytest.mark.parametrize(
    ("method", "dt", "lost", "taken"),
    [
        (cd.EnergyMomentum(), 1e-3, 0.21, 0.011),
        (cd.EnergyMomentum(), 5e-4, 0.11, 0.006),
        (cd.GeneralizedAlpha(), 1e-3, 0.0, 0.0),
    ],
    ids=["momentum", "momentum, half", "alpha"],
)
def test_what_energy_momentum_takes_out_at_a_quasi_static_pad_is_no_work_of_its_contact(method, dt, lost, taken):
    """An elastic blow: lost by the pad, whose balance is that of the end of a step; 1 % at most by the law."""
    result = cd.simulate(pressed_pad(cd.SpringDashpot(1e7, damping=0.0)), end=0.1, dt=dt, integrator=method)
    kinetic = result.energy["kinetic"]
    assert (kinetic[0] - kinetic[-1]) / 50.0 == pytest.approx(lost, abs=2e-3)
    (blow,) = crash.contact_impacts(result, "top")
    assert blow.dissipated / 50.0 == pytest.approx(taken, abs=6e-4)


def test_the_blow_of_a_contact_in_a_run():
    """A box on a penalty floor: half a period of a spring, whose impulse reverses the momentum."""
    model = cd.Model("drop", dimension=2)
    box = model.add(cd.RigidBody.box("box", (0.2, 0.2), density=100.0, position=(0.0, 0.12), velocity=(0.0, -2.0)))
    model.add(
        cd.Contact(
            "floor",
            box,
            [(-0.1, -0.1), (0.1, -0.1)],
            model.ground,
            cd.Plane((0, 1)),
            law=cd.SpringDashpot(1e5, damping=0.0),
        )
    )
    result = cd.simulate(model, end=0.05, dt=1e-4)
    (blow,) = crash.contact_impacts(result, "floor")
    m, k = 4.0, 2e5
    assert blow.impulse == pytest.approx(2 * m * 2.0, rel=2e-2)
    assert blow.peak == pytest.approx(2.0 * np.sqrt(k * m), rel=2e-2)
    assert blow.duration == pytest.approx(np.pi * np.sqrt(m / k), rel=3e-2)
    assert blow.depth == pytest.approx(2.0 * np.sqrt(m / k), rel=2e-2)
    assert blow.dissipated == pytest.approx(0.0, abs=0.05 * 0.5 * m * 4.0)


def test_depth_is_compared_with_what_is_allowed():
    """That of the law, where it is a layer, or a given one; and drawn in."""
    model = cd.Model("drop", dimension=2)
    ball = model.add(cd.PointMass("ball", 1.0, (0.0, 1e-4), (0.0, -1.0)))
    model.add(
        cd.Contact("floor", ball, "nodes", model.ground, cd.Plane((0, 1)), law=cd.SpringDashpot(1e5, damping=0.0))
    )
    result = cd.simulate(model, end=0.012, dt=1e-4)
    (blow,) = crash.contact_impacts(result, "floor", allowed=0.01)
    assert blow.used == pytest.approx(np.sqrt(1.0 / 1e5) / 0.01, rel=1e-3)
    assert crash.contact_impacts(result, "floor")[0].used is None
    figure = crash.plot_contact(result, "floor", allowed=0.01)
    top, bottom = figure.axes
    assert [line.get_label() for line in bottom.get_lines()] == ["deepest point", "allowed"]
    assert bottom.get_lines()[1].get_ydata()[0] == pytest.approx(10.0)
    assert "N s" in top.get_lines()[1].get_label()
    with pytest.raises(cd.InputError, match="allowed must be a positive depth"):
        crash.contact_impacts(result, "floor", allowed=-1.0)


# --- rating ---------------------------------------------------------------------------------------------------------------

T = np.arange(0.0, 0.1, 1e-4)
PULSE = np.sin(np.pi * T / 0.1) ** 2


def test_a_curve_rated_against_itself_is_perfect():
    rating = crash.iso_18571(T, PULSE, PULSE)
    assert (rating.overall, rating.corridor, rating.phase, rating.magnitude, rating.slope) == (1.0, 1.0, 1.0, 1.0, 1.0)
    assert rating.grade == "excellent" and rating.shift == 0.0


def test_a_constant_distance_is_rated_by_the_square_of_what_is_left_of_the_corridor():
    """Off by 20 % of the peak: ((0.5 − 0.2)/(0.5 − 0.05))² = 4/9; phase and slope do not mind."""
    rating = crash.iso_18571(T, PULSE + 0.2, PULSE)
    assert rating.corridor == pytest.approx(4.0 / 9.0, abs=1e-4)
    assert (rating.phase, rating.slope) == pytest.approx((1.0, 1.0))
    assert crash.iso_18571(T, PULSE + 0.04, PULSE).corridor == 1.0
    assert crash.iso_18571(T, PULSE + 0.6, PULSE).corridor == 0.0


def test_a_shift_costs_phase_and_nothing_of_magnitude_and_slope():
    """5 of 20 allowed hundredths: 1 − 0.005/0.02."""
    pulse = np.where(np.abs(T - 0.05) < 0.02, np.cos(np.pi * (T - 0.05) / 0.04) ** 2, 0.0)
    late = np.roll(pulse, 50)
    rating = crash.iso_18571(T, late, pulse)
    assert rating.shift == pytest.approx(0.005)
    assert rating.phase == pytest.approx(1.0 - 50 / 200)
    assert (rating.magnitude, rating.slope) == pytest.approx((1.0, 1.0))
    early = crash.iso_18571(T, np.roll(pulse, -50), pulse)
    assert early.shift == pytest.approx(-0.005) and early.phase == pytest.approx(rating.phase)


def test_a_scaled_curve_costs_magnitude_and_slope_in_proportion():
    rating = crash.iso_18571(T, 1.3 * PULSE, PULSE)
    assert rating.slope == pytest.approx(1.0 - 0.3 / 2.0, abs=1e-9)
    assert 0.4 <= rating.magnitude < 1.0  # matching points can only help
    assert rating.phase == 1.0
    assert rating.overall == pytest.approx(
        0.4 * rating.corridor + 0.2 * (rating.phase + rating.magnitude + rating.slope)
    )
    assert crash.iso_18571(T, -PULSE, PULSE).grade == "poor"
    with pytest.raises(cd.InputError, match="reference is zero"):
        crash.iso_18571(T, PULSE, 0.0 * T)


@pytest.mark.parametrize(("overall", "corridor", "phase", "magnitude", "slope", "grade"), [
    (0.9169, 0.9560, 0.9518, 0.9524, 0.7683, "good"), (0.4379, 0.4059, 0.0065, 0.6471, 0.7241, "poor"),
    (0.6994, 0.5297, 0.7175, 0.8924, 0.8276, "fair"), (0.9825, 1.0000, 0.9747, 0.9814, 0.9563, "excellent"),
    (0.2761, 0.3753, 0.5238, 0.0000, 0.1060, "poor"), (0.8203, 0.7402, 0.9784, 0.9099, 0.7329, "good"),
])  # fmt: skip
def test_pieces_are_weighted_as_in_the_annex_of_the_standard(overall, corridor, phase, magnitude, slope, grade):
    """Tables of annex C of iso-rating-2024, which rates to four digits and allows 0.001."""
    found = weighted(corridor, phase, magnitude, slope)
    assert found == pytest.approx(overall, abs=1.5e-4)
    assert crash.Rating(found, corridor, phase, magnitude, slope, 0.0).grade == grade


def wave(t):
    return np.sin(2.0 * np.pi * t / 0.06) + 0.4 * np.sin(2.0 * np.pi * t / 0.021 + 1.0)


@pytest.mark.parametrize(("values", "reference", "expected"), [
    (0.8 * wave(T - 0.004), wave(T), (0.659568, 0.375546, 0.8, 0.846747, 0.9)),
    (np.clip(1.2 * wave(T + 0.002), -0.5, 0.5), np.clip(wave(T), -0.5, 0.5),
     (0.885862, 0.833333, 0.9, 0.997953, 0.864693)),
    (np.maximum(0.0, 1.15 * np.sin(np.pi * (T - 0.02) / 0.05)), np.maximum(0.0, np.sin(np.pi * (T - 0.025) / 0.05)),
     (0.801574, 0.702102, 0.75, 0.928665, 0.925)),
    (wave(1.1 * T), wave(T), (0.651894, 0.443894, 0.735, 0.962897, 0.673786)),
])  # fmt: skip
def test_ratings_are_those_of_an_independent_program(values, reference, expected):
    """The package objective-rating-metrics 1.3. Clipped curves and pulses have flat pieces, where many matches are equal."""
    rating = crash.iso_18571(T, values, reference)
    found = (rating.overall, rating.corridor, rating.phase, rating.magnitude, rating.slope)
    assert found == pytest.approx(expected, abs=1e-6)


def test_a_step_that_is_too_high_is_rated_by_hand():
    """30 % too high over one half: corridor ½ (1 + (0.2/0.45)²), magnitude 1 − 0.3/0.5, slope 1 − 0.3/2."""
    step = np.where(T >= 0.05, 1.0, 0.0)
    rating = crash.iso_18571(T, 1.3 * step, step)
    corridor = 0.5 * (1.0 + (0.2 / 0.45) ** 2)
    assert rating.corridor == pytest.approx(corridor)
    assert (rating.phase, rating.magnitude, rating.slope) == pytest.approx((1.0, 0.4, 0.85))
    assert rating.overall == pytest.approx(0.4 * corridor + 0.2 * (1.0 + 0.4 + 0.85))
    assert rating.grade == "fair"


def test_a_corridor_rating_of_a_steeper_ramp_is_an_integral():
    """|c − r| = 0.3 x on 0 to 1: 1 up to x = 1/6, then ((0.5 − 0.3 x)/0.45)²."""
    x = np.linspace(0.0, 1.0, 20001)
    wanted = 1.0 / 6.0 + (0.45**3 - 0.2**3) / (3 * 0.3 * 0.45**2)
    from condyle.results.crash.rating import _corridor

    assert _corridor(1.3 * x, x) == pytest.approx(wanted, abs=1e-4)


def test_ratings_are_those_of_another_implementation():
    """overall, corridor, phase, magnitude, slope by objective-rating-metrics 1.3 (Graz), unrounded, of 1000 samples."""
    x = T / 0.1

    def hump(at: float, width: float):
        return np.exp(-(((x - at) / width) ** 2))

    test = hump(0.4, 0.12) - 0.4 * hump(0.7, 0.08)
    late = 0.9 * (hump(0.43, 0.13) - 0.3 * hump(0.72, 0.08)) + 0.02 * np.sin(40 * x)
    wavy = 1.1 * hump(0.36, 0.11) + 0.05 * np.cos(25 * x)
    for values, reference, wanted in (
        (1.3 * PULSE, PULSE, (0.78038509, 0.61957885, 1.0, 0.81276776, 0.85)),
        (late, test, (0.84637756, 0.80058499, 0.855, 0.89931243, 0.87640537)),
        (wavy, test, (0.71290502, 0.66811212, 0.795, 0.63319764, 0.80010324)),
    ):
        found = crash.iso_18571(T, values, reference)
        assert (found.overall, found.corridor, found.phase, found.magnitude, found.slope) == pytest.approx(
            wanted, abs=6e-9
        )


def test_slopes_near_the_ends_are_means_over_fewer_samples():
    from condyle.results.crash.rating import _smoothed

    values = np.arange(20.0) ** 2
    found = _smoothed(values)
    assert found[:5] == pytest.approx([values[: 2 * k + 1].mean() for k in range(5)])
    assert found[-5:][::-1] == pytest.approx([values[20 - 2 * k - 1 :].mean() for k in range(5)])
    assert found[10] == pytest.approx(values[6:15].mean())


def test_points_are_matched_at_the_least_sum_of_squares():
    from condyle.results.crash.rating import warped

    c, r = np.zeros(20), np.zeros(20)
    c[9], r[10] = 1.0, 1.0  # one sample late: matched exactly
    i, j = warped(c, r)
    assert np.abs(c[i] - r[j]).sum() == 0.0
    assert (np.diff(i) >= 0).all() and (np.diff(j) >= 0).all() and (i[0], j[0], i[-1], j[-1]) == (0, 0, 19, 19)


# --- legform and figures ----------------------------------------------------------------------------------------------------


def test_knee_bending_and_shear_are_geometry():
    angle = np.linspace(0.0, 1.0, 5)
    up = np.tile((0.0, 0.0, 1.0), (5, 1))
    turned = np.stack((np.sin(angle), 0 * angle, np.cos(angle)), axis=1)
    assert crash.knee_bending(up, turned) == pytest.approx(angle)
    assert crash.knee_shear(0 * up, np.tile((0.003, 0.004, 0.5), (5, 1)), up) == pytest.approx(0.005)


def test_limits_are_those_of_the_regulations():
    """eevc-1998: 15°, 6 mm, 150 g. gtr-2009: 19°, 6 mm, 170 g."""
    from condyle.results.crash.legform import LIMITS

    for name, (bending, shear, acceleration) in {"eevc": (15, 6, 150), "gtr9": (19, 6, 170)}.items():
        limits = LIMITS[name]
        assert np.degrees(limits["bending"]) == pytest.approx(bending)
        assert limits["shear"] * 1e3 == pytest.approx(shear)
        assert limits["acceleration"] / G == pytest.approx(acceleration)


def leg():
    """Two bars of a legform in free flight, the tibia turning at 2 rad/s about the knee."""
    model = cd.Model("leg")
    femur = model.add(
        cd.RigidBody("femur", 8.6, inertia=(0.1, 0.1, 0.01), position=(0, 0, 0.2), velocity=(11.11, 0.0, 0.0))
    )
    tibia = model.add(cd.RigidBody("tibia", 4.8, inertia=(0.1, 0.1, 0.01), position=(0, 0, -0.2), velocity=(11.11 -
    0.4, 0.0, 0.0),
                                   angular_velocity=(0.0, 2.0, 0.0)))  # fmt: skip
    model.add(cd.Spherical("knee", femur.at((0, 0, -0.2)), tibia.at((0, 0, 0.2))))
    return cd.simulate(model, end=0.05, dt=1e-4)


def test_legform_of_a_run_and_all_figures():
    result = leg()
    values = crash.legform(result, "femur", "tibia", knee=(result.model["femur"].at((0, 0, -0.2)),
    result.model["tibia"].at((0, 0, 0.2))),
                           accelerometer=result.model["tibia"].at((0, 0, 0.134)))  # fmt: skip
    turned = result.angle("tibia", relative_to="femur", axis=(0, 1, 0))
    assert values.bending == pytest.approx(np.abs(turned), abs=1e-9)
    assert values.shear.max() < 1e-9
    assert values.limits == pytest.approx({"bending": np.radians(15), "shear": 6e-3, "acceleration": 150 * G})
    assert values.passed == {"bending": True, "shear": True, "acceleration": True}
    with pytest.raises(cd.InputError, match="eevc, gtr9"):
        crash.legform(result, "femur", "tibia", knee=("femur", "tibia"), accelerometer="tibia", limits="none")
    pulse = 100 * G * PULSE
    for figure in (
        crash.plot_legform(values), crash.plot_hic(T, pulse), crash.plot_impacts(T, pulse), crash.plot_rating(T, 1.1 *
        PULSE, PULSE),
    ):  # fmt: skip
        assert figure.axes


def test_a_legform_that_bends_and_slides_too_far_fails_by_its_limits_which_are_drawn():
    """A tibia on its own is pushed with 2000 m/s² and turns at 6 rad/s; an accelerometer has ω² r besides."""
    model = cd.Model("leg")
    inertia = (0.1, 0.1, 0.01)
    model.add(cd.RigidBody("femur", 8.6, inertia=inertia, position=(0, 0, 0.2)))
    tibia = model.add(
        cd.RigidBody("tibia", 4.8, inertia=inertia, position=(0, 0, -0.2), angular_velocity=(0.0, 6.0, 0.0))
    )
    model.add(cd.Load("push", tibia, (4.8 * 2000.0, 0.0, 0.0)))
    result = cd.simulate(model, end=0.05, dt=1e-4)
    at = model["tibia"].at((0, 0, 0.1))
    values = crash.legform(result, "femur", "tibia", knee=(model["femur"].at((0, 0, -0.2)), tibia.at((0, 0, 0.2))),
                           accelerometer=at, channel_class=None)  # fmt: skip
    turned = 6.0 * result.times
    assert values.bending == pytest.approx(turned, abs=1e-7)
    assert values.shear == pytest.approx(np.abs(1000.0 * result.times**2 + 0.2 * np.sin(turned)), abs=1e-3)
    away = 36.0 * 0.1  # ω² r, towards the centre of mass
    expected = np.hypot(2000.0 - away * np.sin(turned), away * np.cos(turned))
    assert values.acceleration[2:-2] == pytest.approx(expected[2:-2], rel=1e-4)
    assert values.passed == {"bending": False, "shear": False, "acceleration": False}
    for ax, limit in zip(crash.plot_legform(values).axes, (15.0, 6.0, 150.0), strict=True):
        assert ax.get_lines()[1].get_ydata()[0] == pytest.approx(limit)


@pytest.mark.parametrize(("times", "values", "message"), [
    ([0.0], [1.0], "at least two times"), ([0.0, 0.0], [1.0, 1.0], "must increase"), ([0.0, 1.0], [1.0, np.nan],
     "must be finite"),
    ([0.0, 1.0], ["a", "b"], "must be numbers"),
])  # fmt: skip
def test_curves_that_are_none(times, values, message):
    with pytest.raises(cd.InputError, match=message):
        crash.hic(times, values)
