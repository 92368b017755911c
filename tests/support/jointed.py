"""A body on a hinge of the ground and a second body on every kind of joint, with the same in minimal coordinates."""

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline

import condyle as cd
from minimal import Mechanism, across, turn, turn_by

MASSES = (1.3, 0.9)
INERTIAS = (np.diag([0.05, 0.08, 0.11]), np.diag([0.02, 0.05, 0.06]))
KNOTS = dict(x=[-2.0, -1.1, 0.9, 1.4, 2.0], y=[-0.5, 0.2, 0.0, -0.3, 0.4])
SPLINE = CubicSpline(KNOTS["x"], KNOTS["y"], bc_type="natural")
SHIFTED = dict(x=KNOTS["x"], y=(np.array(KNOTS["y"]) - SPLINE(0.0)).tolist())  # zero at the start
AXIS = np.array([0.2, 1.0, 0.5]) / np.linalg.norm([0.2, 1.0, 0.5])
SECOND = across(AXIS)[0]
OTHER = np.array([0.0, 1.0, 0.3])
PITCH = 0.8
E1, E2 = across(AXIS)
ROD_END = np.array([0.25, 0.15, 0.1])  # from the point on a to that on b, of the rod of the Distance joint
Z = np.array([0.0, 0.0, 1.0])
ALONG, UP = np.array([0.8, 0.6, 0.0]), np.array([-0.6, 0.8, 0.0])


@dataclass
class Case:
    """A joint, and the motion of b against a that it leaves: shift (3,) and rotation about the joint's point of b."""

    joint: object  # (model, a, b, place) -> adds parts; the joint is named 'joint'
    relative: object  # (θ of a, coordinates) -> (shift, rotation)
    rates: tuple = ()  # of the coordinates at the start
    dimension: int = 3
    off: np.ndarray | None = None  # of b's joint point from the place


def held(kind, **options):
    """Adds a joint of that kind at the place."""
    return lambda m, a, b, at: m.add(getattr(cd, kind)("joint", a, b, at=at, **options))


def rod_joint(m, a, b, at):
    end = np.asarray(at) + ROD_END[: m.dimension]
    m.add(cd.Distance("joint", cd.Point("a", tuple(at), "world"), cd.Point("b", tuple(end), "world")))


def hinged(extra):
    """A hinge between the bodies, and a part that ties its angle to that of the first hinge."""

    def add(m, a, b, at):
        m.add(cd.Revolute("joint", a, b, at=at, axis=AXIS))
        m.add(extra)

    return add


def cardan(angles):
    a, b, c = angles
    return turn((1, 0, 0), a) @ turn((0, 1, 0), b) @ turn((0, 0, 1), c)


def motion(axis, by):
    """A rotation or translation of a TransformJoint."""
    return {"axis": tuple(axis), "by": by}


def zero():
    return np.zeros(3)


def on_sphere(q, off=ROD_END):
    first, second = across(off)
    return turn(first, q[0]) @ turn(second, q[1]) @ off - off


