"""A model that a person writes in YAML, with units and expressions, is that of Python, bit for bit, and moves as that does."""

import json

import numpy as np
import pytest

import condyle as cd
from condyle.files.reading import ModelFile

FOUR_BAR = """\
title: A four-bar linkage with a motor
dimension: 2
gravity: (0, -9.81)
parameters:
  crank: 50 mm
  speed: 90 rpm
parts:
  crank: {type: RigidBody.box, size: "(crank, 10 mm)", density: 7.8 g/cm^3, position: "(crank/2, 0 m)"}
  rod: {type: RigidBody.box, size: [200 mm, 8 mm], density: 7800, position: [150 mm, 0]}
  rocker:
    type: RigidBody.box
    size: (100, 12) mm
    density: 2700
    position: (250 mm, 0 m) + 50 mm * (0, 1)
    rotation: 90 deg
  motor side: {type: Pin, a: ground, b: crank, at: [0, 0]}
  crank pin: {type: Pin, a: crank, b: rod, at: [crank, 0]}
  rocker pin: {type: Pin, a: rod, b: rocker, at: [25 cm, 0]}
  frame: {type: Pin, a: ground, b: rocker, at: [25 cm, 10 cm]}
  motor:
    type: Drive
    coordinate: motor side.angle
    motion: {type: Polynomial, coefficients: [0, speed]}
  grease: {type: CoordinateDamper, coordinate: frame.angle, damping: 5 Nmm s}
"""


def four_bar():
    model = cd.Model("four bar", dimension=2, gravity=(0, -9.81))
    crank = model.add(cd.RigidBody.box("crank", (0.05, 0.01), 7800.0, position=(0.025, 0.0)))
    rod = model.add(cd.RigidBody.box("rod", (0.2, 0.008), 7800, position=(0.15, 0)))
    rocker = model.add(
        cd.RigidBody.box("rocker", (0.1, 0.012), 2700, position=(0.25, 0.05), rotation=90 * (np.pi / 180))
    )
    turning = model.add(cd.Pin("motor side", model.ground, crank, at=(0, 0)))
    model.add(cd.Pin("crank pin", crank, rod, at=(0.05, 0)))
    model.add(cd.Pin("rocker pin", rod, rocker, at=(0.25, 0)))
    held = model.add(cd.Pin("frame", model.ground, rocker, at=(0.25, 0.1)))
    speed = 90 * (2 * np.pi / 60)
    model.add(cd.Drive("motor", f"{turning.name}.angle", cd.Polynomial((0, speed))))
    model.add(cd.CoordinateDamper("grease", f"{held.name}.angle", 0.005))
    return model


CABLE = """\
title: A cable that hangs from a trolley
dimension: 2
gravity: [0, -9.81]
parameters: {d: 6 mm, hanging: 0.8 m}
parts:
  trolley: {type: RigidBody, mass: 4 kg, inertia: 0.02 kg m^2, position: [0, 0], points: {hook: [10 cm, -5 cm]}}
  rail: {type: Slider, a: ground, b: trolley, axis: [1, 0]}
  push: {type: Load, point: trolley, force: [6 N, 0], scale: {type: Ramp, start: 0 s, end: 100 ms}}
  cable:
    type: Cable
    line: [[10 cm, -5 cm], [10 cm, -5 cm - hanging]]
    elements: 4
    damping: 2 ms
    section:
      type: RoundSection
      radius: d/2
      material: {type: StVenantKirchhoff, young: 20 MPa, density: 1.2 g/cm^3}
  hook: {type: Spherical, a: trolley.hook, b: cable.start}
"""


def cable():
    model = cd.Model("cable", dimension=2, gravity=(0, -9.81))
    trolley = model.add(cd.RigidBody("trolley", 4.0, 0.02, points={"hook": (0.1, -0.05)}, position=(0, 0)))
    model.add(cd.Slider("rail", model.ground, trolley, axis=(1, 0)))
    model.add(cd.Load("push", trolley, (6.0, 0), scale=cd.Ramp(start=0.0, end=0.1)))
    rubber = cd.StVenantKirchhoff(20e6, density=1200.0)
    section = cd.RoundSection(0.003, rubber)
    line = ((0.1, -0.05), (0.1, -0.05 - 0.8))
    hanging = model.add(cd.Cable("cable", line, 4, section, damping=0.002))
    model.add(cd.Spherical("hook", trolley.point("hook"), hanging.point("start")))
    return model


HERTZ = """\
title: A steel ball that strikes a plate
gravity: [0, 0, 0]
parameters: {radius: 1 cm, young: 206 GPa, nu: 0.3}
parts:
  ball:
    type: RigidBody.ball
    radius: radius
    density: 7800 kg/m³
    position: (0 m, 0 m, radius + 1 um)
    velocity: (0, 0, -1) m/s
  blow:
    type: Contact
    body: ball
    surface: {type: Sphere, radius: radius}
    target: ground
    shape: {type: Plane, normal: [0, 0, 1]}
    law: {type: Hertz.of, young: [young, young], poisson: [nu, nu], radii: [radius, .inf]}
"""


