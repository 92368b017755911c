"""The geometrically exact beam (Reissner 1972, Simo 1985) solved as a boundary value problem: a reference for finite elements.

A cantilever of length L under dead forces and moments at its end, by SciPy's collocation in quaternions: nothing is shared
with the code under test. In space n(s) = force, m(s) = moment + (r(L) − r(s)) × force, and

    N = Rᵀ n = C_Γ (Γ − e1),  M = Rᵀ m = C_κ κ,  r' = R Γ,  q' = ½ q ∘ (0, κ)
"""

import numpy as np
from scipy.integrate import solve_bvp
from scipy.spatial.transform import Rotation


def tip(k, length, force=(0, 0, 0), moment=(0, 0, 0)):
    """Place of the end [m] and rotation matrix there. k: Stiffness of the section; force [N], moment [N m] in space."""
    force, moment = np.asarray(force, float), np.asarray(moment, float)
    axial = np.array([k.axial, k.shear_y, k.shear_z])
    bending = np.array([k.torsion, k.bending_y, k.bending_z])

    def slopes(s, y, p, share):
        r, q = y[:3].T, y[3:].T
        R = Rotation.from_quat(q)
        n, m = share * force, share * moment + np.cross(p - r, share * force)
        gamma = R.inv().apply(np.tile(n, (len(r), 1))) / axial + (1.0, 0.0, 0.0)
        kappa = R.inv().apply(m) / bending
        x, w = q[:, :3], q[:, 3:]
        turn = np.hstack((0.5 * (w * kappa + np.cross(x, kappa)), -0.5 * np.sum(x * kappa, axis=1, keepdims=True)))
        return np.vstack((R.apply(gamma).T, turn.T))

    def ends(a, b, p):
        return np.concatenate((a[:3], a[3:] - (0.0, 0.0, 0.0, 1.0), b[:3] - p))

    s = np.linspace(0.0, length, 41)
    y, p = np.zeros((7, s.size)), np.array([length, 0.0, 0.0])
    y[0], y[6] = s, 1.0
    for share in np.linspace(0.125, 1.0, 8):
        found = solve_bvp(
            lambda s, y, p, share=share: slopes(s, y, p, share),
            ends,
            s,
            y,
            p,
            tol=1e-10 if share == 1.0 else 1e-5,
            max_nodes=20000,
        )
        assert found.success, found.message
        s, y, p = found.x, found.y, found.p
    return p, Rotation.from_quat(y[3:, -1]).as_matrix()