SPACE = {
    "Spherical": Case(held("Spherical"), lambda th, q: (zero(), turn_by(q)), (1.0, -0.5, 2.0)),
    "Revolute": Case(held("Revolute", axis=AXIS), lambda th, q: (zero(), turn(AXIS, q[0])), (2.0,)),
    "Fixed": Case(held("Fixed"), lambda th, q: (zero(), np.eye(3))),
    "Translation": Case(
        held("Translation", direction=2.0 * AXIS),
        lambda th, q: (q[0] * E1 + q[1] * E2, turn_by(q[2:])),
        (0.5, -0.4, 1.0, -0.5, 2.0),
    ),
    "Rotation": Case(
        held("Rotation", direction_a=AXIS, direction_b=OTHER),
        lambda th, q: (q[:3], turn(AXIS, q[3]) @ turn(OTHER, q[4])),
        (0.5, -0.4, 0.3, 1.5, -1.0),
    ),
    "Cylindrical": Case(held("Cylindrical", axis=AXIS), lambda th, q: (q[1] * AXIS, turn(AXIS, q[0])), (2.0, 0.5)),
    "Prismatic": Case(held("Prismatic", axis=AXIS), lambda th, q: (q[0] * AXIS, np.eye(3)), (0.5,)),
    "Screw": Case(
        held("Screw", axis=AXIS, pitch=PITCH),
        lambda th, q: (PITCH * q[0] / (2 * np.pi) * AXIS, turn(AXIS, q[0])),
        (2.0,),
    ),
    "Universal": Case(
        held("Universal", axis=AXIS, second_axis=SECOND),
        lambda th, q: (zero(), turn(AXIS, q[0]) @ turn(SECOND, q[1])),
        (2.0, -1.0),
    ),
    "Planar": Case(held("Planar", axis=AXIS), lambda th, q: (q[0] * E1 + q[1] * E2, turn(AXIS, q[2])), (0.5, 0.4, 2.0)),
    "PointOnLine": Case(
        held("PointOnLine", axis=AXIS), lambda th, q: (q[0] * AXIS, turn_by(q[1:])), (0.5, 1.0, -0.5, 2.0)
    ),
    "PointOnPlane": Case(
        held("PointOnPlane", axis=AXIS),
        lambda th, q: (q[0] * E1 + q[1] * E2, turn_by(q[2:])),
        (0.5, 0.3, 1.0, -0.5, 2.0),
    ),
    "Distance": Case(rod_joint, lambda th, q: (on_sphere(q), turn_by(q[2:])), (1.0, -1.0, 1.0, -0.5, 2.0), off=ROD_END),
    "Gear": Case(
        hinged(cd.Gear("gear", a="root", b="joint.angle", ratio=1.5)),
        lambda th, q: (zero(), turn(AXIS, -1.5 * th)),
    ),
    "Coupling": Case(
        lambda m, a, b, at: [
            m.add(cd.Cylindrical("joint", a, b, at=at, axis=AXIS)),
            m.add(cd.Coupling("rack", {"root": 1.0, "joint.angle": -0.5, "joint.position": 2.0})),
        ],
        lambda th, q: ((0.25 * q[0] - 0.5 * th) * AXIS, turn(AXIS, q[0])),
        (2.0,),
    ),
    "Follow": Case(
        hinged(cd.Follow("cam", "joint.angle", of="root.angle", **SHIFTED)),
        lambda th, q: (zero(), turn(AXIS, SPLINE(th) - SPLINE(0.0))),
    ),
    "CustomJoint": Case(
        held("CustomJoint", functions={"x": {"of": "angle 3", **SHIFTED}, "y": 0.0, "angle 2": 0.0}),
        lambda th, q: (np.array([SPLINE(q[2]) - SPLINE(0.0), 0.0, q[0]]), cardan((q[1], 0.0, q[2]))),
        (0.3, -1.0, 1.5),
    ),
    "TransformJoint, one rotation": Case(
        held(
            "TransformJoint", rotations=[motion(AXIS, "bend")], translations=[motion(ALONG, {"of": "bend", **SHIFTED})]
        ),
        lambda th, q: ((SPLINE(q[0]) - SPLINE(0.0)) * ALONG, turn(AXIS, q[0])),
        (1.5,),
    ),
    "TransformJoint, skew axes": Case(
        held("TransformJoint", rotations=[motion(AXIS, "one"), motion(ALONG, "two")]),
        lambda th, q: (zero(), turn(AXIS, q[0]) @ turn(ALONG, q[1])),
        (2.0, -1.0),
    ),
    "TransformJoint, three rotations": Case(
        held(
            "TransformJoint",
            rotations=[motion((0, 1, 0), "one"), motion((1, 0, 0), "two"), motion((0, 0, 1), {"of": {"one": 0.5}})],
            translations=[motion(2.0 * ALONG, "along"), motion(Z, {"of": {"two": 0.2, "along": -0.1}})],
        ),
        lambda th, q: (
            2.0 * q[2] * ALONG + (0.2 * q[1] - 0.1 * q[2]) * Z,
            turn((0, 1, 0), q[0]) @ turn((1, 0, 0), q[1]) @ turn((0, 0, 1), 0.5 * q[0]),
        ),
        (1.5, -0.5, 0.3),
    ),
    "TransformJoint, numbers": Case(
        held("TransformJoint", rotations=[motion(Z, 0.3), motion(Z, -0.3)], translations=[motion(Z, 0.0)]),
        lambda th, q: (zero(), np.eye(3)),
    ),
    "TransformJoint, on an ellipsoid": Case(
        lambda m, a, b, at: m.add(
            cd.TransformJoint(
                "joint",
                cd.Point("a", tuple(np.asarray(at) - (0, 0, 0.2)), "world"),
                cd.Point("b", tuple(at), "world"),
                rotations=[motion(e, name) for e, name in zip(np.eye(3), ("one", "two", "three"), strict=True)],
                radii=(0.1, 0.3, 0.2),
            )
        ),
        lambda th, q: (np.array([0.1, 0.3, 0.2]) * (cardan(q) @ Z) - 0.2 * Z, cardan(q)),
        (1.0, -0.5, 1.5),
    ),
}

