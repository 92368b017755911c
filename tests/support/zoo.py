"""Small models with every body, joint, force and enforcement, for tests that must hold for all of them."""

import numpy as np

import condyle as cd
import own_parts  # noqa: F401  (laws of one's own)
from zoo_joints import JOINTS
from zoo_muscles import MUSCLES

STEEL = cd.StVenantKirchhoff(young=400.0, poisson=0.3, density=2.0)
RUBBER = cd.NeoHookean(young=300.0, poisson=0.3, density=1.5)
FIRM = cd.NeoHookean(young=3e4, poisson=0.3, density=15.0)
STRIP = cd.StVenantKirchhoff(young=2000.0, poisson=0.0, density=1.0)


def joints_plane(enforcement="multiplier"):
    """Rigid bodies in 2D with every joint of the plane."""
    m = cd.Model("joints in the plane", dimension=2, gravity=(0.3, -9.81))
    a = m.add(cd.RigidBody("a", 1.3, inertia=0.2, position=(0.5, 0.0), angular_velocity=0.7))
    b = m.add(cd.RigidBody.box("b", (0.6, 0.3), 4.0, position=(1.2, 0.1), rotation=0.4))
    c = m.add(cd.RigidBody("c", 0.8, inertia=0.1, centre_of_mass=(0.05, 0.1), position=(1.6, 0.4)))
    e = m.add(cd.RigidBody.disk("e", 0.2, 7.0, position=(2.1, 0.2)))
    g = m.add(cd.RigidBody("g", 0.6, inertia=0.05, position=(2.6, 0.0)))
    m.add(cd.Pin("pin", m.ground, a, at=(0.0, 0.0), enforcement=enforcement))
    m.add(cd.Slider("slider", a, b, at=(0.8, 0.2), axis=(1.0, 0.3), enforcement=enforcement))
    m.add(cd.Weld("weld", b, c, at=(1.4, 0.2), enforcement=enforcement))
    m.add(cd.Translation("height", c, e, at=(1.9, 0.3), direction=(0.2, 1.0), enforcement=enforcement))
    m.add(cd.Rotation("angle", c, e, direction_a=(1, 0.2), direction_b=(0, 1), enforcement=enforcement))
    m.add(cd.Revolute("hinge", e, g, at=(2.3, 0.1), enforcement=enforcement))
    return m


def joints_space(enforcement="multiplier"):
    """Rigid bodies in 3D with every joint of space."""
    m = cd.Model("joints in space", dimension=3, gravity=(0.3, -1.0, -9.81))
    bodies = [
        m.add(
            cd.RigidBody(
                f"b{i}",
                1.0 + 0.3 * i,
                inertia=(0.2, 0.25, 0.3),
                position=(0.7 * i + 0.5, 0.1 * i, 0.0),
                rotation=(0.3 * i, -0.2, 0.1 * i),
                angular_velocity=(0.4, 0.2 * i, -0.5),
            )
        )
        for i in range(5)
    ]
    m.add(cd.Spherical("ball", m.ground, bodies[0], at=(0.1, 0.0, 0.0), enforcement=enforcement))
    m.add(cd.Revolute("hinge", bodies[0], bodies[1], at=(0.9, 0, 0), axis=(0.2, 1.0, 0.5), enforcement=enforcement))
    m.add(cd.Fixed("weld", bodies[1], bodies[2], at=(1.6, 0.2, 0.1), enforcement=enforcement))
    m.add(cd.Translation("plane", bodies[2], bodies[3], at=(2.2, 0, 0), direction=(0, 1, 1), enforcement=enforcement))
    m.add(
        cd.Rotation(
            "angle", bodies[2], bodies[3], direction_a=(1, 0, 0), direction_b=(0, 1, 0.3), enforcement=enforcement
        )
    )
    m.add(cd.Spherical("end", bodies[3], bodies[4], at=(3.0, 0.35, 0.0), enforcement=enforcement))
    return m


