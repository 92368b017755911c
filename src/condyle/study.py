"""Studies: a model with named parameters, what is computed from it, and the claims about it.

A study is one file in ``condyle.studies``, written with the public names only. Imports only the standard library;
the engine is loaded when a study simulates.
"""

from __future__ import annotations

import math
import numbers
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, TypeAlias

from condyle.claims import Claim, Outcome, Verdict
from condyle.errors import ConvergenceError, InputError, unknown_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from condyle.model.given import Json, Option
    from condyle.model.model import Model
    from condyle.results.result import Result

__all__ = ["Context", "Figures", "Outcome", "Parameter", "Parameters", "Study"]

Parameters: TypeAlias = SimpleNamespace  # the values of a study's parameters, by their names: p.mass
Figures: TypeAlias = "dict[str, Figure]"  # of a study, by the names of their files


@dataclass(frozen=True)
class Parameter:
    """A value of a study that a user may set: its default (which also gives the type), meaning and unit.

    The default is a bool, an int, a float, a str or a tuple of those.
    """

    default: Json
    doc: str
    unit: str = ""

    def __post_init__(self) -> None:
        try:
            self.convert(self.default)
        except InputError as error:
            raise InputError(f"parameter for {self.doc!r} {error}") from None

    def convert(self, value: Json) -> Json:
        """The value in the type of the default; InputError says what is expected."""
        return _converted(value, self.default)

    def parse(self, text: str) -> Json:
        """The value written as text, ``--set name=text``, with a unit if one likes; a tuple is written with commas."""
        if isinstance(self.default, tuple):
            words = [word.strip() for word in text.strip("()[] ").split(",")]
            return tuple(_parsed(word, self.default[0]) for word in words if word)
        if isinstance(self.default, float) and text[:1] in "+-.0123456789" and text.strip()[-1:].isalpha():
            from condyle.units import number_in

            return number_in(text, self.unit, self.doc)
        return _parsed(text, self.default)


class Context:
    """Where a study runs: the output folder, whether progress is shown, the results and the files so far.

    A study that writes a file or a folder of its own adds it to `files`.

    Parameters
    ----------
    out : folder for the results files, made when needed; None keeps results in memory
    progress : show a progress bar on standard error
    """

    def __init__(self, out: str | Path | None = None, progress: bool = False) -> None:
        self.out = None if out is None else Path(out)
        self.progress = progress
        self.results: dict[str, Result] = {}
        self.files: list[Path] = []

    def simulate(self, label: str, model: Model, **options: Option) -> Result:
        """``condyle.simulate`` with the results file ``<out>/<label>.h5``; the result is remembered under its label.

        In the name of the file the label has letters, digits and dashes only (`plain_name`).

        A run that was interrupted ends the study (KeyboardInterrupt), after its result has been remembered.
        """
        import condyle

        if label in self.results:
            raise InputError(f"simulation {label!r}: the label is taken; give each simulation of a study its own")
        file = None
        if self.out is not None:
            self.out.mkdir(parents=True, exist_ok=True)
            file = self.out / f"{plain_name(label)}.h5"
            if file in self.files:
                raise InputError(
                    f"simulation {label!r}: another one has the file '{file.name}' already; call it otherwise"
                )
            self.files.append(file)
        try:
            result = condyle.simulate(model, file=file, overwrite=True, progress=self.progress, **options)
        except ConvergenceError as error:
            if error.result is not None:
                self.results[label] = error.result
            raise
        self.results[label] = result
        if getattr(result, "status", "") == "interrupted":
            raise KeyboardInterrupt
        return result


