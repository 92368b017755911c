"""Joints of the body put together of parts that stand elsewhere: bones, bundles of ligaments, joint surfaces.

A builder adds ordinary parts to a model, which can be changed afterwards like any others. It imports rooms of parts only.
"""

from condyle.anatomy.knee import Knee, add_knee, build_knee
from condyle.anatomy.ligaments import Bundle
from condyle.anatomy.menisci import MeniscusRing

__all__ = ["Bundle", "Knee", "MeniscusRing", "add_knee", "build_knee"]