def forces_plane():
    """Every force of the plane between a rigid body, a master simplex, a pseudo-rigid body and a particle."""
    m = cd.Model("forces in the plane", dimension=2, gravity=(0.0, -9.81))
    a = m.add(
        cd.RigidBody("a", 1.3, inertia=0.2, centre_of_mass=(0.1, 0.05), angular_velocity=1.5, points={"p": (0.3, 0.2)})
    )
    s = m.add(
        cd.RigidSimplex("s", 2.0, inertia=0.3, position=(1.5, 0.0), angular_velocity=-1.0,
                        corners={"1": (-0.2, -0.1), "2": (0.3, 0.0), "3": (0.0, 0.4)})
    )  # fmt: skip
    q = m.add(cd.PseudoRigidBody.box("q", (0.5, 0.4), 15.0, position=(0.0, 1.5), material=FIRM, angular_velocity=0.8))
    p = m.add(cd.PointMass("p", 0.7, (1.4, 1.6), velocity=(0.2, -0.4)))
    m.add(cd.Spring("spring", "a.p", "s.2", 120.0, rest_length=0.9))
    m.add(cd.Spring("cord", q.at(0.2, 0.1), p, 90.0, rest_length=0.8, tension_only=True))
    m.add(cd.Spring("centre", m.ground, p, 30.0, rest_length=0.0))
    m.add(cd.Damper("dashpot", "a.p", q.at(0.1, -0.2), 4.0))
    m.add(cd.Damper("drag", "s.3", p, 3.0, along="all"))
    m.add(cd.Torque("motor", a, 2.5, scale=cd.Harmonic(frequency=0.3)))
    m.add(cd.Torque("rotor", s, -1.5, frame="body", scale=cd.Table((0.0, 2.0), (1.0, 0.5))))
    m.add(cd.Load("push", q.at(0.2, 0.2), (3.0, -1.0), scale=cd.Ramp(0.0, 1.0)))
    m.add(cd.Gravity("gravity", scale=cd.Ramp(-1.0, 1.0)))
    return m


def forces_space():
    """Every force of space between a rigid body, a master simplex, a pseudo-rigid body and a particle."""
    m = cd.Model("forces in space", dimension=3, gravity=(0.0, 0.0, -9.81))
    a = m.add(
        cd.RigidBody("a", 1.3, inertia=(0.2, 0.3, 0.4), centre_of_mass=(0.1, 0.05, -0.1), angular_velocity=(1.5, 0.3, -0.6),
                     points={"p": (0.3, 0.2, 0.1)})
    )  # fmt: skip
    s = m.add(
        cd.RigidSimplex("s", 2.0, inertia=(0.3, 0.35, 0.25), position=(1.5, 0.0, 0.2), angular_velocity=(0.2, -1.0, 0.5),
                        corners={"1": (-0.2, -0.1, 0), "2": (0.3, 0.0, 0), "3": (0, 0.4, 0.1), "4": (0.1, 0, 0.5)})
    )  # fmt: skip
    q = m.add(
        cd.PseudoRigidBody.box(
            "q", (0.5, 0.4, 0.3), 15.0, position=(0, 1.5, 0), material=FIRM, angular_velocity=(0.8, 1, 0)
        )
    )
    p = m.add(cd.PointMass("p", 0.7, (1.4, 1.6, -0.3), velocity=(0.2, -0.4, 0.1)))
    m.add(cd.Spring("spring", "a.p", "s.2", 120.0, rest_length=0.9))
    m.add(cd.Spring("cord", q.at(0.2, 0.1, 0.1), p, 90.0, rest_length=0.8, tension_only=True))
    m.add(cd.Spring("centre", m.ground, p, 30.0, rest_length=0.0))
    m.add(cd.Damper("dashpot", "a.p", q.at(0.1, -0.2, 0), 4.0))
    m.add(cd.Damper("drag", "s.4", p, 3.0, along="all"))
    m.add(cd.Torque("motor", a, (2.5, 0.3, -1.0), scale=cd.Harmonic(frequency=0.3, offset=1.0)))
    m.add(cd.Torque("rotor", s, (0.4, -1.5, 0.8), frame="body"))
    m.add(cd.Load("push", q.at(0.2, 0.2, 0.1), (3.0, -1.0, 0.5)))
    return m


def solids_plane(element="quad4", material=RUBBER):
    """A mesh bonded to a rigid body at one side and pinned to a bar at the other."""
    m = cd.Model("solids in the plane", dimension=2, gravity=(0.0, -2.0))
    block = cd.Solid.block(
        "block", (1.0, 0.4), (3, 2), material, thickness=0.7, velocity=(0.1, 0.2), angular_velocity=0.5
    )
    mesh = m.add(as_simplices(block) if element == "tri3" else block)
    a = m.add(cd.RigidBody("a", 1.0, inertia=0.1, position=(-0.4, 0.1), angular_velocity=0.5))
    bar = m.add(cd.RigidBody("bar", 0.4, inertia=0.05, position=(1.4, 0.3)))
    m.add(cd.Tie("bond", mesh, "left", a))
    m.add(cd.Pin("pin", mesh.point(mesh.sets["right"][1]), bar, at=(1.0, 0.2)))
    m.add(
        cd.Weld(
            "weld",
            mesh.at(0.5, 0.1),
            m.add(cd.RigidBody("rider", 0.2, inertia=0.01, position=(0.5, 0.1))),
            at=(0.5, 0.1),
        )
    )
    m.add(cd.Traction("pull", mesh, "top", (0.3, 0.5)))
    m.add(cd.BodyForce("weight", mesh, (0.0, -1.0)))
    return m