PLANE = {
    "Pin": Case(held("Pin"), lambda th, q: (zero(), turn(Z, q[0])), (2.0,), 2),
    "Revolute, plane": Case(held("Revolute"), lambda th, q: (zero(), turn(Z, q[0])), (2.0,), 2),
    "Weld": Case(held("Weld"), lambda th, q: (zero(), np.eye(3)), (), 2),
    "Slider": Case(held("Slider", axis=ALONG[:2]), lambda th, q: (q[0] * ALONG, np.eye(3)), (0.5,), 2),
    "Prismatic, plane": Case(held("Prismatic", axis=ALONG[:2]), lambda th, q: (q[0] * ALONG, np.eye(3)), (0.5,), 2),
    "PointOnLine, plane": Case(
        held("PointOnLine", axis=ALONG[:2]), lambda th, q: (q[0] * ALONG, turn(Z, q[1])), (0.5, 2.0), 2
    ),
    "PointOnPlane, plane": Case(
        held("PointOnPlane", axis=UP[:2]), lambda th, q: (q[0] * ALONG, turn(Z, q[1])), (0.5, 2.0), 2
    ),
    "Translation, plane": Case(
        held("Translation", direction=3.0 * UP[:2]), lambda th, q: (q[0] * ALONG, turn(Z, q[1])), (0.5, 2.0), 2
    ),
    "Rotation, plane": Case(
        held("Rotation", direction_a=ALONG[:2], direction_b=(0.0, 1.0)),
        lambda th, q: (np.array([q[0], q[1], 0.0]), np.eye(3)),
        (0.5, 0.3),
        2,
    ),
    "Distance, plane": Case(
        rod_joint,
        lambda th, q: ((turn(Z, q[0]) - np.eye(3)) @ (ROD_END * (1, 1, 0)), turn(Z, q[1])),
        (1.0, 2.0),
        2,
        off=ROD_END * (1, 1, 0),
    ),
    "CustomJoint, plane": Case(
        held("CustomJoint", functions={"y": {"of": "angle", **SHIFTED}}),
        lambda th, q: (np.array([q[0], SPLINE(q[1]) - SPLINE(0.0), 0.0]), turn(Z, q[1])),
        (0.4, 1.5),
        2,
    ),
}

CASES = SPACE | PLANE


class Pair:
    """The model of a case and its mechanism, which start alike; flat: centres and joint lie in the plane."""

    def __init__(self, name, **changes):
        case = self.case = CASES[name]
        self.flat = case.dimension == 2
        keep = (1, 1, 0) if self.flat else (1, 1, 1)
        self.root_axis = Z if self.flat else np.array([0.3, 1.0, 0.2])
        self.place = np.array([1.0, 0.2, 0.1]) * keep
        self.joint_point = self.place + (np.zeros(3) if case.off is None else case.off)
        self.centres = [np.array([0.5, 0.1, -0.1]) * keep, np.array([1.4, 0.0, 0.25]) * keep]
        self.turned = [np.eye(3), np.eye(3)] if self.flat else [turn_by((0.3, -0.2, 0.1)), turn_by((-0.4, 0.2, 0.5))]
        self.gravity = np.array([0.3, -9.81, 0.0]) if self.flat else np.array([0.3, -1.0, -9.81])
        inertias = tuple(R @ J @ R.T for R, J in zip(self.turned, INERTIAS, strict=True))
        rates = np.array([-1.2, *case.rates])
        self.mechanism = Mechanism(
            self._pose, MASSES, inertias, np.zeros(rates.size), rates, gravity=tuple(self.gravity)
        )
        self.model = self._model(changes.get("add", case.joint))

    def _pose(self, q):
        R = turn(self.root_axis, q[0])
        shift, S = self.case.relative(q[0], q[1:])
        b = self.joint_point + shift + S @ (self.centres[1] - self.joint_point)
        return [(R @ self.centres[0], R), (R @ b, R @ S)]

    def _model(self, add):
        d = 2 if self.flat else 3
        m = cd.Model("pair", dimension=d, gravity=self.gravity[:d])
        bodies = []
        for k, start in enumerate(self.mechanism.at(0.0)):
            motion = dict(position=self.centres[k][:d], velocity=start.velocity[:d])
            if self.flat:
                motion |= dict(inertia=INERTIAS[k][2, 2], angular_velocity=start.spin[2])
            else:
                motion |= dict(inertia=INERTIAS[k], rotation=self.turned[k], angular_velocity=start.spin)
            bodies.append(m.add(cd.RigidBody("ab"[k], MASSES[k], **motion)))
        root = dict(axis=self.root_axis) if d == 3 else {}
        m.add(cd.Revolute("root", m.ground, bodies[0], at=(0.0,) * d, **root))
        add(m, *bodies, tuple(self.place[:d].tolist()))
        return m
