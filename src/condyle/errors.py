"""What can go wrong, as one small family of exceptions.

A message names the part it is about and what to do. Imports nothing, so that every module may import it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

__all__ = [
    "AssemblyError", "CondyleError", "ConvergenceError", "InputError", "InputWarning", "nearest", "unknown_name",
]  # fmt: skip


class CondyleError(Exception):
    """Base of every error that Condyle raises on purpose."""


class InputError(CondyleError, ValueError):
    """Something given to Condyle is wrong: the message names the part and the fix."""


class InputWarning(UserWarning):
    """Something given to Condyle can be computed, but is hardly what was meant: the message names the part and the fix."""


class AssemblyError(InputError):
    """The parts of a model do not fit together: joint points apart, constraints that contradict each other."""


class ConvergenceError(CondyleError):
    """A solve did not converge, even after cutting the step.

    Parameters
    ----------
    message : what failed, where and when
    result : the Result up to the last good state if there is one, or the best attempt of an analysis
    time : time reached [s]
    part : name of the part with the largest unbalanced force
    """

    def __init__(
        self, message: str, *, result: object = None, time: float | None = None, part: str | None = None
    ) -> None:
        super().__init__(message)
        self.result: Any = result
        self.time = time
        self.part = part


def unknown_name(kind: str, name: object, known: Iterable[str], *, where: str = "", listing: str = "") -> InputError:
    """An error for a name that does not exist, with the nearest one and all that exist.

    listing: the command that lists them, named in their place where they are many.

    >>> print(unknown_name("body", "femr", ["femur", "tibia"], where="model 'knee'"))
    model 'knee': unknown body 'femr'; did you mean 'femur'? Known: femur, tibia.
    """
    names = sorted(known)
    near = nearest(name, names)
    message = f"{where}: " if where else ""
    message += f"unknown {kind} {str(name)!r}"
    message += f"; did you mean {near!r}? " if near else ". "
    if listing and names:
        message += f"{listing} lists all {len(names)}."
    else:
        message += f"Known: {', '.join(names)}." if names else f"There is no {kind} here."
    return InputError(message)


def nearest(name: object, known: Iterable[str]) -> str:
    """The name that is likely meant: the same but for capitals, spaces and lines between words, or the most similar; or ''.

    >>> nearest("pin", ["Pin", "Spring"])
    'Pin'
    """
    import difflib  # only needed once something is wrong

    folded: dict[str, str] = {}
    for one in known:
        folded.setdefault(_folded(one), one)
    if _folded(str(name)) in folded:
        return folded[_folded(str(name))]
    close = difflib.get_close_matches(_folded(str(name)), folded, n=1)
    return folded[close[0]] if close else ""


def _folded(name: str) -> str:
    return name.casefold().replace("_", "").replace("-", "").replace(" ", "")
