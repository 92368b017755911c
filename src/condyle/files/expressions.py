"""Numbers as people write them in a model file: ``3 MPa``, ``(0, 20, 5) mm``, ``0.5 * length + 2 cm``, ``sqrt(2) * 1.2 BW``.

    expression  = term (('+' | '-') term)*
    term        = factor (('*' | '/') factor)*
    factor      = ('+' | '-') factor | power
    power       = primary (('**' | '^') factor)?
    primary     = number unit? | name | function '(' list ')' | '(' list ')' unit?
    unit        = symbol power? (('*' | '/' | ' ') symbol power?)*

Nothing else can be said, and nothing is run: the text is read from left to right into numbers with dimensions. A name is a
parameter of the file; a symbol behind a number is a unit, and an error where it could be either.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from condyle.errors import InputError, nearest, unknown_name
from condyle.units import angle_power, apart, base, decimal, times

__all__ = ["MOST_TEXT", "Measure", "Vector", "dimension_of", "evaluate", "in_words", "names_in"]

Dimension = tuple[tuple[str, float], ...]
MOST_TEXT, MOST_DEPTH = 2000, 40  # characters of an expression, brackets within brackets

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[^\W\d]\w*(?:\.[^\W\d]\w*)*|[°%µ]\w*|Å)"
    r"|(?P<raised>[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)|(?P<sign>\*\*|[-+*/^(),·−]))"
)
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_SYMBOLS = {
    "[length]": "m",
    "[mass]": "kg",
    "[time]": "s",
    "[temperature]": "K",
    "[current]": "A",
    "[substance]": "mol",
}


class Measure(NamedTuple):
    """A number in SI base units, and its dimension: powers by name, nothing for pure numbers and angles.

    angle: the power of an angle in it, as its unit was written: 1 of 30 deg and of deg/s. It is carried along for labels and
    never checked, because sin(x) ≈ x and arc = radius · angle add and multiply angles with pure numbers.
    """

    value: float
    dimension: Dimension = ()
    angle: float = 0.0


@dataclass(frozen=True)
class Vector:
    """Several numbers in brackets."""

    entries: tuple[Measure | Vector, ...]


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    spaced: bool


_FUNCTIONS: dict[str, tuple[int, Callable[..., float]]] = {
    "sqrt": (1, math.sqrt), "abs": (1, abs), "sin": (1, math.sin), "cos": (1, math.cos), "tan": (1, math.tan),
    "asin": (1, math.asin), "acos": (1, math.acos), "atan": (1, math.atan), "atan2": (2, math.atan2),
    "exp": (1, math.exp), "log": (1, math.log), "min": (0, min), "max": (0, max),
}  # fmt: skip
_CONSTANTS = {"pi": math.pi, "π": math.pi}
_WORDS_OF_TRUTH = ("yes", "no", "on", "off", "true", "false")
_COMMON = (
    "m", "mm", "cm", "km", "kg", "g", "mg", "s", "ms", "min", "N", "kN", "MN", "Pa", "kPa", "MPa", "GPa", "bar", "mmHg", "J",
    "W", "rad", "mrad", "deg", "Hz", "rpm", "liter", "inch", "lbf", "percent",
)  # fmt: skip
# What people write that is no number here, and what to write instead.
_SLIPS = (
    (re.compile(r"\d[ '’_]\d{3}(?!\d)"), "numbers are written without spaces or signs between thousands: 7800"),
    (re.compile(r"\d,\d"), "decimals are written with a point: 0.5"),
    (re.compile(r"\A[^(]*,"), "a vector stands in brackets: (0, 20) mm or [0, 20 mm]"),
    (re.compile(r";"), "numbers of a vector are separated by commas"),
    (re.compile(r"\.(nan|NaN|NAN)"), "it is no number"),
)


def evaluate(
    text: str,
    names: Mapping[str, Measure] | Callable[[str], Measure | None],
    units: Mapping[str, Measure] | None = None,
) -> Measure | Vector:
    """What a text says, in SI base units.

    names: the parameters, or a function that gives one of them, or None; units: those that the file declares, such as BW.
    """
    if len(text) > MOST_TEXT:
        raise InputError(f"an expression of {len(text)} characters; write at most {MOST_TEXT}")
    look_up = names if callable(names) else names.get
    known = tuple(names) if isinstance(names, Iterable) else ()
    try:
        return _Reader(text, look_up, known, units or {}).all()
    except (ArithmeticError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{text.strip()!r} has no value: {error}") from None


def names_in(text: str) -> set[str]:
    """Words in a text that may be names of parameters."""
    return {m["name"] for m in _TOKEN.finditer(text) if m["name"]} if len(text) <= MOST_TEXT else set()


@dataclass(frozen=True)
class _Unit:
    factor: float
    dimension: Dimension
    angle: float
    exact: Fraction | None = Fraction(1)  # the factor, where it has few decimal digits


def dimension_of(unit: str, where: str) -> Dimension | None:
    """The dimension of a field's unit; None where it depends on what the field is used with."""
    if unit.startswith("("):
        return None
    return base(unit, where)[1] if unit else ()


