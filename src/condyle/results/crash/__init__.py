"""What a safety engineer reads off a crash: filtered channels, criteria of injury, legform, blows, ratings, forces in sections.

curves.py    what is asked of every curve; `resampled`
filters.py   channel classes (SAE J211); head.py: HIC and 3 ms clip; legform.py: knee and tibia, with limits
impacts.py   peak, impulse, duration, energy of contact forces
rating.py    a curve against a measured one (ISO 18571)
sections.py  force and moment through a cut of a rigid body
figures.py   a figure of each
"""

from condyle.results.crash.curves import resampled
from condyle.results.crash.figures import plot_contact, plot_hic, plot_impacts, plot_legform, plot_rating
from condyle.results.crash.filters import cfc_coefficients, cfc_filter
from condyle.results.crash.head import HeadInjury, clip_3ms, hic
from condyle.results.crash.impacts import Impact, contact_impacts, impacts
from condyle.results.crash.legform import Legform, knee_bending, knee_shear, legform
from condyle.results.crash.rating import Rating, iso_18571
from condyle.results.crash.sections import SectionForce, section_force

__all__ = [
    "HeadInjury", "Impact", "Legform", "Rating", "SectionForce", "cfc_coefficients", "cfc_filter", "clip_3ms",
    "contact_impacts", "hic",
    "impacts", "iso_18571", "knee_bending", "knee_shear", "legform", "plot_contact", "plot_hic",
    "plot_impacts", "plot_legform", "plot_rating",
    "resampled", "section_force",
]  # fmt: skip
