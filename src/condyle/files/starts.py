"""Commented model files to begin with: `condyle new pendulum`."""

from __future__ import annotations

__all__ = ["STARTS"]

PENDULUM = """\
# A pendulum: a rod on a hinge. Run it with: condyle run pendulum.yaml
condyle: 1
title: A rod that swings on a hinge
summary: Small swings of a rod, whose period is known in closed form.
dimension: 2
gravity: [0, -9.81]  # m/s²; numbers without a unit are in SI units

parameters:  # named numbers: condyle run pendulum.yaml --set length=30cm, condyle sweep … --vary length=20:60:5cm
  length: 0.5 m
  mass: {value: 2 kg, meaning: of the rod}
  start: {value: 3 deg, meaning: angle at the start}

parts:  # each has a name and a type; docs/fields.md lists all types and their fields
  rod:
    type: RigidBody
    mass: mass
    inertia: mass * length^2 / 12
    position: (0 m, -length/2)
    points: {tip: "(0 m, -length/2)"}  # in its own coordinates; quotes keep the comma together within { }
    outline: [[[0, length/2], [0, -length/2]]]
  hinge:
    type: Revolute
    a: ground
    b: rod
    at: [0, 0]
  turn:
    type: Initial
    coordinate: hinge.angle
    value: start

run:
  end: 4 s
  dt: 2 ms
  integrator: EnergyMomentum

curves:  # histories of the result
  angle: {coordinate: hinge.angle, unit: deg}
  height: {position: rod.tip, component: y, unit: mm}

outputs:  # numbers of curves: first, final, max, min, range, mean, time_of_max, time_of_min, period
  period: angle.period
  largest angle: angle.max

claims:  # what has to come out, and why
  period:
    value: 2*pi*sqrt(2*length / (3 * 9.81 m/s^2)) * (1 + start^2/16)
    tolerance: 0.1 ms
    kind: closed form
    from: rod on a hinge, small swings

figures:
  swing: {curves: [angle, height], title: A pendulum}
"""

CABLE = """\
# A cable that hangs between a wall and a weight that is let go. Run it with: condyle run cable.yaml
condyle: 1
title: A cable with a weight at its end
summary: A cable of ANCF elements, clamped on one side, falls under its own weight and that of a bob.
dimension: 2
gravity: [0, -9.81]

parameters:
  length: 1 m
  diameter: 8 mm
  young: 0.5 MPa
  density: 1100 kg/m^3

parts:
  cable:
    type: Cable
    line: [[0, 0], [length, 0]]
    elements: 8
    damping: 5 ms
    section:
      type: RoundSection
      radius: diameter / 2
      material: {type: StVenantKirchhoff, young: young, density: density}
  wall:
    type: Spherical
    a: ground
    b: cable.start
  bob:
    type: PointMass
    mass: 20 g
    position: [length, 0]
  knot:
    type: Spherical
    a: cable.end
    b: bob

run: {end: 1 s, dt: 5 ms}

curves:
  height: {position: cable.end, component: y, unit: mm}
  pull: {joint_force: wall, component: size, unit: N}
  energy: {energy: total, unit: J}

outputs:
  lowest: height.min
  largest pull: pull.max

claims:
  lowest: {between: [-1.4 m, -0.9 m], kind: property, from: the end swings below the wall and the cable stretches}

figures:
  fall: {curves: [height, pull]}
"""

IMPACT = """\
# A ball that falls on a floor and bounces. Run it with: condyle run impact.yaml
condyle: 1
title: A ball that bounces
summary: A ball falls on a floor with a law of contact that loses energy by its coefficient of restitution.
dimension: 3
gravity: [0, 0, -9.81]

parameters:
  radius: 40 mm
  mass: 0.25 kg
  height: {value: 0.5 m, meaning: of the lowest point above the floor at the start}
  restitution: 0.7
  stiffness: {value: 4e6, meaning: "K of F = K s^n [N/m^(3/2)]"}

parts:
  ball:
    type: RigidBody
    mass: mass
    inertia: (0.4, 0.4, 0.4) * mass * radius^2
    position: (0 m, 0 m, height + radius)
  floor:
    type: Contact
    body: ball
    surface: {type: Sphere, radius: radius}
    target: ground
    shape: {type: Plane, normal: [0, 0, 1]}
    law: {type: HuntCrossley, stiffness: stiffness, exponent: 1.5, e: restitution}

run:
  end: 0.6 s
  dt: 0.2 ms
  integrator: GeneralizedAlpha

curves:
  height: {position: ball, component: z, unit: mm}
  speed: {velocity: ball, component: z, unit: m/s}
  force: {contact_force: floor, component: size, unit: N}

outputs:
  impact: -speed.min
  rebound: speed.max

claims:
  impact: {value: sqrt(2 * 9.81 m/s^2 * height), tolerance: 0.01 m/s, kind: closed form, from: free fall}
  rebound:
    between: [restitution * sqrt(2 * 9.81 m/s^2 * height), sqrt(2 * 9.81 m/s^2 * height)]
    kind: property
    from: slower than it came, not slower than the coefficient says

figures:
  bounce: {curves: [height, force]}
"""

