# mypy: allow-untyped-defs, no-check-untyped-defs
"""Ligament tissue: collagen fibres that straighten and then pull (weiss-1996; gantoi-2013), in solids and along cables."""

import numpy as np

from condyle.laws.kernel import kernel

_RULE = tuple(tuple(column.tolist()) for column in np.polynomial.legendre.leggauss(16))


@kernel
def ligament_tissue(x, p, d, dd):
    """W = c10 (Ī₁ − 3) + c01 (Ī₂ − 3) + F(λ), λ = I₄^m with m = ½ (the stretch) or 1 (its square).

    p = (c10, c01, C₃, C₄, C₅, λ*, m).
    """
    power = p[6]
    psi = p[0] * x[0] + p[1] * x[1]
    d[0], d[1] = p[0], p[1]
    stretch = np.sqrt(x[4]) if power == 0.5 else x[4]
    if stretch > 1.0:
        energy, force, slope = toe_curve(stretch, p[2], p[3], p[4], p[5])
        psi += energy
        d[4] = power * force / x[4]
        dd[4, 4] = power * (power * slope * stretch - force) / (x[4] * x[4])
    return psi


@kernel
def fibre_line(ny, G, p, S, H):
    """ψ per length of a = r'·r' = λ²: A (c10 (λ² + 2/λ − 3) + c01 (2 λ + 1/λ² − 3) + F(λ^2m)).

    p = (A, c10, c01, C₃, C₄, C₅, λ*, m); F as in `toe_curve`.
    """
    a = G[0, 0]
    if not a > 0.0:
        S[0, 0] = np.nan
        return np.nan
    s = np.sqrt(a)
    psi = p[1] * (a + 2.0 / s - 3.0) + p[2] * (2.0 * s + 1.0 / a - 3.0)
    first = p[1] * (1.0 - 1.0 / (a * s)) + p[2] * (1.0 / s - 1.0 / (a * a))
    second = p[1] * 1.5 / (a * a * s) + p[2] * (2.0 / (a * a * a) - 0.5 / (a * s))
    stretch = s if p[7] == 0.5 else a
    if stretch > 1.0:
        energy, force, slope = toe_curve(stretch, p[3], p[4], p[5], p[6])
        psi += energy
        first += p[7] * force / a
        second += p[7] * (p[7] * slope * stretch - force) / (a * a)
    S[0, 0] = p[0] * first
    H[0, 0, 0, 0] = p[0] * second
    return p[0] * psi


@kernel
def toe_curve(stretch, toe, rate, modulus, end):
    """F, λ F′ and its slope at a stretch λ above 1: C₃ (e^(C₄ (λ − 1)) − 1) up to λ*, then C₅ λ + C₆.

    In the toe region F = C₃ ∫ (e^t − 1)/(C₄ + t) dt for t from 0 to C₄ (λ − 1): Gauss points give all digits of it.
    C₆ makes the stress continuous.
    """
    inside = min(stretch, end)
    half = 0.5 * rate * (inside - 1.0)
    points, weights = _RULE
    total = 0.0
    for k in range(16):
        t = half * (1.0 + points[k])
        total += weights[k] * np.expm1(t) / (rate + t)
    energy = toe * half * total
    rise = np.expm1(rate * (inside - 1.0))
    force, slope = toe * rise, toe * rate * (rise + 1.0)
    if stretch > end:
        rest = force - modulus * end
        energy += modulus * (stretch - end) + rest * np.log(stretch / end)
        force, slope = modulus * stretch + rest, modulus
    return energy, force, slope
