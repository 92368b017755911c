"""Single muscles in OpenSim itself: run with a Python that has the package `opensim`.

    python tests/imports/opensim_muscle_reference.py

writes data/muscles.osim, and data/muscles.json: forces and fibre velocities of muscles of each kind over fibre length, tendon
strain and activation, and how fast activation follows excitation.
"""

import itertools
import json
import math
import pathlib

import opensim

DATA = pathlib.Path(__file__).parent / "data"
F0, OPTIMAL, SLACK, PENNATION = 1000.0, 0.1, 0.2, 0.3
KINDS = ("Thelen2003Muscle", "Millard2012EquilibriumMuscle", "DeGrooteFregly2016Muscle")
ACTIVATIONS, FIBRES, STRAINS = (0.05, 0.3, 1.0), (0.55, 0.8, 1.0, 1.25, 1.5), (0.005, 0.02, 0.035, 0.05)
opensim.Logger.setLevelString("off")


def on_sliders():
    """A muscle of each kind from the ground to a body that slides along x, with its path as long as the coordinate."""
    model = opensim.Model()
    model.setName("muscles")
    model.setGravity(opensim.Vec3(0))
    for kind in KINDS:
        body = opensim.Body(f"{kind}_block", 1.0, opensim.Vec3(0), opensim.Inertia(0.01, 0.01, 0.01))
        model.addBody(body)
        joint = opensim.SliderJoint(f"{kind}_slider", model.getGround(), body)
        coordinate = joint.updCoordinate()
        coordinate.setName(f"{kind}_x")
        coordinate.setDefaultValue(SLACK + OPTIMAL)
        model.addJoint(joint)
        muscle = getattr(opensim, kind)()
        muscle.setName(kind)
        muscle.setMaxIsometricForce(F0)
        muscle.setOptimalFiberLength(OPTIMAL)
        muscle.setTendonSlackLength(SLACK)
        muscle.setPennationAngleAtOptimalFiberLength(PENNATION)
        muscle.addNewPathPoint("origin", model.getGround(), opensim.Vec3(0))
        muscle.addNewPathPoint("insertion", body, opensim.Vec3(0))
        model.addForce(muscle)
    model.finalizeConnections()
    return model


def states(kind):
    """Activation, fibre length over the optimal one, path length [m], fibre velocity over the largest one, tendon force [N]."""
    model = on_sliders()
    state = model.initSystem()
    muscle = getattr(opensim, kind).safeDownCast(model.getMuscles().get(kind))
    found = []
    for a, fibre, strain in itertools.product(ACTIVATIONS, FIBRES, STRAINS):
        path = SLACK * (1.0 + strain) + OPTIMAL * math.sqrt(fibre**2 - math.sin(PENNATION) ** 2)
        model.getCoordinateSet().get(f"{kind}_x").setValue(state, path)
        muscle.setActivation(state, a)
        if kind == "DeGrooteFregly2016Muscle":  # its state is the force of the tendon
            force = 0.2 * (math.exp(math.log(6.0) / 0.049 * strain) - 1.0)
            muscle.setStateVariableValue(state, "normalized_tendon_force", force)
        else:
            muscle.setStateVariableValue(state, "fiber_length", OPTIMAL * fibre)
        model.realizeDynamics(state)
        speed = muscle.getFiberVelocity(state) / OPTIMAL / muscle.getMaxContractionVelocity()
        found.append([a, fibre, path, speed, muscle.getTendonForce(state)])
    return found


def activation_rates(kind):
    """Activation, excitation, rate of the activation [1/s]."""
    model = on_sliders()
    state = model.initSystem()
    muscle = model.getMuscles().get(kind)
    found = []
    for a, u in itertools.product((0.05, 0.4, 0.9), (0.0, 0.2, 0.6, 1.0)):
        muscle.setActivation(state, a)
        model.realizeVelocity(state)
        controls = opensim.Vector(len(KINDS), u)
        model.setControls(state, controls)
        model.realizeAcceleration(state)
        found.append([a, u, muscle.getStateVariableDerivativeValue(state, "activation")])
    return found


def reference():
    out = {"opensim": opensim.GetVersion(), "muscle": [F0, OPTIMAL, SLACK, PENNATION]}
    return out | {kind: {"states": states(kind), "activation": activation_rates(kind)} for kind in KINDS}


if __name__ == "__main__":
    on_sliders().printToXML(str(DATA / "muscles.osim"))
    (DATA / "muscles.json").write_text(json.dumps(reference(), indent=0), encoding="utf-8")
