"""Ropes, drums and ligaments of ANCF elements in contact: models that every method with contact must carry."""

import numpy as np

import condyle as cd


def arc(radius, first, last, count):
    """Points on a circle [m], from one angle to another, clockwise from the left."""
    turn = np.linspace(first, last, count)
    return np.stack((-radius * np.cos(turn), radius * np.sin(turn)), axis=1).tolist()


def weight(m, rope, end, mass):
    """A weight that hangs from an end of a rope."""
    place = rope.line[0 if end == "start" else -1]
    body = m.add(cd.PointMass(f"weight at the {end}", mass, place))
    m.add(cd.Spherical(f"knot at the {end}", rope.point(end), body, at=place))


def pulley(friction=0.0, law="augmented"):
    """A rope over a fixed pulley, with 40 and 10 kg at its ends."""
    m = cd.Model("pulley", dimension=2, gravity=(0.0, -9.81))
    legs = [0.1 * k for k in range(1, 6)]
    line = [*[(-0.2, -z) for z in reversed(legs)], *arc(0.2, 0.0, np.pi, 8), *[(0.2, -z) for z in legs]]
    rope = m.add(cd.Cable("rope", line, 1, cd.Rope(1e5, 0.1, 0.2), rest="straight"))
    weight(m, rope, "start", 40.0)
    weight(m, rope, "end", 10.0)
    m.add(cd.Contact("groove", rope, "nodes", m.ground, cd.Sphere(0.2), friction=friction, law=law))
    return m


def sunk_rope(overlap="report"):
    """A stiff rope drawn as a curve through few points, which passes through the pulley between them."""
    m = cd.Model("sunk rope", dimension=2, gravity=(0.0, -9.81))
    line = [(-0.3, -1.0), *arc(0.3, 0.0, np.pi, 5), (0.3, -1.0)]
    rope = m.add(cd.Cable("rope", line, 5, cd.Rope(1e6, 5.0, 0.2)))
    weight(m, rope, "start", 40.0)
    weight(m, rope, "end", 10.0)
    m.add(cd.Contact("groove", rope, "nodes", m.ground, cd.Sphere(0.3), overlap=overlap))
    return m


def drum(friction=0.3):
    """A rope that is fixed to a heavy drum, half a turn round it, and pulled off by a weight."""
    m = cd.Model("drum", dimension=2, gravity=(0.0, -9.81))
    wheel = m.add(cd.RigidBody("wheel", 20.0, inertia=0.4))
    m.add(cd.Pin("axle", m.ground, wheel, at=(0.0, 0.0)))
    line = [*arc(0.2, 0.0, np.pi, 8), *[(0.2, -0.1 * k) for k in range(1, 4)]]
    rope = m.add(cd.Cable("rope", line, 1, cd.Rope(1e5, 0.05, 0.2), rest="straight"))
    m.add(cd.Spherical("clamp", wheel, rope.point("start"), at=line[0]))
    weight(m, rope, "end", 5.0)
    m.add(cd.Contact("rim", rope, "nodes", wheel, cd.Sphere(0.2), friction=friction))
    return m


def knee(law="augmented", stiffness=None, ligaments="cables"):
    """A tibia that two ligaments hold against the condyle of a fixed femur, and that swings."""
    m = cd.Model("knee", dimension=2, gravity=(0.0, -9.81))
    tibia = m.add(
        cd.RigidBody("tibia", 3.5, inertia=0.05, position=(0.0, -0.18), angular_velocity=0.5, velocity=(0.075, 0))
    )
    for name, x in (("front", -1.0), ("back", 1.0)):
        top, low = (0.024 * x, 0.02), (0.03 * x, -0.045)
        if ligaments == "cables":
            rope = m.add(cd.Cable(name, [top, low], 3, cd.Rope(5e3, 1e-4, 0.02), prestrain=-0.02))
            m.add(cd.Spherical(f"{name}, femur", m.ground, rope.point("start"), at=top))
            m.add(cd.Spherical(f"{name}, tibia", tibia, rope.point("end"), at=low))
        else:
            ends = cd.Point("ground", top, "world"), cd.Point("tibia", low, "world")
            m.add(cd.Spring(name, *ends, 5e3 / 0.0653, tension_only=True))
    plateau = [(float(x), 0.15) for x in np.linspace(-0.025, 0.025, 7)]
    m.add(cd.Contact("plateau", tibia, plateau, m.ground, cd.Sphere(0.03), law=law, stiffness=stiffness))
    return m


def thrown_rope(friction=0.2):
    """A rope that falls across two bars, in space, and rubs on them."""
    m = cd.Model("thrown rope", dimension=3, gravity=(0.0, 0.0, -9.81))
    rope = m.add(
        cd.Cable("rope", [(-0.5, 0, 0.08), (0.5, 0, 0.08)], 10, cd.Rope(1e4, 0.02, 0.3), velocity=(0.2, 0, -1))
    )
    for name, x in (("left", -0.2), ("right", 0.25)):
        bar = cd.Cylinder(0.05, (0, 1, 0), (x, 0, 0))
        m.add(cd.Contact(f"{name} bar", rope, "nodes", m.ground, bar, friction=friction))
    return m


ROPES = {
    "pulley": pulley,
    "pulley, friction": lambda: pulley(0.2),
    "pulley, penalty": lambda: pulley(law="penalty"),
    "pulley, penalty and friction": lambda: pulley(0.2, "penalty"),
    "drum": drum,
    "knee": knee,
    "knee, penalty": lambda: knee("penalty"),
    "thrown rope": thrown_rope,
    "sunk rope": sunk_rope,
}
