"""Sums of products of gathered vectors, g_k = Σ coefficient y_i·y_j: gradients by rows, and second derivatives.

t = (k, i, j, coefficient) of each term.
"""

from condyle.laws.kernel import kernel


@kernel
def gradients_of_sums(nr, d, n, terms, t, weights, at, y, B, by_row):
    """B_k = ∂g_k/∂x = Σ coefficient (w_i y_j + w_j y_i), laid out row by row, or by component, then by row."""
    for k in range(n):
        for j in range(nr * d):
            B[k, j] = 0.0
    for q in range(terms):
        k, u, w, c = int(t[4 * q]), int(t[4 * q + 1]), int(t[4 * q + 2]), t[4 * q + 3]
        line = B[k]
        for r in range(nr):
            wu, ww = c * weights[at + u * nr + r], c * weights[at + w * nr + r]
            if wu != 0.0 or ww != 0.0:
                for a in range(d):
                    j = r * d + a if by_row else a * nr + r
                    line[j] += wu * y[w, a] + ww * y[u, a]


@kernel
def add_bends_of_sums(nr, d, terms, t, factor, weights, at, s, K):
    """K += factor Σ s_k ∂²g_k/∂x², the same in every direction."""
    for q in range(terms):
        k, u, w = int(t[4 * q]), int(t[4 * q + 1]), int(t[4 * q + 2])
        value = factor * t[4 * q + 3] * s[k]
        for r in range(nr):
            wu, ww = value * weights[at + u * nr + r], value * weights[at + w * nr + r]
            if wu != 0.0 or ww != 0.0:
                for o in range(nr):
                    both = wu * weights[at + w * nr + o] + ww * weights[at + u * nr + o]
                    for a in range(d):
                        K[r * d + a, a * nr + o] += both
