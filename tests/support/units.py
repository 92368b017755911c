"""Unit systems, and two models in any of them."""

from dataclasses import dataclass

import numpy as np

import condyle as cd


@dataclass(frozen=True)
class Units:
    """How many units of length and mass are in a metre and a kilogram; time stays in seconds."""

    length: float = 1.0
    mass: float = 1.0

    def places(self, array):
        return (self.length * np.asarray(array, dtype=float)).tolist()

    @property
    def force(self):
        return self.mass * self.length

    @property
    def stress(self):
        return self.mass / self.length

    @property
    def density(self):
        return self.mass / self.length**3

    @property
    def inertia(self):
        return self.mass * self.length**2


SI = Units()


def mechanism(u, enforcement="multiplier", spin=(0.5, 0.0, 1.0)):
    """Rigid bodies with a ball joint, a hinge, a spring, a damper and a torque, under gravity; b is a flat plate."""
    m = cd.Model("mechanism", dimension=3, gravity=u.places((0.0, 0.0, -9.81)))
    a = m.add(
        cd.RigidBody("a", 1.2 * u.mass, inertia=u.inertia * np.array((0.02, 0.09, 0.1)), position=u.places((0.3, 0, 0)),
                     angular_velocity=spin)
    )  # fmt: skip
    b = m.add(
        cd.RigidBody("b", 0.8 * u.mass, inertia=u.inertia * np.array((0.01, 0.06, 0.05)), position=u.places((0.6, 0.2, 0)),
                     rotation=(0.3, 0.2, 0.0), points={"tip": u.places((0.1, 0.3, 0.0))})
    )  # fmt: skip
    load = m.add(cd.PointMass("load", 0.3 * u.mass, u.places((0.9, 0.5, -0.2)), velocity=u.places((0.0, 0.5, 0.0))))
    m.add(cd.Spherical("ball", m.ground, a, at=u.places((0, 0, 0)), enforcement=enforcement))
    m.add(cd.Revolute("hinge", a, b, at=u.places((0.6, 0, 0)), axis=(0.2, 0, 1), enforcement=enforcement))
    m.add(cd.Spring("spring", "b.tip", load, 200.0 * u.mass, rest_length=0.3 * u.length))
    m.add(cd.Damper("damper", a, load, 0.5 * u.mass))
    m.add(cd.Torque("motor", b, u.inertia * np.array((0.1, 0.2, 0.3))))
    return m


def flexible(u):
    """A block of rubber bonded to a rigid hub, a rod clamped to it."""
    m = cd.Model("flexible", dimension=2)
    rubber = cd.NeoHookean(3e4 * u.stress, 0.3, density=15.0 * u.density)
    strip = cd.StVenantKirchhoff(2e5 * u.stress, density=10.0 * u.density)
    hub = m.add(
        cd.RigidBody("hub", 1.0 * u.mass, inertia=0.1 * u.inertia, position=u.places((-0.2, 0.1)), angular_velocity=3.0)
    )
    block = cd.Solid.block(
        "block", u.places((1.0, 0.3)), (4, 1), rubber, thickness=1.0 * u.length, angular_velocity=3.0
    )
    m.add(cd.Tie("bond", m.add(block), "left", hub))
    rod = cd.Rod("rod", u.places(((-0.4, 0.1), (-1.4, 0.1))), 4, 0.05 * u.length, strip, width=1.0 * u.length)
    m.add(cd.Tie("clamp", m.add(rod), "start", hub))
    return m