def in_words(dimension: Dimension) -> str:
    """A dimension as a unit, ``kg m/s^2``; 'a pure number' where there is none."""

    def part(power: float, name: str) -> str:
        symbol = _SYMBOLS.get(name, name)
        return symbol if power == 1 else f"{symbol}^{power:g}"

    above = " ".join(part(p, n) for n, p in dimension if p > 0)
    below = " ".join(part(-p, n) for n, p in dimension if p < 0)
    text = (above or "1") + (f"/({below})" if " " in below else f"/{below}" if below else "")
    return text if dimension else "a pure number"


class _Reader:
    """One pass over the tokens, by precedence."""

    def __init__(
        self,
        text: str,
        look_up: Callable[[str], Measure | None],
        known: tuple[str, ...],
        units: Mapping[str, Measure],
    ) -> None:
        self.text, self.look_up, self.known, self.units = text.strip(), look_up, known, units
        self.tokens = self._split()
        self.at = 0
        self.depth = 0

    def _split(self) -> list[_Token]:
        found, at = [], 0
        while at < len(self.text):
            match = _TOKEN.match(self.text, at)
            if match is None or match.end() == at:
                raise InputError(
                    f"{self._shown()} cannot be read from {self.text[at : at + 12].strip()!r} on{_slip(self.text)}"
                )
            kind = match.lastgroup or ""
            found.append(_Token(kind, match[kind].replace("−", "-").replace("·", "*"), match.start(kind) > at))
            at = match.end()
        return found

    def _shown(self) -> str:
        return repr(self.text if len(self.text) <= 60 else f"{self.text[:57]}…")

    def all(self) -> Measure | Vector:
        made = self.expression()
        if self.at < len(self.tokens):
            raise InputError(f"{self._shown()} cannot be read from {self.tokens[self.at].text!r} on{_slip(self.text)}")
        return made

    def peek(self, *signs: str) -> str:
        """The next sign, if it is one of these."""
        if self.at < len(self.tokens) and self.tokens[self.at].kind == "sign" and self.tokens[self.at].text in signs:
            return self.tokens[self.at].text
        return ""

    def expression(self) -> Measure | Vector:
        self.depth += 1
        if self.depth > MOST_DEPTH:
            raise InputError(f"{self._shown()} has more than {MOST_DEPTH} brackets within each other")
        made = self.term()
        while sign := self.peek("+", "-"):
            self.at += 1
            made = self._added(made, self.term(), 1.0 if sign == "+" else -1.0)
        self.depth -= 1
        return made

    def term(self) -> Measure | Vector:
        made = self.factor()
        while sign := self.peek("*", "/"):
            self.at += 1
            made = self._times(made, self.factor(), sign)
        return made

    def factor(self) -> Measure | Vector:
        minus = False
        while sign := self.peek("+", "-"):
            self.at += 1
            minus ^= sign == "-"
        made = self.power()
        return self._scaled(made, Measure(-1.0)) if minus else made

    def power(self) -> Measure | Vector:
        made = self.primary()
        if not self.peek("**", "^"):
            return made
        self.at += 1
        self.depth += 1
        if self.depth > MOST_DEPTH:
            raise InputError(f"{self._shown()} has too many powers of powers")
        exponent = self.factor()
        self.depth -= 1
        if isinstance(made, Vector) or isinstance(exponent, Vector) or exponent.dimension:
            raise InputError(f"{self._shown()}: a power is a number to a pure number")
        value = made.value**exponent.value
        if isinstance(value, complex):
            raise InputError(f"{self._shown()}: a negative number has no such power")
        powers = tuple((n, p * exponent.value) for n, p in made.dimension)
        return _measure(value, powers, made.angle * exponent.value)

    def primary(self) -> Measure | Vector:
        if self.at >= len(self.tokens):
            raise InputError(f"{self._shown()} ends where a number or a name is expected")
        token = self.tokens[self.at]
        self.at += 1
        if token.kind == "number":
            unit = self.unit()
            return _measure(times(float(token.text), unit.exact, unit.factor), unit.dimension, unit.angle)
        if token.text == "(" and token.kind == "sign":
            made = self.bracket()
            unit = self.unit()
            return self._scaled(made, Measure(unit.factor, unit.dimension, unit.angle))
        if token.kind == "name":
            return self.call(token.text) if self.peek("(") else self.named(token.text)
        raise InputError(f"{self._shown()}: {token.text!r} stands where a number or a name is expected")

    def bracket(self) -> Measure | Vector:
        """What follows an opening bracket: one expression, or several with commas, which are a vector."""
        entries = [self.expression()]
        comma = False
        while self.peek(","):
            comma = True
            self.at += 1
            if self.peek(")"):
                break
            entries.append(self.expression())
        if not self.peek(")"):
            raise InputError(
                f"{self._shown()}: a bracket is not closed; within {{ }} and [ ] write a list, [1 mm, 2 mm], or put quotes "
                'around it, "(1, 2) mm"'
            )
        self.at += 1
        return Vector(tuple(entries)) if comma else entries[0]

    def named(self, name: str) -> Measure:
        found = self.look_up(name)
        if found is None and name in _CONSTANTS:
            return Measure(_CONSTANTS[name])
        if found is None:
            if name.lower() in _WORDS_OF_TRUTH:
                raise InputError(f"{self._shown()} is no number; true and false stand where a part asks for them")
            raise unknown_name("parameter", name, [*self.known, *_CONSTANTS], where=self._shown())
        return found

    def call(self, name: str) -> Measure:
        if name not in _FUNCTIONS:
            raise unknown_name("function", name, _FUNCTIONS, where=self._shown())
        self.at += 1
        count, function = _FUNCTIONS[name]
        given = self.bracket()
        entries = given.entries if isinstance(given, Vector) else (given,)
        if (count and len(entries) != count) or any(isinstance(e, Vector) for e in entries):
            raise InputError(f"{self._shown()}: {name} takes {count or 'some'} number{'s' if count != 1 else ''}")
        numbers = [entry for entry in entries if isinstance(entry, Measure)]
        dimension = numbers[0].dimension
        if name in ("min", "max", "abs", "atan2"):
            if any(number.dimension != dimension for number in numbers):
                raise InputError(f"{self._shown()}: {name} compares what has different units")
            made = function(*(number.value for number in numbers)) if len(numbers) > 1 or count else numbers[0].value
            if name == "atan2":
                return _measure(made, (), 1.0)
            return _measure(made, dimension, max((number.angle for number in numbers), key=abs))
        if name == "sqrt":
            half = tuple((n, 0.5 * p) for n, p in dimension)
            return _measure(math.sqrt(numbers[0].value), half, 0.5 * numbers[0].angle)
        if dimension:
            raise InputError(f"{self._shown()}: {name} takes a pure number or an angle, not {in_words(dimension)}")
        angle = 1.0 if name in ("asin", "acos", "atan") else 0.0
        return _measure(function(*(number.value for number in numbers)), (), angle)

    def unit(self) -> _Unit:
        """The unit that follows a number or a bracket; none is as good."""
        made = _Unit(1.0, (), 0.0)
        first = True
        while self.at < len(self.tokens):
            start, sign = self.at, self.peek("*", "/")
            if sign and first:
                break
            power = -1.0 if sign == "/" else 1.0
            self.at += bool(sign)
            if self.at >= len(self.tokens) or self.tokens[self.at].kind != "name" or not self._is_unit(self.at):
                self.at = start
                break
            symbol = self.tokens[self.at].text
            self.at += 1
            *others, last = [symbol] if symbol in self.units else apart(symbol)
            for other in others:  # Nm² is N m²
                made = _with(made, self._known_unit(other), power)
            made = _with(made, self._known_unit(last), power * self.raised())
            first = False
        return made

    def raised(self) -> float:
        """The power of a unit: m², m^2, m**2."""
        if self.at < len(self.tokens) and self.tokens[self.at].kind == "raised":
            self.at += 1
            try:
                return float(self.tokens[self.at - 1].text.translate(_RAISED))
            except ValueError:
                raise InputError(f"{self._shown()}: {self.tokens[self.at - 1].text!r} is no power") from None
        if self.peek("^", "**"):
            start = self.at
            self.at += 1
            sign = -1.0 if self.peek("-") else 1.0
            self.at += sign < 0
            if self.at < len(self.tokens) and self.tokens[self.at].kind == "number":
                self.at += 1
                return sign * float(self.tokens[self.at - 1].text)
            self.at = start
        return 1.0

    def _is_unit(self, at: int) -> bool:
        """Does a unit stand there? An error where it could be a parameter as well."""
        symbol = self.tokens[at].text
        if at + 1 < len(self.tokens) and self.tokens[at + 1].text == "(" and symbol in _FUNCTIONS:
            return False
        if self.look_up(symbol) is None and symbol not in _CONSTANTS:
            return True
        try:
            self._known_unit(symbol)
        except InputError:
            return False
        raise InputError(
            f"{self._shown()}: {symbol!r} is a unit and a parameter of this file; give the parameter another name, or write "
            "brackets: (3 N)/m"
        )

    def _known_unit(self, symbol: str) -> Measure:
        if symbol in self.units:
            return self.units[symbol]
        if symbol == "BW":
            raise InputError(
                f"{self._shown()}: BW is the weight of a body that only you know: units: {{BW: 75 kg * 9.81 m/s^2}}"
            )
        try:
            name = {"°": "deg", "%": "percent"}.get(symbol, symbol)
            factor, dimension = base(name, "")
        except InputError:
            hint = _unit_meant(symbol, [*_COMMON, *self.units])
            if not hint:
                hint = "; write it as in mm, MPa, N/mm or deg"
                hint += f"; parameters are {', '.join(self.known)}" if 0 < len(self.known) <= 12 else ""
            raise InputError(f"{self._shown()}: there is no unit {symbol!r}{hint}") from None
        return Measure(factor, dimension, angle_power(name))

    def _added(self, a: Measure | Vector, b: Measure | Vector, sign: float) -> Measure | Vector:
        if isinstance(a, Vector) or isinstance(b, Vector):
            if not (isinstance(a, Vector) and isinstance(b, Vector)) or len(a.entries) != len(b.entries):
                raise InputError(f"{self._shown()}: only vectors of the same length can be added")
            return Vector(tuple(self._added(p, q, sign) for p, q in zip(a.entries, b.entries, strict=True)))
        if a.dimension != b.dimension:
            raise InputError(
                f"{self._shown()} adds {in_words(a.dimension)} and {in_words(b.dimension)}; give both a unit"
            )
        return _measure(a.value + sign * b.value, a.dimension, a.angle or b.angle)

    def _times(self, a: Measure | Vector, b: Measure | Vector, sign: str) -> Measure | Vector:
        if isinstance(b, Vector):
            if isinstance(a, Vector) or sign == "/":
                raise InputError(f"{self._shown()}: a vector is only multiplied with or divided by a number")
            return self._scaled(b, a)
        if sign == "/":
            if b.value == 0.0:
                raise InputError(f"{self._shown()} divides by zero")
            inverse = tuple((n, -p) for n, p in b.dimension)
            if isinstance(a, Measure):
                return _measure(a.value / b.value, _product(a.dimension, inverse), a.angle - b.angle)
            return self._scaled(a, Measure(1.0 / b.value, inverse, -b.angle))
        return self._scaled(a, b)

    def _scaled(self, made: Measure | Vector, by: Measure) -> Measure | Vector:
        if isinstance(made, Vector):
            return Vector(tuple(self._scaled(entry, by) for entry in made.entries))
        return _measure(made.value * by.value, _product(made.dimension, by.dimension), made.angle + by.angle)


