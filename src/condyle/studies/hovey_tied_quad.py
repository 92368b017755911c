"""A massless quadrilateral tied to a pendulum changes nothing.

Hovey's test B.3.2 of the pin between a deformable and a rigid body: one quadrilateral, two of its nodes tied to the end
of the second rod. The motion stays the same and the interface forces balance each other. So that they are not zero
anyway, the quadrilateral wants to be a little larger than it may be (ours).
"""

from __future__ import annotations

import numpy as np

import condyle as cd
from condyle.studies.hovey_double_pendulum import PARAMETERS as RODS
from condyle.studies.hovey_double_pendulum import by_angles, damped, double_pendulum, rod_angles

PARAMETERS = RODS | {
    "side": cd.Parameter(0.5, "side of the quadrilateral", "m"),
    "young": cd.Parameter(1e4, "Young's modulus (not given in the source)", "Pa"),
    "swelling": cd.Parameter(0.02, "by how much the quadrilateral would be larger if it were free"),
}  # fmt: skip
QUICK = {"end": 1.0}
INPUTS = ("length", "gravity")


def run(p: cd.Parameters, context: cd.Context) -> cd.Outcome:
    """The pendulum with and without the quadrilateral, by the same rule; the forces of the quadrilateral at rest."""
    outcome: cd.Outcome = {}
    for name, quad in (("alone", False), ("with quad", True)):
        result = context.simulate(name, double_pendulum(p, quad), end=p.end, dt=p.dt, integrator=damped())
        outcome[name] = rod_angles(result) | {"iterations": result.iterations[1:].max()}
    forces = context.results["with quad"].multipliers("glue")
    outcome["forces"] = np.stack([forces["x"], forces["y"]], axis=-1)  # (times, nodes, 2)
    outcome["force times"] = context.results["with quad"].multiplier_times
    outcome["pin"] = np.linalg.norm(context.results["with quad"].joint_force("pin 2"), axis=1)
    outcome["at rest"] = edge_force(p)
    outcome["exact"] = by_angles(outcome["alone"]["t"], (np.pi / 4, np.pi / 3), (-1.0, 2.0))
    return outcome


def edge_force(p: cd.Parameters) -> float:
    """Force [N] at each of the two held nodes of the same quadrilateral at rest: it wants to be larger."""
    model = cd.Model("quad at rest", dimension=2)
    corners = [(0.0, 0.0), (0.0, -p.side), (p.side, -p.side), (p.side, 0.0)]
    material = cd.StVenantKirchhoff(young=p.young, poisson=0.3)
    model.add(cd.Solid("quad", corners, [(0, 1, 2, 3)], "quad4", material, natural_stretch=1.0 + p.swelling))
    model.add(cd.Tie("glue", "quad", [0, 3], model.ground, enforcement="multiplier"))
    held = cd.solve_static(model, steps=1).multipliers("glue")
    return float(np.hypot(held["x"], held["y"]).max())


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Angles of both runs; sum of the interface forces."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.8, 6.0))
    top, bottom = figure.subplots(2, 1, sharex=True)
    for k, name in enumerate(("rod 1", "rod 2")):
        top.plot(outcome["alone"]["t"], outcome["alone"]["angles"][k], label=f"{name} alone")
        top.plot(outcome["with quad"]["t"][::10], outcome["with quad"]["angles"][k][::10], "k.", markersize=4,
                 label="with the quadrilateral" if k else None)  # fmt: skip
    top.set(ylabel="angle from the vertical (rad)", xlim=(0.0, p.end))
    top.legend(loc="best", fontsize="small")
    for k, line in ((0, "-"), (1, "--")):
        for axis, colour in ((0, "C0"), (1, "C1")):
            bottom.plot(outcome["force times"], outcome["forces"][:, k, axis], line, color=colour,
                        label=f"{'xy'[axis]} at node {k + 1}")  # fmt: skip
    bottom.plot(outcome["force times"], outcome["forces"].sum(axis=1)[:, 1], "k:", label="sum along y")
    bottom.set(xlabel="time (s)", ylabel="interface force (N)")
    bottom.legend(loc="upper right", fontsize="small", ncols=3)
    return {"tied_quad_b32": figure}


CLAIMS = [
    cd.Claim("largest change of the angles", "none",
             lambda o: np.abs(o["with quad"]["angles"] - o["alone"]["angles"]).max(), unit="rad", tolerance=1e-9,
             kind="published", origin="appendix B.3.2: the same evolution as without it"),
    cd.Claim("largest sum of the interface forces over one of them", "zero",
             lambda o: np.linalg.norm(o["forces"].sum(axis=1), axis=1).max() / np.linalg.norm(o["forces"], axis=2).min(),
             tolerance=1e-9, kind="published", origin="figure B.4: the forces sum to zero"),
    cd.Claim("smallest interface force over that of the quadrilateral at rest", 1.0,
             lambda o: np.linalg.norm(o["forces"], axis=2).min() / o["at rest"], tolerance=1e-6, kind="reference",
             origin="the quadrilateral alone, held at two nodes; it turns with the rod"),
    cd.Claim("damped Newmark: distance from Lagrange's equations in the first second", "the curves agree",
             lambda o: np.abs(o["with quad"]["angles"] - o["exact"])[:, :101].max(), unit="rad", tolerance=0.05,
             kind="published", origin="figure B.2, read to 0.05 rad"),
    cd.Claim("most iterations", (1.0, 4.0), lambda o: o["with quad"]["iterations"], kind="published",
             origin="appendix B.3.2: 4, quadratic"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="hovey-2000")
