"""Closed loops of rigid links with hinges, planar and Bricard's."""

import numpy as np

import condyle as cd


def four_bar(joints="revolute", *, rate=3.0, gravity=(0.0, 0.0, -9.81), crank=0.3, coupler=0.8, rocker=0.5, base=0.7):
    """A planar four-bar in the x–z plane of space; 'revolute': 4 hinges, 'minimal': the same without redundancy."""
    A, D = np.zeros(3), np.array([base, 0.0, 0.0])
    B = crank * np.array([np.cos(1.2), 0.0, np.sin(1.2)])
    C = B + closing(B, D, coupler, rocker)
    m = cd.Model("four-bar", dimension=3, gravity=gravity)
    corners = [A, B, C, D]
    bars = []
    for k, name in enumerate(("crank", "coupler", "rocker")):
        one, two = corners[k], corners[k + 1]
        length = np.linalg.norm(two - one)
        bars.append(m.add(bar(name, one, two, 2.0 * length)))
    y = (0.0, 1.0, 0.0)
    m.add(cd.Revolute("A", m.ground, bars[0], at=A, axis=y))
    if joints == "revolute":
        m.add(cd.Revolute("B", bars[0], bars[1], at=B, axis=y))
        m.add(cd.Revolute("C", bars[1], bars[2], at=C, axis=y))
    else:  # 5 + 3 + 2 + 5 constraints on 18 − 3 … leave one freedom: the coupler may not turn about its own line
        m.add(cd.Revolute("B", bars[0], bars[1], at=B, axis=y))
        m.add(cd.PointOnLine("C", bars[1], bars[2], at=C, axis=y))
    m.add(cd.Revolute("D", m.ground, bars[2], at=D, axis=y))
    m.add(cd.Initial("start", "A.angle", rate=rate))
    return m


def planar_four_bar(*, gravity=(0.0, -9.81), drive=None, density=2.0):
    """The same in a model of the plane: four pins, nothing redundant; turning freely, or its crank driven."""
    A, D = np.zeros(3), np.array([0.7, 0.0, 0.0])
    B = 0.3 * np.array([np.cos(1.2), 0.0, np.sin(1.2)])
    corners = [P[[0, 2]] for P in (A, B, B + closing(B, D, 0.8, 0.5), D)]
    m = cd.Model("four-bar", dimension=2, gravity=gravity)
    chain = [m.ground]
    for k, name in enumerate(("crank", "coupler", "rocker")):
        along = corners[k + 1] - corners[k]
        mass, length = density * np.linalg.norm(along), np.linalg.norm(along)
        middle, angle = 0.5 * (corners[k] + corners[k + 1]), float(np.arctan2(along[1], along[0]))
        chain.append(m.add(cd.RigidBody(name, mass, inertia=mass * length**2 / 12.0, position=middle, rotation=angle)))
    chain.append(m.ground)
    for k, name in enumerate("ABCD"):
        m.add(cd.Pin(name, chain[k], chain[k + 1], at=corners[k]))
    m.add(cd.Initial("start", "A.angle", rate=3.0) if drive is None else cd.Drive("drive", "A.angle", drive))
    return m


def planar_ladder(cells):
    """Two rails of bars and rungs between them, all pinned: as many loops as cells, hanging from two pins."""
    m = cd.Model("ladder", dimension=2, gravity=(0.0, -9.81))
    sides = [m.ground, m.ground]
    for k in range(cells):
        for side in (0, 1):
            one = np.array([float(side), -float(k)])
            rail = m.add(cd.RigidBody(f"rail {k} {side}", 1.0, inertia=0.1, position=one - (0.0, 0.5)))
            m.add(cd.Pin(f"pin {k} {side}", sides[side], rail, at=one))
            sides[side] = rail
        rung = m.add(cd.RigidBody(f"rung {k}", 1.0, inertia=0.1, position=(0.5, -k - 0.8)))
        m.add(cd.Pin(f"left {k}", sides[0], rung, at=(0.0, -k - 0.8)))
        m.add(cd.Pin(f"right {k}", rung, sides[1], at=(1.0, -k - 0.8)))
    m.add(cd.Initial("push", "pin 0 0.angle", rate=0.5))
    return m


def bar(name, one, two, mass):
    """A slender body between two points, its first axis along it."""
    along = (two - one) / np.linalg.norm(two - one)
    first = np.cross(along, np.eye(3)[int(np.argmin(np.abs(along)))])
    first /= np.linalg.norm(first)
    R = np.column_stack((along, first, np.cross(along, first)))
    J = mass * np.linalg.norm(two - one) ** 2 / 12.0
    return cd.RigidBody(name, mass, inertia=(0.02 * J, J, J), position=0.5 * (one + two), rotation=R)


def closing(B, D, coupler, rocker):
    """From B to the corner C above the line BD of a planar four-bar (circles in x–z)."""
    span = D - B
    r = np.linalg.norm(span)
    along = (coupler**2 - rocker**2 + r**2) / (2.0 * r)
    height = np.sqrt(coupler**2 - along**2)
    e = span / r
    return along * e + height * np.array([-e[2], 0.0, e[0]])


def bricard(length=1.0, gravity=(0.0, 0.0, -9.81)):
    """Bricard's loop as the benchmark of multibody dynamics has it: 5 rods of 1 m and 1 kg, 6 hinges, one freedom.

    The corners run along edges of a cube; each hinge is square to the two rods that it joins (IFToMM benchmark library).
    """
    P = length * np.array([[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]], dtype=float)
    m = cd.Model("Bricard", dimension=3, gravity=gravity)
    rods = [m.add(bar(f"rod {k + 1}", P[k], P[k + 1], 1.0)) for k in range(5)]
    bodies = [m.ground, *rods, m.ground]
    axes = [(0, 1, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 0)]
    for k in range(6):
        m.add(cd.Revolute(f"hinge {k + 1}", bodies[k], bodies[k + 1], at=P[k], axis=axes[k]))
    return m


SPIN = dict(velocity=(-0.2, 0.8, 0.0), angular_velocity=(0.0, 0.0, 2.0))


def door(hinges=("low", "high"), inertia=(0.1, 0.2, 0.25)):
    """A door on one or two hinges on the same axis."""
    m = cd.Model("door", dimension=3, gravity=(0.0, 0.0, -9.81))
    body = m.add(cd.RigidBody("leaf", 2.0, inertia=inertia, position=(0.4, 0.1, 0.3), **SPIN))
    for name in hinges:
        height = {"low": 0.0, "high": 1.0}[name]
        m.add(cd.Revolute(name, m.ground, body, at=(0.0, 0.0, height), axis=(0.0, 0.0, 1.0)))
    return m
