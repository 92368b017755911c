"""Scalar constraints c(G) = 0 of the Gram matrix, with S = ∂c/∂G and H = ∂²c/∂G∂G as for the energies."""

from condyle.laws.kernel import kernel


@kernel
def dot_product(ny, G, p, S, H):
    """c = y_0·y_1 − p_0 (Taylor 2000, eqs 90 and 98): orthogonality of directions, place along a direction."""
    S[0, 0] = S[1, 1] = 0.0
    S[0, 1] = S[1, 0] = 0.5
    for i in range(2):
        for j in range(2):
            for k in range(2):
                for m in range(2):
                    H[i, j, k, m] = 0.0
    return G[0, 1] - p[0]


@kernel
def half_square(ny, G, p, S, H):
    """c = ½ (y_0·y_0 − p_0) (Taylor 2000, eq. 35): a fixed length √p_0."""
    S[0, 0] = 0.5
    H[0, 0, 0, 0] = 0.0
    return 0.5 * (G[0, 0] - p[0])