@dataclass(frozen=True)
class Study:
    """A published (or new) model with its parameters, its computation and its claims.

    Parameters
    ----------
    name : as on the command line, ``taylor-disk-beam``
    title : one line
    source : key of the bibliography, or ``beyond`` for what no source contains
    summary : a few sentences: the model, what is shown
    parameters : name → Parameter
    run : ``run(p, context) -> outcome``; ``p.<name>`` are the values, the outcome is a dictionary. It may also yield
        several dictionaries that make one outcome: what is found at little cost first, then what takes long
    claims : what the outcome has to show
    figures : ``figures(outcome, p) -> {file stem: matplotlib Figure}``
    quick : parameter values of the reduced form that the tests run
    inputs : the parameters that are inputs of the physics, each of which some claim has to feel if it is changed by a
        few percent; None: all numbers with a unit that is no time
    output_units : of numbers that the run gives beside its claims, name → SI symbol
    claims_of : ``claims_of(outcome) -> claims`` where they depend on the values of parameters; `claims` are those of the
        defaults
    """

    name: str
    title: str
    source: str
    summary: str
    parameters: Mapping[str, Parameter]
    run: Callable[[Parameters, Context], Outcome | Iterator[Outcome]]
    claims: Sequence[Claim]
    figures: Callable[[Outcome, Parameters], Figures] | None = None
    quick: Mapping[str, Json] = field(default_factory=dict)
    inputs: Sequence[str] | None = None
    output_units: Mapping[str, str] = field(default_factory=dict)
    claims_of: Callable[[Outcome], Sequence[Claim]] | None = None

    def __post_init__(self) -> None:
        self.values(quick=True)  # a wrong quick form is found when the study is declared
        for name in self.inputs or ():
            if not _is_number(self._parameter(name).default):
                raise InputError(f"study {self.name!r}: input {name!r} is no number that a few percent can be added to")
        quantities = [claim.quantity for claim in self.claims]
        twice = {quantity for quantity in quantities if quantities.count(quantity) > 1}
        if twice:
            raise InputError(f"study {self.name!r}: claims of the same quantity: {', '.join(sorted(twice))}")

    @classmethod
    def of_module(cls, module: Mapping[str, Json], *, source: str, **others: Option) -> Study:
        """The study that a module is: ``STUDY = cd.Study.of_module(globals(), source=…)`` at its end.

        The first paragraph of its docstring is the title, the second the summary. Its name is that of the module, with
        dashes; `PARAMETERS`, `QUICK`, `INPUTS`, `run`, `CLAIMS` and `figures` are the module's. What `others` has is taken
        instead.
        """
        title, summary = title_and_summary(module.get("__doc__") or "")
        found = {
            "name": name_of_module(module["__name__"]),
            "title": title,
            "summary": summary,
            "parameters": module.get("PARAMETERS"),
            "run": module.get("run"),
            "claims": module.get("CLAIMS"),
            "figures": module.get("figures"),
            "quick": module.get("QUICK", {}),
            "inputs": module.get("INPUTS"),
        } | others
        needed = {"title": "docstring", "summary": "second paragraph of its docstring", "run": "function run"}
        for field_name, what in (needed | {"parameters": "PARAMETERS", "claims": "CLAIMS"}).items():
            if not found[field_name]:
                raise InputError(f"study {found['name']!r}: its module has no {what}; write it, or give {field_name}=…")
        return cls(source=source, **found)

    def values(self, overrides: Mapping[str, Json] | None = None, quick: bool = False) -> SimpleNamespace:
        """The parameter values: defaults, then the quick form, then the overrides; each checked."""
        given = {**(self.quick if quick else {}), **(overrides or {})}
        for name in given:
            self._parameter(name)
        chosen = {}
        for name, parameter in self.parameters.items():
            try:
                chosen[name] = parameter.convert(given.get(name, parameter.default))
            except InputError as error:
                raise InputError(f"study {self.name!r}: parameter {name!r} {error}") from None
        return SimpleNamespace(**chosen)

    def physical_inputs(self) -> list[str]:
        """The parameters whose change by a few percent has to break a claim."""
        if self.inputs is not None:
            return list(self.inputs)
        return [n for n, p in self.parameters.items() if p.unit not in ("", "s") and _is_number(p.default)]

    def changes(self, name: str, part: float, quick: bool = False) -> list[dict[str, Json]]:
        """The overrides that make one parameter larger by a part of itself, then smaller; of a tuple each entry by itself."""
        value = getattr(self.values(quick=quick), name)
        if not isinstance(value, tuple):
            return [{name: factor * value} for factor in (1.0 + part, 1.0 - part)]
        return [
            {name: tuple(factor * entry if k == place else entry for k, entry in enumerate(value))}
            for place in range(len(value))
            for factor in (1.0 + part, 1.0 - part)
            if value[place]
        ]

    def parse(self, assignments: Sequence[str]) -> dict[str, Json]:
        """Overrides from texts ``name=value``, as on the command line."""
        overrides = {}
        for assignment in assignments:
            name, equals, text = assignment.partition("=")
            if not equals:
                raise InputError(f"study {self.name!r}: {assignment!r} is not an assignment; write name=value")
            name = name.strip()
            overrides[name] = self._parameter(name).parse(text.strip())
        return overrides

    def execute(
        self, overrides: Mapping[str, Json] | None = None, context: Context | None = None, quick: bool = False
    ) -> Outcome:
        """Run the study and return its outcome."""
        *_, outcome = self.stages(overrides, context, quick)
        return outcome

    def stages(
        self, overrides: Mapping[str, Json] | None = None, context: Context | None = None, quick: bool = False
    ) -> Iterator[Outcome]:
        """Run the study; yields its outcome as far as it is known, each time that `run` has yielded, at last all of it.

        Who looks for one wrong number need not wait for the rest.
        """
        found = self.run(self.values(overrides, quick), context or Context())
        outcome: Outcome = {}
        for part in (found,) if isinstance(found, dict) else found:
            outcome |= part
            yield outcome

    def declared(self, quick: bool = False) -> list[Claim]:
        """The claims of the full study, or those of its quick form."""
        return [claim for claim in self.claims if not (quick and claim.full_only)]

    def judge(self, outcome: Outcome, quick: bool = False) -> list[Verdict]:
        """The verdicts on an outcome, in the order of the claims."""
        claims = self.declared(quick) if self.claims_of is None else self.claims_of(outcome)
        return [claim.check(self.name, outcome) for claim in claims]

    def draw(self, outcome: Outcome, values: Parameters) -> dict[str, Figure]:
        """The figures of an outcome, file stem → matplotlib Figure, all in one look; empty if the study has none."""
        if self.figures is None:
            return {}
        from condyle.results.figure import figure_style

        with figure_style():
            return dict(self.figures(outcome, values))

    def verify(self, *, quick: bool = False, context: Context | None = None) -> list[Verdict]:
        """Run the study with its declared parameters and judge the outcome."""
        return self.judge(self.execute(context=context, quick=quick), quick)

    def _parameter(self, name: str) -> Parameter:
        if name not in self.parameters:
            raise unknown_name("parameter", name, self.parameters, where=f"study {self.name!r}")
        return self.parameters[name]