TISSUES = {
    "robust": cd.Robust(300.0, 0.3, 1.5, viscosity=2.0),
    "fading": cd.Robust(300.0, 0.3, 1.5, prony=((0.6, 0.04), (0.3, 0.5))),
    "fading rubber": cd.MooneyRivlin(40.0, 15.0, 500.0, 1.5, prony=((0.6, 0.04),)),
    "Mooney–Rivlin": cd.MooneyRivlin(40.0, 15.0, 500.0, 1.5),
    "Yeoh": cd.Yeoh(50.0, -2.0, 1.0, 300.0, 1.5),
    "Ogden": cd.Ogden((60.0, -10.0), (1.7, -1.6), 300.0, 1.5),
    "fibres": cd.FibreReinforced(50.0, 300.0, 20.0, 8.0, 1.05, (0.8, 0.6), 1.5),
    "chains": cd.ArrudaBoyce(90.0, 1.9, 300.0, 1.5),
    "skin": cd.VerondaWestmann(40.0, 2.5, 300.0, 1.5),
    "artery": cd.HolzapfelGasserOgden(80.0, 60.0, 2.0, 0.1, 300.0, ((0.8, 0.6), (0.8, -0.6)), 1.5),
}


def tissue(dimension, element, law, **options):
    """A few cells of one element and law, held at one side, under pressure and gravity."""
    m = cd.Model("tissue", dimension=dimension, gravity=(0.0,) * (dimension - 1) + (-2.0,))
    size, divisions = ((1.8, 1.2), (2, 1)) if dimension == 2 else ((1.8, 1.2, 0.9), (1, 1, 1))
    mesh = cd.Solid.block(
        "block", size, divisions, TISSUES[law], element=element, origin=(0.3, 0.0, 0.0)[:dimension], **options
    )
    m.add(mesh)
    m.add(cd.Hold("plane", mesh, "top", (1.0, 0.0, 0.0)[:dimension], displacement=cd.Ramp(0.0, 1.0, 0.0, 0.05)))
    m.add(cd.Tie("base", mesh, "bottom", m.ground))
    m.add(cd.Pressure("air", mesh, 3.0, surface="right"))
    return m


def cushioned(dimension=2, element="quad4", **options):
    """A quasi-static pad, viscous and fading, between a rigid body it is bonded to, a joint, a spring and a damper."""
    m = cd.Model("cushioned", dimension=dimension, gravity=(0.0,) * (dimension - 1) + (-2.0,))
    spin = 0.4 if dimension == 2 else (0.3, 0.5, 0.2)
    size = {2: (0.8, 0.4), 3: (0.8, 0.4, 0.3)}[dimension]
    a = m.add(cd.RigidBody("a", 1.0, inertia=0.1 if dimension == 2 else (0.1, 0.15, 0.12),
                           position=(-0.4, 0.1, 0.0)[:dimension], angular_velocity=spin))  # fmt: skip
    law = cd.Robust(300.0, 0.3, 1.5, viscosity=2.0, prony=((0.5, 0.05),))
    pad = m.add(cd.Solid.block("pad", size, (1,) * dimension, options.pop("law", law), element=element, quasi_static=True,
                               **options))  # fmt: skip
    m.add(cd.Tie("bond", pad, "left", a))
    b = m.add(cd.RigidBody("b", 0.5, inertia=0.05 if dimension == 2 else (0.05, 0.06, 0.07),
                           position=(1.0, 0.0, 0.0)[:dimension]))  # fmt: skip
    corner = pad.sets["right"][0]
    m.add(cd.Spherical("ball", pad.point(corner), b, at=(0.8, 0.0, 0.0)[:dimension]))
    m.add(cd.Hold("roller", pad, [pad.sets["right"][-1]], (1.0, 0.2, 0.0)[:dimension]))
    m.add(cd.Spring("string", pad.point(corner), m.ground.point((0.9, -0.5, 0.1)[:dimension]), 30.0, 0.4))
    m.add(cd.Damper("oil", pad.point(corner), m.ground.point((0.9, -0.5, 0.1)[:dimension]), 3.0))
    m.add(cd.Pressure("air", pad, 3.0, cd.Ramp(0.0, 1.0), "bottom"))
    return m


