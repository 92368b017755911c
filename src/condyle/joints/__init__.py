"""Joints: what the user declares, written as a few constraints between points and directions of any two bodies.

Imports `condyle.model`, codes of `condyle.laws` and the interface of `condyle.system.builder`. A new joint is one file with a
`Joint` whose `compile` calls the primitives of `joint.py` (Taylor 2000, §6.2).
"""

from condyle.bodies.enforcement import Augmented, Penalty
from condyle.joints.axial import Cylindrical, Planar, PointOnLine, PointOnPlane, Prismatic, Screw, Universal
from condyle.joints.clamp import Clamp
from condyle.joints.clinical import ClinicalJoint
from condyle.joints.couplings import (
    CoordinateDamper,
    CoordinateForce,
    CoordinateSpring,
    Coupling,
    Drive,
    Follow,
    Gear,
    Limit,
)
from condyle.joints.custom import CustomJoint
from condyle.joints.distance import Distance
from condyle.joints.drum import Drum
from condyle.joints.fixed import Fixed, Weld
from condyle.joints.hold import Hold
from condyle.joints.initial import Initial
from condyle.joints.insertion import Insertion
from condyle.joints.joint import Joint
from condyle.joints.passive import PassiveAxis, PassiveMoment
from condyle.joints.passive_curves import passive_curve
from condyle.joints.primitives import Rotation, Translation
from condyle.joints.revolute import Revolute
from condyle.joints.rolling import DrivenRate, KnifeEdge, Rolling
from condyle.joints.slider import Slider
from condyle.joints.spherical import Pin, Spherical
from condyle.joints.tie import Tie
from condyle.joints.transform import TransformJoint

__all__ = [
    "Augmented",
    "Clamp",
    "ClinicalJoint",
    "CoordinateDamper",
    "CoordinateForce",
    "CoordinateSpring",
    "Coupling",
    "CustomJoint",
    "Cylindrical",
    "Distance",
    "Drive",
    "DrivenRate",
    "Drum",
    "Fixed",
    "Follow",
    "Gear",
    "Hold",
    "Initial",
    "Insertion",
    "Joint",
    "KnifeEdge",
    "Limit",
    "PassiveAxis",
    "PassiveMoment",
    "Penalty",
    "Pin",
    "Planar",
    "PointOnLine",
    "PointOnPlane",
    "Prismatic",
    "Revolute",
    "Rolling",
    "Rotation",
    "Screw",
    "Slider",
    "Spherical",
    "Tie",
    "TransformJoint",
    "Translation",
    "Universal",
    "Weld",
    "passive_curve",
]
