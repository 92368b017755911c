"""Contact problems as matrices: velocities u = W p + q and a law of friction in, impulses p out. No bodies, no time.

| solver | friction | method |
|---|---|---|
| `solve_cone` | the exact cone of Coulomb | block Gauss–Seidel and semismooth Newton, warm started |
| `solve_box` | a box inside which directions do not know of each other | block principal pivoting (judice-1994) |
| `solve_polyhedral` | a cone with facets | Lemke's method (anitescu-1997) |
| `solve_prox` | the exact cone | fixed point of projections (studer-2009) |
| `solve_relaxed` | a convex relative, in which what slips lifts off | accelerated projected gradients (anitescu-2006) |

`solve_bounded` and `solve_lcp` are the complementarity problems beneath two of them. This room imports `errors` and, of `laws`,
the decorator of kernels.
"""

from condyle.solvers.box import solve_box
from condyle.solvers.cone import solve_cone
from condyle.solvers.lemke import solve_lcp
from condyle.solvers.pivoting import solve_bounded
from condyle.solvers.polyhedral import solve_polyhedral
from condyle.solvers.problem import FrictionProblem, FrictionSolution
from condyle.solvers.prox import solve_prox
from condyle.solvers.relaxed import solve_relaxed

__all__ = [
    "FrictionProblem", "FrictionSolution", "solve_bounded", "solve_box", "solve_cone", "solve_lcp", "solve_polyhedral",
    "solve_prox", "solve_relaxed",
]  # fmt: skip
