"""The same model at another scale: lengths times s, masses and times as they are, so that the motion is the same.

Forces are then s times as large, moments s² times, stiffnesses [N/m] the same: each number of a model goes with a power of s
that follows from its unit.
"""

import condyle as cd

# Powers of length in the units of the fields of parts, where it is not 0.
POWERS = {
    **dict.fromkeys(
        (
            "position",
            "velocity",
            "at",
            "centre_of_mass",
            "points",
            "corners",
            "pitch",
            "rest_length",
            "radius",
            "centre",
        ),
        1,
    ),
    **dict.fromkeys(
        ("size", "shape", "line", "outline", "point", "nodes", "slack_length", "force", "axial", "thickness", "origin"),
        1,
    ),
    **dict.fromkeys(("inertia", "second_moment", "torque"), 2),
    **{"bending": 3, "young": -1, "density": -3},
}
BY_COORDINATE = {"CoordinateSpring", "CoordinateDamper", "CoordinateForce", "Limit", "Drive", "Initial"}
TURNING = {"stiffness": 2, "damping": 2, "force": 2}  # of an angle
SLIDING = {"force": 1, "lower": 1, "upper": 1, "rest": 1, "value": 1, "rate": 1}  # of a length


def scaled(model, s, enforcement=None):
    """The model at s times its size; enforcement: how all its constraints are held, if it is to be changed."""
    system, data = cd.compile(model), model.to_dict()
    data["gravity"] = _times(data["gravity"], s)
    for part in data["parts"]:
        _scale_part(system, part, s)
        if enforcement is not None and hasattr(model[part["name"]], "enforcement"):
            part["enforcement"] = enforcement
    return cd.Model.from_dict(data)


def _scale_part(system, part, s):
    kind = part["type"]
    if kind in BY_COORDINATE:
        powers = TURNING if system.coordinate(part["coordinate"]).is_angle else SLIDING
        part |= {name: _times(part[name], s**power) for name, power in powers.items() if name in part}
    elif kind == "Coupling":
        part["factors"] = {q: f if _turns(system, q) else f / s for q, f in part["factors"].items()}
    elif kind == "CustomJoint":
        part["functions"] = {name: _curve(name, f, s) for name, f in part["functions"].items()}
        _scale_fields(part, s)
    elif kind == "TransformJoint":
        _scale_motions(part, s)
        _scale_fields(part, s)
    else:
        _scale_fields(part, s)


def _scale_fields(fields, s):
    for name, value in fields.items():
        if isinstance(value, dict) and name not in POWERS:
            _scale_fields(value, s)
        elif name == "mass" and fields.get("type") == "Rope":
            fields[name] = value / s
        elif name == "surface" or name in POWERS:
            fields[name] = _times(value, s ** POWERS.get(name, 1))


def _curve(name, function, s):
    """A function of a CustomJoint: places are lengths, angles are not."""
    mine = 1.0 if "angle" in name else s
    if not isinstance(function, dict):
        return _times(function, mine)
    return function | {
        "x": _times(function["x"], 1.0 if "angle" in function["of"] else s),
        "y": _times(function["y"], mine),
    }


def _scale_motions(part, s):
    """Rotations and translations of a TransformJoint: coordinates of translations are lengths."""
    slides = [m["by"] for m in part.get("translations", ()) if isinstance(m["by"], str)]
    part["radii"] = _times(part.get("radii"), s)
    for motions, mine in (("rotations", 1.0), ("translations", s)):
        for motion in part.get(motions, ()):
            by = motion["by"]
            if isinstance(by, dict) and isinstance(by["of"], dict):
                factors = {q: f * mine / (s if q in slides else 1.0) for q, f in by["of"].items()}
                motion["by"] = by | {"of": factors, "constant": by.get("constant", 0.0) * mine}
            elif isinstance(by, dict):
                motion["by"] = by | {"x": _times(by["x"], s if by["of"] in slides else 1.0), "y": _times(by["y"], mine)}
            elif not isinstance(by, str):
                motion["by"] = by * mine


def _turns(system, coordinate):
    return system.coordinate(coordinate).is_angle


def _times(value, factor):
    """Numbers in lists, dicts and by themselves times a factor; names as they are."""
    if isinstance(value, dict):
        return {k: _times(v, factor) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_times(v, factor) for v in value]
    return value if isinstance(value, str | bool) or value is None else value * factor
