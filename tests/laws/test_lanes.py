"""Numbers side by side (laws/lanes.py): what kernels make of them is what NumPy makes of them, in sums of the same order."""

import os
import subprocess
import sys

import numpy as np
import pytest

from condyle.laws.kernel import kernel
from condyle.laws.lanes import (
    LANES,
    absolute,
    add_product,
    add_scaled,
    four_twice,
    lanes_at,
    no_lanes,
    put_lanes,
    sum_of_lanes,
    two_by_four,
)


@kernel
def combined(lines, factors, out):
    """Out: Σ factor × line; line 0 × line 1; |line 0|; four twice; two by four. Returns the sum of line 0."""
    total = no_lanes()
    for k in range(lines.shape[0]):
        total = add_scaled(total, factors[k], lanes_at(lines, k * lines.shape[1]))
    put_lanes(out, 0, total)
    first, second = lanes_at(lines, 0), lanes_at(lines, lines.shape[1])
    put_lanes(out, 8, add_product(no_lanes(), first, second))
    put_lanes(out, 16, absolute(first))
    put_lanes(out, 24, four_twice(lines, 1))
    put_lanes(out, 32, two_by_four(factors[0], factors[1]))
    return sum_of_lanes(first)


def example():
    """Five lines of eleven numbers, of which lanes are the first eight, and factors."""
    numbers = np.random.default_rng(1)
    return numbers.normal(size=(5, LANES + 3)), numbers.normal(size=5)


def test_lanes_are_what_numpy_says():
    lines, factors = example()
    out = np.zeros((5, LANES))
    total = combined(lines, factors, out)
    assert out[0] == pytest.approx(factors @ lines[:, :LANES], rel=1e-14)
    assert (out[1] == lines[0, :LANES] * lines[1, :LANES]).all()
    assert (out[2] == abs(lines[0, :LANES])).all()
    assert (out[3] == np.tile(lines[0, 1:5], 2)).all()
    assert (out[4] == np.repeat(factors[:2], 4)).all()
    assert total == pytest.approx(lines[0, :LANES].sum(), rel=1e-14)


def test_a_number_that_is_none_stays_in_its_lane():
    lines, factors = example()
    lines[2, 3] = np.nan
    out = np.zeros((5, LANES))
    combined(lines, factors, out)
    assert np.flatnonzero(np.isnan(out[0])).tolist() == [3]


def test_lanes_are_the_same_where_nothing_is_compiled():
    program = f"import sys; sys.path.insert(0, {os.path.dirname(__file__)!r}); import test_lanes as t; "
    program += "t.test_lanes_are_what_numpy_says(); t.test_a_number_that_is_none_stays_in_its_lane()"
    subprocess.run([sys.executable, "-c", program], env=os.environ | {"NUMBA_DISABLE_JIT": "1"}, check=True)