def solids_space(element="hex8", material=RUBBER):
    """A mesh bonded to a rigid body and carried by a spherical joint."""
    m = cd.Model("solids in space", dimension=3, gravity=(0.0, 0.0, -2.0))
    block = cd.Solid.block(
        "block", (0.8, 0.4, 0.3), (2, 1, 1), material, velocity=(0.1, 0, 0.2), angular_velocity=(0.3, 0.5, 0)
    )
    mesh = m.add(as_simplices(block) if element == "tet4" else block)
    a = m.add(
        cd.RigidBody("a", 1.0, inertia=(0.1, 0.15, 0.12), position=(-0.4, 0.1, 0), angular_velocity=(0.3, 0.5, 0))
    )
    m.add(cd.Tie("bond", mesh, "left", a))
    m.add(cd.Spherical("ball", mesh.point(mesh.sets["right"][0]), m.ground, at=(0.8, 0.0, 0.0)))
    m.add(cd.Traction("pull", mesh, "top", (0.3, 0.5, 0.1)))
    return m


def rod_plane():
    """A rod clamped to a rigid body, a second one pinned to its end."""
    m = cd.Model("rod in the plane", dimension=2)
    disk = m.add(cd.RigidBody.disk("disk", 0.5, 1.0, angular_velocity=1.0))
    rod = m.add(cd.Rod("rod", [(0.5, 0.0), (2.0, 0.3)], 3, 0.1, STRIP, width=0.5, angular_velocity=1.0))
    tail = m.add(cd.Rod("tail", [(2.0, 0.3), (2.5, 0.3), (3.0, 0.6)], 1, 0.1, STRIP, width=0.5))
    m.add(cd.Tie("clamp", rod, "start", disk))
    m.add(cd.Pin("pin", "rod.end", "tail.start"))
    m.add(cd.Load("push", tail.point("end"), (0.5, 1.0)))
    return m


def rod_space():
    """A rod clamped to a rigid body, hinged to another one at its end."""
    m = cd.Model("rod in space", dimension=3, gravity=(0.0, 0.0, -1.0))
    hub = m.add(cd.RigidBody.box("hub", (0.4, 0.3, 0.2), 5.0, angular_velocity=(0.2, 0.1, 1.0)))
    rod = m.add(cd.Rod("rod", [(0.2, 0, 0), (1.7, 0.3, 0.2)], 3, 0.1, STRIP, width=0.15, normal=(0, 0, 1)))
    tip = m.add(cd.RigidBody("tip", 0.3, inertia=(0.02, 0.03, 0.02), position=(1.9, 0.4, 0.2)))
    m.add(cd.Tie("clamp", rod, "start", hub))
    m.add(cd.Revolute("hinge", rod.point("end"), tip, at=(1.7, 0.3, 0.2), axis=(0, 0, 1)))
    return m


def shared_corners(dimension=3, joint="tie"):
    """Two rigid bodies on master simplices with a common corner, or with a spherical joint there."""
    d = dimension
    m = cd.Model("shared corner", dimension=d)
    corners = {"o": (0.0,) * d, "x": np.eye(d)[0] * 0.5, "y": np.eye(d)[1] * 0.4}
    if d == 3:
        corners["z"] = np.eye(3)[2] * 0.6
    spin, inertia = ((0.3, 1.0, -0.5), (0.2, 0.25, 0.3)) if d == 3 else (1.0, 0.3)
    offset = dict(centre_of_mass=(0.1,) * d)
    a = m.add(cd.RigidSimplex("a", 1.5, inertia=inertia, angular_velocity=spin, corners=corners, **offset))
    place = (0.5, *(0.0,) * (d - 1))
    turn = 0.6 if d == 2 else (0.6, 0.2, -0.3)
    b = m.add(cd.RigidSimplex("b", 1.0, inertia=inertia, position=place, rotation=turn, corners=corners, **offset))
    if joint == "tie":
        m.add(cd.Tie("joint", b, "o", a))
    else:
        m.add(cd.Spherical("joint", a, b, at=place))
    return m


def bonded_surfaces(dimension, element, enforcement="eliminate"):
    """Two solids whose meshes do not match, bonded in the mean."""
    m = cd.Model("bonded surfaces", dimension=dimension)
    d = dimension
    size, spin = (1.6, 1.2, 0.9)[:d], 1.0 if d == 2 else (0.3, 0.5, 1.0)
    a = m.add(cd.Solid.block("a", size, (1, 2, 1)[:d], STEEL, angular_velocity=spin))
    b = m.add(cd.Solid.block("b", size, (1, 3, 2)[:d], STEEL, element=element, origin=(1.6, 0.0, 0.0)[:d]))
    m.add(cd.Tie("glue", b, "left", a, surface="right", enforcement=enforcement))
    return m


def bonded(enforcement, dimension=2):
    """A mesh and a rod held by ties that are not eliminated."""
    m = rod_plane() if dimension == 2 else solids_space()
    tie = m["clamp" if dimension == 2 else "bond"]
    tie.enforcement = enforcement
    return m


