"""A law is a record: its equation, its parameters with units and bounds, its traits, its functions and its examples.

All else follows from it, for laws of the package as for those of a user: the number that stands in the tables of a system, the
call from compiled code (`table.py`), the places of its parameters, the checks of what is given for them, the generic tests, and
the page docs/laws.md. Nothing here needs a compiler: a function is compiled when a run first calls it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np

from condyle.bounds import Bounded
from condyle.errors import InputError

__all__ = [
    "BUILT_IN", "MATERIALS", "OWN", "PLANE_STRESS", "TRAITS", "Example", "Law", "LawParameter", "declare", "is_own",
    "numbered",
]  # fmt: skip

# Numbers of laws: of the package in the order of codes.py, of its materials in that of bodies/materials, of users as they come.
BUILT_IN, MATERIALS, OWN, MOST = 0, 128, 256, 1 << 14
PLANE_STRESS = 1 << 16  # added to the number of a solid's law in 2D: no stress across the plane

# What compiled code asks about a law.
TRAITS = {
    "solid": 1,  # a law of C = FᵀF in space; planes and axes of revolution follow from it
    "invariants": 2,  # written in the invariants of C (see `solids.py` for this and the next two)
    "principal": 4,  # written in principal stretches
    "split": 8,  # a part of the shape C̄ and a part of the volume, which stands before its own parameters
    "barrier": 16,  # it grows without bound as det C goes to zero, and is not defined beyond
    "quadratic": 32,  # a polynomial of degree 2 in G: the gradient at the mean of two G is exact
    "bar fibres": 64,  # it takes the stretch of fibres without that of the volume, J^(−2/3) I₄
    "viscous": 128,  # it has moduli of its own for viscous stress
    "between": 256,  # it has a quotient of its own between two configurations
    "stiffness": 512,  # it has a stiffness of its own for its strains
    "viscous change": 1024,  # its moduli for viscous stress change with G
}

# Columns of the table of all laws that compiled code reads: addresses of their functions (0 until they are compiled), then
# their traits, the number of their own parameters and of their families of fibres.
CALL, VISCOUS, BETWEEN, STIFFNESS, VISCOUS_CHANGE, FLAGS, CONSTANTS, FAMILIES, COLUMNS = range(9)
TABLE = np.zeros((MOST, COLUMNS), dtype=np.int64)

_RECORDS: dict[int, Law] = {}


@dataclass(frozen=True)
class LawParameter(Bounded):
    """A parameter of a law: its name, unit and meaning, and the bounds of its values."""

    name: str
    unit: str = ""
    meaning: str = ""

    def check(self, given: float, law: str, who: str) -> float:
        """The value as a float; an error names who gave it, the law, the parameter, its bounds and its unit."""
        try:
            value = float(given)
        except (TypeError, ValueError):
            value = math.nan
        unit = f" [{self.unit}]" if self.unit else ""
        what = f"{who}: {self.name}{unit} of the law '{law}'"
        if not math.isfinite(value):
            raise InputError(f"{what} must be a finite number, not {given!r}")
        if not self.allows(value):
            raise InputError(f"{what} must be {self.bounds}, not {value:g}")
        return value


@dataclass(frozen=True)
class Example:
    """Parameters that the generic tests try a law with, for so many vectors, and of forces in that dimension."""

    name: str
    params: tuple[float, ...]
    sizes: tuple[int, ...]
    dimension: int = 3


@dataclass(frozen=True, eq=False)
class Law:
    """One law.

    kind: 'energy', 'constraint', 'force', 'rate' (a constraint of velocities), or 'solid', an energy of C.
    function: itself, or 'module:name' in this folder where it is among compiled ones; more: functions for viscous moduli,
    quotients between two configurations, stiffness of strains. rest: what follows the named parameters, in words.
    families: of fibres, whose unit vectors follow the parameters.
    """

    name: str
    kind: str
    function: Any
    equation: str = ""
    parameters: tuple[LawParameter, ...] = ()
    sizes: tuple[int, ...] = (1,)
    dimensions: tuple[int, ...] = (2, 3)
    traits: frozenset[str] = frozenset()
    examples: tuple[Example, ...] = ()
    more: Mapping[str, str] = field(default_factory=dict)
    rest: str = ""
    families: int = 0
    length: float = 1.0
    number: int = -1

    def __post_init__(self) -> None:
        extra = {"solid"} if self.kind == "solid" else set()
        object.__setattr__(self, "traits", frozenset(self.traits) | set(self.more) | extra)
        if self.number < 0:  # a draft
            return
        row = TABLE[self.number]
        row[FLAGS] = sum(TRAITS[trait] for trait in self.traits)
        row[CONSTANTS], row[FAMILIES] = len(self.parameters), self.families

    @property
    def params(self) -> tuple[str, ...]:
        """Names of its parameters, in their order."""
        return tuple(parameter.name for parameter in self.parameters)

    @property
    def example(self) -> tuple[float, ...]:
        """Parameters of its first example."""
        return self.examples[0].params

    @property
    def own(self) -> bool:
        """Is it a law of the user's own?"""
        return self.number >= OWN

    def python(self, which: str = "") -> Callable[..., Any]:
        """Its function, or one of `more`, before it is compiled."""
        function = self.more[which] if which else self.function
        if isinstance(function, str):
            module, name = function.split(":")
            function = getattr(import_module(f"condyle.laws.{module}"), name)
        return getattr(function, "py_func", function)

    def values(self, given: Any, who: str) -> dict[str, float]:
        """Its parameters as numbers by name; `who` is named in the error if they are not what it takes."""
        wanted = f"give {', '.join(self.params)} of the law '{self.name}'" if self.params else "the law takes none"
        if not isinstance(given, Mapping) or set(given) != set(self.params):
            what = ", ".join(map(str, given)) if isinstance(given, Mapping) else repr(given)
            raise InputError(f"{who}: params are {what or 'empty'}; {wanted}, as a dict of numbers")
        return {one.name: one.check(given[one.name], self.name, who) for one in self.parameters}

    def check_size(self, vectors: int, dimension: int, who: str) -> None:
        """It takes so many vectors, in that dimension."""
        if vectors not in self.sizes:
            raise InputError(f"{who}: the law '{self.name}' takes {_words(self.sizes)} vectors, not {vectors}")
        if dimension not in self.dimensions:
            raise InputError(f"{who}: the law '{self.name}' is for {_words(self.dimensions)}D models")


def declare(law: Callable[[int], Law], first: int) -> Law:
    """Give a law the next number from `first` on, and know it by that."""
    last = {BUILT_IN: MATERIALS, MATERIALS: OWN, OWN: MOST}[first]
    number = next((n for n in range(first, last) if n not in _RECORDS), None)
    if number is None:
        raise InputError(f"there are more than {last - first} laws in this process")
    _RECORDS[number] = law(number)
    return _RECORDS[number]


def numbered(number: int) -> Law:
    """The law with that number, in a plane without stress across it or not."""
    return _RECORDS[int(number) % PLANE_STRESS]


def records(first: int = BUILT_IN, last: int = OWN) -> list[Law]:
    """All laws with numbers in that range; without one, those of the package that are loaded."""
    return [law for number, law in sorted(_RECORDS.items()) if first <= number < last]


def is_own(numbers: Any) -> bool:
    """Is any of these the number of a law of the user's own?"""
    return bool((np.asarray(numbers) % PLANE_STRESS >= OWN).any())


def _words(numbers: Sequence[int]) -> str:
    return " or ".join(map(str, numbers))
