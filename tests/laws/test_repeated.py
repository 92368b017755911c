"""Kernels that a run calls again and again: the same results, and other arguments are noticed."""

from __future__ import annotations

import weakref
from typing import NamedTuple

import numpy as np
import pytest

from condyle.laws.columns import Numbers, table
from condyle.laws.kernel import kernel
from condyle.laws.repeated import Repeated, Repetitions


@table
class Weights(NamedTuple):
    values: Numbers
    factor: float


@kernel
def weighed(weights, x, shift):
    """Σ w x times the factor, and a shift."""
    total = 0.0
    for k in range(x.size):
        total += weights.values[k] * x[k]
    return weights.factor * total + shift


def test_repeated_calls_give_what_the_kernel_gives():
    call, x = Repeated(weighed), np.array([1.0, 2.0, 3.0])
    weights = Weights(np.array([1.0, 0.5, 2.0]), 3.0)
    for k in range(4):
        x[1] = float(k)  # the same array with other numbers
        assert call(weights, x, 0.5) == weighed(weights, x, 0.5)
    other = Weights(np.array([2.0, 2.0]), 1.0)
    assert call(other, np.array([1.0, 1.0]), 0.0) == 4.0
    assert call(weights, x, np.float64(0.5)) == weighed(weights, x, 0.5)


def test_a_table_whose_column_is_of_another_type_is_refused_after_calls_that_were_right():
    """Its numbers would be read as what they are not."""
    call, x = Repeated(weighed), np.ones(2)
    call(Weights(np.ones(2), 1.0), x, 0.0)
    call(Weights(np.ones(2), 1.0), x, 0.0)
    with pytest.raises(TypeError, match="column 'values' of Weights"):
        call(Weights(np.ones(2, dtype=np.float32), 1.0), x, 0.0)
    with pytest.raises(TypeError, match="column 'values' of Weights"):
        call(Weights(np.ones(4)[::2], 1.0), x, 0.0)
    assert call(Weights(np.ones(2), 1.0), x, 0.0) == 2.0


def test_arrays_of_another_type_or_layout_are_taken_for_what_they_are():
    call, weights = Repeated(weighed), Weights(np.ones(3), 1.0)
    assert call(weights, np.ones(3), 0.0) == 3.0
    assert call(weights, np.ones(3, dtype=np.int64), 0.0) == 3.0
    assert call(weights, np.arange(6.0)[::2], 0.0) == 6.0
    assert call(weights, np.ones(3), 1) == 4.0


def test_a_call_in_passing_keeps_no_large_array_alive():
    call, weights = Repeated(weighed), Weights(np.ones(10_000), 2.0)
    for _ in range(3):
        x = np.ones(10_000)
        kept = weakref.ref(x), weakref.ref(weights.values)
        assert call.in_passing(weights, x, 0.0) == 20_000.0
        del x
        assert kept[0]() is None
    weights = Weights(np.ones(3), 1.0)
    assert kept[1]() is None
    assert call.in_passing(weights, np.ones(3), 1.0) == 4.0
    with pytest.raises(TypeError, match="column 'values' of Weights"):
        call.in_passing(Weights(np.ones(3, dtype=np.float32), 1.0), np.ones(3), 0.0)


def test_a_run_has_one_form_of_each_kernel():
    call = Repetitions()
    assert call(weighed) is call(weighed)
    assert call(weighed) is not Repetitions()(weighed)
