"""Passive flexion of a knee as a parallel mechanism: isometric ligaments against closed kinematics.

A knee that nothing loads moves as its ligaments and condyles let it. In the plane the cruciates are the bars of a crossed
four-bar linkage, whose pose is where two circles meet and whose instant centre is where the bars cross. In space three
isometric fibres and two condyles, spheres that roll and slide on plane plateaus, leave one freedom: flexion, with the turn of
the tibia and its shifts coupled to it, as the five equations of closure say. The sites are ours, of the size of a knee. Fibres
as springs come to the same motion under load as they get stiffer.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import condyle as cd

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SITE = "femoral, then tibial site of the"
PARAMETERS = {
    "flexion": cd.Parameter(120.0, "largest flexion", "°"),
    "bar_acl": cd.Parameter(
        (-0.010, 0.024, 0.014, 0.0), f"{SITE} anterior cruciate in the plane (x forward, z up)", "m"
    ),
    "bar_pcl": cd.Parameter((0.004, 0.016, -0.022, -0.006), f"{SITE} posterior cruciate in the plane", "m"),
    "acl": cd.Parameter(
        (-0.0017, -0.0076, 0.0211, 0.0085, 0.0016, -0.0012), f"{SITE} anterior cruciate (y medial)", "m"
    ),
    "pcl": cd.Parameter((-0.0006, 0.0074, 0.0190, -0.0213, -0.0016, -0.0073), f"{SITE} posterior cruciate", "m"),
    "mcl": cd.Parameter((0.0001, 0.0417, 0.0200, 0.0040, 0.0337, -0.0601), f"{SITE} medial collateral", "m"),
    "medial": cd.Parameter((0.0, 0.022, 0.020), "centre of the medial condyle", "m"),
    "lateral": cd.Parameter((0.0, -0.022, 0.020), "centre of the lateral condyle", "m"),
    "slope": cd.Parameter(4.0, "of the lateral plateau, down towards the back", "°"),
    "drawer": cd.Parameter(5.0, "force that draws the tibia forward where the knee is loaded", "N"),
    "stiffness": cd.Parameter((1e6, 1e7, 1e8), "of springs instead of fibres", "N/m"),
    "steps": cd.Parameter(120, "of flexion"),
}
INPUTS = ("bar_acl", "bar_pcl", "acl", "pcl", "mcl", "medial", "lateral", "slope", "drawer")
FIBRES, CONDYLES, MASS, INERTIA = ("acl", "pcl", "mcl"), ("medial", "lateral"), 7.5, (0.35, 0.35, 0.005)


def linkage_model(p: cd.Parameters) -> cd.Model:
    """The femur in the sagittal plane on two bars, turned at a constant rate in 1 s."""
    m = cd.Model("crossed four-bar", gravity=(0.0, 0.0, 0.0))
    femur = m.add(cd.RigidBody("femur", MASS, inertia=INERTIA, position=(0.0, 0.0, 0.0)))
    m.add(cd.Planar("sagittal", m.ground, femur, at=(0.0, 0.0, 0.0), axis=(0.0, -1.0, 0.0)))
    for name, (x, z, tx, tz) in {"acl": p.bar_acl, "pcl": p.bar_pcl}.items():
        m.add(cd.Distance(name, cd.Point("ground", (tx, 0.0, tz)), cd.Point("femur", (x, 0.0, z))))
    m.add(cd.Drive("flexion", "sagittal.angle", motion=cd.Polynomial((0.0, np.radians(p.flexion)))))
    return m


def linkage(p: cd.Parameters, angle: NDArray[np.float64]) -> cd.Outcome:
    """Closed form: femoral sites and crossing of the bars in (x, z) at angles [rad]; each of shape (2, angles)."""
    P, A, Q, B = (np.array(v)[:, None] for v in (p.bar_acl[:2], p.bar_acl[2:], p.bar_pcl[:2], p.bar_pcl[2:]))
    c, s = np.cos(angle), np.sin(angle)
    link = np.array([c * (Q - P)[0] - s * (Q - P)[1], s * (Q - P)[0] + c * (Q - P)[1]])
    a, b = np.linalg.norm(P - A), np.linalg.norm(Q - B)
    # The femoral end of the ACL is on a circle about A, and on one about B less the femoral link.
    span = B - link - A
    d = np.linalg.norm(span, axis=0)
    along = (a**2 - b**2 + d**2) / (2.0 * d)
    one = A + (along * span + np.sqrt(a**2 - along**2) * np.array([span[1], -span[0]])) / d
    two = one + link
    u, v, gap = one - A, two - B, B - A
    crossing = A + u * (gap[0] * v[1] - gap[1] * v[0]) / (u[0] * v[1] - u[1] * v[0])
    return {"acl": one, "pcl": two, "crossing": crossing}


def mechanism_model(p: cd.Parameters, stiffness: float = 0.0, drawer: float = 0.0) -> cd.Model:
    """The femur on two condyles and three fibres, springs if a stiffness [N/m] is given; driven in clinical flexion."""
    m = cd.Model("knee", gravity=(0.0, 0.0, 0.0))
    femur = m.add(cd.RigidBody("femur", MASS, inertia=INERTIA, position=(0.0, 0.0, 0.0)))
    fibres, centres, normals = _geometry(p)
    for name, site in zip(FIBRES, fibres, strict=True):
        ends = cd.Point("ground", tuple(site[1].tolist())), cd.Point("femur", tuple(site[0].tolist()))
        m.add(cd.Spring(name, *ends, stiffness=stiffness) if stiffness else cd.Distance(name, *ends))
    for name, centre, normal in zip(CONDYLES, centres, normals, strict=True):
        m.add(cd.PointOnPlane(name, m.ground, femur, at=tuple(centre.tolist()), axis=tuple(normal.tolist())))
    middle = tuple(centres.mean(axis=0).tolist())
    m.add(cd.ClinicalJoint("knee", femur, m.ground, at=middle))
    m.add(cd.Drive("flexion", "knee.flexion", motion=cd.Ramp(0.0, 1.0, 0.0, np.radians(p.flexion))))
    if drawer:
        m.add(cd.Load("drawer", cd.Point("femur", middle), (-drawer, 0.0, 0.0)))
    return m


def _geometry(p: cd.Parameters) -> tuple[Any, Any, Any]:
    """Fibres (fibre, femoral or tibial, 3), centres of the condyles (2, 3) and normals of their plateaus (2, 3)."""
    fibres = np.array([p.acl, p.pcl, p.mcl]).reshape(3, 2, 3)
    tilt = np.radians(p.slope)
    return fibres, np.array([p.medial, p.lateral]), np.array([(0.0, 0.0, 1.0), (-np.sin(tilt), 0.0, np.cos(tilt))])


def turned(flexion: float, abduction: float, rotation: float) -> NDArray[np.float64]:
    """Rotation of the femur against the tibia at Grood and Suntay's angles [rad]: about y, then −x, then z, transposed."""
    (cf, ca, cr), (sf, sa, sr) = np.cos((flexion, abduction, rotation)), np.sin((flexion, abduction, rotation))
    about_y = np.array([[cf, 0, sf], [0, 1, 0], [-sf, 0, cf]])
    about_x = np.array([[1, 0, 0], [0, ca, sa], [0, -sa, ca]])
    about_z = np.array([[cr, -sr, 0], [sr, cr, 0], [0, 0, 1]])
    return (about_y @ about_x @ about_z).T