def own_laws(dimension=3, enforcement="multiplier"):
    """Laws of one's own of every kind, a rigid body, a mesh and particles."""
    d = dimension
    m = cd.Model("laws of one's own", dimension=d)
    inertia, spin, size = ((0.1, 0.2, 0.25), (0.4, -0.7, 1.0), (0.6, 0.3, 0.2)) if d == 3 else (0.1, 1.0, (0.6, 0.3))
    a = m.add(cd.RigidBody("a", 1.0, inertia=inertia, angular_velocity=spin))
    p = m.add(cd.PointMass("p", 0.5, (1.0, 0.3, 0.2)[:d], velocity=(0.0, 1.0, 0.4)[:d]))
    q = m.add(cd.PointMass("q", 0.7, (1.5, 0.1, 0.0)[:d], velocity=(0.0, 1.0, 0.3)[:d]))
    rubber = cd.LawMaterial("Mooney–Rivlin", {"c1": 60.0, "c2": 30.0, "bulk": 400.0}, density=2.0)
    block = m.add(cd.Solid.block("block", size, (2, 1, 1)[:d], rubber, origin=(0.0, 1.0, 0.0)[:d]))
    m.add(
        cd.LawEnergy("cord", "exponential spring", [(a.at(*(0.2, 0.1, 0.1)[:d]), p)], {"k": 90.0, "L": 0.5, "a": 2.0})
    )
    m.add(cd.LawEnergy("tissue", "exponential spring", [(block.point("right"), p)], {"k": 30.0, "L": 0.7, "a": 3.0}))
    axes = [(a, np.eye(d)[0]), (a, np.eye(d)[1])]
    m.add(cd.LawConstraint("track", "ellipse", [(a, q), *axes], {"a": 1.5, "b": 1.0}, None, enforcement))
    m.add(cd.LawForce("drag", "quadratic drag", [(a, p)], {"c": 0.2}, cd.Harmonic(offset=1.5)))
    m.add(cd.LawForce("air", "quadratic drag", [q], {"c": 0.1}))
    return m


def as_simplices(block):
    """The same block with every quadrilateral cut into 2 triangles, every hexahedron into 6 tetrahedra."""
    if block.element == "quad4":
        cuts, kind = ((0, 1, 2), (0, 2, 3)), "tri3"
    else:
        cuts = ((0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6))
        kind = "tet4"
    cells = [[cell[i] for i in cut] for cell in block.cells for cut in cuts]
    return cd.Solid(
        block.name, block.nodes, cells, kind, block.material, thickness=block.thickness, sets=block.sets,
        velocity=block.velocity, angular_velocity=block.angular_velocity,
    )  # fmt: skip


ENFORCEMENTS = {
    "multiplier": "multiplier",
    "augmented": "augmented",
    "uzawa": "uzawa",
    "penalty": "penalty",
    "given penalty": cd.Penalty(500.0),
    "given augmented": cd.Augmented(500.0),
}


def cable_plane():
    """A reeled cable, a curved one at rest and a clamp, under loads per deformed length, pressure and a moment."""
    m = cd.Model("cables in the plane", dimension=2, gravity=(0.0, -9.81))
    section = cd.RectangularSection(0.1, 0.2, STEEL)
    c = m.add(cd.Cable("c", [(0.0, 0.0), (1.0, 0.2)], 2, section, strain="engineering", reel=1.5))
    k = m.add(cd.Cable("k", [(2, 0), (2.5, 0.4), (3, 0)], 1, section, curvature="geometric"))
    b = m.add(cd.RigidBody("b", 1.0, inertia=0.2, position=(1.5, 0.1)))
    m.add(cd.Clamp("clamp", c.point("end"), b.at(-0.5, 0.1)))
    m.add(cd.Pin("pin", b, k.point("start"), at=(2.0, 0.0)))
    m.add(cd.DistributedLoad("wind", c, (1.0, 0.5), per="deformed"))
    m.add(cd.Pressure("pressure", k, 2.0))
    m.add(cd.Moment("moment", k.point("end"), 0.7))
    m.add(cd.Drive("reel", "c.length", rate=0.3, start=float(np.hypot(1.0, 0.2))))
    return m


def winch():
    """A cable that a drum on a moving body pays out."""
    m = cd.Model("winch", dimension=2, gravity=(0.0, -9.81))
    b = m.add(cd.RigidBody("b", 1.0, inertia=0.2, position=(0.1, 0.2)))
    c = m.add(cd.Cable("c", [(0.5, 0.0), (0.5, -1.0)], 2, cd.Rope(400.0, 2.0, 1.0), reel=1.5))
    m.add(cd.Drum("drum", b, c.point("start"), 0.5, at=(0.0, 0.0), paid=cd.Ramp(0.0, 1.0, 0.0, 0.2)))
    return m


