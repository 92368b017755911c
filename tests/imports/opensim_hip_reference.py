"""Hip force of the study imported-hip by OpenSim itself: run with a Python that has the package `opensim`.

    python tests/imports/opensim_hip_reference.py

prints the force of the right femur on the pelvis [N], forward and up, in the motion of gait_plane.mot with the ground reactions
of walk_ground.mot, at the times `OPENSIM_T` of the study. Coordinates are prescribed and forces given by natural cubic splines.
"""

import pathlib

import numpy as np
import opensim

DATA = pathlib.Path(__file__).parents[2] / "src" / "condyle" / "studies" / "data"
TIMES = 0.08 + 0.1 * np.arange(12)
opensim.Logger.setLevelString("off")


def columns(name):
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    head = lines.index("endheader") + 1
    rows = np.array([line.split() for line in lines[head + 1 :]], dtype=float)
    return dict(zip(lines[head].split(), rows.T, strict=True))


def spline(times, values):
    function = opensim.GCVSpline()
    function.setDegree(3)
    for t, value in zip(times, values, strict=True):
        function.addPoint(float(t), float(value))
    return function


motion, plates = columns("gait_plane.mot"), columns("walk_ground.mot")
model = opensim.Model(str(DATA / "gait_plane.osim"))
zero, height = opensim.Constant(0.0), opensim.Constant(-0.0075)
for side in "rl":
    x, y, place = (spline(plates["time"], plates[f"ground_force_{side}_{c}"]) for c in ("vx", "vy", "px"))
    force = opensim.PrescribedForce(f"ground_{side}", model.getBodySet().get(f"foot_{side}"))
    force.setForceIsInGlobalFrame(True)
    force.setPointIsInGlobalFrame(True)
    force.setForceFunctions(x, y, zero)
    force.setPointFunctions(place, height, zero)
    model.addForce(force)
for coordinate in model.getCoordinateSet():
    values = motion[coordinate.getName()]
    if coordinate.getName() not in ("pelvis_tx", "pelvis_ty"):
        values = np.radians(values)
    coordinate.setPrescribedFunction(spline(motion["time"], values))
    coordinate.setDefaultIsPrescribed(True)
state = model.initSystem()
print(f"mass {model.getTotalMass(state):.4f} kg")
for t in TIMES:
    state.setTime(float(t))
    model.assemble(state)
    model.realizeAcceleration(state)
    on_pelvis = model.getJointSet().get("hip_r").calcReactionOnParentExpressedInGround(state).get(1)
    print(f"{t:.2f} s: {on_pelvis[0]:.1f} {on_pelvis[1]:.1f}")
