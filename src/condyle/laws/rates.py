"""Constraints of velocities, a(y)·ẏ = b(t), by their numbers; their functions are in `rolling.py`.

Each law fills a (ny, d) and its derivative K = ∂a/∂y (ny, d, ny, d); b is the value of a function of time, or 0. The arrays
come in as zeros. The force on y is −λ a, so that it does the work −λ b per second, and none where b = 0.
"""

from condyle.laws.kernel import kernel
from condyle.laws.table import call_rate


@kernel
def rate_law(code, ny, d, y, p, a, K):
    """a and ∂a/∂y of law `code` at the ny gathered vectors."""
    call_rate(code, ny, d, y, p, a, K)