def closure(p: cd.Parameters, flexion: NDArray[np.float64]) -> NDArray[np.float64]:
    """Place [m] of the femur, abduction and rotation [rad] at each flexion, (angles, 5): Newton on five closure equations."""
    fibres, centres, normals = _geometry(p)
    lengths = np.linalg.norm(fibres[:, 0] - fibres[:, 1], axis=1)

    def equations(u: NDArray[np.float64], angle: float) -> NDArray[np.float64]:
        R = turned(angle, u[3], u[4])
        gaps = np.linalg.norm(u[:3] + fibres[:, 0] @ R.T - fibres[:, 1], axis=1) - lengths
        return np.concatenate((gaps, np.sum((u[:3] + centres @ R.T - centres) * normals, axis=1)))

    found, u = [], np.zeros(5)
    for angle in np.atleast_1d(flexion):
        for _ in range(20):
            rest = equations(u, angle)
            slope = [(equations(u + h, angle) - equations(u - h, angle)) / 2e-6 for h in 1e-6 * np.eye(5)]
            step = np.linalg.solve(np.transpose(slope), rest)
            u = u - step
            if np.abs(step).max() < 1e-13:
                break
        found.append(u)
    return np.array(found)


def placed(result: cd.Result, point: NDArray[np.float64] | tuple[float, float, float]) -> NDArray[np.float64]:
    """Where a point of the femur is in the world over the run, (times, 3)."""
    return result.position("femur") + result.directors("femur") @ np.asarray(point)


