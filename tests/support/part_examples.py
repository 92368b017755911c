"""At least one example of every type of part, in which every field is set to something else than its default."""

import numpy as np

import condyle as cd
import own_parts  # noqa: F401  (laws of one's own)

A, B = cd.Point("a", (0.1, 0.2, 0.3)), cd.Point("b", "tip")
STEEL = cd.StVenantKirchhoff(2e11, 0.3, 7800.0, plane="stress", viscosity=3.0, prony=((0.5, 2.0),))
RUBBER = cd.NeoHookean(1e6, 0.45, 1100.0, 2.0, ((0.5, 2.0), (0.1, 9.0)))
SPLIT = dict(bulk=1e7, density=1100.0, viscosity=2.0, prony=((0.5, 2.0),))
JOINT = dict(at=(1.0, 2.0, 3.0), enforcement=cd.Augmented(1e5, solve="uzawa"), assemble=True, released=("x",))
SHAPE = dict(
    centre_of_mass=(0.1, 0.0, 0.0), position=(1, 2, 3), rotation=(0.1, 0.2, 0.3), velocity=(1, 0, 0),
    angular_velocity=(0, 0, 1), points={"tip": (0, 0, 1)}, outline=[[(0, 0, 0), (0, 0, 1)]],
    faces={"points": [(0, 0, 0), (1, 0, 0), (0, 1, 0)], "cells": [[0, 1, 2]]},
)  # fmt: skip
MOMENT = [[1.0, 0.1, 0.0], [0.1, 2.0, 0.0], [0.0, 0.0, 3.0]]
INERTIA = [[5.0, -0.1, 0.0], [-0.1, 4.0, 0.0], [0.0, 0.0, 3.0]]
TUBE = cd.RoundSection(0.1, STEEL, 0.05, (0.6, 0.5), 1e-5)
LINE = [(0, 0, 0), (1, 0, 0)]
SQUARE = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
CUBE = [*SQUARE, *((x, y, 1) for x, y, _ in SQUARE)]
PLACED = dict(centre=(0, 0, 1), rotation=(0.1, 0.2, 0.3))
MOVES = ((1, 0, 0), (0, 0, 1))
CORNERS = {"o": (0, 0, 0), "x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}


def axial(kind, **options):
    return kind("j", "a", "b", axis=(0, 1, 1), **JOINT, **options)


EXAMPLES = [
    # functions of time, points
    cd.Constant(2.0),
    cd.Table((0.0, 1.0, 3.0), (0.0, 2.0, -1.0), "zero"),
    cd.Spline((0.0, 1.0, 3.0), (0.0, 2.0, -1.0)),
    cd.Harmonic(2.0, 3.0, 0.5, 1.0),
    cd.Polynomial((1.0, 2.0, 0.5)),
    cd.Pulse(0.1, 0.2, 30.0),
    cd.Ramp(1.0, 2.0, 3.0, 4.0),
    cd.Function("math:cos"),
    cd.Integral(cd.Harmonic(2.0), 0.5, 0.02),
    cd.Point("a", (1.0, 2.0), "world"),
    cd.Point("a", "tip"),
    cd.Point("a", 7),
    # materials, enforcements
    STEEL,
    RUBBER,
    cd.Robust(1e6, 0.45, 1100.0, 2.0, ((0.5, 2.0),)),
    cd.MooneyRivlin(1e5, 2e4, **SPLIT),
    cd.Yeoh(1e5, -1e3, 1e2, **SPLIT),
    cd.Ogden((1e5, -2e4), (2.0, -2.0), **SPLIT),
    cd.FibreReinforced(1e5, toe_stress=1e4, toe_rate=20.0, toe_end=1.06, direction=(0.0, 1.0, 0.0), **SPLIT),
    cd.LigamentTissue(1e5, c01=2e4, direction=(0.0, 1.0, 0.0), toe_stress=1e4, toe_rate=20.0, modulus=1e7, toe_end=1.06,
                      measure="square", **SPLIT),
    cd.ArrudaBoyce(1e5, 2.5, **SPLIT),
    cd.VerondaWestmann(1e4, 3.0, **SPLIT),
    cd.HolzapfelGasserOgden(1e4, 2e4, 8.0, 0.2, directions=((0.0, 0.6, 0.8), (0.0, 0.6, -0.8)), **SPLIT),
    cd.LawMaterial("Mooney–Rivlin", {"c1": 600.0, "c2": 300.0, "bulk": 4e3}, 10.0, 0.1, ((0.5, 2.0),)),
    cd.LawMaterial(
        "quadratic fibres", {"mu": 1e4, "stiffness": 2e4}, directions=((0.0, 0.6, 0.8), (0.0, 0.6, -0.8))
    ),
    cd.Penalty(1e6),
    cd.Augmented(1e5, "uzawa"),
    # bodies
    cd.Ground(),
    cd.Frame("f", (1, 2, 3), (cd.Harmonic(), 0.0, cd.Ramp()), cd.Table((0, 1), (0, 1)), (0, 0, 1)),
    cd.PointMass("p", 2.0, (1, 2, 3), (0, 0, 1)),
    cd.RigidBody("r", 2.0, inertia=(1.0, 1.5, 2.0), **SHAPE, shape=cd.Sphere(0.2)),
    cd.RigidBody("r", 2.0, second_moment=MOMENT, **SHAPE, shape={"ball": 0.2}),
    cd.RigidSimplex("s", 2.0, inertia=(1.0, 1.5, 2.0), corners=CORNERS),
    cd.PseudoRigidBody("q", 2.0, inertia=(1.0, 1.5, 2.0), material=RUBBER),
    cd.RigidSimplex(
        "s", 2.0, inertia=INERTIA, second_moment=MOMENT, corners=CORNERS, enforcement="penalty", shape=cd.Sphere(0.2), **SHAPE
    ),
    cd.PseudoRigidBody("q", 2.0, inertia=INERTIA, second_moment=MOMENT, material=RUBBER, volume=0.1, **SHAPE),
    cd.PseudoRigidBody.box("q", (1.0, 2.0, 3.0), 100.0, material=RUBBER, order=2),
    cd.Solid("m", [(0, 0), (1, 0), (0, 1)], [(0, 1, 2)], "tri3", STEEL, 0.2, {"end": [1]}, (1, 0), 2.0, {"side": [[0, 1]]},
             {"all": [0]}, "stress", "mean", [(1, 0)], 1.1, [[1, 0, 0], [0, 2, 0], [0, 0, 0]], True),
    cd.Rod("rod", [(0, 0, 0), (1, 0, 0)], 4, 0.1, cd.StVenantKirchhoff(1e6, density=1.0), 0.2, (0, 1, 0), (1, 0, 0), (0, 0, 1)),
    # ANCF: sections, bodies
    TUBE,
    cd.EllipticSection(0.2, 0.1, STEEL, (0.8, 0.7), 1e-5),
    cd.RectangularSection(0.2, 0.1, STEEL, (0.8, 0.7), 1e-5),
    cd.Rope(1e6, (2.0, 3.0), 1.5, 4.0, (1e5, 2e5), 0.02, 0.001),
    cd.TaperedSection(TUBE, TUBE),
    cd.Cable("c", LINE, 3, TUBE, "polyline", [(1, 0, 0)] * 2, [(0, 1)], "engineering", "geometric", 0.1, "straight", 7,
             0.01, 2.0, *MOVES, 3),
    cd.Cable("c", LINE, 1, TUBE, tangents=[(1, 0, 0)] * 2, pre_stretch=1.1, extents=[0.7]),
    cd.Beam("b", LINE, 3, TUBE, [(1, 0, 0)] * 2, (0, 1, 0), 0.1, True, True, 0.01, *MOVES),
    cd.AncfBeam("b", LINE, 3, TUBE, [(1, 0, 0)] * 2, (0, 1, 0), 0.1, "section", 5, 0.01, *MOVES, "gradient"),
    cd.AncfBeam("b", LINE, 1, TUBE, [(1, 0, 0)] * 2, formulation="continuum", extents=[0.7]),
    cd.PlanarBeam("b", [(0, 0), (1, 0)], 3, cd.RectangularSection(0.1, 0.2, STEEL), sections="straight", plane="strain",
                  warping=2.0, points=(4, 3), damping=0.1, tangents=[(1, 0)] * 2, velocity=(1, 0), angular_velocity=2.0),
    cd.AncfBeam("b", LINE, 3, cd.EllipticSection(0.1, 0.2, STEEL, (0.9, 0.8), 1e-5), formulation="continuum",
                pre_stretch=1.1, across=12, volume="axis"),
    cd.Plate("p", SQUARE, [(0, 1, 2, 3)], STEEL, 0.01, "thin", [[(1, 0, 0), (0, 1, 0)]] * 4, [(1, 1)], [(0, 0)], {"end": [1]},
             np.eye(3), np.eye(3), "geometric", 0.1, "flat", 5, 0.01, *MOVES),
    cd.Shell("s", SQUARE, [(0, 1, 2, 3)], STEEL, 0.01, [(0, 0, 1)] * 4, [(0, 0, 0)], {"end": [1]}, 0.01, *MOVES),
    cd.Brick("k", CUBE, [range(8)], STEEL, [np.eye(3)] * 8, [(1, 1, 1)], [(0, 0, 0)], {"end": [1]}, 3, 0.01, *MOVES),
    cd.GenericAncf("g", [(0,), (1,)], [(0,), (1,)], [(0,)], [[(0, 0, 0)], [(1, 0, 0)]], [(0, 1)], [(1,)], TUBE, STEEL, 0.2,
                   [[(0.5,)], [1.0]], {"end": [1]}, 0.01, *MOVES),
    # joints
    cd.Clamp("j", "a", "b", hold="gradient", **JOINT),
    cd.ClinicalJoint("j", "a", "b", axis=(1, 0, 0), shaft=(0, 1, 0), **JOINT),
    cd.Insertion("j", "a", "b", hold="tangent", also=("xt",), **JOINT),
    cd.Drum("j", "a", "b.start", 0.5, axis=(0.0, 0.0, 1.0), paid=cd.Ramp(0.0, 1.0, 0.0, 2.0), **JOINT),
    cd.Spherical("j", A, B, **JOINT),
    cd.Spherical("j", "a", "b", axes=(0.1, 0, 0), axes_b=(0, 0.2, 0), **JOINT),
    cd.Pin("j", "a", "b", axes=0.1, axes_b=0.3, **(JOINT | {"at": (1, 2)})),
    cd.Fixed("j", "a", "b", **JOINT),
    cd.Weld("j", "a", "b", **(JOINT | {"at": (1, 2)})),
    cd.Slider("j", "a", "b", **(JOINT | {"at": (1, 2), "axis": (1, 1)})),
    cd.Translation("j", "a", "b", direction=(0, 1, 0), **JOINT),
    cd.Rotation("j", "a", "b", direction_a=(0, 1, 0), direction_b=(1, 0, 0), **JOINT),
    cd.Distance("j", "a", "b", length=2.0, **JOINT),
    cd.CustomJoint("j", "a", "b", functions={"x": 0.1, "y": {"of": "z", "x": [0, 1], "y": [0, 2]}}, axes=(0.1, 0, 0),
                   axes_b=(0, 0.2, 0), **JOINT),
    cd.TransformJoint("j", "a", "b", rotations=[{"axis": (0, 0, 1), "by": "bend"}, {"axis": (1, 0, 0), "by": 0.2}],
                      translations=[{"axis": (1, 0, 0), "by": {"of": "bend", "x": [0, 1], "y": [0, 2], "slopes": [1, 1]}}],
                      axes=(0.1, 0, 0), axes_b=(0, 0.2, 0), **JOINT),
    cd.TransformJoint("j", "a", "b", rotations=[{"axis": (0, 0, 1), "by": {"of": {"k.angle": 0.5}, "constant": 0.1}}],
                      radii=(0.1, 0.2, 0.3), **JOINT),
    *(axial(kind) for kind in (cd.Revolute, cd.Cylindrical, cd.Prismatic, cd.Planar, cd.PointOnLine, cd.PointOnPlane)),
    axial(cd.Screw, pitch=0.02),
    axial(cd.Universal, second_axis=(1, 0, 0)),
    cd.Tie("t", "a", ["start", 3], "b", cd.Penalty(1e4)),
    cd.Tie("t", "a", "top", "b", surface="bottom"),
    cd.Hold("h", "m", ["end", 3], (0, 1, 0), cd.Ramp(), "augmented", ["place", "direction 1"]),
    # joint coordinates
    cd.Drive("d", "j.angle", motion=cd.Harmonic(), enforcement="penalty"),
    cd.Drive("d", "j.angle", rate=cd.Ramp(), start=0.3),
    cd.DrivenRate("d", "j.angle", cd.Ramp()),
    cd.Rolling("r", "a", "b", (1.0, 2.0, 3.0), (0, 1, 1), (1, 0, 0), radius=0.3, enforcement="penalty", assemble=True,
               released=["normal"]),
    cd.KnifeEdge("k", "a", "b", (1.0, 2.0, 3.0), (0, 1, 0), assemble=True, released="across"),
    cd.Coupling("c", {"i.angle": 2.0, "j.angle": -1.0}, 0.4, "augmented"),
    cd.Gear("g", a="i.angle", b="j.angle", ratio=2.5, constant=0.1, enforcement="augmented"),
    cd.Follow("f", "i.angle", "j.angle", (0, 1, 2), (0, 1, 4), "penalty", slopes=(0, 2, 4)),
    cd.CoordinateSpring("k", "j.angle", 10.0, 0.2),
    cd.CoordinateSpring("k", "j.angle", rest=0.2, curve=([-1.0, 0.5, 2.0], [-3.0, 0.0, 4.0])),
    cd.CoordinateDamper("c", "j.angle", 0.5),
    cd.CoordinateDamper("c", "j.angle", curve=([-1.0, 0.0, 2.0], [-3.0, 0.0, 1.0])),
    cd.CoordinateForce("m", "j.angle", 3.0, cd.Ramp()),
    cd.Limit("l", "j.angle", -1.0, 2.0, 100.0, 0.5),
    cd.Initial("i", "j.angle", 0.2, 0.4),
    cd.PassiveAxis(([-1.0, 0.5, 2.0], [-3.0, 0.0, 4.0]), -0.5, 2.0, 30.0, 0.4, 0.2, 0.3),
    cd.PassiveAxis("elbow", damping=([-1.0, 0.0, 2.0], [-3.0, 0.0, 1.0])),
    cd.PassiveMoment("p", "j", {"angle 1": cd.PassiveAxis("knee"), "angle 3": cd.PassiveAxis(upper=1.0, stiffness=9.0)}),
    cd.PassiveMoment("p", "j", cd.PassiveAxis("elbow"), "absolute"),
    # forces
    cd.Load("f", A, (1, 2, 3), cd.Ramp()),
    cd.FollowerForce("f", A, (1, 2, 3), cd.Ramp()),
    cd.Torque("t", "a", (1, 2, 3), cd.Harmonic(), "body"),
    cd.Torque("t", "a", 2.0),
    cd.Traction("t", "m", "end", (1, 2), cd.Constant(3.0)),
    cd.Pressure("p", "m", 2.0, cd.Ramp(), "end"),
    cd.BodyForce("b", "m", (1, 2), cd.Constant(3.0)),
    cd.DistributedLoad("q", "c", (1, 2, 3), "deformed", cd.Ramp()),
    cd.Pressure("p", "s", 2.0, cd.Ramp()),
    cd.Moment("m", "c.end", (1, 2, 3), cd.Ramp()),
    cd.Gravity("g", cd.Ramp()),
    cd.Spring("s", A, B, 100.0, 0.3, True),
    cd.Damper("d", A, B, 2.0, "all"),
    cd.Bushing("b", "a", "b", (1, 2, 3), 1e3, 10.0, 50.0, 0.5),
    cd.RayleighDamping("r", "m", 0.1, 0.002),
    # muscles
    cd.MovingPoint("a", "j.angle", (0.0, 1.0), [(0.0, 0.1, 0.0), (0.0, 0.2, 0.1)],
                   [(0.0, 0.1, 0.0), (0.0, 0.1, 0.2)]),
    cd.ConditionalPoint(A, "j.angle", -0.5, 0.5, 0.1),
    cd.SphereWrap(A, 0.1, (0.0, 1.0, 0.0)),
    cd.EllipsoidWrap(A, (0.1, 0.2, 0.3), (0.0, 1.0, 0.0), (0.1, 0.0, 0.2)),
    cd.TorusWrap(A, 0.3, 0.1, (0.0, 0.0, 1.0), (0.0, 1.0, 0.0)),
    cd.CylinderWrap(A, 0.1, (0, 0, 1), (1, 0, 0)),
    cd.ForceActuator("f", [A, B], 100.0, cd.Ramp()),
    cd.MomentActuator("m", A, B, cd.Point("a"), 2.0, cd.Ramp(), (0, 0, 1), 1e-4),
    cd.Ligament("l", [A, cd.SphereWrap("a", 0.1), B], 1000.0, 0.2, 0.04, damping=5.0),
    cd.Ligament("l", [A, B], 1000.0, reference_strain=0.01, tension_only=False),
    cd.Muscle("m", [A, cd.Point("a"), B], 1000.0, 0.1, 0.2, cd.Ramp(), 0.2, "rigid", 0.01, 0.04, 0.5, 8.0, 0.2, 0.04, 0.5,
              3.0, 1.0, tension_only=False, curves="thelen", active_width=0.5, concentric_shape=0.3, eccentric_force=1.5),
    cd.MillardShape(0.45, 0.7, 1.8, 0.8, 0.01, 0.25, 3.0, 0.7, 30.0, 0.6, 0.4, 0.1, 0.3, 4.0, 0.05, 0.2, 0.5, 0.8),
    cd.Muscle("m", [A, B], 1000.0, 0.1, 0.2, curves="millard", shape=cd.MillardShape(tendon_toe=0.6), least_activation=0.01),
    # contact and its surfaces
    cd.Plane((0, 0, 1), (0, 0, 0.1)),
    cd.Sphere(0.3, (0, 0, 1), True),
    cd.Cylinder(0.3, (0, 0, 1), (0, 0, 1), 2.0, True),
    cd.Capsule((0, 0, 0), (0, 0, 1), 0.1),
    cd.Box((1, 2, 3), (0, 0, 1), (0.1, 0.2, 0.3), 0.1),
    cd.Ellipsoid((1, 2, 3), (0, 0, 1), (0.1, 0.2, 0.3), True),
    cd.Cone(0.3, 0.5, (0, 0, 1), (0, 0, 1), 0.1, True),
    cd.Torus(0.5, 0.1, (0, 0, 1), (0, 0, 1)),
    cd.HermiteCurve([(0, 0), (1, 0), (2, 1), (3, 3)], 0.4, False, True),
    cd.SplineCurve([(0, 0), (1, 0), (2, 1), (3, 3)], False, True),
    cd.Revolution(cd.SplineCurve([(0, 0), (1, 0), (2, 1)], False), (0, 0, 1), (0, 0, 1)),
    cd.FacetSurface([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)], True, True),
    cd.SplineSurface([[(i, j, 0) for j in range(3)] for i in range(3)], (False, True), True),
    cd.HermiteSurface(SQUARE, [(0, 1, 2, 3)], [[(1, 0, 0), (0, 1, 0)]] * 4, [(1, 2)], True),
    cd.FlatSurface((0, 0, 1), (1, 0, 0), 0.2),
    cd.RevolvedSurface((0.02, 0.0, -9.0), (0, 1, 0), (0, 0, -1), (0, 0, 1), 0.01, (-1, 1)),
    cd.SplinePatch([[(i, j, i * j) for j in range(4)] for i in range(4)]),
    cd.PolynomialPatch((0, 1, 2), (0, 1), [[[[(i, 0, 0), (0, 1, 0)], [(1, 0, 0), (0, 0, 1)]]] for i in range(2)]),
    cd.ArticularContact(
        "k", "m", cd.RevolvedSurface((0.02, 0.0, -9.0), (0, 1, 0), (0, 0, -1), (0, 0, 1), 0.01, (-1, 1)), "a",
        cd.FlatSurface((0, 0, 1), (1, 0, 0), 0.2), "hertz", 2e9, 0.1, "resolve",
    ),
    cd.ArticularContact(
        "k", "m", cd.RevolvedSurface((0.02, 0.0, -9.0), (0, 1, 0), (0, 0, -1), (0, 0, 1), 0.01, (-1, 1)), "a",
        cd.FlatSurface((0, 0, 1), (1, 0, 0), 0.2), cd.Foundation(2e-3, 1e7, 0.4), points=(30, 10),
    ),
    cd.ArticularSurface(cd.FlatSurface((0, 0, 1), (1, 0, 0), 0.2)),
    cd.Contact("k", "m", "end", "a", cd.Sphere(0.3), "penalty", 0.3, 1e4, points="integration"),
    cd.Contact("k", "m", "end", "a", cd.Sphere(0.3), cd.Foundation(0.01, 1e6, 0.4)),
    cd.Contact("k", "c", [0, 1], "a", cd.Plane((0, 1, 0)), radius=0.02, overlap="resolve", per_element=5),
    cd.Contact("k", "b", cd.Ellipsoid((0.1, 0.2, 0.3)), "a", cd.Box((1.0, 1.0, 1.0)), friction=0.3, model="box"),
    cd.PatchContact("k", "c", "c", friction=0.2, radius=0.01, apart=0.1),
    cd.PatchContact(
        "k", "m", "a", cd.Sphere(0.3), "end", cd.Impact(0.5), cd.Coulomb(0.3), 4, 0.2, 1e-3, "free", 0.01, 30, 0.3, "resolve",
        "box",
    ),
    cd.Collisions("k", {"a": cd.Sphere(0.3), "b": None}, cd.Plane((0, 0, 1)), cd.SpringDashpot(1e5), 0.3, most=20),
    cd.Collisions("k", ["a", "b"], None, "penalty", 0.3, 1e4, True, [["a", "b"]], 20, "resolve"),
    cd.Collisions("k", ["a", "b"], friction=0.3, model="prox"),
    # rigid shapes
    cd.geometry.Sphere(0.3, **PLACED),
    cd.geometry.Ellipsoid((1, 2, 3), **PLACED),
    cd.geometry.Superellipsoid((1, 2, 3), (0.5, 1.5), **PLACED),
    cd.geometry.Capsule(0.3, 1, **PLACED),
    cd.geometry.Cylinder(0.3, 1, **PLACED),
    cd.geometry.Cone(0.3, 1, 0.1, **PLACED),
    cd.geometry.Box((1, 2, 3), 0.1, **PLACED),
    cd.geometry.HalfSpace((0, 1, 1), **PLACED),
    cd.geometry.ConvexMesh(CUBE, **PLACED),
    cd.geometry.TriangleMesh(SQUARE, [(0, 1, 2), (0, 2, 3)], False, **PLACED),
    cd.geometry.HeightField([(0, 1, 2), (1, 2, 4)], (0.1, 0.2), **PLACED),
    cd.Collisions("k", {"a": [cd.geometry.Superellipsoid((1, 2, 3), (0.5, 1.5)), cd.Sphere(1.0)], "b": cd.Sphere(0.3)},
                  cd.geometry.HeightField([(0, 1, 2), (1, 2, 4)])),
    # laws of contact
    cd.Hard(regularisation=1e5),
    cd.Impact(0.5, "stronge", regularisation=1e5),
    cd.NonlinearDashpot(1e7, 1e4, 1.2, 1.0, pulls=True, rate_exponent=1.5),
    cd.SpringDashpot(1e5, 10.0, pulls=True),
    cd.SpringDashpot(1e5, ratio=0.2),
    cd.Foundation(0.01, 1e6, 0.4, dissipation=0.3),
    cd.Hertz(1e6, 1.4),
    cd.HertzHysteresis(1e6, 1.4, 0.3),
    cd.ContactTable((0.0, 0.01), (0.0, 20.0), (0.0, 20.0)),
    cd.SmoothSwitch(cd.Hertz(1e6), 0.01, 1e5, True),
    *(
        kind(1e6, 1.4, 0.7, 0.01, True)
        for kind in (
            cd.HuntCrossley, cd.HerbertMcWhannell, cd.LeeWang, cd.LankaraniNikravesh, cd.Gonthier, cd.Flores, cd.ZhangSharf,
        )
    ),
    cd.Coulomb(0.3, 0.4, 0.1),
    cd.SurfaceFriction(0.3, 0.2, (1, 0, 0), 1e-3, 2e-3, (0, 0.5, 0)),
    cd.Bristle(0.3, 1e5),
    cd.Stronge(0.3, 0.8),
    cd.Stronge(0.3, poisson=0.3),
    cd.Regularised(0.3, 0.01, 0.4, 0.1),
    cd.LuGre(0.3, 0.4, 0.1, 1e3, 1.0, 0.1),
    cd.Contact("k", "c", [0, 1], "a", cd.Plane((0, 1, 0)), cd.Flores(1e6, e=0.7), cd.Bristle(0.3, 1e5)),
    # laws of one's own
    cd.LawEnergy("e", "exponential spring", [(A, B)], {"k": 100.0, "L": 0.5, "a": 2.0}),
    cd.LawConstraint("c", "ellipse", [(A, B), (A, (1, 0, 0)), ("a", (0, 1, 0))], {"a": 2, "b": 1}, cd.Ramp(), "penalty"),
    cd.LawConstraint("c", "ellipse", [(A, B), (A, (1, 0, 0)), ("a", (0, 1, 0))], {"a": 2, "b": 1}, None),
    cd.LawRate("c", "hypocycloid", [(A, B), (A, (1, 0, 0))], {"k": 2}, cd.Ramp()),
    cd.LawForce("f", "quadratic drag", [A], {"c": 0.5}, cd.Ramp()),
]  # fmt: skip