def hertz():
    model = cd.Model("hertz", gravity=(0, 0, 0))
    ball = model.add(
        cd.RigidBody.ball("ball", 0.01, 7800.0, position=(0.0, 0.0, 0.01 + 1e-6), velocity=(0.0, 0.0, -1.0))
    )
    law = cd.Hertz.of(young=(206e9, 206e9), poisson=(0.3, 0.3), radii=(0.01, np.inf))
    model.add(cd.Contact("blow", ball, cd.Sphere(0.01), model.ground, cd.Plane(normal=(0, 0, 1)), law=law))
    return model


ARM = """\
title: A forearm that a muscle lifts
dimension: 2
gravity: [0, -9.81]
units: {BW: 75 kg * 9.81 m/s^2}
parameters:
  strength: 0.8 BW
parts:
  forearm: {type: RigidBody, mass: 1.5 kg, inertia: 120 kg cm^2, position: [0, -12 cm]}
  elbow: {type: Pin, a: ground, b: forearm, at: [0, 0]}
  biceps:
    type: Muscle
    path:
      - {type: Point, body: ground, at: [0, 30 cm]}
      - {type: Point, body: forearm, at: [2 cm, -4 cm], frame: world}
    max_force: strength
    fibre_length: 13 cm
    tendon_length: 20 cm
    pennation: 10 deg
    excitation: {type: Table, times: [0, 50 ms, 60 ms], values: [0.05, 5 %, 0.6]}
"""


def arm():
    model = cd.Model("arm", dimension=2, gravity=(0, -9.81))
    forearm = model.add(cd.RigidBody("forearm", 1.5, 120 * 1e-2**2, position=(0, -0.12)))
    model.add(cd.Pin("elbow", model.ground, forearm, at=(0, 0)))
    path = [cd.Point("ground", (0, 0.3)), cd.Point("forearm", (0.02, -0.04), "world")]
    excited = cd.Table((0, 0.05, 0.06), (0.05, 0.05, 0.6))
    pull = 0.8 * (75 * 9.81)
    model.add(cd.Muscle("biceps", path, pull, 0.13, 0.2, excited, pennation=10 * (np.pi / 180)))
    return model


BLOCK = """\
title: A block that is pressed
parameters: {side: 20 mm, pressure: 50 kPa}
parts:
  block:
    type: Solid.block
    size: (side, side, side/2)
    divisions: [2, 2, 1]
    element: hex8
    material: &rubber {type: NeoHookean, young: 1.5 MPa, poisson: 0.4, density: 1.1 g/cm^3}
  floor: {type: Hold, body: block, nodes: bottom, direction: [0, 0, 1]}
  left: {type: Hold, body: block, nodes: left, direction: [1, 0, 0]}
  front: {type: Hold, body: block, nodes: front, direction: [0, 1, 0]}
  press: {type: Pressure, body: block, surface: top, pressure: pressure, scale: {type: Ramp, start: 0, end: 1 s}}
"""


def block():
    model = cd.Model("block")
    rubber = cd.NeoHookean(1.5e6, 0.4, density=1100.0)
    body = model.add(cd.Solid.block("block", (0.02, 0.02, 0.01), (2, 2, 1), rubber, element="hex8"))
    model.add(cd.Hold("floor", body, "bottom", (0, 0, 1)))
    model.add(cd.Hold("left", body, "left", (1, 0, 0)))
    model.add(cd.Hold("front", body, "front", (0, 1, 0)))
    model.add(cd.Pressure("press", body, 50e3, surface="top", scale=cd.Ramp(start=0, end=1.0)))
    return model


def moved(model):
    """Places of all bodies after a short motion, or in equilibrium."""
    if model.name == "block":
        return cd.solve_static(model, steps=2).position("block.0")
    end, dt = {"hertz": (4e-5, 1e-6)}.get(model.name, (0.05, 0.005))
    result = cd.simulate(model, end=end, dt=dt)
    names = [body.name for body in model.bodies if body.name not in ("ground", "cable")]
    return np.concatenate([result.position(name).ravel() for name in names])


@pytest.mark.parametrize(
    ("name", "text", "make"),
    [("four bar", FOUR_BAR, four_bar), ("cable", CABLE, cable), ("hertz", HERTZ, hertz), ("arm", ARM, arm),
     ("block", BLOCK, block)],
    ids=lambda given: given if isinstance(given, str) and "\n" not in given else "",
)  # fmt: skip
def test_what_a_person_writes_is_the_model_of_python(name, text, make):
    file = ModelFile.read("model.yaml", text=f"name: {name}\n{text}").model
    model = make()
    assert json.dumps(_numbers(file.to_dict())) == json.dumps(_numbers(model.to_dict()))
    assert np.array_equal(moved(file), moved(model))


def _numbers(data):
    """Whole numbers as floats: 0 in a file is 0.0 in Python where both mean the same."""
    if isinstance(data, dict):
        return {key: _numbers(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_numbers(value) for value in data]
    return float(data) if type(data) is int else data
