"""Random mechanisms: trees and loops of rigid bodies and point masses with joints and springs, in the plane and in space."""

import numpy as np
from hypothesis import strategies as st

import condyle as cd

STEPS = (1e-3, 0.01, 0.03, 0.1)  # [s], up to far too large ones
SIZE = st.floats(0.05, 0.5)
UNIT = st.floats(-1.0, 1.0)


@st.composite
def mechanisms(draw, dimension):
    """A model of one to four bodies, each on the ground or on one before it, or only held by springs."""
    d = dimension
    vector = st.tuples(*[UNIT] * d)
    pulled = draw(st.booleans())
    m = cd.Model("mechanism", dimension=d, gravity=(*[0.0] * (d - 1), -9.81) if pulled else None)
    bodies, tips = [], {m.ground.name: np.zeros(d)}
    for k in range(draw(st.integers(1, 4))):
        on = draw(st.sampled_from([m.ground, *bodies]))
        start, along, size = tips[on.name], _direction(draw(vector)), draw(SIZE)
        body = m.add(_bar(draw, f"bar {k}", d, size, along, start))
        bodies.append(body)
        tips[body.name] = start + size * along
        _join(draw, m, f"joint {k}", on, body, start, along)
    for k in range(draw(st.integers(0, 2))):
        a, place = draw(st.sampled_from(bodies)), draw(vector)
        stiffness = 10.0 ** draw(st.floats(0.0, 4.0))
        if draw(st.booleans()):
            mass = m.add(cd.PointMass(f"mass {k}", draw(st.floats(0.05, 2.0)), place, velocity=draw(vector)))
            m.add(cd.Spring(f"spring {k}", a.at(*(0.3 * np.asarray(draw(vector)))), mass, stiffness, rest_length=0.3))
        else:
            m.add(cd.Spring(f"spring {k}", a.at(*(0.3 * np.asarray(draw(vector)))), m.ground.at(*place), stiffness))
    if len(bodies) > 2 and np.linalg.norm(tips["bar 0"] - tips[bodies[-1].name]) > 0.01 and draw(st.booleans()):
        ends = [body.at(*(tips[body.name] - np.asarray(body.position))) for body in (bodies[0], bodies[-1])]
        m.add(cd.Distance("loop", *ends))
    return m


def _direction(vector):
    length = float(np.linalg.norm(vector))
    return np.asarray(vector) / length if length > 0.1 else np.eye(len(vector))[0]


def _bar(draw, name, d, size, along, start):
    """A bar that begins at `start`; its inertia may be far less than that of a bar, so that it is turned fast."""
    mass, slender = draw(st.floats(0.05, 2.0)), 10.0 ** draw(st.floats(-2.0, 0.0))
    J = mass * size**2 / 12.0
    centre = tuple(start + 0.5 * size * along)
    if d == 2:
        turns = dict(inertia=J * slender, angular_velocity=20.0 * draw(UNIT))
    else:
        turns = dict(inertia=(J, J, J * slender), angular_velocity=tuple(20.0 * draw(UNIT) for _ in range(3)))
    return cd.RigidBody(name, mass, position=centre, **turns)


def _join(draw, m, name, on, body, start, along):
    at = tuple(start)
    if m.dimension == 2:
        kind = draw(st.sampled_from(["pin", "slider", "free"]))
        if kind == "pin":
            m.add(cd.Pin(name, on, body, at=at))
        elif kind == "slider":
            m.add(cd.Slider(name, on, body, at=at, axis=tuple(along)))
    else:
        kind = draw(st.sampled_from(["ball", "hinge", "slide", "free"]))
        if kind == "ball":
            m.add(cd.Spherical(name, on, body, at=at))
        elif kind == "hinge":
            m.add(cd.Revolute(name, on, body, at=at, axis=tuple(along)))
        elif kind == "slide":
            m.add(cd.Prismatic(name, on, body, at=at, axis=tuple(along)))
