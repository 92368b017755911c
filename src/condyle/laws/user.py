"""Laws of the user's own: a plain Python function becomes a law that runs inside the compiled kernels.

    @cd.law("exponential spring", params=("k", "L", "a"), example=(700.0, 0.5, 3.0))
    def exponential_spring(ny, G, p, S, H):
        ...
        return psi

A law is known by its name: a model file holds the name and the parameters. It is compiled when a system first needs it, in
every process anew; its address is then the first parameter of all its instances (`laws/pointers.py`).
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from condyle.errors import InputError, unknown_name
from condyle.laws.kernel import FASTMATH

Function = TypeVar("Function", bound=Callable[..., Any])

# kind -> arguments of its function
ARGUMENTS = {
    "energy": ("ny", "G", "p", "S", "H"),
    "constraint": ("ny", "G", "p", "S", "H"),
    "force": ("ny", "d", "y", "ydot", "amplitude", "p", "f", "Ky", "Kv"),
}

_LAWS: dict[str, Law] = {}
_KEPT: list[Any] = []  # machine code of all laws, also of replaced ones: a compiled system may still call it


@dataclass(frozen=True, eq=False)
class Law:
    """A law by name: what it takes, an example to check it with, and its address once it is compiled."""

    name: str
    kind: str
    function: Callable[..., Any]
    params: tuple[str, ...]
    sizes: tuple[int, ...]
    example: tuple[float, ...]
    dimensions: tuple[int, ...]
    length: float

    @cached_property
    def address(self) -> int:
        """Where its machine code is in this process."""
        code = _compiled(self)
        _KEPT.append(code)
        if not 0 < code.address < 2**53:
            raise InputError(f"law '{self.name}': its address {code.address:#x} does not fit into a float64")
        return int(code.address)

    def values(self, given: Any, who: str) -> dict[str, float]:
        """Its parameters as finite numbers by name; `who` is named in the error if they are not."""
        wanted = f"give {', '.join(self.params)} of the law '{self.name}'" if self.params else "the law takes none"
        if not isinstance(given, Mapping) or set(given) != set(self.params):
            what = ", ".join(map(str, given)) if isinstance(given, Mapping) else repr(given)
            raise InputError(f"{who}: params are {what or 'empty'}; {wanted}, as a dict of numbers")
        values = {}
        for name in self.params:
            try:
                values[name] = float(given[name])
            except (TypeError, ValueError):
                values[name] = math.nan
            if not math.isfinite(values[name]):
                raise InputError(f"{who}: the parameter {name} must be a finite number, not {given[name]!r}")
        return values

    def parameters(self, values: Mapping[str, float]) -> tuple[float, ...]:
        """The parameters of an instance in a law table: the address, then the values in their order."""
        return float(self.address), *(values[name] for name in self.params)

    def check_size(self, vectors: int, dimension: int, who: str) -> None:
        """It takes so many vectors, in that dimension."""
        if vectors not in self.sizes:
            raise InputError(f"{who}: the law '{self.name}' takes {_words(self.sizes)} vectors, not {vectors}")
        if dimension not in self.dimensions:
            raise InputError(f"{who}: the law '{self.name}' is for {_words(self.dimensions)}D models")


def law(
    name: str,
    *,
    kind: str = "energy",
    params: Sequence[str] = (),
    sizes: Sequence[int] = (1,),
    example: Sequence[float] = (),
    dimensions: Sequence[int] = (2, 3),
    length: float = 1.0,
) -> Callable[[Function], Function]:
    """A decorator that makes a function a law, known by `name`.

    kind: 'energy', a stored energy ψ(G), or 'constraint', c(G) = 0, of the Gram matrix G_ij = y_i·y_j: a function
    (ny, G, p, S, H) that fills S = ∂ψ/∂G (ny, ny) and H = ∂²ψ/∂G∂G (ny, ny, ny, ny), symmetric as if all entries of G were
    independent, and returns ψ. 'force': a function (ny, d, y, ydot, amplitude, p, f, Ky, Kv) that fills the force f (ny, d)
    on y and ∂f/∂y, ∂f/∂ẏ (ny, d, ny, d); amplitude is the value of its function of time. All that is to be filled comes in
    as zeros.

    params: names of its parameters p, in their order; sizes: numbers of vectors that it takes; dimensions: 2, 3 or both;
    example: parameters, and length: a length of its vectors [m], that the checks try it with.

    The function is compiled by Numba: it may use numbers, NumPy, and functions that `numba.njit` has compiled. With
    @numba.njit(cache=True) of its own, below this decorator, its machine code is kept on disk. Where it is not defined it
    returns nan (a force: fills f with nan) or raises an error; the step is then shortened.
    """
    label = f"law '{name}'"
    if not isinstance(name, str) or not name:
        raise InputError(f"a law needs a name, not {name!r}")
    if kind not in ARGUMENTS:
        raise InputError(f"{label}: kind is {kind!r}; choose one of {', '.join(ARGUMENTS)}")
    names = (params,) if isinstance(params, str) else tuple(params)
    if len(set(names)) < len(names) or not all(isinstance(n, str) and n for n in names):
        raise InputError(f"{label}: params must be different names, not {names}")
    if len(example) != len(names) or not all(math.isfinite(value) for value in example):
        raise InputError(f"{label}: example must give a finite number for each of its params {', '.join(names)}")
    if not sizes or not all(isinstance(n, int) and n > 0 for n in sizes):
        raise InputError(f"{label}: sizes must be numbers of vectors such as (1,), not {sizes!r}")
    if not dimensions or not set(dimensions) <= {2, 3}:
        raise InputError(f"{label}: dimensions must be (2,), (3,) or (2, 3), not {dimensions!r}")
    if not (math.isfinite(length) and length > 0):
        raise InputError(f"{label}: length must be a positive number [m], not {length!r}")

    def register(function: Function) -> Function:
        _check_function(getattr(function, "py_func", function), label, ARGUMENTS[kind])
        values = tuple(map(float, example))
        _LAWS[name] = Law(name, kind, function, names, tuple(sizes), values, tuple(dimensions), float(length))
        return function

    return register


def laws() -> dict[str, Law]:
    """All laws of the user's own that are known so far, by name."""
    return dict(_LAWS)


