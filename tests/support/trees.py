"""Trees of rigid bodies that nothing but gravity and joints acts on."""

import numpy as np

import condyle as cd


def limb(hook=cd.Spherical, **options):
    """A branched limb: ball joints and hinges, one of them the other way round; bodies off their centres of mass."""
    m = cd.Model("limb", dimension=3, gravity=(0.0, 0.0, -9.81))
    a = m.add(cd.RigidBody("a", 1.2, inertia=(0.02, 0.09, 0.1), position=(0.3, 0, 0), angular_velocity=(0.5, 0, 1.0)))
    b = m.add(
        cd.RigidBody("b", 0.8, inertia=(0.01, 0.06, 0.05), position=(0.6, 0.2, 0), rotation=(0.3, 0.2, 0),
                     centre_of_mass=(0.02, 0.05, 0.0), angular_velocity=(0, 1, 0.5))
    )  # fmt: skip
    c = m.add(cd.RigidBody("c", 0.5, inertia=(0.01, 0.02, 0.02), position=(0.6, 0.6, 0.1)))
    e = m.add(cd.RigidBody("e", 0.4, inertia=(0.01, 0.02, 0.015), position=(0.5, -0.3, 0), angular_velocity=(1, 0, 0)))
    m.add(hook("hook", m.ground, a, at=(0, 0, 0), **options))
    m.add(cd.Revolute("hinge", a, b, at=(0.6, 0, 0), axis=(0.2, 0, 1)))
    # The body comes first, what it hangs on second.
    m.add(cd.Revolute("wrist", c, b, at=(0.6, 0.4, 0), axis=(1, 0.3, 0)))
    m.add(cd.Spherical("shoulder", e, a, at=(0.5, -0.1, 0)))
    return m


def chain(count, joint="ball", held=True):
    """Links along a rising line; hinges have axes that are neither parallel nor square to each other."""
    m = cd.Model(f"{joint} chain of {count}", gravity=(0, 0, -9.81))
    before = m.ground
    for k in range(count):
        link = m.add(
            cd.RigidBody(f"b{k}", 1.0 + 0.1 * (k % 3), inertia=(0.01, 0.09, 0.1), position=(0.5 + k, 0, 0.1 * k),
                         centre_of_mass=(0.02, 0.05, 0.0))
        )  # fmt: skip
        at = (k, 0, 0.1 * k)
        if before is not m.ground or held:
            if joint == "hinge":
                m.add(cd.Revolute(f"j{k}", before, link, at=at, axis=(0.2 * (k % 2), 1, 0.1 * (k % 3))))
            else:
                m.add(cd.Spherical(f"j{k}", before, link, at=at))
        before = link
    return m


def plane():
    """A double pendulum in the plane."""
    m = cd.Model("double pendulum", dimension=2, gravity=(0, -9.81))
    a = m.add(cd.RigidBody("a", 1.0, inertia=0.1, position=(0.5, 0), angular_velocity=1.0, velocity=(0, 0.5)))
    b = m.add(cd.RigidBody("b", 0.7, inertia=0.05, position=(1.3, 0), centre_of_mass=(0.1, 0.02)))
    m.add(cd.Pin("hook", m.ground, a, at=(0, 0)))
    m.add(cd.Pin("knee", b, a, at=(1, 0)))
    return m


def loose():
    """Two bodies that hang on each other and on nothing else."""
    m = cd.Model("loose", gravity=(0, 0, 0))
    a = m.add(cd.RigidBody("a", 1.0, inertia=(0.1, 0.2, 0.25), velocity=(0.3, 0, 0.1), angular_velocity=(3, 0.1, 0.2)))
    b = m.add(cd.RigidBody("b", 0.7, inertia=(0.1, 0.12, 0.2), position=(1, 0, 0), velocity=(0.3, 0, 0.1)))
    m.add(cd.Revolute("hinge", a, b, at=(0.5, 0, 0), axis=(0, 1, 1)))
    return m


def human():
    """Trunk, head, arms and legs of 13 segments, which fall freely and turn: ball joints, with hinges at elbows and knees."""
    m = cd.Model("human", gravity=(0, 0, -9.81))

    def segment(name, start, end, mass, width, on=None, axis=None):
        start, end = np.array(start, dtype=float), np.array(end, dtype=float)
        along, length = (end - start) / np.linalg.norm(end - start), float(np.linalg.norm(end - start))
        across = np.cross(along, (0.0, 1.0, 0.0))
        across /= np.linalg.norm(across)
        rotation = np.column_stack((along, np.cross(across, along), across))
        inertia = mass / 12.0 * np.array([2.0 * width**2, length**2 + width**2, length**2 + width**2])
        m.add(
            cd.RigidBody(name, mass, inertia=tuple(inertia), position=tuple(0.5 * (start + end)), rotation=rotation,
                         velocity=tuple(np.cross((0.3, 1.0, 0.5), 0.5 * (start + end))), angular_velocity=(0.3, 1.0, 0.5))
        )  # fmt: skip
        if on is not None:
            joint = cd.Spherical if axis is None else cd.Revolute
            options = {} if axis is None else {"axis": axis}
            m.add(joint(f"{name} joint", m[on], m[name], at=tuple(start), **options))

    segment("pelvis", (0, 0, 1.0), (0, 0, 1.12), 11.0, 0.3)
    segment("thorax", (0, 0, 1.12), (0.02, 0, 1.5), 25.0, 0.3, "pelvis")
    segment("head", (0.02, 0, 1.5), (0.03, 0, 1.78), 6.0, 0.16, "thorax")
    for side, s in (("left", 1.0), ("right", -1.0)):
        segment(f"{side} arm", (0, 0.19 * s, 1.46), (0.05, 0.45 * s, 1.4), 2.1, 0.09, "thorax")
        segment(
            f"{side} forearm", (0.05, 0.45 * s, 1.4), (0.25, 0.55 * s, 1.48), 1.2, 0.07, f"{side} arm", (0, 0.3, 1.0)
        )
        segment(f"{side} thigh", (0, 0.09 * s, 0.98), (0.08, 0.12 * s, 0.55), 7.5, 0.15, "pelvis")
        segment(
            f"{side} shank", (0.08, 0.12 * s, 0.55), (-0.05, 0.13 * s, 0.12), 3.4, 0.1, f"{side} thigh", (0, 1.0, 0)
        )
        segment(f"{side} foot", (-0.05, 0.13 * s, 0.12), (0.08, 0.14 * s, 0.03), 0.9, 0.07, f"{side} shank")
    return m
