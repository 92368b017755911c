"""How a material answers simple states of strain: stress over stretch and shear, computed from its law."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError
from condyle.results.figure import COLOURS, finished, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from condyle.bodies.materials.material import Material
    from condyle.model.given import NumbersLike

Array = NDArray[np.float64]
TESTS = ("uniaxial", "biaxial", "shear")


def material_curves(
    material: Material, stretches: NumbersLike | None = None, shears: NumbersLike | None = None
) -> dict[str, tuple[Array, Array]]:
    """Stress per reference area [Pa] of a material in space: {'uniaxial': (stretches, stress), 'biaxial': …, 'shear': …}.

    uniaxial: pulled along x, free at its sides; biaxial: pulled alike along x and y, free along z; shear: F = 1 + γ e_x e_yᵀ,
    the stress P_xy. stretches: 0.6 … 1.6 unless given; shears γ: 0 … 1. Elastic stress: neither viscous nor fading.
    """
    from condyle.bodies.materials import Material

    if not isinstance(material, Material):
        raise InputError(f"material_curves: give a material such as Robust(young=…, poisson=…), not {material!r}")
    along = np.linspace(0.6, 1.6, 41) if stretches is None else np.asarray(stretches, dtype=float)
    shear = np.linspace(0.0, 1.0, 41) if shears is None else np.asarray(shears, dtype=float)
    if not (along > 0.0).all():
        raise InputError("material_curves: stretches must be positive")
    stress = _first_piola(material)
    out = {}
    for name, free in (("uniaxial", (1, 2)), ("biaxial", (2,))):
        out[name] = (along, _pulled(stress, along, free, 1e-9 * material.young))
    slid = np.array([stress(np.eye(3) + gamma * np.outer([1, 0, 0], [0, 1, 0]))[0, 1] for gamma in shear])
    return out | {"shear": (shear, slid)}


def plot_material(
    materials: Material | Mapping[str, Material],
    *,
    stretches: NumbersLike | None = None,
    shears: NumbersLike | None = None,
    unit: str = "Pa",
    scale: float = 1.0,
    show: bool = False,
) -> Figure:
    """Uniaxial, biaxial and shear curves of a material, or of several, {name: material}, in three panels.

    scale: multiplies the stress, 1e-6 with unit='MPa'.
    """
    several = materials if isinstance(materials, Mapping) else {type(materials).__name__: materials}
    figure = new_figure((9.6, 3.4), show=show)
    axes = figure.subplots(1, 3)
    for k, (name, material) in enumerate(several.items()):
        curves = material_curves(material, stretches, shears)
        for ax, test in zip(axes, TESTS, strict=True):
            at, stress = curves[test]
            ax.plot(at, scale * stress, color=COLOURS[k % len(COLOURS)], label=name)
    for ax, test in zip(axes, TESTS, strict=True):
        ax.set_title(test)
        finished(ax, "shear" if test == "shear" else "stretch", f"stress ({unit})" if test == TESTS[0] else "")
    if show:
        figure.show()
    return figure


def _pulled(stress: Callable[[Array], Array], stretches: Array, free: tuple[int, ...], slack: float) -> Array:
    """P_xx at each stretch with no stress (up to `slack`) along the free directions; each solution starts the next one."""
    from scipy.optimize import root

    out = np.zeros(len(stretches))
    held = [a for a in range(3) if a not in free]
    near_one = int(np.argmin(np.abs(stretches - 1.0)))
    for order in (range(near_one, len(stretches)), range(near_one, -1, -1)):
        sides = np.zeros(len(free))
        for k in order:
            F = np.eye(3)

            def left(logs: Array, F: Array = F, at: float = float(stretches[k])) -> Array:
                F[held, held] = at
                F[list(free), list(free)] = np.exp(logs)
                return np.diag(stress(F))[list(free)]

            found = root(left, sides, tol=1e-12)
            if np.abs(left(found.x)).max() > 1e-6 * np.abs(stress(F)).max() + slack:
                out[k] = np.nan  # the law has lost its stiffness there
                continue
            sides = found.x
            out[k] = stress(F)[0, 0]
    return out


def _first_piola(material: Any) -> Callable[[Array], Array]:
    """P = F S [Pa] of a deformation gradient."""
    from condyle.laws.gram import gram_law

    code, params = material.setting(3, "strain")
    p = np.array(params, dtype=float)
    S, H = np.zeros((3, 3)), np.zeros((3,) * 4)

    def stress(F: Array) -> Array:
        C = np.ascontiguousarray(F.T @ F)
        gram_law(code, 3, C, p, S, H)
        return np.asarray(F @ (2.0 * S))

    return stress
