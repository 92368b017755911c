"""Whatever stands in a field of a part: it is taken, and gives a model with finite numbers, or an error names the part."""

import dataclasses
import json
import warnings

import numpy as np
import pytest

import condyle as cd
from part_examples import EXAMPLES
from zoo import ZOO

NAN, INF = float("nan"), float("inf")


class Odd:
    """Something that is nothing that a part could use."""


WRONG = [
    "heavy",
    "3",
    "",
    None,
    NAN,
    INF,
    -INF,
    True,
    -1,
    0,
    1e300,
    10**12,
    [],
    [1.0],
    [1.0, NAN],
    ["a", "b"],
    [[]],
    {},
]
WRONG += [
    (1.0, 2.0, 3.0, 4.0),
    [[1.0, 2.0], [3.0]],
    {"a": 1},
    {"type": "Spring"},
    Odd(),
    np.array([NAN, 1.0]),
    1j,
    print,
    b"x",
]
PLAIN = ["heavy", None, NAN, True, -1, 1e300, [], [1.0, NAN], [1.0, 2.0, 3.0, 4.0], [[1.0], []], {}]
NUMBERS = ("float", "int", "Numbers", "Wholes")


def number(k):
    return f"{k} {type(EXAMPLES[k]).__name__}"


@pytest.mark.parametrize("k", range(len(EXAMPLES)), ids=number)
@pytest.mark.filterwarnings("ignore")
def test_a_wrong_value_is_refused_by_the_part_or_fits(k):
    example = EXAMPLES[k]
    kind = type(example).__name__
    given = {f.name: getattr(example, f.name) for f in dataclasses.fields(example) if f.init}
    for name in given:
        for value in WRONG:
            try:
                made = type(example)(**{**given, name: value})
            except cd.CondyleError as error:
                assert kind in str(error), (name, value)
            else:
                repr(made)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: type(e).__name__)
def test_text_none_and_nan_are_no_numbers(example):
    """In every field that is declared to hold numbers, of every part."""
    given = {f.name: getattr(example, f.name) for f in dataclasses.fields(example) if f.init}
    for field in dataclasses.fields(example):
        if field.init and str(field.type).removesuffix(" | None") in NUMBERS:
            for value in ("heavy", "3", ["a", "b"], NAN, [1.0, NAN], {}, Odd(), 1j, True):
                with pytest.raises(cd.InputError, match=rf"{type(example).__name__}.*{field.name} must be"):
                    type(example)(**{**given, field.name: value})


def shortest_of_each_type():
    """Of every type of part that is in the zoo: the shortest model with one, as plain data, and the place of the part."""
    found = {}
    for name, build in ZOO.items():
        try:
            data = build().to_dict()
        except cd.InputError:
            continue  # it holds Python functions
        text = json.dumps(data)
        for k, part in enumerate(data["parts"]):
            if part["type"] not in found or len(text) < len(found[part["type"]][1]):
                found[part["type"]] = (name, text, k)
    return found


IN_MODELS = shortest_of_each_type()


@pytest.mark.parametrize("kind", IN_MODELS)
def test_a_wrong_value_in_a_model_file_is_an_error_or_gives_finite_numbers(kind, full):
    """As a file gives it: each field of a part within a model that is sound otherwise.

    Three of the values in each field, other ones in the next, so that all are in some field of the part; with `--full` all.
    """
    _, text, k = IN_MODELS[kind]
    part = json.loads(text)["parts"][k]
    for n, name in enumerate(f.name for f in dataclasses.fields(cd.part_types()[kind]) if f.init):
        for value in PLAIN if full else [PLAIN[(3 * n + j) % len(PLAIN)] for j in range(3)]:
            data = json.loads(text)
            data["parts"][k] = {**part, name: value}
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    system = cd.compile(cd.Model.from_dict(data))
            except cd.CondyleError as error:
                assert str(error), (name, value)
                continue
            numbers = (*system.x_start, *system.v_start, system.mass.value, system.laws.params, system.laws.weights)
            assert all(np.isfinite(array).all() for array in numbers), (name, value)