def name_of_module(module: str) -> str:
    """The name of the study that a module is: ``condyle.studies.heavy_top`` is ``heavy-top``."""
    return module.rpartition(".")[2].replace("_", "-")


def plain_name(label: str) -> str:
    """A label as the name of a file: ``rigid, Runge–Kutta`` is ``rigid-Runge-Kutta``; letters, digits and dashes."""
    letters = [c for c in unicodedata.normalize("NFKD", label) if not unicodedata.combining(c)]
    names = {c: unicodedata.name(c, "").rpartition(" ")[2].lower() for c in letters if "α" <= c <= "ω"}
    plain = "".join(names.get(c, c) for c in letters)
    return re.sub(r"[^A-Za-z0-9]+", "-", plain).strip("-") or "run"


def title_and_summary(docstring: str) -> tuple[str, str]:
    """The first two paragraphs of a docstring, each in one line; the title without its full stop."""
    title, _, rest = docstring.strip().partition("\n\n")
    return " ".join(title.split()).removesuffix("."), " ".join(rest.partition("\n\n")[0].split())


def _is_number(default: Json) -> bool:
    """Whether a parameter is a number other than zero, or a tuple of numbers, that can be larger by a few percent."""
    entries = default if isinstance(default, tuple) else (default,)
    return all(isinstance(entry, float) for entry in entries) and any(entries)


def _converted(value: Json, default: Json) -> Json:
    """The value in the type of the default; a NumPy number is as good as Python's."""
    if isinstance(default, tuple):
        entries = () if isinstance(value, str) or not hasattr(value, "__iter__") else tuple(value)
        if not entries or not default:
            raise InputError(f"takes a tuple like {default or (1.0, 2.0)}, not {value!r}")
        return tuple(_converted(entry, default[0]) for entry in entries)
    if isinstance(default, bool):
        if not isinstance(value, bool):
            raise InputError(f"takes true or false, not {value!r}")
        return value
    if isinstance(default, str):
        if not isinstance(value, str):
            raise InputError(f"takes a text, not {value!r}")
        return value
    if isinstance(default, int):
        if isinstance(value, bool) or not isinstance(value, numbers.Integral):
            raise InputError(f"takes a whole number, not {value!r}")
        return int(value)
    if isinstance(default, float):
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            raise InputError(f"takes a number, not {value!r}")
        if not math.isfinite(value):
            raise InputError(f"must be finite, but is {float(value)}")
        return float(value)
    raise InputError(f"has a default of type {type(default).__name__}; use bool, int, float, str or a tuple of those")


def _parsed(text: str, default: Json) -> Json:
    """The text as a value of the default's type; what cannot be read stays text, which ``convert`` then refuses."""
    if isinstance(default, bool):
        words = dict.fromkeys(("true", "yes", "on", "1"), True) | dict.fromkeys(("false", "no", "off", "0"), False)
        return words.get(text.lower(), text)
    try:
        if isinstance(default, int):
            return int(text)
        if isinstance(default, float):
            return float(text)
    except ValueError:
        pass
    return text
