"""What a sweep runs: a study by its name, a model file or a Python file with one, or a function of one's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import isfunction
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from condyle.errors import InputError, unknown_name

if TYPE_CHECKING:
    from condyle.study import Study

__all__ = ["StudyFile", "Target"]

_read: dict[StudyFile, ReadFile] = {}  # what this process has read last


@dataclass(frozen=True)
class StudyFile:
    """A model file as a study, and what it may read and run; workers are told this."""

    path: str
    allow: tuple[str, ...] = ()
    allow_code: bool = False

    def study(self) -> Study:
        """The study; a file that has not changed is read once in a process."""
        return self._found().study

    @property
    def digest(self) -> str:
        """Of the file and of all that it names."""
        return self._found().digest

    def _found(self) -> ReadFile:
        from condyle.files.experiment import Experiment

        found = _read.get(self)
        if found is None or any(_changed(path) != when for path, when in found.times.items()):
            experiment = Experiment(self.path, self.allow, self.allow_code)
            times = {path: _changed(path) for path in (experiment.path, *experiment.file.folder.read)}
            found = ReadFile(experiment.study(), experiment.file.digest, times)
            _read.clear()
            _read[self] = found
        return found


class ReadFile(NamedTuple):
    """What was found in a model file, and when it and all files that it names were changed last."""

    study: Study
    digest: str
    times: dict[Path, int]


def _changed(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


class Target:
    """What is run, found once: its name, the units of its numbers, and what other processes are told.

    Parameters
    ----------
    target : name of a study, path of a model file or a Python file, a registered `Study`, or a function
    allow, allow_code : of a model file, as `read_model` takes them
    """

    def __init__(self, target: Any, allow: Sequence[str | Path] = (), allow_code: bool = False) -> None:
        self.function: Callable[..., Any] | None = None
        self.study: Study | None = None
        self.sent, self.digest = target, ""
        if callable(target):
            self.function = target
            self.name = target.__name__ if isfunction(target) else type(target).__name__
            self.units: dict[str, str] = {}
            return
        from condyle import studies

        if isinstance(target, Path):
            target = self.sent = str(target)
        if isinstance(target, str) and target.endswith((".yaml", ".yml")):
            self.sent = StudyFile(target, tuple(str(Path(place).resolve()) for place in allow), allow_code)
            study = self.sent.study()
            self.digest = self.sent.digest
        elif isinstance(target, str):
            study = studies.get(target)
        else:
            study = target
            if study.name not in studies.names():
                raise InputError(
                    f"sweep of {study.name!r}: other processes find registered studies only; give its Python file"
                )
            self.sent = study.name
        self.study, self.name = study, study.name
        claimed = {claim.quantity: claim.unit for claim in study.claims}
        self.units = (
            {**study.output_units} | claimed | {name: parameter.unit for name, parameter in study.parameters.items()}
        )
        self._defaults = study.values().__dict__

    def check_names(self, names: Sequence[str]) -> None:
        """Of a study, before anything is read in units of a parameter that it does not have."""
        known = None if self.study is None else self.study.parameters
        for name in names:
            if known is not None and name not in known:
                raise unknown_name("parameter", name, known, where=f"study {self.name!r}")

    def parsed(self, parameter: str, word: str, where: str) -> Any:
        """One value of a list, in the type of the parameter; numbers may have units."""
        if self.study is None:
            return _word(word)
        if isinstance(self._defaults.get(parameter), float):
            from condyle.units import number_in

            return number_in(word, self.units.get(parameter, ""), where)
        return self.study.parse([f"{parameter}={word}"])[parameter]

    def checked(self, case: Mapping[str, Any], quick: bool) -> dict[str, Any]:
        """The values of a case in the types of the study's parameters; an error before anything runs."""
        if self.study is None:
            return dict(case)
        converted = {name: self._rounded(name, value) for name, value in case.items()}
        self.study.values(converted, quick)
        return converted

    def _rounded(self, name: str, value: object) -> Any:
        """A whole number where a range of a parameter that counts gives 4.0."""
        default = self._defaults.get(name)
        counts = isinstance(default, int) and not isinstance(default, bool)
        return round(value) if counts and isinstance(value, float) and value == round(value) else value


def _word(word: str) -> Any:
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            pass
    return word
