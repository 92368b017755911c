"""The same mechanism in metres and millimetres, in kilograms and tonnes: the same motion and the same iterations."""

import numpy as np
import pytest

import condyle as cd
from loops import bar

METHODS = {"energy–momentum": cd.EnergyMomentum(), "generalized-α": cd.GeneralizedAlpha()}
UNITS = {"millimetres": (1e3, 1.0), "tonnes": (1.0, 1e-3), "millimetres and tonnes": (1e3, 1e-3)}


class Scaled:
    """Turns SI numbers into those of other units: L per metre, M per kilogram; seconds stay."""

    def __init__(self, L, M):
        self.L, self.M = L, M

    def length(self, *x):
        return np.array(x) * self.L if len(x) > 1 else x[0] * self.L

    def torque(self, x):
        return x * self.M * self.L**2

    def force(self, x):
        return x * self.M * self.L

    def model(self, name, gravity=(0.0, 0.0, -9.81)):
        return cd.Model(name, dimension=3, gravity=np.array(gravity) * self.L)

    def bar(self, name, one, two, mass):
        return bar(name, np.array(one) * self.L, np.array(two) * self.L, mass * self.M)


def crank(u):
    """A slider–crank, driven, with a spring and a damper on the slide."""
    m = u.model("crank")
    wheel = m.add(u.bar("wheel", (0, 0, 0), (0, 0, 0.2), 1.0))
    rod = m.add(u.bar("rod", (0, 0, 0.2), (0.6, 0, 0), 0.8))
    block = m.add(
        cd.RigidBody("block", u.M * 0.5, inertia=u.torque(np.array([1e-3] * 3)), position=u.length(0.6, 0, 0))
    )
    m.add(cd.Revolute("shaft", m.ground, wheel, at=u.length(0.0, 0, 0), axis=(0, 1, 0)))
    m.add(cd.Spherical("big end", wheel, rod, at=u.length(0.0, 0, 0.2)))
    m.add(cd.Universal("small end", rod, block, at=u.length(0.6, 0, 0), axis=(0, 1, 0), second_axis=(0, 0, 1)))
    m.add(cd.Prismatic("guide", m.ground, block, at=u.length(0.6, 0, 0), axis=(1, 0, 0)))
    m.add(cd.Drive("motor", "shaft", rate=9.0))
    m.add(cd.CoordinateSpring("spring", "guide", 50.0 * u.M))
    m.add(cd.CoordinateDamper("damper", "guide", 3.0 * u.M))
    return m, "block"


def arm(u):
    """Two links that fall onto a stop, with a torsion spring and a motor."""
    m = u.model("arm")
    a = m.add(u.bar("upper", (0, 0, 0), (0.5, 0, 0), 1.0))
    b = m.add(u.bar("lower", (0.5, 0, 0), (0.5, 0.4, 0), 0.7))
    m.add(cd.Revolute("shoulder", m.ground, a, at=u.length(0.0, 0, 0), axis=(0, 1, 0)))
    m.add(cd.Revolute("elbow", a, b, at=u.length(0.5, 0, 0), axis=(1, 0.2, 0)))
    m.add(cd.Limit("stop", "shoulder", -0.4, 0.4, stiffness=u.torque(300.0), damping=u.torque(3.0)))
    m.add(cd.CoordinateSpring("spring", "elbow", u.torque(2.0), rest=0.5))
    m.add(cd.CoordinateForce("motor", "elbow", u.torque(0.5), scale=cd.Harmonic(frequency=2.0)))
    return m, "lower"


def screw(u):
    """A nut that falls along a turning screw and is geared to a flywheel, with a spring between bodies."""
    m = u.model("screw")
    nut = m.add(u.bar("nut", (0.1, 0, 0), (0.3, 0, 0), 1.2))
    wheel = m.add(u.bar("wheel", (0, 0.5, 0), (0, 0.7, 0), 0.9))
    m.add(cd.Screw("thread", m.ground, nut, at=u.length(0.0, 0, 0), axis=(0, 0, 1), pitch=u.length(0.3)))
    m.add(cd.Revolute("axle", m.ground, wheel, at=u.length(0, 0.5, 0), axis=(0, 0, 1)))
    m.add(cd.Gear("gear", a="thread.angle", b="axle.angle", ratio=1.5))
    m.add(cd.Spring("coil", m.ground, nut, 20.0 * u.M, rest_length=u.length(0.15)))
    m.add(cd.Limit("floor", "thread.position", u.length(-0.15), u.length(1.0), 5e3 * u.M, 20.0 * u.M))
    return m, "nut"


MECHANISMS = {"crank": crank, "arm": arm, "screw": screw}


@pytest.mark.covering
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("name", MECHANISMS)
def test_units_change_neither_motion_nor_iterations(name, units, method):
    L, M = UNITS[units]
    make = MECHANISMS[name]
    metric, body = make(Scaled(1.0, 1.0))
    other, _ = make(Scaled(L, M))
    options = dict(end=0.2, dt=0.005, integrator=METHODS[method])
    one, two = cd.simulate(metric, **options), cd.simulate(other, **options)
    assert np.ptp(one.position(body), axis=0).max() > 0.01
    assert np.abs(one.position(body) - two.position(body) / L).max() < 1e-9
    assert np.abs(one.directors(body) - two.directors(body)).max() < 1e-9
    assert np.array_equal(one.iterations, two.iterations)
    total = np.abs(one.energy["kinetic"]).max()
    assert np.abs(one.energy["kinetic"] - two.energy["kinetic"] / (M * L**2)).max() < 1e-6 * total


def test_larger_steps_of_a_screw_need_the_same_iterations_in_millimetres():
    one, two = (cd.simulate(screw(Scaled(L, 1.0))[0], end=0.1, dt=0.01) for L in (1.0, 1e3))
    assert np.array_equal(one.iterations, two.iterations)
