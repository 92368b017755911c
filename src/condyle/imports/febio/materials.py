"""Materials of FEBio with the constants of Condyle.

Uncoupled materials of FEBio have U(J) = ½ k (ln J)² unless they are told otherwise; here it is ¼ k (J² − 1 − 2 ln J), the
same to second order in J − 1.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from condyle.bodies.materials import (
    HolzapfelGasserOgden,
    LigamentTissue,
    MooneyRivlin,
    NeoHookean,
    Ogden,
    StVenantKirchhoff,
    VerondaWestmann,
)
from condyle.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from condyle.imports.febio.spec import Spec

__all__ = ["KNOWN", "RIGID", "UNCOUPLED", "material_of"]

RIGID = "rigid body"
KNOWN = (
    "neo-Hookean", "isotropic elastic", "Mooney-Rivlin", "Veronda-Westmann", "Ogden", "Holzapfel-Gasser-Ogden",
    "trans iso Mooney-Rivlin",
)  # fmt: skip
UNCOUPLED = ("Mooney-Rivlin", "Ogden", "trans iso Mooney-Rivlin", "Veronda-Westmann")


def material_of(spec: Spec, element: Any) -> Any:
    """The material of an element of the section Material; None if Condyle does not have it."""
    kind = element.get("type", "")
    stress, density = spec.units.stress, spec.number_of(element, "density", 1.0) * spec.units.density

    def given(tag: str, default: float | None = None) -> float:
        child = element.find(tag)
        if child is None and default is None:
            raise InputError(f"{spec.place(element)}: a material of type '{kind}' needs {tag}")
        if child is not None and child.get("lc") is not None:
            raise InputError(f"{spec.place(child)}: constants of materials that change with time are not read")
        return float(default) if child is None else spec.values(child, 1)[0]  # type: ignore[arg-type]

    if kind == "neo-Hookean":
        return NeoHookean(given("E") * stress, given("v"), density=density)
    if kind == "isotropic elastic":
        return StVenantKirchhoff(given("E") * stress, given("v"), density=density)
    if kind == "Mooney-Rivlin":
        return MooneyRivlin(given("c1") * stress, given("c2", 0.0) * stress, given("k") * stress, density)
    if kind == "Veronda-Westmann":
        return VerondaWestmann(given("c1") * stress, given("c2"), given("k") * stress, density)
    if kind == "Ogden":
        # FEBio: Σ c_i/m_i² (λ̄₁^m_i + …); here Σ μ_i/α_i (λ̄₁^α_i + …).
        terms = [(given(f"c{i}", 0.0), given(f"m{i}", 1.0)) for i in range(1, 7)]
        if any(c and not m for c, m in terms):
            raise InputError(f"{spec.place(element)}: the exponents m of an Ogden material must not be 0")
        used = [(c * stress / m, m) for c, m in terms if c]
        return Ogden([mu for mu, _ in used], [m for _, m in used], given("k") * stress, density)
    if kind == "Holzapfel-Gasser-Ogden":
        angle = math.radians(given("gamma"))
        first, second = (_axes(spec, element) @ np.array([math.cos(angle), s * math.sin(angle), 0.0]) for s in (1, -1))
        return HolzapfelGasserOgden(
            given("c") * stress, given("k1") * stress, given("k2"), given("kappa"), given("k") * stress,
            (tuple(first.tolist()), tuple(second.tolist())), density,
        )  # fmt: skip
    if kind == "trans iso Mooney-Rivlin":
        return LigamentTissue(
            given("c1") * stress, given("k") * stress, given("c3") * stress, given("c4"), given("c5") * stress,
            given("lam_max"), given("c2", 0.0) * stress, direction=tuple(_fibre(spec, element)), density=density,
        )  # fmt: skip
    return None


def _axes(spec: Spec, element: Any) -> NDArray[np.float64]:
    """Axes of a material as columns: from mat_axis by two vectors, else those of the file."""
    axis = element.find("mat_axis")
    if axis is None:
        return np.eye(3)
    if axis.get("type") != "vector":
        raise InputError(f"{spec.place(axis)}: axes of materials are read from two vectors (type='vector')")
    given = [axis.find(tag) for tag in ("a", "d")]
    if any(child is None for child in given):
        raise InputError(f"{spec.place(axis)}: axes of materials need both vectors, a and d")
    a, d = (np.array(spec.values(child, 3)) for child in given)
    c = np.cross(a, d)
    if not c.any():
        raise InputError(f"{spec.place(axis)}: a and d must not be zero or along the same line")
    x, z = a / np.linalg.norm(a), c / np.linalg.norm(c)
    return np.column_stack((x, np.cross(z, x), z))


def _fibre(spec: Spec, element: Any) -> list[float]:
    """The direction of the fibres."""
    fibre = element.find("fiber")
    if fibre is None:
        return _axes(spec, element)[:, 0].tolist()
    if fibre.get("type") != "vector":
        raise InputError(f"{spec.place(fibre)}: directions of fibres are read as one vector (type='vector')")
    child = fibre.find("vector")
    return spec.values(fibre if child is None else child, 3)
