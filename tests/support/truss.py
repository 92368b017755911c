"""The von Mises truss: two springs that snap through."""

import numpy as np

import condyle as cd

HALF, RISE, STIFFNESS = 1.0, 0.2, 1000.0


def von_mises_truss():
    """Two springs that meet above their supports, pushed down where they meet."""
    model = cd.Model("truss", dimension=2)
    apex = model.add(cd.PointMass("apex", 1.0, (0.0, RISE)))
    for name, x in (("left", -HALF), ("right", HALF)):
        support = model.ground.at(x, 0.0)
        model.add(cd.Spring(name, support, apex, STIFFNESS, rest_length=float(np.hypot(HALF, RISE))))
    model.add(cd.Load("push", apex, (0.0, -1.0)))
    return model
