"""Laws of the user's own: a plain Python function becomes a law that runs inside the compiled kernels.

    @cd.law("exponential spring", params=("k", "L", "a"), example=(700.0, 0.5, 3.0))
    def exponential_spring(ny, G, p, S, H):
        ...
        return psi

A law is known by its name: a model file holds the name and the parameters. It is a record like those of the package
(`record.py`), and compiled when a system first needs it, in every process anew.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from condyle.errors import InputError, unknown_name
from condyle.laws.record import OWN, Example, Law, LawParameter, declare

Function = TypeVar("Function", bound=Callable[..., Any])

# kind -> arguments of its function
ARGUMENTS = {
    "energy": ("ny", "G", "p", "S", "H"),
    "constraint": ("ny", "G", "p", "S", "H"),
    "force": ("ny", "d", "y", "ydot", "amplitude", "p", "f", "Ky", "Kv"),
    "rate": ("ny", "d", "y", "p", "a", "K"),
    "solid": ("x", "p", "d", "dd"),
}
SOLID_TRAITS = {"split", "bar fibres"}

_LAWS: dict[str, Law] = {}


def law(
    name: str,
    *,
    kind: str = "energy",
    params: Sequence[str | LawParameter] = (),
    sizes: Sequence[int] = (1,),
    example: Sequence[float] = (),
    dimensions: Sequence[int] = (2, 3),
    length: float = 1.0,
    traits: Sequence[str] = (),
    families: int = 0,
) -> Callable[[Function], Function]:
    """A decorator that makes a function a law, known by `name`.

    kind: 'energy', a stored energy ψ(G), or 'constraint', c(G) = 0, of the Gram matrix G_ij = y_i·y_j: a function
    (ny, G, p, S, H) that fills S = ∂ψ/∂G (ny, ny) and H = ∂²ψ/∂G∂G (ny, ny, ny, ny), symmetric as if all entries of G were
    independent, and returns ψ. 'force': a function (ny, d, y, ydot, amplitude, p, f, Ky, Kv) that fills the force f (ny, d)
    on y and ∂f/∂y, ∂f/∂ẏ (ny, d, ny, d); amplitude is the value of its function of time. All that is to be filled comes in
    as zeros. 'rate': a constraint of velocities a(y)·ẏ = b(t), a function (ny, d, y, p, a, K) that fills a (ny, d) and
    K = ∂a/∂y (ny, d, ny, d).

    'solid': the energy of a material by invariants, a function (x, p, d, dd) of x = (I₁ − 3, I₂ − 3, J, E, I₄ of each family)
    that fills d = ∂W/∂x and dd = ∂²W/∂x∂x and returns W; E = tr (C − 1)², in which it must be linear. It then acts in space, in
    planes and about axes. traits: 'split', a law of the shape alone, with barred invariants; its material then has a bulk
    modulus too, and averaged dilatations. 'bar fibres': Ī₄ as well. families: of fibres.

    params: names of its parameters p, in their order, or `LawParameter`s with units and bounds; sizes: numbers of vectors that
    it takes; dimensions: 2, 3 or both; example: parameters, and length: a length of its vectors [m], for the checks.

    The function is compiled by Numba: it may use numbers, NumPy, and functions that `numba.njit` has compiled. With
    @numba.njit(cache=True) of its own, below this decorator, its machine code is kept on disk. Where it is not defined it
    returns nan (a force: fills f with nan) or raises an error; the step is then shortened.
    """
    label = f"law '{name}'"
    if not isinstance(name, str) or not name:
        raise InputError(f"a law needs a name, not {name!r}")
    if kind not in ARGUMENTS:
        raise InputError(f"{label}: kind is {kind!r}; choose one of {', '.join(ARGUMENTS)}")
    given = (params,) if isinstance(params, str | LawParameter) else tuple(params)
    parameters = tuple(p if isinstance(p, LawParameter) else LawParameter(p) for p in given)
    names = tuple(p.name for p in parameters)
    if len(set(names)) < len(names) or not all(isinstance(n, str) and n for n in names):
        raise InputError(f"{label}: params must be different names, not {names}")
    if len(example) != len(names) or not all(math.isfinite(value) for value in example):
        raise InputError(f"{label}: example must give a finite number for each of its params {', '.join(names)}")
    for parameter, value in zip(parameters, example, strict=True):
        parameter.check(value, name, "example")
    if not sizes or not all(isinstance(n, int) and n > 0 for n in sizes):
        raise InputError(f"{label}: sizes must be numbers of vectors such as (1,), not {sizes!r}")
    if not dimensions or not set(dimensions) <= {2, 3}:
        raise InputError(f"{label}: dimensions must be (2,), (3,) or (2, 3), not {dimensions!r}")
    if not (math.isfinite(length) and length > 0):
        raise InputError(f"{label}: length must be a positive number [m], not {length!r}")
    if not set(traits) <= (SOLID_TRAITS if kind == "solid" else set()):
        raise InputError(f"{label}: traits are for laws of solids, {', '.join(sorted(SOLID_TRAITS))}, not {traits!r}")
    if families not in range(5) or (families and kind != "solid"):
        raise InputError(f"{label}: families of fibres are for laws of solids, up to 4, not {families!r}")
    solid = kind == "solid"
    tried = tuple(map(float, example))
    made = Law(
        name, kind, None, "", parameters, (2, 3) if solid else tuple(sizes), tuple(dimensions),
        frozenset({"invariants", "barrier", *traits} if solid else ()), (Example(name, tried, tuple(sizes)),),
        length=float(length), families=families,
    )  # fmt: skip

    def register(function: Function) -> Function:
        _check_function(getattr(function, "py_func", function), label, ARGUMENTS[kind])
        equation = (inspect.getdoc(getattr(function, "py_func", function)) or "").split("\n")[0]
        _LAWS[name] = declare(lambda number: replace(made, function=function, equation=equation, number=number), OWN)
        return function

    return register


def laws() -> dict[str, Law]:
    """All laws of the user's own that are known so far, by name."""
    return dict(_LAWS)


def find_law(name: str, kind: str | tuple[str, ...], who: str) -> Law:
    """The law of that name and kind, or of one of these; an error that names `who` wants it, and says how to load it."""
    if name not in _LAWS:
        raise InputError(
            f"{unknown_name('law', name, _LAWS, where=who)} The file that defines it comes first: import it, or give "
            "--load FILE.py on the command line"
        )
    found = _LAWS[name]
    kinds = (kind,) if isinstance(kind, str) else kind
    if found.kind not in kinds:
        raise InputError(f"{who}: '{name}' is a law of the kind '{found.kind}', not '{kinds[0]}'")
    return found


def compiled(law: Law) -> int:
    """Its number, once it is compiled; an error here if it cannot be."""
    from condyle.laws.table import compile_law

    compile_law(law.number)
    return law.number


def _check_function(function: Any, label: str, arguments: tuple[str, ...]) -> None:
    if not inspect.isfunction(function):
        raise InputError(f"{label}: {function!r} is no Python function")
    if len(inspect.signature(function).parameters) != len(arguments):
        raise InputError(f"{label}: its function must take ({', '.join(arguments)})")