def planar_beams():
    """Planar beams whose sections stay straight or warp, one after the other."""
    m = cd.Model("planar beams", dimension=2, gravity=(0.0, -9.81))
    section = cd.RectangularSection(0.1, 0.2, STEEL)
    a = m.add(cd.PlanarBeam("a", [(0.0, 0.0), (1.0, 0.2)], 1, section, sections="straight"))
    b = m.add(cd.PlanarBeam("b", [(1.0, 0.2), (1.8, 0.1)], 1, section, sections="warped"))
    m.add(cd.Insertion("start", a.point("start"), m.ground, at=(0, 0)))
    m.add(cd.Pin("pin", a.point("end"), b.point("start")))
    m.add(cd.Load("end", b.point("end"), (2.0, -3.0)))
    return m


def clinical():
    """Springs along the clinical coordinates of two bodies."""
    m = cd.Model("clinical", dimension=3, gravity=(0.0, 0.0, -9.81))
    thigh = m.add(cd.RigidBody("thigh", 2.0, inertia=(0.2, 0.3, 0.4), position=(0.0, 0.0, 0.2)))
    shank = m.add(cd.RigidBody("shank", 1.5, inertia=(0.3, 0.2, 0.1), position=(0.05, 0.02, -0.2)))
    knee = m.add(cd.ClinicalJoint("knee", thigh, shank, at=(0, 0, 0), axis=(1, 0, 0), shaft=(0, 0, 1)))
    for k, name in enumerate(knee.coordinate_names(3)):
        m.add(cd.CoordinateSpring(f"spring {k}", f"knee.{name}", stiffness=20.0 + 5.0 * k))
    return m


def beams_space():
    """A tapered cable, beams of both formulations and a net, tied and clamped to each other."""
    m = cd.Model("beams in space", dimension=3, gravity=(0.0, 0.0, -9.81))
    section = cd.RectangularSection(0.2, 0.1, STEEL)
    taper = cd.TaperedSection(cd.RoundSection(0.1, RUBBER), cd.RoundSection(0.05, RUBBER))
    c = m.add(cd.Cable("c", [(0, 0, 0), (1, 0, 0.1)], 2, taper))
    a = m.add(cd.AncfBeam("a", [(1, 0, 0.1), (1.5, 0.3, 0.2), (2, 0.2, 0)], 1, section))
    e = m.add(cd.AncfBeam("e", [(2, 0.2, 0), (2.8, 0.2, 0)], 1, section, formulation="continuum"))
    g = m.add(cd.AncfBeam("g", [(0, 1, 0), (0.5, 1.2, 0.1)], 1, section, measures="gradient"))
    n = m.add(
        cd.Cable.net("n", [(3, 0, 0), (3.5, 0.2, 0), (3.2, 0.6, 0.1)], [(0, 1), (1, 2), (2, 0)], 1, cd.Rope(90, 2, 1))
    )
    tissue = cd.LigamentTissue(50.0, 900.0, 20.0, 8.0, 300.0, 1.05, c01=5.0, density=1.5)
    f = m.add(
        cd.AncfBeam("f", [(0, 2, 0), (0, 2.1, 0.6)], 1, cd.EllipticSection(0.1, 0.05, tissue), formulation="continuum",
                    pre_stretch=1.03, normal=(1, 0, 0))
    )  # fmt: skip
    h = m.add(cd.Cable("h", [(1, 2, 0), (1, 2.1, 0.6)], 1, cd.RoundSection(0.1, tissue), pre_stretch=1.08))
    m.add(cd.Insertion("i", f.point("start"), "ground", at=(0, 2, 0), hold="tangent", also=["yn"]))
    m.add(cd.Insertion("j", h.point("start"), "ground", at=(1, 2, 0), hold="tangent"))
    m.add(cd.Spring("k3", f.point("end"), h.point("end"), 50.0))
    m.add(cd.Tie("t", c, "start", "ground"))
    m.add(cd.Spherical("s", c.point("end"), a.point("start")))
    m.add(cd.Clamp("clamp", a.point("end"), e.at(0.0, 0.0, 0.0), hold="gradient"))
    m.add(cd.Spring("k", e.point("end"), n.point("point 0"), 50.0))
    m.add(cd.Spring("k2", g.point("end"), c.point("end"), 50.0))
    m.add(cd.Moment("m", a.at(0.5), (0.3, 0.2, -0.4)))
    return m