def in_plane(p: cd.Parameters, context: cd.Context) -> cd.Outcome:
    """The linkage in motion, beside its closed form."""
    result = context.simulate(
        "plane", linkage_model(p), end=1.0, dt=1.0 / p.steps, integrator=cd.GeneralizedAlpha(spectral_radius=0.8)
    )
    angle, rate = result.coordinate("sagittal.angle"), np.radians(p.flexion)
    exact = linkage(p, np.radians(p.flexion) * result.times)
    ends = {name: placed(result, (bar[0], 0.0, bar[1])) for name, bar in (("acl", p.bar_acl), ("pcl", p.bar_pcl))}
    apart = max(float(np.abs(ends[n][:, [0, 2]] - exact[n].T).max()) for n in ends)
    place, speed = result.position("femur"), result.velocity("femur")
    # The shaft goes backwards: the femur turns by the rate about −y.
    centre = np.array([place[:, 0] - speed[:, 2] / rate, place[:, 2] + speed[:, 0] / rate])
    return {
        "plane angle": angle, "ends": ends, "centre": centre, "crossing": exact["crossing"], "plane apart": apart,
        "centre apart": float(np.abs(centre - exact["crossing"]).max()), "plane gap": float(result.constraint_error.max()),
    }  # fmt: skip


def run(p: cd.Parameters, context: cd.Context) -> Iterator[cd.Outcome]:
    """In the plane, then in space without load, then with a drawer force: rigid fibres and springs."""
    yield in_plane(p, context)
    fibres, centres, normals = _geometry(p)
    result = cd.solve_static(mechanism_model(p), steps=p.steps, at=1.0)
    motion = cd.clinical_motion(result, "knee")
    exact = closure(p, motion["flexion"])
    lengths = np.array([np.linalg.norm(placed(result, f) - t, axis=1) for f, t in fibres])
    paths = np.array([placed(result, c) for c in centres])
    yield {
        "motion": motion, "exact": exact, "paths": paths - centres[:, 2, None, None] * normals[:, None, :],
        "place apart": float(np.abs(result.position("femur") - exact[:, :3]).max()),
        "abduction apart": float(np.abs(motion["abduction"] - exact[:, 3]).max()),
        "rotation apart": float(np.abs(motion["rotation"] - exact[:, 4]).max()),
        "length": float(np.abs(lengths - lengths[:, :1]).max()),
        "height": float(np.abs(np.sum((paths - centres[:, None]) * normals[:, None], axis=2)).max()),
    }  # fmt: skip
    loaded = cd.solve_static(mechanism_model(p, drawer=p.drawer), steps=p.steps, at=1.0)
    angle, h = np.radians(p.flexion), 1e-4
    near = closure(p, np.append(motion["flexion"][:-1], (angle - h, angle + h)))[-2:]
    middle = centres.mean(axis=0)
    forward = [u[0] + (turned(a, *u[3:]) @ middle)[0] for a, u in zip((angle - h, angle + h), near, strict=True)]
    yield {
        "torque": -float(loaded.multipliers("flexion")["drive"][-1]),
        "virtual work": p.drawer * float(forward[1] - forward[0]) / (2.0 * h),
        "loaded apart": float(np.abs(loaded.position("femur") - result.position("femur")).max()),
    }
    soft = [
        cd.solve_static(mechanism_model(p, k, p.drawer), steps=p.steps, at=1.0).position("femur")[-1]
        for k in p.stiffness
    ]
    yield {"soft": np.array([np.linalg.norm(s - exact[-1, :3]) for s in soft])}


