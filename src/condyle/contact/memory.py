"""What contacts carry from step to step, by its names in the memory of a state: a run that is resumed goes on bit for bit."""

from __future__ import annotations

from condyle.system.touching.memory import PASSED as PASSED
from condyle.system.touching.memory import RESIDUAL as RESIDUAL
from condyle.system.touching.memory import UNSOLVED as UNSOLVED

FORCE = "contact force"  # multipliers, or forces of soft laws, as `reported` by each pair
STIFFNESS = "contact stiffness"  # of soft laws or of the regularisation, given or chosen, of each point [N/m]
DAMPING = "contact damping"  # of soft laws, given or chosen, of each point [N s/m]
ELASTIC_SLIP = "contact slip"  # elastic slip of soft contacts with friction (points, d) [m]
RECENT = "contact recent"  # of soft laws: change of the gap [m] and mean normal force [N] in the last step, (points, 2)
IMPULSE = "contact impulse"  # of impacts in the last step, as `reported` [N s]
HELD = (
    "contact held"  # of points that give (`Nonsmooth.give`): the force about which each is a spring, as `reported` [N]
)
MEAN_FORCE = "contact mean force"  # mean of `FORCE` over the last two steps
TOUCHING = "contact touching"  # 1 where multipliers hold a point that has not left in an impact, (points,)
PAST = (
    "contact past"  # of soft laws: speed at which a point came in [m/s], the deepest it has been since [m], (points, 2)
)
FEATURES = "contact features"  # of rigid shapes: which point is in which place (points, 10), see contact/shape_pair.py
OVERLAP = "contact overlap"  # that is still allowed at each point [m]
DEPTH = "contact depth"  # the largest so far of each contact [m]
TURNING = "contact turning"  # moments of rolling and spinning resistance of each point, (points, 3) [N m]
