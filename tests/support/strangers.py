"""Files as strangers, bad disks and killed writers leave them: a sound run, and what can be done to it."""

import copy
import json
import math

import h5py
import numpy as np

import condyle as cd
from condyle.results import reading
from condyle.results.layout import digest
from condyle.results.probe import look

NAN = float("nan")
ODD = [
    "",
    "heavy",
    "null",
    None,
    NAN,
    -1,
    0,
    2**62,
    1e308,
    True,
    [],
    {},
    [1],
    [NAN],
    {"name": "check", "what": "run.pyc"},
]
NUMBERS = [
    np.zeros(3),
    np.zeros((2, 2)),
    np.full(11, NAN),
    np.zeros(0),
    np.int64(7),
    np.float64(NAN),
    b"\xff\xfe",
    "text",
]


def arm():
    """A pendulum that a load of growing size pushes."""
    m = cd.Model("arm", dimension=2, gravity=(0.0, -9.81))
    bar = m.add(cd.RigidBody("bar", 1.0, inertia=0.1, position=(0.5, 0.0), points={"tip": (0.5, 0.0)}))
    m.add(cd.Revolute("hinge", m.ground, bar, at=(0.0, 0.0)))
    m.add(cd.Initial("turning", "hinge.angle", 0.0, 1.0))
    m.add(cd.CoordinateSpring("spring", "hinge.angle", 2.0))
    m.add(cd.Load("push", "bar.tip", (1.0, 0.0), cd.Ramp(0.0, 1.0)))
    return m


def run(file, integrator=None):
    """Half of a run, which can go on."""
    return cd.simulate(arm(), end=0.2, dt=0.01, every=2, integrator=integrator, file=file)


class LookHere:
    """In place of a process of its own: for files that HDF5 reads without harm."""

    def __init__(self, path):
        self.path = path

    def problem(self):
        try:
            look(self.path)
        except Exception as error:
            return str(error) or "damaged"
        return ""


def look_here(monkeypatch):
    monkeypatch.setattr(reading, "Probe", LookHere)


def places(data, path=()):
    """All places in plain data."""
    yield path
    entries = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in entries:
        yield from places(value, (*path, key))


def changed(data, path, value):
    """Plain data with something else at a place; DELETE takes it out."""
    if not path:
        return value
    made = copy.deepcopy(data)
    at = made
    for key in path[:-1]:
        at = at[key]
    if value is DELETE:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return made


DELETE = object()


def parts_of_a_file(file):
    """Every attribute and dataset, and every place in those that hold JSON: (kind, name, path)."""
    with h5py.File(file) as f:
        for name, value in f.attrs.items():
            yield "attribute", name, None
            if name in ("integrator", "options", "shape"):
                yield from (("attribute", name, path) for path in places(json.loads(value)))
        names = []
        f.visit(names.append)
        for name in names:
            yield "dataset", name, None
            if name in ("model", "multipliers"):
                yield from (("dataset", name, path) for path in places(json.loads(f[name].asstr()[()])))


def damage(file, kind, name, path, value):
    """Put something else into a file, as one who knows its layout would."""
    with h5py.File(file, "r+") as f:
        if kind == "attribute":
            _damage_attribute(f, name, path, value)
        elif path is not None:
            text = json.dumps(
                changed(json.loads(f[name].asstr()[()]), path, None if value is DELETE and not path else value)
            )
            del f[name]
            f[name] = text
        else:
            _replace(f, name, value)
        if "model" in f and "multipliers" in f and kind == "dataset" and name in ("model", "multipliers"):
            texts = [
                f[n].asstr(errors="replace")[()]
                for n in ("model", "multipliers")
                if f[n].dtype.kind == "O" and f[n].shape == ()
            ]
            f.attrs["digest"] = digest(*texts)


def _damage_attribute(f, name, path, value):
    if path is None:
        del f.attrs[name]
        if value is not DELETE:
            f.attrs[name] = _written(value)
    else:
        f.attrs[name] = json.dumps(
            changed(json.loads(f.attrs[name]), path, None if value is DELETE and not path else value)
        )


def _replace(f, name, value):
    was = f[name]
    shape, kind = getattr(was, "shape", None), getattr(was, "dtype", None)
    del f[name]
    if value is DELETE:
        return
    if isinstance(value, int) and value == 2**62 and shape:  # says that it is huge, and holds nothing
        f.create_dataset(
            name, shape=(2**40, *shape[1:]), maxshape=(None, *shape[1:]), chunks=(64, *shape[1:]), dtype=kind
        )
    elif isinstance(value, float) and math.isnan(value) and shape and kind.kind == "f":
        f[name] = np.full(shape, NAN)
    else:
        f[name] = _written(value)


def _written(value):
    """As HDF5 takes it: numbers and texts as they are, all else as JSON."""
    return value if isinstance(value, str | int | float | np.ndarray | np.generic | bytes) else json.dumps(value)
