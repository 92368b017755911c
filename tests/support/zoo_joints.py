"""The rest of the zoo: the whole joint library, and what acts on joint coordinates."""

import condyle as cd

STEEL = cd.StVenantKirchhoff(young=300.0, poisson=0.3, density=1.5)


def row_of_bodies(m, count):
    """Rigid bodies side by side, turned and turning."""
    out = []
    for i in range(count):
        spin = (0.4, 0.2 * i, -0.5) if m.dimension == 3 else 0.3 * i
        turn = (0.3 * i, -0.2, 0.1 * i) if m.dimension == 3 else 0.2 * i
        inertia = (0.2, 0.25, 0.3) if m.dimension == 3 else 0.2
        place = (0.7 * i, 0.1 * i, 0.0)[: m.dimension]
        out.append(m.add(cd.RigidBody(f"b{i}", 1.0 + 0.1 * i, inertia=inertia, position=place, rotation=turn)))
        out[-1].angular_velocity = spin
    return out


def library_space(enforcement="multiplier"):
    """Every joint with an axis, one after the other."""
    m = cd.Model("joint library", dimension=3, gravity=(0.0, 0.0, -9.81))
    bodies = row_of_bodies(m, 10)
    kinds = (cd.Cylindrical, cd.Prismatic, cd.Planar, cd.PointOnLine, cd.PointOnPlane)
    for i, kind in enumerate(kinds):
        place = (0.7 * i + 0.35, 0.1 * i, 0.05)
        m.add(
            kind(kind.__name__, bodies[i], bodies[i + 1], at=place, axis=(0.2, 1.0, 0.5 * i), enforcement=enforcement)
        )
    m.add(
        cd.Screw("screw", bodies[5], bodies[6], at=(3.9, 0.5, 0), axis=(1, 0, 0.2), pitch=0.05, enforcement=enforcement)
    )
    m.add(
        cd.Universal("cardan", bodies[6], bodies[7], at=(4.5, 0.6, 0), axis=(1, 0, 0), second_axis=(0, 1, 0),
                     enforcement=enforcement)
    )  # fmt: skip
    m.add(cd.Distance("link", bodies[7].at(0.1, 0.2, 0.0), bodies[8], enforcement=enforcement))
    knee = {
        "x": 0.0,
        "y": 0.0,
        "z": {"of": "angle 1", "x": [-2, -1, 0, 1, 2], "y": [0.1, 0.05, 0, 0.05, 0.2]},
        "angle 2": 0.0,
    }
    m.add(cd.CustomJoint("knee", bodies[8], bodies[9], at=(6.0, 0.8, 0), functions=knee, enforcement=enforcement))
    return m


def transforms_space():
    """Joints by rotations about any axes and translations, with functions of coordinates."""
    m = cd.Model("transforms in space", dimension=3, gravity=(0.0, 0.0, -9.81))
    bodies = row_of_bodies(m, 4)
    bend = {"of": "bend", "x": [-2, -1, 0, 1, 2], "y": [0.1, 0.05, 0, 0.05, 0.2]}
    m.add(
        cd.TransformJoint("knee", bodies[0], bodies[1], at=(0.35, 0.0, 0.05), rotations=[{"axis": (0.2, 1, 0), "by": "bend"}],
                          translations=[{"axis": (1, 0, 0), "by": bend}])
    )  # fmt: skip
    turns = [
        {"axis": (0, 1, 0), "by": "one"},
        {"axis": (1, 0, 0), "by": "two"},
        {"axis": (0, 0, 1), "by": {"of": {"one": 0.5}}},
    ]
    slides = [{"axis": (0, 0.6, 0.8), "by": "along"}, {"axis": (0, 0, 1), "by": {"of": {"two": 0.2, "along": -0.1}}}]
    m.add(cd.TransformJoint("hip", bodies[1], bodies[2], at=(1.05, 0.1, 0.0), rotations=turns, translations=slides))
    skew = [{"axis": (1, 0.2, 0), "by": "one"}, {"axis": (0.3, 1, 0.4), "by": "two"}]
    m.add(cd.TransformJoint("ankle", bodies[2], bodies[3], at=(1.75, 0.2, 0.0), rotations=skew))
    m.add(cd.CoordinateSpring("spring", "hip.along", 30.0))
    return m


