"""MJCF, the model files of MuJoCo (.xml with the root element `mujoco`).

document.py    includes, settings of the compiler, defaults, attributes as numbers
geoms.py       what geoms weigh and their shapes
chains.py      which joints of a body are one joint
tree.py        bodies along their joints, placed at a state
joints.py      joints, limits, springs, dampers, rotors
equalities.py  connect, weld, joint
tendons.py     fixed and spatial tendons
actuators.py   motors, servos, muscles
contacts.py    collisions of geoms
reading.py     `read`: all of it as a model
"""

from condyle.imports.mjcf.reading import claims, read

__all__ = ["claims", "read"]
