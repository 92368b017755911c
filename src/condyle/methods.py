"""Time-stepping methods that researchers of methods compare others with.

    import condyle as cd

    result = cd.simulate(model, end=1.0, dt=1e-3, integrator=cd.methods.SemiImplicit())

What a simulation ordinarily needs stands in `condyle` itself: EnergyMomentum, GeneralizedAlpha, Newmark, HHT, BDF, Compliant,
QuasiStatic and RungeKutta. All methods, those of this module too, are known to `condyle compare` and to `integrator="…"` by
their names. A method is added here by one line, its import below; its line in `integrators/registry.py` makes it known by name.
Functions that prepare one of them (`rescale`, `select_penalty`) stand beside them.
"""

from condyle.analysis.bar_chain import BarChain as BarChain
from condyle.analysis.monitor_choice import choose_monitor as choose_monitor
from condyle.integrators.asynchronous import AsynchronousVariational as AsynchronousVariational
from condyle.integrators.compliant import LinearisedImplicit as LinearisedImplicit
from condyle.integrators.compliant import SemiImplicit as SemiImplicit
from condyle.integrators.explicit import ExplicitEuler as ExplicitEuler
from condyle.integrators.explicit import IteratedNewmark as IteratedNewmark
from condyle.integrators.holding_methods import AugmentedLagrangian as AugmentedLagrangian
from condyle.integrators.holding_methods import Baumgarte as Baumgarte
from condyle.integrators.rescaling import rescale as rescale
from condyle.integrators.rescaling import select_penalty as select_penalty
from condyle.integrators.scipy_reference import ScipyReference as ScipyReference
from condyle.integrators.variational import VariationalPenalty as VariationalPenalty