def exact_beams(d):
    """Geometrically exact beams, one of them without stretch and shear, on a rigid body, an ANCF beam and each other."""
    z = (0.0,) * (d - 2)
    m = cd.Model("exact beams", dimension=d, gravity=(0.0, -9.81, *z))
    section = cd.RectangularSection(0.2, 0.1, STEEL)
    inertia = 0.2 if d == 2 else (0.2, 0.3, 0.4)
    body = m.add(cd.RigidBody("body", 1.0, inertia=inertia, position=(0.0, 0.0, *z)))
    a = m.add(cd.Beam("a", [(0, 0, *z), (0.5, 0.3, *z), (1, 0.2, *z)], 1, section))
    b = m.add(cd.Beam("b", [(1, 0.2, *z), (1.8, 0.2, *z)], 2, section, inextensible=True, shear_rigid=True))
    c = m.add(cd.AncfBeam("c", [(1.8, 0.2, *z), (2.3, 0.4, *z)], 1, section))
    m.add(cd.Tie("t", a, "start", body))
    m.add((cd.Pin if d == 2 else cd.Spherical)("s", a.point("end"), b.point("start"), at=(1, 0.2, *z)))
    m.add(cd.Fixed("f", b.point("end"), c.point("start"), at=(1.8, 0.2, *z)))
    m.add(cd.Spring("k", c.point("end"), m.ground.at(2.5, 0.0, *z), 50.0))
    m.add(cd.Moment("m", b.point(1), 0.3 if d == 2 else (0.3, 0.2, -0.4)))
    return m


def viscous(d):
    """A beam of frames, and a beam of gradients and a solid tied to a rigid body: viscous forces on directors of all kinds."""
    z = (0.0,) * (d - 2)
    m = cd.Model("viscous", dimension=d, gravity=(0.0, -9.81, *z))
    section = cd.RectangularSection(0.2, 0.1, FIRM)
    spin, inertia = (3.0, 0.1) if d == 2 else ((1.0, 3.0, 1.5), (0.1, 0.2, 0.3))
    options = {"damping": 0.1, "angular_velocity": spin}
    body = m.add(cd.RigidBody("body", 1.0, inertia=inertia, angular_velocity=spin))
    frames = m.add(cd.Beam("frames", [(-0.5, 0.1, *z), (0, 0, *z)], 1, section, **options))
    gradients = m.add(cd.AncfBeam("gradients", [(0, 0, *z), (0.5, 0.3, *z)], 1, section, **options))
    corner, cells = (0.1, -0.4, 0.0)[:d], (1,) * d
    block = m.add(
        cd.Solid.block("block", (0.3, 0.4, 0.2)[:d], cells, TISSUES["robust"], origin=corner, angular_velocity=spin)
    )
    m.add((cd.Pin if d == 2 else cd.Spherical)("pin", frames.point("end"), body, at=(0, 0, *z)))
    m.add(cd.Tie("clamp", gradients, "start", body))
    m.add(cd.Tie("bond", block, "top", body))
    return m


def surfaces(kind):
    """A plate, shell or brick, flat or curved at rest, held at one side."""
    m = cd.Model(kind, dimension=3, gravity=(0.0, 0.0, -9.81))

    def arch(u, v, w=0.0):
        return ((1.0 + w) * np.sin(u), v, (1.0 + w) * np.cos(u))

    if kind == "brick":
        b = m.add(cd.Brick.shape("b", arch, (0.8, 0.5, 0.3), (1, 1, 1), RUBBER))
    elif kind == "shell":
        b = m.add(cd.Shell.surface("b", arch, (0.8, 0.5), (2, 1), STEEL, 0.1))
    elif kind == "curved plate":
        b = m.add(cd.Plate.surface("b", arch, (0.8, 0.5), (1, 1), STEEL, 0.1, points=3))
    else:
        b = m.add(cd.Plate.rectangle("b", (0.8, 0.5), (2, 1), STEEL, 0.1, kind="thin"))
    m.add(cd.Tie("t", b, "left", "ground"))
    if kind != "brick":
        m.add(cd.Pressure("p", b, 3.0))
        m.add(cd.DistributedLoad("q", b, (1.0, 0.0, 2.0), per="deformed"))
    return m


def generic_plane():
    """The cubic of a cable as an element of one's own."""
    m = cd.Model("generic element", dimension=2, gravity=(0.0, -9.81))
    nodal = [[(x, 0.1 * x), (1.0, 0.1)] for x in (0.0, 0.5, 1.0)]
    m.add(cd.GenericAncf("g", [(0,), (1,), (2,), (3,)], [(0.0,), (1.0,)], [(0,), (1,)], nodal, [(0, 1), (1, 2)],
                         [(0.5,), (0.5,)], section=cd.Rope(1e4, 2.0, 1.0), sets={"start": [0], "end": [2]}))  # fmt: skip
    m.add(cd.Load("pull", "g.end", (1.0, -3.0)))
    return m