def coordinates_space():
    """Drives, gears, couplings, springs, dampers, limits and motors on the coordinates of hinges and slides."""
    m = cd.Model("coordinates in space", dimension=3)
    bodies = row_of_bodies(m, 7)
    for i in range(5):
        place = (0.7 * i + 0.35, 0.1 * i, 0.0)
        m.add(cd.Revolute(f"h{i}", bodies[i], bodies[i + 1], at=place, axis=(0.2 * i, 1.0, 0.3)))
    m.add(cd.Cylindrical("slide", bodies[5], bodies[6], at=(3.9, 0.5, 0.0), axis=(1.0, 0.0, 0.2)))
    m.add(cd.Drive("drive", "h0", motion=cd.Harmonic(0.4, 0.5)))
    m.add(cd.Gear("gear", a="h1.angle", b="h2.angle", ratio=1.5))
    m.add(cd.Coupling("coupling", {"h3.angle": 1.0, "slide.position": -2.0}))
    m.add(cd.Follow("follow", "h4.angle", "slide.angle", x=(-2, -1, 0, 1, 2), y=(1.0, 0.2, 0.0, 0.2, 1.0)))
    m.add(cd.CoordinateSpring("torsion", "h1.angle", 5.0, rest=0.3))
    m.add(cd.CoordinateSpring("stiffening", "h1.angle", rest=0.1, curve=([-0.5, 0.0, 0.2, 1.0], [-4.0, 0.0, 0.1, 9.0])))
    m.add(cd.CoordinateDamper("friction", "h2.angle", 0.7))
    m.add(cd.CoordinateForce("motor", "slide.position", 3.0, scale=cd.Ramp(-1.0, 1.0)))
    m.add(cd.Limit("stop", "h3.angle", lower=0.4, upper=0.6, stiffness=50.0, damping=2.0))
    return m


def passive_space():
    """An arm of three segments whose joints resist about every axis: curves, stops, dampers, relative and absolute angles."""
    m = cd.Model("passive resistance", dimension=3)
    bodies = row_of_bodies(m, 4)
    table = ([-0.5, 0.0, 0.2, 1.0], [-4.0, 0.0, 0.1, 9.0])
    m.add(
        cd.Spherical(
            "shoulder", bodies[0], bodies[1], at=(0.35, 0.0, 0.0), axes=(0.1, 0.4, 0.0), axes_b=(0.5, 0.0, 0.3)
        )
    )
    m.add(cd.Spherical("elbow", bodies[1], bodies[2], at=(1.05, 0.1, 0.0), axes_b=(0.0, 0.0, 0.2)))
    m.add(cd.Revolute("wrist", bodies[2], bodies[3], at=(1.75, 0.2, 0.0), axis=(0.0, 1.0, 0.2)))
    swell = cd.PassiveAxis(table, zero=0.1, damping=([-2.0, -0.5, 0.0, 0.5, 2.0], [-4.0, -0.2, 0.0, 0.2, 4.0]))
    stopped = cd.PassiveAxis(upper=-0.6, stiffness=40.0, stop_damping=2.0)
    axes = {
        "angle 1": swell,
        "angle 2": stopped,
        "angle 3": cd.PassiveAxis("wrist", lower=0.2, stiffness=7.0, damping=0.6),
    }
    m.add(cd.PassiveMoment("capsule", "shoulder", axes))
    m.add(cd.PassiveMoment("thesis", "elbow", {a: cd.PassiveAxis(table) for a in ("angle 1", "angle 2")}, "absolute"))
    m.add(cd.PassiveMoment("hinge", "wrist", cd.PassiveAxis("elbow", zero=0.2, damping=0.3)))
    return m


def coordinates_plane():
    """The same kinds of parts in the plane, held by penalties and augmented Lagrangians, with follower forces."""
    m = cd.Model("coordinates in the plane", dimension=2)
    bodies = row_of_bodies(m, 6)
    for i in range(3):
        m.add(cd.Pin(f"h{i}", bodies[i], bodies[i + 1], at=(0.7 * i + 0.35, 0.1 * i)))
    m.add(cd.Prismatic("slide", bodies[3], bodies[4], at=(2.5, 0.3), axis=(1.0, 0.4)))
    m.add(cd.CustomJoint("any", bodies[4], bodies[5], at=(3.2, 0.5), functions={"x": 0.0}))
    m.add(cd.Drive("drive", "h0", rate=cd.Harmonic(0.4, 0.5), enforcement="augmented"))
    m.add(cd.Coupling("coupling", {"h1.angle": 1.0, "slide.position": -2.0}, enforcement=cd.Penalty(200.0)))
    m.add(cd.CoordinateSpring("spring", "slide.position", 40.0))
    m.add(cd.CoordinateDamper("damper", "any.angle", 0.6))
    m.add(cd.CoordinateDamper("water", "any.angle", curve=([-2.0, -0.5, 0.0, 0.5, 2.0], [-4.0, -0.2, 0.0, 0.2, 4.0])))
    m.add(cd.FollowerForce("thrust", bodies[5].at(0.1, 0.2), (1.0, -2.0), scale=cd.Ramp(-1.0, 1.0)))
    m.add(cd.Bushing("bushing", bodies[2], bodies[4], (1.9, 0.3), 100.0, 3.0, 20.0, 0.5))
    return m