def _slip(text: str) -> str:
    """What to write instead of a text that cannot be read."""
    return next((f"; {instead}" for pattern, instead in _SLIPS if pattern.search(text)), "")


def _unit_meant(symbol: str, known: Iterable[str]) -> str:
    """A hint for a unit that does not exist: m3 is m^3, MM is mm, and 7_800 is a number."""
    if re.fullmatch(r"_\d+", symbol):
        return "; numbers are written without spaces or signs between thousands: 7800"
    match = re.fullmatch(r"([^\W\d_]+)([2-4])", symbol)
    if match:
        return f"; a power is written {match[1]}^{match[2]} or {match[1]}{'²³⁴'[int(match[2]) - 2]}"
    listed = list(known)
    near = symbol[:-1] if symbol.endswith("s") and symbol[:-1] in listed else nearest(symbol, listed)
    return f"; did you mean {near!r}?" if near else ""


def _with(unit: _Unit, other: Measure, power: float) -> _Unit:
    """A unit times another one to a power; quotients are divided, as 1/1000 is rounded less often than times 0.001."""
    dimension = _product(unit.dimension, tuple((n, p * power) for n, p in other.dimension))
    factor = unit.factor / other.value if power == -1.0 else unit.factor * other.value**power
    own = decimal(other.value)
    known = unit.exact is not None and own is not None and power == int(power) and abs(power) <= 6
    exact = unit.exact * own ** int(power) if known else None  # type: ignore[operator]
    return _Unit(factor if exact is None else float(exact), dimension, unit.angle + power * other.angle, exact)


def _product(a: Dimension, b: Dimension) -> Dimension:
    if not a or not b:
        return a or b
    powers = dict(a)
    for name, power in b:
        powers[name] = powers.get(name, 0.0) + power
    return tuple(sorted((name, power) for name, power in powers.items() if abs(power) > 1e-9))


def _measure(value: float, dimension: Dimension, angle: float = 0.0) -> Measure:
    if not math.isfinite(value):
        raise InputError("the value is not finite")
    return Measure(value, dimension, angle)
