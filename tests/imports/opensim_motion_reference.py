"""Models of others in OpenSim itself: run with a Python that has the package `opensim`.

    python tests/imports/opensim_motion_reference.py [MODEL.osim …]

writes data/models/MODEL.json for each model of that folder: lengths and moment arms of muscles over ranges of coordinates;
of those in RUNS also a second of motion with muscles (and contact, where the model has it) by OpenSim's own integrator.
"""

import json
import pathlib
import sys

import numpy as np
import opensim

MODELS = pathlib.Path(__file__).parent / "data" / "models"
END, FRAMES, ACCURACY = 1.0, 21, 1e-7
POINTS = 9  # of each range
# Excitations by muscle, QUIET for all others; coordinates at the start that are not the default ones [rad or m]; muscles that
# are left out.
RUNS = {
    "arm26": ({"BIClong": 0.1, "BRA": 0.1, "TRIlat": 0.05}, {"r_shoulder_elev": 0.2, "r_elbow_flex": 0.6}, ["TRIlong"]),
    "gait14dof22musc_20170320": (
        {"soleus_r": 0.4, "soleus_l": 0.3, "vasti_r": 0.3, "vasti_l": 0.3, "abd_r": 0.2},
        {},
        [],
    ),
}
QUIET = 0.02
opensim.Logger.setLevelString("off")


def free(model, state):
    return [c for c in model.getCoordinateSet() if not c.isConstrained(state)]


def arms(path):
    """Lengths [m] and moment arms [m] of all muscles, each coordinate going through its range, the others as by default."""
    model = opensim.Model(str(path))
    state = model.initSystem()
    out = {}
    for coordinate in free(model, state):
        low, high = coordinate.getRangeMin(), coordinate.getRangeMax()
        if high - low > 10.0 or coordinate.getMotionType() != 1:
            continue
        state = model.initSystem()
        values, found = np.linspace(low, high, POINTS).tolist(), {}
        for value in values:
            coordinate.setValue(state, value, False)
            model.realizePosition(state)
            for muscle in model.getMuscles():
                own = found.setdefault(muscle.getName(), {"length": [], "arm": []})
                own["length"].append(round(muscle.getLength(state), 9))
                own["arm"].append(round(muscle.computeMomentArm(state, coordinate), 9))
        moved = {name: own for name, own in found.items() if max(map(abs, own["arm"])) > 1e-6}
        out[coordinate.getName()] = {"values": values, "muscles": moved}
    return out


def motion(path):
    """Coordinates [rad or m] and lengths of fibres over the optimal one at some times, with constant excitations."""
    excitations, start, without = RUNS[path.stem]
    model = opensim.Model(str(path))
    for name in without:
        model.updForceSet().remove(model.getForceSet().getIndex(name))
    brain = opensim.PrescribedController()
    for muscle in model.getMuscles():
        brain.addActuator(muscle)
        brain.prescribeControlForActuator(muscle.getName(), opensim.Constant(excitations.get(muscle.getName(), QUIET)))
    model.addController(brain)
    model.finalizeConnections()
    state = model.initSystem()
    for name, value in start.items():
        model.getCoordinateSet().get(name).setValue(state, value, False)
    model.assemble(state)
    for muscle in model.getMuscles():
        muscle.setActivation(state, excitations.get(muscle.getName(), QUIET))
    model.equilibrateMuscles(state)
    manager = opensim.Manager(model)
    manager.setIntegratorAccuracy(ACCURACY)
    manager.initialize(state)
    times = np.linspace(0.0, END, FRAMES).tolist()
    values = {c.getName(): [] for c in model.getCoordinateSet()}
    fibres = {m.getName(): [] for m in model.getMuscles()}
    for t in times:
        if t > 0.0:
            state = manager.integrate(t)
        model.realizeDynamics(state)
        for c in model.getCoordinateSet():
            values[c.getName()].append(round(c.getValue(state), 9))
        for m in model.getMuscles():
            fibres[m.getName()].append(round(m.getNormalizedFiberLength(state), 8))
    return {
        "excitations": excitations, "quiet": QUIET, "start": start, "without": without,
        "times": times, "values": values, "fibres": fibres,
    }  # fmt: skip


if __name__ == "__main__":
    chosen = [pathlib.Path(name) for name in sys.argv[1:]] or sorted(MODELS.glob("*.osim"))
    for path in chosen:
        found = {"opensim": opensim.GetVersion(), "arms": arms(path)}
        if path.stem in RUNS:
            found["motion"] = motion(path)
        path.with_suffix(".json").write_text(json.dumps(found, indent=0), encoding="utf-8")
        print(path.stem)
