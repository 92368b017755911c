"""Small models with a name, to compare integrators on: ``condyle compare double-pendulum``."""

from __future__ import annotations

from collections.abc import Callable
from math import pi

from condyle.bodies import RigidBody
from condyle.joints import Revolute, Spherical
from condyle.joints.slider import Slider
from condyle.joints.spherical import Pin
from condyle.parts import Model


def double_pendulum() -> Model:
    """A bar on a spherical joint and a second one hinged to it, in space; lengths of 1 m, released with spin."""
    model = Model("double pendulum", gravity=(0.0, 0.0, -9.81))
    upper = model.add(RigidBody("upper", 1.3, inertia=(0.03, 0.12, 0.11), position=(0.5, 0.0, 0.0),
                                angular_velocity=(0.4, 0.5, 1.0)))  # fmt: skip
    lower = model.add(RigidBody("lower", 0.8, inertia=(0.08, 0.03, 0.07), position=(1.0, 0.4, 0.0),
                                angular_velocity=(0.5, -0.2, 0.3)))  # fmt: skip
    model.add(Spherical("shoulder", model.ground, upper, at=(0.0, 0.0, 0.0)))
    model.add(Revolute("elbow", upper, lower, at=(1.0, 0.0, 0.0), axis=(0.0, 0.6, 0.8)))
    return model


def heavy_top() -> Model:
    """A symmetric top of 15 kg with its tip held, spinning at 20 rad/s about its axis, which leans by 45°."""
    model = Model("heavy top", gravity=(0.0, 0.0, -9.81))
    arm = 0.5**0.5
    top = model.add(RigidBody("top", 15.0, inertia=(0.25, 0.25, 0.45), position=(0.0, -arm, arm),
                              rotation=(0.25 * pi, 0.0, 0.0), angular_velocity=(0.0, -20.0 * arm, 20.0 * arm)))  # fmt: skip
    model.add(Spherical("tip", model.ground, top, at=(0.0, 0.0, 0.0)))
    return model


def slider_crank() -> Model:
    """A crank of 0.2 m that turns at 10 rad/s, a connecting rod of 0.5 m and a piston, in the plane, with gravity."""
    model = Model("slider–crank", dimension=2, gravity=(0.0, -9.81))
    crank = model.add(RigidBody("crank", 2.0, inertia=0.02, position=(0.0, 0.1), angular_velocity=10.0))
    high, long = 0.2, (0.5**2 - 0.2**2) ** 0.5
    rod = model.add(RigidBody("rod", 1.0, inertia=0.03, position=(0.5 * long, 0.5 * high)))
    piston = model.add(RigidBody("piston", 0.8, inertia=0.01, position=(long, 0.0)))
    model.add(Pin("main bearing", model.ground, crank, at=(0.0, 0.0)))
    model.add(Pin("crank pin", crank, rod, at=(0.0, high)))
    model.add(Pin("piston pin", rod, piston, at=(long, 0.0)))
    model.add(Slider("cylinder", model.ground, piston, at=(long, 0.0), axis=(1.0, 0.0)))
    return model


EXAMPLES: dict[str, Callable[[], Model]] = {
    "double-pendulum": double_pendulum,
    "heavy-top": heavy_top,
    "slider-crank": slider_crank,
}
