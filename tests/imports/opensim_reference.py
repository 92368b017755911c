"""Reference numbers of OpenSim itself: run with a Python that has the package `opensim`.

    python tests/imports/opensim_reference.py MODEL.osim … [--out FOLDER]

writes MODEL.json beside each model: masses, and at random coordinates the places of bodies, lengths and moment arms of muscles;
forces of muscles at given activations and fibre velocities zero; and a forward simulation.
"""

import argparse
import json
import pathlib

import numpy as np
import opensim

SAMPLES, SEED = 6, 3
opensim.Logger.setLevelString("off")


def three(v):
    return [v[k] for k in range(3)]


def pose(model, state):
    places = {}
    for body in model.getBodySet():
        X = body.getTransformInGround(state)
        R = X.R()
        places[body.getName()] = {
            "place": three(X.p()), "rotation": [[R.get(i, j) for j in range(3)] for i in range(3)],
        }  # fmt: skip
    return places


def free(model, state):
    return [c for c in model.getCoordinateSet() if not c.isConstrained(state)]


def muscles(model, state):
    found = {}
    for muscle in model.getMuscles():
        arms = {c.getName(): muscle.computeMomentArm(state, c) for c in free(model, state)}
        found[muscle.getName()] = {
            "length": muscle.getLength(state), "arms": {k: a for k, a in arms.items() if abs(a) > 1e-6},
        }  # fmt: skip
    return found


def sample(model, rng):
    state = model.initSystem()
    for c in free(model, state):
        low, high = c.getRangeMin(), c.getRangeMax()
        if c.getMotionType() == 1:  # angles about a second axis stay below 90° in Condyle
            low, high = max(low, -1.4), min(high, 1.4)
        value = low + (high - low) * (0.1 + 0.8 * rng.random()) if high - low < 20 else rng.random()
        c.setValue(state, value, False)
    model.assemble(state)
    model.realizePosition(state)
    values = {c.getName(): c.getValue(state) for c in model.getCoordinateSet()}
    out = {"values": values, "bodies": pose(model, state), "muscles": muscles(model, state), "forces": {}}
    for activation in (0.05, 0.6):
        out["forces"][str(activation)] = forces(model, state, activation)
    return out


def forces(model, state, activation):
    """Tendon forces of muscles in equilibrium at rest, where OpenSim finds one."""
    found = {}
    for muscle in model.getMuscles():
        own = opensim.Millard2012EquilibriumMuscle.safeDownCast(muscle) or muscle
        muscle.setActivation(state, activation)
        try:
            own.computeEquilibrium(state)
            model.realizeDynamics(state)
            if muscle.getFiberVelocity(state) ** 2 < 1e-6:
                found[muscle.getName()] = {
                    "tension": muscle.getTendonForce(state), "fibre": muscle.getNormalizedFiberLength(state),
                }  # fmt: skip
        except Exception:
            continue
    return found


def fall(path, end, with_forces):
    """Coordinates of a free motion from the default pose; without forces only gravity acts."""
    model = opensim.Model(str(path))
    if not with_forces:
        for k in range(model.getForceSet().getSize() - 1, -1, -1):
            model.updForceSet().remove(k)
    state = model.initSystem()
    model.assemble(state)
    if with_forces:
        for muscle in model.getMuscles():
            muscle.setActivation(state, muscle.getMinControl())
        model.equilibrateMuscles(state)
    manager = opensim.Manager(model)
    manager.setIntegratorAccuracy(1e-8)
    manager.initialize(state)
    times, values = [0.0], {c.getName(): [c.getValue(state)] for c in model.getCoordinateSet()}
    for t in np.linspace(0.0, end, 11)[1:]:
        state = manager.integrate(float(t))
        times.append(float(t))
        for c in model.getCoordinateSet():
            values[c.getName()].append(c.getValue(state))
    return {"times": times, "values": values}


def reference(path):
    rng = np.random.default_rng(SEED)
    model = opensim.Model(str(path))
    state = model.initSystem()
    out = {"opensim": opensim.GetVersion(), "masses": {b.getName(): b.getMass() for b in model.getBodySet()}}
    model.realizePosition(state)
    out["default"] = {c.getName(): c.getValue(state) for c in model.getCoordinateSet()}
    out["samples"] = [sample(model, rng) for _ in range(SAMPLES)]
    out["fall"] = fall(path, 0.3, with_forces=False)
    return out


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="+", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    for path in options.models:
        written = (options.out or path.parent) / f"{path.stem}.json"
        written.write_text(json.dumps(reference(path), indent=0), encoding="utf-8")
        print(written)