def damped_solid():
    """A mesh with damping of mass and stiffness, a bushing and a follower force in space."""
    m = cd.Model("damped", dimension=3)
    block = m.add(cd.Solid.block("block", (0.8, 0.4, 0.3), (2, 1, 1), STEEL, angular_velocity=(0.3, 0.5, 0)))
    hub = m.add(
        cd.RigidBody("hub", 1.0, inertia=(0.1, 0.15, 0.12), position=(-0.4, 0.1, 0), angular_velocity=(0.3, 0.5, 0))
    )
    m.add(cd.Spherical("ball", block.point(0), hub, at=(0.0, 0.0, 0.0)))
    m.add(cd.RayleighDamping("loss", block, mass_rate=0.8, stiffness_time=0.02))
    other = m.add(cd.RigidBody("other", 0.5, inertia=(0.1, 0.1, 0.1), position=(-0.4, 0.5, 0.2)))
    m.add(cd.Bushing("mount", hub, other, (-0.4, 0.3, 0.1), 150.0, 2.0, 15.0, 0.4))
    m.add(cd.FollowerForce("thrust", other.at(0.1, 0.0, 0.1), (0.5, 1.0, -2.0)))
    return m


def rolling_space():
    """A ball that rolls on a body that moves, a leaning wheel, a blade, a driven rate, a law of one's own."""
    m = cd.Model("rolling in space", dimension=3, gravity=(0.3, -0.5, -9.81))
    table = m.add(cd.RigidBody("table", 5.0, inertia=(0.8, 0.9, 1.0), angular_velocity=(0.1, 0.2, 0.7)))
    m.add(cd.Spherical("pivot", m.ground, table, at=(0.0, 0.0, -0.3)))
    ball = m.add(cd.RigidBody.ball("ball", 0.2, 30.0, position=(0.3, 0.1, 0.2), angular_velocity=(1.0, 0.5, -0.3)))
    m.add(cd.Rolling("on table", table, ball, radius=0.2, normal=(0.0, 0.0, 1.0)))
    wheel = m.add(cd.RigidBody("wheel", 1.5, inertia=(0.02, 0.02, 0.04), position=(1.0, 1.0, 0.24)))
    wheel.rotation = (0.0, 0.9273, 0.2)
    wheel.angular_velocity = (0.3, -0.2, 2.0)
    axis = wheel_axis(wheel)
    m.add(cd.Rolling("on ground", m.ground, wheel, radius=0.3, axis=axis, assemble=True))
    skate = m.add(cd.RigidBody("skate", 2.0, inertia=(0.1, 0.2, 0.3), position=(2.0, 0.0, 0.0)))
    skate.angular_velocity = (0.2, 0.1, 0.8)
    m.add(cd.KnifeEdge("blade", table, skate, at=(2.1, 0.1, 0.0), across=(0.2, 1.0, 0.3)))
    arm = m.add(cd.RigidBody("arm", 1.0, inertia=(0.1, 0.1, 0.1), position=(2.5, 0.2, 0.1)))
    m.add(cd.Revolute("elbow", skate, arm, at=(2.3, 0.1, 0.0), axis=(0.3, 0.2, 1.0)))
    m.add(cd.DrivenRate("motor", "elbow", cd.Harmonic(0.4, 0.5)))
    m.add(cd.LawRate("own", "hypocycloid", [(ball, arm), (arm, (0.0, 1.0, 0.4))], {"k": 0.6}, 0.1))
    return m


def wheel_axis(wheel):
    """The third axis of a body at the start."""
    return cd.model.rotations.as_rotation_matrix(wheel.rotation, 3, "wheel")[:, 2]


def rolling_plane():
    """A wheel that rolls on a moving plank, with a blade, in 2D."""
    m = cd.Model("rolling in the plane", dimension=2, gravity=(0.3, -9.81))
    plank = m.add(cd.RigidBody("plank", 3.0, inertia=0.5, position=(0.1, 0.0), rotation=0.1, angular_velocity=0.4))
    m.add(cd.Pin("pin", m.ground, plank, at=(0.0, 0.0)))
    wheel = m.add(cd.RigidBody.disk("wheel", 0.2, 7.0, position=(0.4, 0.25), angular_velocity=1.0))
    m.add(
        cd.Rolling(
            "rolls", plank.at(0.0, 0.03), wheel, radius=0.2, normal=(-0.1, 1.0), assemble=True, enforcement="augmented"
        )
    )
    skate = m.add(cd.RigidBody("skate", 1.0, inertia=0.2, position=(1.5, 0.0), angular_velocity=0.7))
    m.add(cd.KnifeEdge("blade", plank, skate, at=(1.6, 0.1), across=(0.3, 1.0)))
    m.add(cd.Revolute("hinge", skate, m.add(cd.RigidBody("arm", 0.5, inertia=0.1, position=(2.0, 0.0))), at=(1.8, 0.0)))
    m.add(cd.DrivenRate("motor", "hinge", cd.Harmonic(0.4, 0.5)))
    return m


JOINTS = {
    **{f"joint library, {e}": (lambda e=e: library_space(e)) for e in ("multiplier", "augmented", "penalty")},
    "transforms in space": transforms_space,
    "coordinates in space": coordinates_space,
    "passive resistance": passive_space,
    "coordinates in the plane": coordinates_plane,
    "damped solid": damped_solid,
    "rolling in space": rolling_space,
    "rolling in the plane": rolling_plane,
}
