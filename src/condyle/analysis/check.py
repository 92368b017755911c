"""The checks that a user's own laws, parts and integrators have to pass.

report = cd.check("my_parts.py")
print(report)
assert report.ok
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from condyle.analysis.checks.laws import CheckFailed, law_derivatives
from condyle.analysis.checks.motion import integrator_converges, integrator_restarts, law_in_motion, law_part
from condyle.analysis.checks.parts import example_of, part_derivatives, part_in_motion, round_trip, system_with
from condyle.analysis.loading import Loaded, load_parts
from condyle.bodies.materials import Material
from condyle.errors import InputError
from condyle.integrators.registry import known_integrators
from condyle.joints.joint import Joint
from condyle.laws.user import laws
from condyle.model.body import Body
from condyle.model.part import Part, part_types

KINDS = {Joint: "joint", Body: "body", Material: "material"}  # anything else that acts in a model is called a force


@dataclass(frozen=True)
class Check:
    """One check of one thing: passed (ok is True), failed, or left out (None); the note says how or why."""

    kind: str
    name: str
    test: str
    ok: bool | None
    note: str = ""

    def __str__(self) -> str:
        verdict = {True: "passed", False: "FAILED", None: "left out"}[self.ok]
        return f"{self.kind} '{self.name}', {self.test}: {verdict}" + (f" ({self.note})" if self.note else "")


@dataclass
class Report:
    """All checks of a file, or of one thing."""

    checks: list[Check] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Did none of them fail?"""
        return all(check.ok is not False for check in self.checks)

    def __str__(self) -> str:
        return "\n".join(map(str, self.checks))


def check(what: str | Path | type[Part]) -> Report:
    """Check a user's own things: a Python file, the name of a law or of an integrator, or a class of parts.

    Laws: derivatives against finite differences, energy and momenta along a run, the way to a file and back. Joints,
    forces and bodies: the same, in a small model around an example; where a class has fields without defaults it needs a
    classmethod example(). Integrators: convergence of a pendulum, and that a resumed run is the same.
    """
    if isinstance(what, type) and issubclass(what, Part):
        return Report(list(_part(what)))
    if str(what) in laws():
        return Report(list(_law(str(what))))
    if str(what) in known_integrators():
        return Report(list(_integrator(str(what))))
    if not Path(what).suffix:
        raise InputError(
            f"check: {what!r} is neither a Python file nor the name of a law or an integrator of one's own"
        )
    return check_loaded(load_parts(what))


def check_loaded(loaded: Loaded, progress: Callable[[Check], None] | None = None) -> Report:
    """Check what a file has brought; progress: called after every check."""
    report = Report()
    for names, run in ((loaded.laws, _law), (loaded.parts, _type), (loaded.integrators, _integrator)):
        for name in names:
            for done in run(name):
                report.checks.append(done)
                if progress is not None:
                    progress(done)
    return report


def _law(name: str) -> Iterator[Check]:
    law = laws()[name]
    kind = f"{law.kind} law"
    first = _tried(kind, name, "derivatives", lambda: law_derivatives(law))
    yield first
    if first.ok:
        yield _tried(kind, name, "balance" if law.kind == "force" else "conservation", lambda: law_in_motion(law))
    ends = [("a", "b")] * law.sizes[0]
    yield _tried(kind, name, "round trip", lambda: round_trip(law_part(law, ends)))


def _type(name: str) -> Iterator[Check]:
    return _part(part_types()[name])


def _part(cls: type[Part]) -> Iterator[Check]:
    base = next((word for known, word in KINDS.items() if issubclass(cls, known)), "")
    kind = base or ("force" if hasattr(cls, "compile") else "part")
    try:
        example = example_of(cls)
    except LookupError as missing:
        yield Check(kind, cls.__name__, "round trip", None, str(missing.args[0]))
        return
    except Exception as error:
        yield Check(kind, cls.__name__, "example", False, _said(error))
        return
    yield _tried(kind, cls.__name__, "round trip", lambda: round_trip(example))
    if not hasattr(cls, "compile"):
        return
    try:
        system = system_with(example)
    except Exception as error:
        yield Check(kind, cls.__name__, "model", False, _said(error))
        return
    yield _tried(kind, cls.__name__, "derivatives", lambda: part_derivatives(system))
    yield _tried(kind, cls.__name__, "conservation", lambda: part_in_motion(system, example))


def _integrator(name: str) -> Iterator[Check]:
    yield _tried("integrator", name, "convergence", lambda: integrator_converges(name))
    yield _tried("integrator", name, "restart", lambda: integrator_restarts(name))


def _tried(kind: str, name: str, test: str, run: Callable[[], str | None]) -> Check:
    """The outcome of a check. Code of the user's own may raise anything: that is a failure, too."""
    try:
        return Check(kind, name, test, True, run() or "")
    except Exception as error:
        return Check(kind, name, test, False, _said(error))


def _said(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text if isinstance(error, CheckFailed | InputError) else f"{type(error).__name__}: {text}"
