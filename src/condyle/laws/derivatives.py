"""What laws do with their derivatives S = ∂ψ/∂G and H = ∂²ψ/∂G∂G: clearing them, and the chain rule."""

from condyle.laws.kernel import kernel


@kernel(forceinline=True)
def clear_derivatives(ny, S, H):
    """S and H of ny vectors, before anything is added."""
    clear_function(ny, ny, S, H)


@kernel(forceinline=True)
def clear_function(n, d, f, K):
    """A function f (n, d) of as many variables, and its derivatives K (n, d, n, d), before anything is added."""
    for i in range(n):
        for a in range(d):
            f[i, a] = 0.0
            for j in range(n):
                for b in range(d):
                    K[i, a, j, b] = 0.0


@kernel(forceinline=True)
def chain(ny, slope, bend, T, S, H):
    """From S = ∂Q/∂G and H = ∂S/∂G of a number Q to those of a function of it: S ← f′ S, H ← f′ H + f″ S ⊗ T.

    T is S itself, or in a discrete gradient the gradient at the end of the step.
    """
    for i in range(ny):
        for j in range(ny):
            for m in range(ny):
                for n in range(ny):
                    H[i, j, m, n] = slope * H[i, j, m, n] + bend * S[i, j] * T[m, n]
    for i in range(ny):
        for j in range(ny):
            S[i, j] *= slope
