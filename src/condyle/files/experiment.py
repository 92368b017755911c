"""A model file as a study: its parameters, how it is run, which curves and numbers come out, what is claimed and drawn."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from condyle.claims import KINDS, Claim
from condyle.errors import CondyleError, InputError, InputWarning, unknown_name
from condyle.files.curves import TAKES, CurveSpec, History, in_unit, take
from condyle.files.expressions import Measure, Vector, evaluate, in_words
from condyle.files.reading import ModelFile, blamed_node, in_order
from condyle.files.tree import FileError, Mistake, Node
from condyle.files.values import Scope
from condyle.integrators.registry import known_integrators, make_integrator
from condyle.model.quantities import quantities
from condyle.study import Context, Parameter, Study
from condyle.system.linear import KINDS as SOLVERS
from condyle.units import angle_power, base

__all__ = ["Experiment", "file_simulation", "study_of_file"]

RUN_UNITS = {"end": "s", "dt": "s", "every": "", "step_error": "", "energy_tolerance": "", "steps": "", "at": "s"}
RUN_WORDS = ("analysis", "integrator", "formulation", "start", "solver")
ANALYSES = {
    "simulate": (
        "end",
        "dt",
        "every",
        "step_error",
        "energy_tolerance",
        "integrator",
        "formulation",
        "start",
        "solver",
    ),
    "statics": ("steps", "at", "formulation", "solver"),
}
CHOICES: dict[str, Sequence[str]] = {
    "analysis": tuple(ANALYSES),
    "start": ("consistent", "zero-acceleration", "as-given"),
    "formulation": ("tangent", "rows"),
    "solver": SOLVERS,
}
_NICE = (
    "rad",
    "rad/s",
    "N m/rad",
    "N m s/rad",
    "m",
    "kg",
    "s",
    "N",
    "Pa",
    "N/m",
    "N s/m",
    "N m",
    "N m s",
    "m/s",
    "m/s^2",
    "kg/m^3",
    "kg m^2",
    "1/s",
    "m^2",
    "m^3",
    "Pa s",
)


def study_of_file(path: str | Path, *, allow: Sequence[str | Path] = (), allow_code: bool = False) -> Study:
    """The study that a model file is; FileError with all mistakes."""
    return Experiment(path, allow, allow_code).study()


def file_simulation(path: str | Path, *, allow: Sequence[str | Path] = (), allow_code: bool = False) -> FileSimulation:
    """A function of the parameters of a model file that simulates it and returns its curves, for `identify`."""
    return FileSimulation(str(path), tuple(map(str, allow)), allow_code)


class FileSimulation:
    """``simulate(**parameters) -> {curve: (times, values)}``, values in the units of the file's curves."""

    def __init__(self, path: str, allow: tuple[str, ...], allow_code: bool) -> None:
        self.path, self.allow, self.allow_code = path, allow, allow_code
        self.experiment = Experiment(path, allow, allow_code)
        self.digest = self.experiment.file.digest

    def bounds(self, name: str) -> tuple[float, float, float, str]:
        """Of a parameter: low and high as the file or the declaration of the field says, the value in the file, the unit."""
        known = self.experiment.parameters()
        if name not in known:
            raise unknown_name("parameter", name, known, where=self.path)
        low, high = self.experiment.declared_bounds(name)
        return low, high, float(known[name].default), known[name].unit

    def curve_unit(self, name: str) -> str:
        """The unit of a curve, empty where it is in SI units of whatever it is; InputError if there is none of this name."""
        if name not in self.experiment.curves:
            raise unknown_name("curve", name, self.experiment.curves, where=self.path)
        spec = self.experiment.curves[name]
        if spec.unit or spec.reading not in ("coordinate", "coordinate_rate"):
            return spec.unit
        from condyle.system.compile import compile

        try:  # an angle or a way, as the joint says; the run names what is wrong with it
            unit = "rad" if compile(self.experiment.file.model, massless=True).coordinate(spec.name).is_angle else "m"
        except CondyleError:
            return ""
        return unit if spec.reading == "coordinate" else f"{unit}/s"

    @property
    def clock_unit(self) -> str:
        """Of what curves run over: s, or nothing for the load factor of statics."""
        return "" if self.experiment.options.get("analysis") == "statics" else "s"

    def __call__(self, **parameters: Any) -> dict[str, tuple[Any, Any]]:
        found = self.experiment.run(parameters, Context(), only_curves=True)
        return {name: (curve.times, curve.shown) for name, curve in found["curves"].items()}