def _bars(panel: Axes, p: cd.Parameters, outcome: cd.Outcome) -> None:
    """The linkage at four angles, and the path of its instant centre."""
    last = len(outcome["plane angle"]) - 1
    for k in (0, last // 3, 2 * last // 3, last):
        shade = str(0.75 - 0.6 * k / last)
        one, two = (1e3 * outcome["ends"][name][k, [0, 2]] for name in ("acl", "pcl"))
        A, B = 1e3 * np.array(p.bar_acl[2:]), 1e3 * np.array(p.bar_pcl[2:])
        panel.plot(*np.transpose((A, one, two, B)), "o-", color=shade, markersize=3, linewidth=1.2,
                   label=f"bars at {np.degrees(outcome['plane angle'][k]):.0f}°")  # fmt: skip
    panel.plot(*1e3 * outcome["centre"], color="C0", linewidth=2.5, label="instant centre")
    every = max(1, last // 12)
    panel.plot(
        *1e3 * outcome["crossing"][:, ::every], "o", color="C1", markersize=4, label="where the bars' lines cross"
    )
    panel.set(xlabel="forward (mm)", ylabel="up (mm)", aspect="equal", ylim=(-10.0, 48.0))
    panel.legend(fontsize="x-small", loc="upper center", ncols=2)


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Coupled motions over flexion; instant centre in the plane, contact paths on the plateaus."""
    from matplotlib.figure import Figure

    motion, exact = outcome["motion"], outcome["exact"]
    flexion = np.degrees(motion["flexion"])
    every = slice(None, None, max(1, (len(flexion) - 1) // 12))
    coupled = Figure(figsize=(5.6, 6.4))
    turns, shifts, lines = coupled.subplots(3, 1, sharex=True)
    for name, column, line in (("rotation", 4, "-"), ("abduction", 3, "--")):
        label = {"rotation": "tibia inwards", "abduction": "abduction"}[name]
        turns.plot(flexion, np.degrees(motion[name]), line, label=label)
        turns.plot(flexion[every], np.degrees(exact[every, column]), "o", color="0.25", markersize=3,
                   label="closure equations" if column == 3 else None)  # fmt: skip
    turns.set(ylabel="angle (°)", xlim=(0.0, p.flexion))
    for name, line in (("drawer", "-"), ("shift", "--"), ("distraction", "-.")):
        shifts.plot(flexion, 1e3 * motion[name], line, label=name)
    shifts.set(ylabel="clinical shift (mm)")
    for k, (name, line) in enumerate((("medial", "-"), ("lateral", "--"))):
        lines.plot(
            flexion, 1e3 * (outcome["paths"][k, :, 0] - outcome["paths"][k, 0, 0]), line, label=f"{name} contact"
        )
    centre = outcome["centre"][0]
    lines.plot(
        np.degrees(outcome["plane angle"]), 1e3 * (centre - centre[0]), ":", label="instant centre, in the plane"
    )
    lines.set(xlabel="flexion (°)", ylabel="forward (mm)")
    for panel in (turns, shifts, lines):
        panel.legend(fontsize="small")
    coupled.align_ylabels()
    paths = Figure(figsize=(8.4, 4.2))
    left, right = paths.subplots(1, 2)
    _bars(left, p, outcome)
    for k, name in enumerate(CONDYLES):
        x, y = 1e3 * outcome["paths"][k, :, 0], -1e3 * outcome["paths"][k, :, 1]
        right.plot(y, x, label=f"{name} condyle")
        right.plot(y[every], x[every], "o", color=f"C{k}", markersize=3)
        for at in (0, -1):
            right.annotate(
                f"{flexion[at]:.0f}°", (y[at], x[at]), xytext=(6, 0), textcoords="offset points", fontsize="small"
            )
    right.set(xlabel="lateral (mm)", ylabel="forward (mm)", aspect="equal", xlim=(-32, 36), ylim=(-22, 22),
              title="contact points on the plateaus")  # fmt: skip
    right.legend(fontsize="small", loc="upper center", ncols=2)
    return {"coupled": coupled, "paths": paths}


def _end(o: cd.Outcome, name: str) -> float:
    return float(np.degrees(o["motion"][name][-1]))


def _back(o: cd.Outcome, k: int) -> float:
    """How far a contact point goes back on its plateau [mm]."""
    return 1e3 * float(o["paths"][k, 0, 0] - o["paths"][k, -1, 0])


CIRCLES, CLOSURE = "two circles that meet", "Newton's method on five closure equations, written out in NumPy"
CLAIMS = [
    cd.Claim("plane: femoral sites against the closed form, at all angles", "equal", lambda o: o["plane apart"], unit="m",
             tolerance=1e-12, kind="closed form", origin=CIRCLES),
    cd.Claim("plane: instant centre from velocities against the crossing of the bars", "equal", lambda o: o["centre apart"],
             unit="m", tolerance=1e-10, kind="closed form", origin="Aronhold and Kennedy: three centres on a line, twice"),
    cd.Claim("plane: instant centre at extension, over the tibial plateau", 13.25, lambda o: 1e3 * o["centre"][1, 0], unit="mm",
             tolerance=0.001, kind="closed form", origin="crossing of the bars"),
    cd.Claim("plane: instant centre goes back from 0 to 120°", 20.539, lambda o: 1e3 * (o["centre"][0, 0] - o["centre"][0, -1]),
             unit="mm", tolerance=0.002, kind="closed form", origin=CIRCLES),
    cd.Claim("plane: forward steps of the instant centre", "always backwards", lambda o: 1e3 * np.diff(o["centre"][0]).max(),
             unit="mm", tolerance=0.0, kind="relation", origin="the femur rolls back as it flexes"),
    cd.Claim("space: place of the femur against the closure equations", "equal", lambda o: o["place apart"], unit="m",
             tolerance=1e-11, kind="closed form", origin=CLOSURE),
    cd.Claim("space: abduction against the closure equations", "equal", lambda o: o["abduction apart"], unit="rad",
             tolerance=1e-10, kind="closed form", origin=CLOSURE),
    cd.Claim("space: rotation of the tibia against the closure equations", "equal", lambda o: o["rotation apart"], unit="rad",
             tolerance=1e-10, kind="closed form", origin=CLOSURE),
    cd.Claim("space: the tibia turns inwards by, at 120°", 14.228, lambda o: _end(o, "rotation"), unit="°", tolerance=0.005,
             kind="closed form", origin=CLOSURE),
    cd.Claim("space: abduction at 120°", 0.7926, lambda o: _end(o, "abduction"), unit="°", tolerance=0.001, kind="closed form",
             origin=CLOSURE),
    cd.Claim("space: lateral contact goes back by", 8.7039, lambda o: _back(o, 1), unit="mm", tolerance=0.005,
             kind="closed form", origin=CLOSURE),
    cd.Claim("space: lateral contact goes back farther than the medial one by", "pivots about the medial side",
             lambda o: _back(o, 1) - _back(o, 0), unit="mm", tolerance=5.0, sense="above", kind="relation",
             origin="a tibia that turns inwards under the femur"),
    cd.Claim.kept("largest change of the length of a fibre (m)", "length", 1e-12, "isometric"),
    cd.Claim.kept("largest distance of a condyle from its plateau (m)", "height", 1e-12, "hard condyles", words="none"),
    cd.Claim.kept("largest change of place under a drawer force (m)", "loaded apart", 1e-10, "one freedom, and that is driven",
                  words="none"),
    cd.Claim("torque that holds 120° against the drawer force", -0.0083433, lambda o: o["torque"], unit="N m", tolerance=5e-6,
             kind="closed form", origin="virtual work: force times the slope of the path"),
    cd.Claim("torque against virtual work", "equal", lambda o: abs(o["torque"] - o["virtual work"]), unit="N m",
             tolerance=1e-9, kind="closed form", origin="force times the slope of the path, by differences"),
    cd.Claim("springs instead of fibres: fall of the difference per factor of ten in stiffness", (9.8, 10.2),
             lambda o: o["soft"][-2] / o["soft"][-1], kind="relation", origin="first order in the flexibility"),
    cd.Claim("springs of the largest stiffness: difference to isometric fibres", "small", lambda o: 1e3 * o["soft"][-1],
             unit="mm", tolerance=0.02, kind="relation", origin="isometric fibres are the limit"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="beyond")
