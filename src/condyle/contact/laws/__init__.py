"""Laws of contact: what presses points out of a surface, and what holds them back along it; `law.py` is their contract.

A new law is a file like these and a line here.
"""

from condyle.contact.laws.coulomb import Bristle as Bristle
from condyle.contact.laws.coulomb import Coulomb as Coulomb
from condyle.contact.laws.coulomb import Stronge as Stronge
from condyle.contact.laws.foundation import Foundation as Foundation
from condyle.contact.laws.hard import Hard as Hard
from condyle.contact.laws.hard import Impact as Impact
from condyle.contact.laws.hysteresis import ContactTable as ContactTable
from condyle.contact.laws.hysteresis import HertzHysteresis as HertzHysteresis
from condyle.contact.laws.impact_family import Flores as Flores
from condyle.contact.laws.impact_family import Gonthier as Gonthier
from condyle.contact.laws.impact_family import HerbertMcWhannell as HerbertMcWhannell
from condyle.contact.laws.impact_family import Hertz as Hertz
from condyle.contact.laws.impact_family import HuntCrossley as HuntCrossley
from condyle.contact.laws.impact_family import LankaraniNikravesh as LankaraniNikravesh
from condyle.contact.laws.impact_family import LeeWang as LeeWang
from condyle.contact.laws.impact_family import ZhangSharf as ZhangSharf
from condyle.contact.laws.law import ContactLaw as ContactLaw
from condyle.contact.laws.law import FrictionLaw as FrictionLaw
from condyle.contact.laws.lugre import LuGre as LuGre
from condyle.contact.laws.nonlinear_dashpot import NonlinearDashpot as NonlinearDashpot
from condyle.contact.laws.regularised import Regularised as Regularised
from condyle.contact.laws.smooth_switch import SmoothSwitch as SmoothSwitch
from condyle.contact.laws.spring_dashpot import SpringDashpot as SpringDashpot
from condyle.contact.laws.surface_friction import SurfaceFriction as SurfaceFriction
