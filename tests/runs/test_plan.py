"""Which cases a sweep runs."""

from __future__ import annotations

import numpy as np
import pytest

import condyle as cd
from condyle.runs.plan import plan_cases
from condyle.runs.sweep import parse_range


def test_a_grid_has_every_value_with_every_other():
    cases = plan_cases({"a": cd.Span(1.0, 3.0, 3), "b": ["x", "y"]})
    assert cases == [{"a": a, "b": b} for a in (1.0, 2.0, 3.0) for b in ("x", "y")]


def test_a_list_has_the_first_values_then_the_second():
    cases = plan_cases({"a": cd.Span(1.0, 3.0, 3), "b": ["x", "y", "z"]}, "list")
    assert cases == [{"a": 1.0, "b": "x"}, {"a": 2.0, "b": "y"}, {"a": 3.0, "b": "z"}]
    with pytest.raises(cd.InputError, match="as many values of each parameter, but 'a' has 3, 'b' has 2"):
        plan_cases({"a": cd.Span(1.0, 3.0, 3), "b": ["x", "y"]}, "list")


def test_ratios_are_equal_on_a_logarithmic_range():
    assert cd.Span(1.0, 100.0, 3, log=True).values() == pytest.approx([1.0, 10.0, 100.0])


@pytest.mark.parametrize("design", ["latin", "sobol"])
def test_samples_fill_the_box_and_come_again_with_the_same_seed(design):
    vary = {"a": cd.Span(-2.0, 2.0), "b": cd.Span(1.0, 100.0, log=True), "c": [1, 2]}
    cases = plan_cases(vary, design, samples=64, seed=3)
    assert cases == plan_cases(vary, design, samples=64, seed=3) != plan_cases(vary, design, samples=64, seed=4)
    a, b, c = (np.array([case[name] for case in cases]) for name in "abc")
    # One sample in each of 64 layers, of the logarithm where the range is one of ratios.
    for unit in ((a + 2.0) / 4.0, np.log10(b) / 2.0):
        assert sorted((64 * unit).astype(int)) == list(range(64))
    assert abs((c == 1).sum() - 32) <= 1


def test_samples_for_sensitivity_change_one_parameter_at_a_time():
    cases = plan_cases({"a": cd.Span(0.0, 1.0), "b": cd.Span(0.0, 1.0)}, "saltelli", samples=8)
    table = np.array([[case["a"], case["b"]] for case in cases]).reshape(4, 8, 2)
    first, second, mixed_a, mixed_b = table
    assert (mixed_a[:, 0] == second[:, 0]).all() and (mixed_a[:, 1] == first[:, 1]).all()
    assert (mixed_b[:, 1] == second[:, 1]).all() and (mixed_b[:, 0] == first[:, 0]).all()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("4:12:5 mm", cd.Span(4e-3, 12e-3, 5)), ("4 mm:1.2 cm:5", cd.Span(4e-3, 12e-3, 5)), ("1:2", cd.Span(1.0, 2.0)),
        ("1:2 mm", cd.Span(1e-3, 2e-3)), ("log 1:100:3", cd.Span(1.0, 100.0, 3, log=True)),
        ("4, 6, 12 mm", ["4 mm", "6 mm", "12 mm"]), ("a,b", ["a", "b"]),
    ],
)  # fmt: skip
def test_ranges_are_written_with_colons_and_a_unit_at_the_end(text, expected):
    found = parse_range(text, "m", "x")
    if isinstance(expected, cd.Span):
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-14)
        assert (found.count, found.log) == (expected.count, expected.log)
    else:
        assert found == expected


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: plan_cases({}), "without a parameter to vary"),
        (lambda: plan_cases({"a": [1]}, "gird"), "did you mean 'grid'"),
        (lambda: plan_cases({"a": []}), "'a' takes a list of values"),
        (lambda: plan_cases({"a": cd.Span(0, 1)}), "'a' has a range without a count"),
        (lambda: plan_cases({"a": cd.Span(0, 1)}, "sobol", samples=12), "2, 4, 8, 16"),
        (lambda: plan_cases({"a": cd.Span(0, 1)}, "latin"), "say how many samples"),
        (lambda: plan_cases({"a": [1]}, samples=3), "a grid has no number of samples"),
        (lambda: plan_cases({n: cd.Span(0, 1, 1000) for n in "abc"}), "surely a mistake"),
        (lambda: cd.Span(2.0, 1.0), "the lower one first"),
        (lambda: cd.Span(0.0, 1.0, log=True), "ends above zero"),
        (lambda: cd.Span(0.0, 1.0, 1), "at least two"),
        (lambda: parse_range("1:2:3:4", "m", "x"), "write low:high or low:high:count"),
        (lambda: parse_range("1:2:2.5", "m", "x"), "no whole number"),
        (lambda: parse_range("1:b:3", "m", "x"), "'b' is no number"),
        (lambda: parse_range("1:2:3 kg", "m", "x"), "another dimension"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(call, message):
    with pytest.raises(cd.InputError, match=message):
        call()