class Outputs(dict[str, float]):
    """Numbers of curves by name; of one that could not be computed, it is said why where it is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.why: dict[str, InputError] = {}

    def __missing__(self, name: str) -> float:
        raise self.why.get(name, KeyError(name))


class Experiment:
    """What a file says besides the model."""

    def __init__(self, path: str | Path, allow: Sequence[str | Path] = (), allow_code: bool = False) -> None:
        self.path, self.allow, self.allow_code = Path(path), allow, allow_code
        self.file = ModelFile.read(path, allow=allow, allow_code=allow_code, go_on=True)
        self.root, self.scope = self.file.root, self.file.scope
        self.mistakes: list[Mistake] = self.file.mistakes
        self.curves = {
            name: made for name, node in self._section("curves") if (made := self._noted(CurveSpec.of, node))
        }
        self.not_made = {name for name, _ in self._section("curves")} - set(self.curves)
        for spec in self.curves.values():
            if not self._waits_for_a_part(spec):
                self._noted(spec.check, self.file.model, at=spec.node)
        self.outputs = dict(self._section("outputs"))
        run = self.root.get("run")
        self.options = {} if run is None else self._noted(_options, run, self.scope) or {}
        for name, node in self.outputs.items():
            self._noted(self._check_output, node, name)
        self.claims = [made for name, node in self._section("claims") if (made := self._noted(self._claim, node, name))]
        for name, node in self._section("figures"):
            self._noted(self._check_figure, node, name)
        if self.mistakes:
            raise FileError(in_order(self.mistakes))

    def _section(self, name: str) -> list[tuple[str, Node]]:
        node = self.root.get(name)
        return list(node.items()) if node is not None else []

    def check_equations(self) -> None:
        """Set up the equations, which finds what no part knows by itself: surfaces and nodes of meshes, places that do not fit.

        FileError with the place of the mistake. It takes as long as the start of a run.
        """
        from condyle.system.compile import compile

        if len(self.file.model) == 1:
            return  # nothing but the ground
        try:
            system = compile(self.file.model, massless=True)
        except InputError as error:
            raise self._placed(error) from None
        wrong: list[Mistake] = []
        for spec in self.curves.values():
            try:
                spec.check(self.file.model, system)
            except FileError as error:
                wrong += error.mistakes
        if wrong:
            raise FileError(in_order(wrong))

    def _placed(self, error: InputError) -> InputError:
        """The error of a part at its place in the file."""
        if isinstance(error, FileError) and error.mistakes:
            return error
        names = re.findall(r"'([^']+)'", str(error))
        node = next((self.file.places[name] for name in names if name in self.file.places), None)
        return error if node is None else blamed_node(node, str(error)).error(str(error))

    def _waits_for_a_part(self, spec: CurveSpec) -> bool:
        """Does it name a part whose own mistakes are told already, or could anything be missing?"""
        head = spec.name.partition(".")[0]
        return not self.file.is_whole or (head in self.file.places and head not in self.file.model)

    def _noted(self, make: Any, *given: Any, at: Node | None = None) -> Any:
        try:
            return make(*given)
        except FileError as error:
            self.mistakes += error.mistakes
        except InputError as error:
            self.mistakes.append((at or given[0]).mistake(str(error)))
        return None

    # --- the run ------------------------------------------------------------------------------------------------------------

    def run(self, changed: Mapping[str, Any], context: Context, *, only_curves: bool = False) -> dict[str, Any]:
        """Simulate with other values of some parameters; the outcome has the result, the curves and the outputs.

        only_curves: nobody asks for outputs. A curve may have none of them, such as a period of one that does not swing.
        """
        file = self.file
        if changed or context.results:
            file = ModelFile.read(self.path, changed, allow=self.allow, allow_code=self.allow_code)
        if not self.options:
            raise InputError(f"{self.path}: it does not say how it is run; add run: {{end: 1 s, dt: 1 ms}}")
        options = dict(self.options)
        run = self.root.get("run")
        if changed and run is not None:  # times may be expressions of parameters
            options = _options(run, file.scope)
        if options.pop("analysis") == "statics":
            from condyle.analysis.statics import solve_static

            result = solve_static(file.model, **options)
            context.results["run"] = result
        else:
            result = context.simulate("run", file.model, **options)
        curves = {name: spec.read(result) for name, spec in self.curves.items()}
        outputs = Outputs()
        for name, node in self.outputs.items() if not only_curves else ():
            try:
                outputs[name] = self._output(node, curves, file).value
            except InputError as error:  # the others are still of interest, and claims about this one fail
                outputs.why[name] = error
                warnings.warn(f"no output '{name}': {error}", InputWarning, stacklevel=2)
        found = {"result": result, "curves": curves, "outputs": outputs, "parameters": file.scope.parameters}
        return {**found, "scope": file.scope}

    # --- numbers and claims -----------------------------------------------------------------------------------------------

    def _names(self, node: Node, curves: Mapping[str, History] | None, file: ModelFile) -> Any:
        """Parameters, and numbers of curves: 'height.max'."""

        def look_up(name: str) -> Measure | None:
            head, _, what = name.rpartition(".")
            if head in self.not_made or name in self.not_made:
                raise FileError([])  # what is wrong with it is said where it stands
            if head in self.curves:
                if what not in TAKES:
                    raise node.error(str(unknown_name("number of a curve", what, TAKES, where=f"'{name}'")))
                if curves is None:
                    return in_unit(1.0, "s" if TAKES[what][0] else self.curves[head].unit)
                try:
                    return take(curves[head], what)
                except InputError as error:
                    raise node.error(f"{name}: {error}") from None
            if name in self.curves:
                raise node.error(f"'{name}' is a curve; write which number of it, such as {name}.max or {name}.final")
            return file.scope._look_up(name, node)

        return _Known(look_up, [*file.scope.nodes, *(f"{curve}.max" for curve in (*self.curves, *self.not_made))])

    def _output(self, node: Node, curves: Mapping[str, History] | None, file: ModelFile) -> Measure:
        text = node.get("value") if node.is_map else node
        if text is None or not isinstance(text.value, str):
            raise node.error("an output is an expression such as height.max - length")
        try:
            made = evaluate(text.value, self._names(node, curves, file), file.scope.units)
        except FileError:
            raise
        except InputError as error:
            raise text.error(str(error)) from None
        if isinstance(made, Vector):
            raise text.error("an output is one number")
        return made

    def _check_output(self, node: Node, name: str) -> None:
        self._output(node, None, self.file)

    def claims_of(self, outcome: Mapping[str, Any]) -> list[Claim]:
        """The claims with the values of parameters of a run: a value that is an expression follows them."""
        scope = outcome["scope"]
        return [self._claim(node, name, scope) for name, node in self._section("claims")]

    def _claim(self, node: Node, name: str, scope: Any = None) -> Claim:
        if not node.is_map:
            raise node.error(
                "a claim has a value and a tolerance, or two bounds: {value: 2 s, tolerance: 1 ms, from: 2π√(l/g)}"
            )
        node.check_names(("value", "tolerance", "between", "of", "kind", "from"), f"claim '{name}'")
        of = node.get("of")
        output = name if of is None else of.text
        if output not in self.outputs:
            raise (of or node).error(str(unknown_name("output", output, self.outputs, where=f"claim '{name}'")))
        dimension = self._output(self.outputs[output], None, self.file).dimension
        unit = self._output_unit(output)

        def number(key: str, entry: Node) -> float:
            made = (scope or self.scope).measure(entry, None)
            if isinstance(made, Vector):
                raise entry.error(f"{key} of the claim '{name}' is one number")
            if made.dimension and made.dimension != dimension:
                raise entry.error(f"it is in {in_words(made.dimension)}, but '{output}' is in {in_words(dimension)}")
            return made.value

        between, value, tolerance = node.get("between"), node.get("value"), node.get("tolerance")
        if (between is None) == (value is None) or (value is not None and tolerance is None):
            raise node.error(f"the claim '{name}' needs a value and a tolerance, or between: [low, high]")
        reference: Any
        if between is not None:
            entries = between.entries()
            if len(entries) != 2:
                raise between.error("between holds two numbers: [low, high]")
            reference = (number("between", entries[0]), number("between", entries[1]))
        else:
            assert value is not None
            reference = number("value", value)
        kind, origin = node.get("kind"), node.get("from")
        if kind is not None and kind.text not in KINDS:
            raise kind.error(str(unknown_name("kind", kind.text, KINDS, where=f"claim '{name}'")))
        return Claim(
            name,
            reference,
            lambda outcome, output=output: outcome["outputs"][output],  # type: ignore[misc]
            kind=kind.text if kind is not None else "regression",  # type: ignore[arg-type]
            unit=unit,
            tolerance=None if tolerance is None else number("tolerance", tolerance),
            origin=origin.text if origin is not None else "this file",
        )

    # --- figures ----------------------------------------------------------------------------------------------------------

    def _check_figure(self, node: Node, name: str) -> None:
        if not name.replace("-", "_").replace(" ", "_").isidentifier():
            raise node.error(f"'{name}' is no name for a figure; write letters, digits and dashes")
        if not node.is_map or node.get("curves") is None:
            raise node.error("a figure shows curves: {curves: [height], title: …}")
        node.check_names(("curves", "title", "against"), f"figure '{name}'")
        shown = node.get("curves")
        assert shown is not None
        against = node.get("against")
        for entry in [*(shown.entries() if shown.is_list else [shown]), *([against] if against is not None else [])]:
            if entry.text not in self.curves:
                raise entry.error(str(unknown_name("curve", entry.text, self.curves, where=f"figure '{name}'")))

    def figures(self, outcome: Mapping[str, Any], _values: object) -> dict[str, Any]:
        """What the file asks for; without a section `figures`, every curve by itself."""
        from condyle.files.figures import draw

        wanted = {}
        for name, node in self._section("figures"):
            shown, title, against = node.get("curves"), node.get("title"), node.get("against")
            assert shown is not None
            names = [entry.text for entry in (shown.entries() if shown.is_list else [shown])]
            wanted[name] = (names, "" if title is None else title.text, "" if against is None else against.text)
        chosen = wanted or {name: ([name], "", "") for name in self.curves}
        along = "load factor" if self.options.get("analysis") == "statics" else "time [s]"
        return {name: draw(outcome["curves"], *given, along=along) for name, given in chosen.items()}

    # --- the study --------------------------------------------------------------------------------------------------------

    def parameters(self) -> dict[str, Parameter]:
        """Of the file by name, and the numbers of its parts as ``part.field``; all in SI units."""
        found = {}
        for name, made in self.scope.parameters.items():
            meaning = self.scope.about.get(name, {}).get("meaning")
            doc = meaning.text if meaning is not None else name
            found[name] = Parameter(made.value, doc, unit_of(made))
        for path, (value, unit, kind) in self.file.numbers.items():
            found[path] = Parameter(value, f"of the {kind} '{path.partition('.')[0]}'", unit)
        return found

    def _output_unit(self, name: str) -> str:
        """The SI unit of an output, which follows from the units of the curves and parameters in it."""
        return unit_of(self._output(self.outputs[name], None, self.file))

    def declared_bounds(self, name: str) -> tuple[float, float]:
        """Bounds of a parameter: low and high of the file, or those of the field that is ``part.field``."""
        part, dot, field = name.partition(".")
        if dot:
            about = quantities(type(self.file.model[part])).get(field)
            return (about.low, about.high) if about is not None else (-math.inf, math.inf)
        return self.scope.bounds(name)

    def study(self) -> Study:
        """The study."""
        parameters = self.parameters()
        given = {key: self.root.get(key) for key in ("name", "title", "summary", "source")}
        text = {key: "" if node is None else " ".join(node.text.split()) for key, node in given.items()}

        def run(p: object, context: Context) -> dict[str, Any]:
            values = vars(p)
            return self.run({n: values[n] for n, about in parameters.items() if values[n] != about.default}, context)

        quick = {}
        for name, about in self.scope.about.items():
            if "quick" in about:
                made = self.scope.measure(about["quick"], None)
                quick[name] = made.value if isinstance(made, Measure) else 0.0
        own = text["name"] or self.path.stem
        return Study(
            own,
            text["title"] or own,
            text["source"] or "beyond",
            text["summary"],
            parameters,
            run,
            self.claims,
            self.figures if self.curves else None,
            quick,
            inputs=(),
            output_units={name: self._output_unit(name) for name in self.outputs},
            claims_of=self.claims_of,
        )


def _options(node: Node, scope: Scope) -> dict[str, Any]:
    """Options of `simulate` or `solve_static`, and which of them as 'analysis'."""
    node.check_names((*RUN_UNITS, *RUN_WORDS), "run")
    made: dict[str, Any] = {}
    for key, entry in node.items():
        if key == "integrator":
            made[key] = _integrator(entry, scope)
        else:
            made[key] = _word(key, entry) if key in RUN_WORDS else _time(key, entry, scope)
    analysis = made.pop("analysis", "simulate")
    for key in made:
        if key not in ANALYSES[analysis]:
            raise node.keys[key].error(
                f"'{key}' does not belong to {analysis}; it takes {', '.join(ANALYSES[analysis])}"
            )
    for key in ("end", "dt") if analysis == "simulate" else ():
        if key not in made:
            raise node.error(f"give {key} [s] of the run: {key}: {'1 s' if key == 'end' else '1 ms'}")
        if not isinstance(made[key], int | float) or not made[key] > 0:
            raise node.get(key).error(f"{key} must be a time above 0, not {made[key]!r}")  # type: ignore[union-attr]
    if analysis == "simulate" and made["dt"] > made["end"]:
        raise node.get("dt").error(f"dt = {made['dt']:g} s is longer than the run, {made['end']:g} s")  # type: ignore[union-attr]
    return {"analysis": analysis, **made}


def _word(key: str, node: Node) -> str:
    """One of the words that an option of the run can be."""
    if key in CHOICES and node.text not in CHOICES[key]:
        raise node.error(str(unknown_name(key, node.text, CHOICES[key])))
    return node.text


def _time(key: str, node: Node, scope: Scope) -> Any:
    """A number of the run, in its unit."""
    try:
        return scope.value(node, unit=RUN_UNITS[key], numeric=True)
    except FileError as error:
        raise FileError([replace(one, problem=f"{key}: {one.problem}") for one in error.mistakes]) from None


def _integrator(node: Node, scope: Scope) -> Any:
    try:
        if not node.is_map:
            return make_integrator(node.text)
        kind = node.get("type")
        if kind is None or kind.text not in known_integrators():
            raise unknown_name("integrator", "" if kind is None else kind.text, known_integrators())
        given = {key: scope.value(entry) for key, entry in node.items() if key != "type"}
        return known_integrators()[kind.text](**given)
    except FileError:
        raise
    except (InputError, TypeError, ValueError) as error:
        raise node.error(f"integrator: {error}") from None


class _Known:
    def __init__(self, look_up: Callable[[str], Measure | None], names: list[str]) -> None:
        self.look_up, self.names = look_up, names

    def __call__(self, name: str) -> Measure | None:
        return self.look_up(name)

    def __iter__(self) -> Any:
        return iter(self.names)


def unit_of(made: Measure) -> str:
    """The SI symbol of the unit that a number has; empty of pure numbers."""
    fitting = [unit for unit in _NICE if base(unit, "")[1] == made.dimension]
    angled = [unit for unit in fitting if angle_power(unit) == made.angle]
    plain = [unit for unit in fitting if angle_power(unit) == 0.0]
    return next(iter(angled + plain), in_words(made.dimension) if made.dimension else "")
