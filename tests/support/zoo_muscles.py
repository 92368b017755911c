"""Two hinged bones with every muscle, ligament, actuator and kind of path, for tests that must hold for all of them."""

import numpy as np

import condyle as cd


def bones(dimension, gravity=True, free=False):
    """Thigh and shank with a hip and a knee; the knee at the origin, its axis z."""
    fall = (0.0, -9.81, 0.0)[:dimension] if gravity else (0.0,) * dimension
    m = cd.Model("bones", dimension=dimension, gravity=fall)

    def place(*p):
        return p[:dimension]

    inertia = 0.1 if dimension == 2 else (0.1, 0.02, 0.11)
    m.add(cd.RigidBody("thigh", 7.0, inertia=inertia, position=place(0.05, 0.2, 0.0)))
    m.add(cd.RigidBody("shank", 3.0, inertia=inertia, position=place(0.0, -0.2, 0.02)))
    hinge = {} if dimension == 2 else {"axis": (0.0, 0.0, 1.0)}
    if not free:
        m.add(cd.Revolute("hip", m.ground, "thigh", at=place(0.1, 0.4, 0.0), **hinge))
    m.add(cd.Revolute("knee", "thigh", "shank", at=place(0.0, 0.0, 0.0), **hinge))
    return m


def muscles(dimension, gravity=True, free=False, states=True):
    """All that pulls, over all kinds of via points and surfaces."""
    m = bones(dimension, gravity, free)

    def place(*p):
        return p[:dimension]

    def at(body, *p):
        return cd.Point(body, place(*p), "world")

    axis = {} if dimension == 2 else {"axis": (0.0, 0.0, 1.0)}
    disk = cd.CylinderWrap(at("thigh", 0.0, 0.0, 0.0), 0.03, side=place(1.0, 0.1, 0.0), **axis)
    patella = cd.MovingPoint(
        "shank", "knee.angle", (-1.0, 0.0, 1.0), [place(0.05, 0.24, 0.0), place(0.06, 0.22, 0.01), place(0.05, 0.2, 0)]
    )
    heel = cd.ConditionalPoint(at("shank", -0.05, -0.05, 0.0), "knee.angle", -0.05, 0.8, 0.3)
    top = [at("thigh", 0.06, 0.3, 0.01), at("thigh", -0.04, 0.3, -0.01)]
    end = [at("shank", 0.04, -0.1, 0.0), at("shank", -0.03, -0.15, 0.02)]
    dynamic = {} if states else {"tendon": "rigid", "activation_time": None}
    m.add(
        cd.Muscle(
            "vastus", [top[0], patella, end[0]], 900.0, 0.2, 0.18, cd.Harmonic(0.3, 2.0, 0.1, 0.4), 0.2, **dynamic
        )
    )
    m.add(cd.Muscle("hamstrings", [top[1], heel, end[1]], 700.0, 0.2, 0.22, 0.3, tendon="rigid",
                    activation_time=0.01 if states else None, activation=0.1))  # fmt: skip
    m.add(cd.Muscle("rectus", [at("thigh" if free else "ground", 0.15, 0.45, 0.0), top[0], disk, end[0]], 800.0, 0.3, 0.2, 0.2,
                    **(dynamic | {"activation_time": None})))  # fmt: skip
    m.add(cd.Ligament("cruciate", [at("thigh", -0.02, 0.02, 0.0), at("shank", 0.01, -0.03, 0.01)], 5000.0,
                      reference_strain=0.02, damping=1.0))  # fmt: skip
    m.add(cd.ForceActuator("pull", [top[1], at("thigh", -0.05, 0.05, 0.0), end[1]], 30.0, cd.Harmonic(1.0, 3.0, 0.2)))
    m.add(cd.MomentActuator("moment", top[1], end[1], at("thigh", 0.0, 0.0, 0.0), 2.0, cd.Harmonic(1.0, 2.0), **axis))
    knob = cd.CylinderWrap(at("shank", 0.03, -0.1, 0.0), 0.03, side=place(1.0, 0.0, 0.0), **axis)
    if dimension == 2:
        first = cd.CylinderWrap(at("thigh", 0.05, 0.1), 0.03, side=(1.0, 0.0))
    else:
        first = cd.SphereWrap(at("thigh", 0.05, 0.1, 0.0), 0.03, side=(1.0, 0.0, 0.0))
    m.add(cd.Ligament("sling", [at("thigh", 0.06, 0.25, 0.01), first, knob, at("shank", 0.02, -0.25, 0.0)], 900.0,
                      reference_strain=0.03))  # fmt: skip
    if dimension == 3:
        loop = cd.TorusWrap(at("thigh", 0.05, 0.1, 0.0), 0.03, 0.008, (0.1, 1.0, 0.0))
        m.add(cd.ForceActuator("sartorius", [at("thigh", 0.1, 0.2, 0.0), loop, at("shank", 0.1, -0.1, 0.01)], 15.0))
        ball = cd.SphereWrap(at("thigh", 0.0, 0.0, 0.0), 0.04, side=(1.0, 0.0, 0.0))
        m.add(
            cd.Ligament(
                "collateral", [at("thigh", 0.05, 0.1, 0.01), ball, at("shank", 0.035, -0.1, 0.0)], 800.0, 0.19, 0.05
            )
        )
        egg = cd.EllipsoidWrap(at("thigh", 0.0, 0.0, 0.0), (0.05, 0.04, 0.06), side=(1.0, 0.0, 0.0))
        m.add(cd.ForceActuator("quadriceps", [at("thigh", 0.06, 0.1, 0.01), egg, at("shank", 0.035, -0.1, 0.0)], 50.0))
    return m


MUSCLES = {
    "muscles in the plane": lambda: muscles(2),
    "muscles in space": lambda: muscles(3),
}


def deflected(dimension, angle=0.3):
    """The same, bent at the knee at the start."""
    m = muscles(dimension)
    m.add(cd.Initial("bent", "knee.angle", angle, np.pi))
    return m
