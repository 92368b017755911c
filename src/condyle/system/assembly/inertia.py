"""Inertia forces of the constant mass matrix m ⊗ 1, and the momenta."""

import numpy as np

from condyle.laws.kernel import kernel
from condyle.system.assembly.maps import scatter, scatter_mapped
from condyle.system.tables import DIRECTOR


@kernel
def add_inertia(mass, rows, acceleration, x_dot, x_test, x1, factor, kappa_dot, maps, tangent, q, q_scale, A):
    """q += m (ẍ + α ẋ), α the mass-proportional damping of the row; A += Pᵀ m (factor + α κ̇) P.

    factor = ∂ẍ/∂x1 [1/s²], κ̇ = ∂ẋ/∂x1 [1/s]; directors take both derivatives from `maps` where they are given.
    """
    accel_map, rate_map = maps
    d = x1.shape[1]
    K = np.zeros((d, d))
    for e in range(mass.value.size):
        i, j, m = mass.first[e], mass.second[e], mass.value[e]
        for a in range(d):
            force = m * (acceleration[j, a] + rows.drag[j] * x_dot[j, a])
            q[i, a] += force
            q_scale[i, a] += abs(force)
        if tangent and mass.slot[e] >= 0:
            for a in range(d):
                K[a, a] = (factor + rows.drag[j] * kappa_dot) * m
            if accel_map.shape[0] > 0 and rows.kind[j] == DIRECTOR:
                for a in range(d):
                    K[a, a] = m
                scatter_mapped(A, mass.slot[e], rows.stride[i], rows.kind[i], x_test[i], K, accel_map[j], d)
                if rows.drag[j] > 0.0:
                    for a in range(d):
                        K[a, a] = m * rows.drag[j]
                    scatter_mapped(A, mass.slot[e], rows.stride[i], rows.kind[i], x_test[i], K, rate_map[j], d)
            else:
                scatter(A, mass.slot[e], rows.stride[i], rows.kind[i], rows.kind[j], x_test[i], x1[j], K, d)


@kernel
def momenta(mass, translation, x, v, linear, angular):
    """Kinetic energy [J]; fills the linear momentum [kg m/s] and the angular momentum about the origin [kg m²/s]."""
    d = x.shape[1]
    kinetic = 0.0
    for a in range(d):
        linear[a] = 0.0
    for a in range(3):
        angular[a] = 0.0
    for e in range(mass.value.size):
        i, j, m = mass.first[e], mass.second[e], mass.value[e]
        for a in range(d):
            kinetic += 0.5 * m * v[i, a] * v[j, a]
            linear[a] += translation[i] * m * v[j, a]
        angular[2] += m * (x[i, 0] * v[j, 1] - x[i, 1] * v[j, 0])
        if d == 3:
            angular[0] += m * (x[i, 1] * v[j, 2] - x[i, 2] * v[j, 1])
            angular[1] += m * (x[i, 2] * v[j, 0] - x[i, 0] * v[j, 2])
    return kinetic
