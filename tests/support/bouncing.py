"""Models that fall on something and rebound by soft laws, for methods that take contact as a force."""

import condyle as cd

MILLIMETRE = 1e-3


def ball(law, friction=0.0, size=1.0):
    """A ball in space that spins; size: units of length in a metre."""
    m = cd.Model("ball", gravity=(0, 0, -9.81 * size))
    b = m.add(
        cd.RigidBody.ball("ball", 0.1 * size, 1000.0 / size**3, position=(0, 0, 0.11 * size),
                          velocity=(1.0 * size, 0.2 * size, 0), angular_velocity=(0, 3, 1))
    )  # fmt: skip
    floor = cd.Plane((0, 0, 1))
    m.add(cd.Contact("touch", b, cd.Sphere(0.1 * size), m.ground, floor, law=law, friction=friction))
    return m


def chain(law, friction=0.0):
    """Four boxes on hinges, the first of which is the nearest to the ground."""
    m = cd.Model("chain", gravity=(0, 0, -9.81))
    for k in range(4):
        at = (0.2 * k, 0, 0.055 + 0.01 * k)
        b = m.add(cd.RigidBody.box(f"box {k}", (0.2, 0.1, 0.1), 800.0, position=at, velocity=(0.1, 0, 0)))
        if k:
            m.add(cd.Revolute(f"hinge {k}", f"box {k - 1}", b, at=(0.2 * k - 0.1, 0, at[2] - 0.01), axis=(0, 1, 0)))
        shape = cd.Box((0.2, 0.1, 0.1))
        m.add(cd.Contact(f"touch {k}", b, shape, m.ground, cd.Plane((0, 0, 1)), law=law, friction=friction))
    return m


def boxes(law, friction=0.0):
    """A box that slides on a box, which falls on the ground."""
    m = cd.Model("boxes", gravity=(0, 0, -9.81))
    wide, small = cd.Box((0.6, 0.6, 0.2)), cd.Box((0.2, 0.2, 0.2))
    under = m.add(cd.RigidBody.box("under", (0.6, 0.6, 0.2), 1000.0, position=(0, 0, 0.105)))
    over = m.add(cd.RigidBody.box("over", (0.2, 0.2, 0.2), 1000.0, position=(0, 0, 0.31), velocity=(0.5, 0.1, 0)))
    m.add(cd.Contact("touch", over, small, under, wide, law=law, friction=friction))
    m.add(cd.Contact("floor", under, wide, m.ground, cd.Plane((0, 0, 1)), law=law, friction=friction))
    return m


def egg(law, friction=0.0):
    """An ellipsoid that tumbles."""
    m = cd.Model("egg", gravity=(0, 0, -9.81))
    b = m.add(
        cd.RigidBody("egg", 3.0, inertia=(0.02, 0.03, 0.025), position=(0, 0, 0.125), velocity=(0.4, 0, 0),
                     angular_velocity=(1, 2, 0))
    )  # fmt: skip
    shape = cd.Ellipsoid((0.1, 0.15, 0.12))
    m.add(cd.Contact("touch", b, shape, m.ground, cd.Plane((0, 0, 1)), law=law, friction=friction))
    return m


def heap(law, friction=0.0):
    """Three balls that fall on the ground and on each other."""
    m = cd.Model("heap", gravity=(0, 0, -9.81))
    for k, at in enumerate(((0, 0, 0.105), (0.05, 0.02, 0.3), (-0.03, 0.04, 0.5))):
        m.add(cd.RigidBody.ball(f"ball {k}", 0.1, 1000.0, position=at, velocity=(0.2 * k, 0, 0)))
    balls = [m[f"ball {k}"] for k in range(3)]
    m.add(cd.Collisions("heap", balls, cd.Plane((0, 0, 1)), law=law, friction=friction))
    return m


def particle(law, friction=0.0):
    """A point mass in the plane, thrown along the floor."""
    m = cd.Model("particle", dimension=2, gravity=(0, -9.81))
    p = m.add(cd.PointMass("particle", 2.0, (0.5, 0.005), (1.0, -0.5)))
    m.add(cd.Contact("touch", p, "nodes", m.ground, cd.Plane((0, 1)), law=law, friction=friction))
    return m


def jelly(law, friction=0.0):
    """A body that deforms, with points at its lower corners."""
    m = cd.Model("jelly", gravity=(0, 0, -9.81))
    b = m.add(
        cd.PseudoRigidBody.box("jelly", (0.2, 0.2, 0.2), 900.0, position=(0, 0, 0.105),
                               material=cd.NeoHookean(1e6, 0.3, 900.0), velocity=(0.3, 0, -0.5))
    )  # fmt: skip
    corners = [(0.1 * s, 0.1 * t, -0.1) for s in (1, -1) for t in (1, -1)]
    m.add(cd.Contact("touch", b, corners, m.ground, cd.Plane((0, 0, 1)), law=law, friction=friction))
    return m


TREES = {
    "ball, Hertz": lambda: ball(cd.Hertz(2e6)),
    "ball, Hunt–Crossley and bristles": lambda: ball(cd.HuntCrossley(2e6, e=0.7), cd.Bristle(0.3, 1e5)),
    "ball, friction that falls with speed": lambda: ball(cd.Hertz(2e6), cd.Coulomb(0.2, static=0.4, speed=0.5)),
    "chain": lambda: chain(cd.HuntCrossley(2e6, e=0.8), 0.3),
    "boxes": lambda: boxes(cd.SpringDashpot(1e5, ratio=0.3), 0.4),
    "egg": lambda: egg(cd.HuntCrossley(2e6, e=0.7), 0.3),
    "heap": lambda: heap(cd.SpringDashpot(1e5, ratio=0.3), 0.4),
}
OTHERS = {
    "particle": lambda: particle(cd.SpringDashpot(1e5, ratio=0.1), 0.3),
    "jelly": lambda: jelly(cd.SpringDashpot(2e4, ratio=0.1), 0.2),
}