def find_law(name: str, kind: str, who: str) -> Law:
    """The law of that name and kind; an error that names `who` wants it, and says how to load it."""
    if name not in _LAWS:
        raise InputError(
            f"{unknown_name('law', name, _LAWS, where=who)} The file that defines it comes first: import it, or give "
            "--load FILE.py on the command line"
        )
    found = _LAWS[name]
    if found.kind != kind:
        raise InputError(f"{who}: '{name}' is a law of the kind '{found.kind}', not '{kind}'")
    return found


def _check_function(function: Any, label: str, arguments: tuple[str, ...]) -> None:
    if not inspect.isfunction(function):
        raise InputError(f"{label}: {function!r} is no Python function")
    if len(inspect.signature(function).parameters) != len(arguments):
        raise InputError(f"{label}: its function must take ({', '.join(arguments)})")


def _compiled(law: Law) -> Any:
    """The function as machine code that C can call."""
    try:
        return _force_code(law.function) if law.kind == "force" else _gram_code(law.function)
    except Exception as error:  # Numba's own, and whatever a constant expression of the function raises
        raise InputError(f"law '{law.name}' cannot be compiled: {_shortened(error)}") from error


def _native(function: Any, signature: Any) -> Any:
    """The function compiled by Numba."""
    import numba

    if hasattr(function, "py_func"):  # it is already, with the user's own options
        function.compile(signature)
        return function
    return numba.njit(signature, fastmath=set(FASTMATH), error_model="numpy")(function)


def _gram_code(function: Any) -> Any:
    """double (*)(ny, G, count, p, S, H) with pointers to arrays of ny vectors and `count` parameters; nan if it fails."""
    from numba import carray, cfunc, types

    number, size, pointer = types.float64, types.intp, types.CPointer(types.float64)
    two, four = number[:, ::1], number[:, :, :, ::1]
    value = _native(function, number(size, two, number[::1], two, four))

    def entry(ny, G, count, p, S, H):  # type: ignore[no-untyped-def]
        flat, wide = (ny, ny), (ny, ny, ny, ny)
        try:
            return value(ny, carray(G, flat), carray(p, (count,)), carray(S, flat), carray(H, wide))
        except Exception:
            return math.nan

    return cfunc(number(size, pointer, size, pointer, pointer, pointer))(entry)


def _force_code(function: Any) -> Any:
    """double (*)(ny, d, y, ydot, amplitude, count, p, f, Ky, Kv); it returns nan where the function fails, else 0."""
    from numba import carray, cfunc, types

    number, size, pointer = types.float64, types.intp, types.CPointer(types.float64)
    two, four = number[:, ::1], number[:, :, :, ::1]
    act = _native(function, types.void(size, size, two, two, number, number[::1], two, four, four))

    def entry(ny, d, y, ydot, amplitude, count, p, f, Ky, Kv):  # type: ignore[no-untyped-def]
        flat, wide = (ny, d), (ny, d, ny, d)
        try:
            act(
                ny, d, carray(y, flat), carray(ydot, flat), amplitude, carray(p, (count,)), carray(f, flat),
                carray(Ky, wide), carray(Kv, wide),
            )  # fmt: skip
        except Exception:
            return math.nan
        return 0.0

    arguments = (size, size, pointer, pointer, number, size, pointer, pointer, pointer, pointer)
    return cfunc(number(*arguments))(entry)


def _shortened(error: Exception) -> str:
    """What Numba says, in one line, with the line of the function."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("Failed in nopython")]
    reason = lines[0].rstrip(":") if lines else type(error).__name__
    if reason.startswith("No conversion from none"):
        reason = "it does not return a number"
    elif "Untyped global name" in reason and "function" in reason:
        reason += "; a function that it calls must be compiled by numba.njit"
    elif call := next((line for line in lines if line.startswith(">>>")), ""):
        reason += f" {call.removeprefix('>>>').strip()}"
    place = re.search(r"\bline (\d+)", text)
    return reason + (f" (line {place[1]})" if place else "")


def _words(numbers: Sequence[int]) -> str:
    return " or ".join(map(str, numbers))
