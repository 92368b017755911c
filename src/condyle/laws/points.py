"""A law of the Gram matrix at many points at once, for fields that are read from results."""

from condyle.laws.gram import gram_law
from condyle.laws.kernel import kernel


@kernel
def gram_points(code, C, p, pressure, S, H, psi):
    """ψ, shape (q,), and S = ∂ψ/∂C, shape (q, 3, 3), of a solid law at C (q, 3, 3); H is room for a point.

    pressure (q,): of laws whose dilatation is averaged over a cell, the pressure of each point, which is parameter 2; else
    empty.
    """
    for q in range(len(C)):
        if len(pressure) > 0:
            p[2] = pressure[q]
        psi[q] = gram_law(code, 3, C[q], p, S[q], H)
