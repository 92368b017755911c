"""Lines of blocks (system/linear/lines.py): sparse products with them are those of the full matrix, in both precisions."""

import os
import subprocess
import sys

import numpy as np
import pytest

from condyle.laws.kernel import kernel
from condyle.system.linear.lines import (
    add_block,
    add_columns,
    add_product,
    line_at,
    minus,
    no_line,
    no_lines,
    plus,
    put_line,
    totals,
    with_room,
)


@kernel
def products(shape, blocks, x, z, y, w, v):
    """y = Σ_k A_k x_k, w = Σ_k A_kᵀ z, and v = (z + z z) − z in the numbers of z."""
    b, c = len(shape[0]), len(shape[1])
    lines, line = no_lines(shape, blocks), no_line(shape[1], blocks)
    for k in range(blocks.shape[0]):
        lines = add_block(lines, blocks, b * c * k, c, x, c * k)
        line = add_columns(line, line_at(shape[0], z, 0), blocks, b * c * k)
    put_line(y, 0, totals(lines))
    put_line(w, 0, line)
    one = line_at(shape[0], z, 0)
    put_line(v, 0, minus(add_product(plus(one, no_line(shape[0], blocks)), one, one), one))


def agrees(b, c, dtype):
    rng = np.random.default_rng(b + c)
    blocks = with_room((5, b, c), dtype)
    blocks[:] = rng.integers(-8, 9, blocks.shape)  # sums are exact in any order
    x, z = rng.integers(-8, 9, (5, c)).astype(dtype), rng.integers(-8, 9, b).astype(dtype)
    y, w, v = np.full(b + 1, 7, dtype), np.full(c + 1, 7, dtype), np.full(b + 1, 7, dtype)
    products(((0,) * b, (0,) * c), blocks, x, z, y, w, v)
    np.testing.assert_array_equal(y, [*np.einsum("kpq,kq->p", blocks, x), 7])  # nothing is written behind
    np.testing.assert_array_equal(w, [*np.einsum("kpq,p->q", blocks, z), 7])
    np.testing.assert_array_equal(v, [*(z * z), 7])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("b", "c"), [(2, 2), (2, 3), (3, 3), (3, 6), (6, 6), (6, 3)])
def test_products_of_blocks_are_those_of_numpy(b, c, dtype):
    agrees(b, c, dtype)


def test_numbers_behind_the_blocks_play_no_part():
    blocks = with_room((1, 3, 3), np.float32)
    blocks.base[9:] = np.nan
    blocks[:] = 1.0
    y, w, v = np.zeros(3, np.float32), np.zeros(3, np.float32), np.zeros(3, np.float32)
    products(((0,) * 3, (0,) * 3), blocks, np.ones((1, 3), np.float32), np.ones(3, np.float32), y, w, v)
    np.testing.assert_array_equal([y, w, v], [[3.0] * 3, [3.0] * 3, [1.0] * 3])


def test_they_are_the_same_in_python():
    program = f"import sys; sys.path.insert(0, {os.path.dirname(__file__)!r}); import test_block_lines as t; "
    program += "t.agrees(3, 6, t.np.float32)"
    subprocess.run([sys.executable, "-c", program], env=os.environ | {"NUMBA_DISABLE_JIT": "1"}, check=True)
