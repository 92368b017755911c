"""How many cases of a test are run: with `--full` all of them, otherwise a part that covers each of its parameters.

    @pytest.mark.covering      of the combinations of several parameters, so many that each value of each is in one
    @pytest.mark.covering(2)   ... that each two values of two of them are in one together
    @pytest.mark.full          only with `--full`
    def test_it(full): ...     a test that goes through a list of its own: whether all of it is asked for

A law, an integrator and a kind of body that are right each by itself seldom go wrong in one combination only. `make test-full`
runs them all; continuous integration and `make test` take the part, which is chosen by the same rule every time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Any
from zlib import crc32

import pytest

PLAIN = (str, int, float, bool, type(None))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="all combinations of all parameters, and tests marked as full")


def pytest_collection_modifyitems(config: pytest.Config, items: list[Any]) -> None:
    """Leave out what only `--full` runs. Who asks for a test by its name gets all of it."""
    if config.getoption("--full") or any("::" in name for name in config.args):
        return
    left_out = {id(item) for item in items if item.get_closest_marker("full")}
    families: dict[Any, list[Any]] = {}
    for item in items:
        if item.get_closest_marker("covering"):
            families.setdefault((item.path, item.originalname), []).append(item)
    for (_, name), family in families.items():
        strength = (*family[0].get_closest_marker("covering").args, 1)[0]
        first = crc32(name.encode()) % len(family)  # so that not all tests leave out the same combinations
        family = family[first:] + family[:first]
        kept = covering([case_of(item) for item in family], strength)
        left_out |= {id(item) for k, item in enumerate(family) if k not in kept}
    config.hook.pytest_deselected(items=[item for item in items if id(item) in left_out])
    items[:] = [item for item in items if id(item) not in left_out]


@pytest.fixture
def full(request: pytest.FixtureRequest) -> bool:
    """Whether all is asked for."""
    return bool(request.config.getoption("--full"))


def case_of(item: Any) -> dict[str, Any]:
    """The value of each parameter of a test, or its place in the list where it is no plain value."""
    spec = item.callspec
    return {name: value if isinstance(value, PLAIN) else spec.indices[name] for name, value in spec.params.items()}


def covering(cases: Sequence[dict[str, Any]], strength: int = 1) -> set[int]:
    """Numbers of cases that have, together, each value of each parameter; or each that `strength` of them have at once.

    They are taken one by one: of those that bring most that is new, the first whose values were taken least often so far, by
    themselves and then two together.
    """
    wanted = {k: set(combinations(sorted(case.items()), strength)) for k, case in enumerate(cases)}
    alone, together = ([list(combinations(sorted(case.items()), n)) for case in cases] for n in (1, 2))
    taken: Counter[Any] = Counter()
    kept: set[int] = set()

    def worth(k: int) -> tuple[int, ...]:
        return len(wanted[k]), *(-sum(taken[values] for values in of[k]) for of in (alone, together))

    while wanted:
        best = max(wanted, key=worth)
        brought = wanted.pop(best)
        if not brought:
            break
        kept.add(best)
        taken.update(alone[best] + together[best])
        for values in wanted.values():
            values -= brought
    return kept
