"""Of the combinations of parameters, continuous integration runs a part in which each value is, and all when asked."""

from __future__ import annotations

from itertools import combinations, product
from types import SimpleNamespace
from typing import Any

import pytest
from conftest import covering, pytest_collection_modifyitems

METHODS, LAWS, SIZES = ("a", "b", "c"), ("spring", "hard"), (1, 2, 3, 4, 5)
CASES = [dict(zip(("method", "law", "size"), values, strict=True)) for values in product(METHODS, LAWS, SIZES)]


def test_each_value_is_in_a_case_and_no_case_is_in_vain():
    kept = [CASES[k] for k in covering(CASES)]
    assert len(kept) == len(SIZES)
    for name, values in (("method", METHODS), ("law", LAWS), ("size", SIZES)):
        assert {case[name] for case in kept} == set(values)
        counts = [sum(case[name] == value for case in kept) for value in values]
        assert max(counts) - min(counts) <= 1


def test_each_two_values_are_in_a_case_together():
    kept = [CASES[k] for k in covering(CASES, 2)]
    assert len(kept) < len(CASES) / 1.5
    for one, two in combinations(("method", "law", "size"), 2):
        assert {(case[one], case[two]) for case in kept} == {(case[one], case[two]) for case in CASES}


def test_one_parameter_alone_is_never_shortened():
    assert covering([{"law": k} for k in range(7)]) == set(range(7))


class Item:
    """As much of a test as the choice asks for."""

    path, originalname = "test_laws.py", "test_of_them"

    def __init__(self, case: dict[str, Any], *marks: pytest.Mark):
        self.callspec = SimpleNamespace(params=case, indices={name: 0 for name in case})
        self.marks = {mark.name: mark for mark in marks}

    def get_closest_marker(self, name: str) -> pytest.Mark | None:
        return self.marks.get(name)


@pytest.mark.parametrize(
    ("full", "asked", "count"),
    [(False, "tests", 6), (True, "tests", 32), (False, "tests/test_laws.py::test_of_them", 32)],
)
def test_all_are_run_when_asked_for(full: bool, asked: str, count: int):
    items: list[Any] = [Item(case, pytest.mark.covering.mark) for case in CASES]
    items += [Item({}), Item({}, pytest.mark.full.mark)]
    told: list[Any] = []
    hook = SimpleNamespace(pytest_deselected=lambda items: told.extend(items))
    config: Any = SimpleNamespace(getoption=lambda name: full, args=[asked], hook=hook)
    pytest_collection_modifyitems(config, items)
    assert len(items) == count and len(told) == (0 if full or "::" in asked else 32 - count)