ZOO = {
    **{f"joints in the plane, {k}": (lambda e=e: joints_plane(e)) for k, e in ENFORCEMENTS.items()},
    **{f"joints in space, {k}": (lambda e=e: joints_space(e)) for k, e in ENFORCEMENTS.items()},
    "forces in the plane": forces_plane,
    "forces in space": forces_space,
    "quad4": lambda: solids_plane("quad4"),
    "quad4, St. Venant–Kirchhoff": lambda: solids_plane("quad4", STEEL),
    "tri3": lambda: solids_plane("tri3"),
    "hex8": lambda: solids_space("hex8"),
    "tet4, St. Venant–Kirchhoff": lambda: solids_space("tet4", STEEL),
    "quad8, robust, viscous": lambda: tissue(2, "quad8", "robust"),
    "tri6, mean dilatation": lambda: tissue(2, "tri6", "Mooney–Rivlin", dilatation="mean"),
    "quad4, plane stress, Yeoh": lambda: tissue(2, "quad4", "Yeoh", plane="stress"),
    "quad4 about an axis, viscous": lambda: tissue(2, "quad4", "robust", plane="axisymmetric"),
    "quad8 about an axis, mean dilatation": lambda: tissue(2, "quad8", "Yeoh", plane="axisymmetric", dilatation="mean"),
    "quad4, shrunk fibres": lambda: tissue(2, "quad4", "fibres", natural_stretch=0.85),
    "hex8, mean dilatation, fibres": lambda: tissue(3, "hex8", "fibres", dilatation="mean"),
    "hex20, Ogden": lambda: tissue(3, "hex20", "Ogden"),
    "hex20, mean dilatation": lambda: tissue(3, "hex20", "Mooney–Rivlin", dilatation="mean"),
    "tet10, mean dilatation": lambda: tissue(3, "tet10", "Ogden", dilatation="mean"),
    "tet10, initial stress": lambda: tissue(3, "tet10", "robust", initial_stress=[[9, 1, 0], [1, -5, 0], [0, 0, 2]]),
    "quad4, fading stress": lambda: tissue(2, "quad4", "fading"),
    "quad4, mean dilatation, fading stress": lambda: tissue(2, "quad4", "fading rubber", dilatation="mean"),
    "quad4 about an axis, fading stress": lambda: tissue(2, "quad4", "fading", plane="axisymmetric"),
    "tet4, fading stress": lambda: tissue(3, "tet4", "fading"),
    "hex8, fibres": lambda: tissue(3, "hex8", "fibres"),
    "tet10, Mooney–Rivlin": lambda: tissue(3, "tet10", "Mooney–Rivlin"),
    "hex8, Yeoh": lambda: tissue(3, "hex8", "Yeoh"),
    "quad4, plane stress, Arruda–Boyce": lambda: tissue(2, "quad4", "chains", plane="stress"),
    "quad8 about an axis, Veronda–Westmann": lambda: tissue(
        2, "quad8", "skin", plane="axisymmetric", dilatation="mean"
    ),
    # Few points: where fibres are just about to act, the matrix jumps and finite differences across that are no measure of it.
    "hex8, Holzapfel–Gasser–Ogden": lambda: tissue(3, "hex8", "artery"),
    "quasi-static pad in the plane": cushioned,
    "quasi-static pad in space": lambda: cushioned(3, "hex8"),
    "rod in the plane": rod_plane,
    "rod in space": rod_space,
    "shared corner in the plane": lambda: shared_corners(2),
    "shared corner in space": lambda: shared_corners(3),
    "rod bonded by augmented multipliers": lambda: bonded("augmented"),
    "hexahedra bonded by a penalty": lambda: bonded("penalty", 3),
    "surfaces bonded in the plane": lambda: bonded_surfaces(2, "tri6"),
    "surfaces bonded in space, multipliers": lambda: bonded_surfaces(3, "tet4", "multiplier"),
    "cables in the plane": cable_plane,
    "planar beams": planar_beams,
    "clinical coordinates": clinical,
    "winch": winch,
    "beams in space": beams_space,
    "exact beams in the plane": lambda: exact_beams(2),
    "exact beams in space": lambda: exact_beams(3),
    "viscous bodies in the plane": lambda: viscous(2),
    "viscous bodies in space": lambda: viscous(3),
    "generic element": generic_plane,
    **{kind: (lambda kind=kind: surfaces(kind)) for kind in ("plate", "curved plate", "shell", "brick")},
    "laws of one's own in the plane": lambda: own_laws(2),
    "laws of one's own in space": own_laws,
    "laws of one's own, penalty": lambda: own_laws(2, "penalty"),
    "laws of one's own, augmented": lambda: own_laws(2, "augmented"),
    **JOINTS,
    **MUSCLES,
}
