"""Scalar constraints c(G) = 0 of the Gram matrix, with S = ∂c/∂G and H = ∂²c/∂G∂G as for the energies."""

import numpy as np

from condyle.laws.coordinates import add_pair
from condyle.laws.derivatives import clear_derivatives
from condyle.laws.kernel import kernel


@kernel
def dot_product(ny, G, p, S, H):
    """c = y_0·y_1 − p_0 (Taylor 2000, eqs 90 and 98): orthogonality of directions, place along a direction."""
    clear_derivatives(2, S, H)
    S[0, 1] = S[1, 0] = 0.5
    return G[0, 1] - p[0]


@kernel
def half_square(ny, G, p, S, H):
    """c = ½ (y_0·y_0 − p_0) (Taylor 2000, eq. 35): a fixed length √p_0."""
    S[0, 0] = 0.5
    H[0, 0, 0, 0] = 0.0
    return 0.5 * (G[0, 0] - p[0])


@kernel
def disk_on_plane(ny, G, p, S, H):
    """c = y_0·n − R √(n·n − (n·α)²/(α·α)): height of a disk's centre over a plane that its edge touches, n = y_1, α = y_2."""
    clear_derivatives(3, S, H)
    product, square = G[1, 2], G[2, 2]
    z = G[1, 1] - product * product / square
    root = np.sqrt(z)
    first, second = -0.5 * p[0] / root, 0.25 * p[0] / (z * root)
    one, two = (1, 1, 2), (1, 2, 2)  # the entries of G that z depends on
    by = (1.0, -2.0 * product / square, product * product / (square * square))
    twice = 2.0 / square, 2.0 * product / (square * square), 2.0 * product * product / (square * square * square)
    for i in range(3):
        for j in range(3):
            bend = 0.0
            if i == 1 and j == 1:
                bend = -twice[0]
            elif i + j == 3:
                bend = twice[1]
            elif i == 2 and j == 2:
                bend = -twice[2]
            add_pair(S, H, one[i], two[i], one[j], two[j], first * by[i], second * by[i] * by[j] + first * bend)
    S[0, 1] += 0.5
    S[1, 0] += 0.5
    return G[0, 1] - p[0] * root
