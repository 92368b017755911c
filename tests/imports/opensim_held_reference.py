"""Reference numbers of OpenSim for a prescribed coordinate and coupled ones: run with a Python that has `opensim`.

    python tests/imports/opensim_held_reference.py

writes data/held.json: coordinates and their speeds over a run of data/held.osim.
"""

import json
import pathlib

import opensim

DATA = pathlib.Path(__file__).parent / "data"
opensim.Logger.setLevelString("off")

model = opensim.Model(str(DATA / "held.osim"))
state = model.initSystem()
model.assemble(state)
manager = opensim.Manager(model, state)
manager.setIntegratorAccuracy(1e-9)
times = [0.05 * k for k in range(9)]
out = {"times": times, "values": {}, "speeds": {}}
for k, t in enumerate(times):
    now = state if k == 0 else manager.integrate(t)
    if k == 0:
        manager.initialize(state)
    model.realizeVelocity(now)
    for c in model.getCoordinateSet():
        out["values"].setdefault(c.getName(), []).append(c.getValue(now))
        out["speeds"].setdefault(c.getName(), []).append(c.getSpeedValue(now))
(DATA / "held.json").write_text(json.dumps(out, indent=1) + "\n", encoding="utf-8")