KNEE = """\
# A knee in the sagittal plane: the shank hangs on a hinge and is pulled straight by a muscle, ligaments stop it.
# Run it with: condyle run knee.yaml
condyle: 1
title: A shank that is extended at the knee
summary: A muscle over a fixed thigh extends the shank against its weight; ligaments hold it at the end.
dimension: 2
gravity: [0, -9.81]
units: {BW: 75 kg * 9.81 m/s^2}  # a unit of your own, the weight of the body

parameters:
  shank_mass: 3.5 kg
  shank_length: 430 mm
  strength: {value: 2 BW, meaning: largest force of the muscle}

parts:
  shank:
    type: RigidBody
    mass: shank_mass
    inertia: shank_mass * (0.3 * shank_length)^2
    position: (0 m, -0.43 * shank_length)
    points:
      knee: (0 m, 0.43 * shank_length)
      tuberosity: (30 mm, 0.43 * shank_length - 60 mm)
      back: (-25 mm, 0.43 * shank_length - 20 mm)
      ankle: (0 m, -0.57 * shank_length)
  knee:
    type: Revolute
    a: ground
    b: shank
    at: [0, 0]
  quadriceps:
    type: ForceActuator
    path:
      - {type: Point, body: ground, at: [45 mm, 300 mm]}
      - {type: Point, body: ground, at: [48 mm, 20 mm]}
      - shank.tuberosity
    force: strength
    scale: {type: Ramp, start: 50 ms, end: 250 ms, first: 0.05, last: 0.5}
  capsule:
    type: Ligament
    path:
      - {type: Point, body: ground, at: [-25 mm, 25 mm]}
      - shank.back
    stiffness: 6 kN
    reference_strain: -0.1
    damping: 20 N s/m
  tissue:
    type: CoordinateDamper
    coordinate: knee.angle
    damping: 0.5 N m s/rad
  stop:
    type: Limit
    coordinate: knee.angle
    lower: -10 deg
    upper: 100 deg
    stiffness: 200 N m/rad
    damping: 2 N m s/rad

run: {end: 0.6 s, dt: 1 ms}

curves:
  angle: {coordinate: knee.angle, unit: deg}
  muscle: {tension: quadriceps, unit: N}
  capsule: {tension: capsule, unit: N}
  joint: {joint_force: knee, component: size, unit: N}

outputs:
  largest angle: angle.max
  joint force in BW: joint.max / 1 BW

claims:
  largest angle: {between: [30 deg, 115 deg], kind: property, from: the leg is lifted and stopped}

figures:
  extension: {curves: [angle, muscle, capsule]}
"""

HIP = """\
# A hip replacement in the plane: a metal head presses into a cup of polyethylene. Run it with: condyle run hip.yaml
condyle: 1
title: A head that presses into a cup
summary: A rigid head is pressed into an elastic liner by the force of standing on one leg, in statics.
dimension: 2
units: {BW: 75 kg * 9.81 m/s^2}

parameters:
  radius: {value: 14 mm, meaning: of the head}
  clearance: {value: 0.1 mm, meaning: of the radii of liner and head}
  thickness: {value: 8 mm, meaning: of the liner}
  load: {value: 2.4 BW, meaning: on the head}

parts:
  liner:
    type: Solid.from_mesh
    mesh: {shape: cup, inner: radius + clearance, outer: radius + clearance + thickness, divisions: [24, 4], dimension: 2}
    material: {type: NeoHookean, young: 800 MPa, poisson: 0.4, density: 940 kg/m^3}
    thickness: 30 mm
    plane: strain
  shell:
    type: Hold
    body: liner
    nodes: outer
    direction: [1, 0]
  shell_up:
    type: Hold
    body: liner
    nodes: outer
    direction: [0, 1]
  head:
    type: RigidBody.disk
    radius: radius
    density: 4400
    position: (0 m, -clearance)  # it touches the pole of the cup
  hold:  # a soft spring, without which the head would be free to move before it touches
    type: Bushing
    a: ground
    b: head
    at: [0, 0]
    stiffness: 1 N/mm
    turning_stiffness: 1 N m/rad
  joint:
    type: Contact
    body: liner
    surface: inner
    target: head
    shape: {type: Sphere, radius: radius}
  weight:
    type: Load
    point: head
    force: (0 N, -load)

run: {analysis: statics, steps: 5}

curves:
  pressure: {contact_pressure: joint, unit: MPa}
  height: {position: head, component: y, unit: mm}

outputs:
  largest pressure: pressure.max
  height: height.final

claims:
  largest pressure: {between: [1 MPa, 20 MPa], kind: property, from: the order of magnitude of a liner}
"""

STARTS = {"pendulum": PENDULUM, "cable": CABLE, "impact": IMPACT, "knee": KNEE, "hip": HIP}
