"""The sparsity pattern holds every coupling, and slots and strides find its entries."""

import numpy as np
import pytest

from condyle.system.pattern import all_pairs, any_of_each, build_pattern, counted


def random_blocks(rng, blocks, *, largest=6, smallest=0, shuffled=True):
    size = rng.integers(smallest, largest + 1, blocks)
    order = rng.permutation(blocks) if shuffled else np.arange(blocks)
    offset = np.empty(blocks, dtype=int)
    offset[order] = np.cumsum(size[order]) - size[order]
    return offset, size, int(size.sum())


def dense(pattern, values):
    matrix = np.zeros((pattern.n, pattern.n))
    matrix[pattern.rows(), pattern.indices] = values
    return matrix


@pytest.mark.parametrize("seed", range(20))
def test_values_added_at_slots_equal_a_dense_assembly(seed):
    rng = np.random.default_rng(seed)
    blocks = int(rng.integers(1, 30))
    offset, size, n = random_blocks(rng, blocks)
    rows, cols = rng.integers(0, blocks, (2, int(rng.integers(0, 80))))
    pattern, slot, stride = build_pattern(rows, cols, offset, size, n)

    values = np.zeros(pattern.nnz)
    expected = np.zeros((n, n))
    for k, (a, b) in enumerate(zip(rows, cols, strict=True)):
        block = rng.normal(size=(size[a], size[b]))
        expected[offset[a] : offset[a] + size[a], offset[b] : offset[b] + size[b]] += block
        for i in range(size[a]):
            for j in range(size[b]):
                values[slot[k] + i * stride[a] + j] += block[i, j]
    np.testing.assert_array_equal(dense(pattern, values), expected)


@pytest.mark.parametrize("seed", range(10))
def test_the_pattern_is_sorted_symmetric_has_its_diagonal_and_nothing_else(seed):
    rng = np.random.default_rng(seed)
    blocks = int(rng.integers(1, 25))
    offset, size, n = random_blocks(rng, blocks)
    rows, cols = rng.integers(0, blocks, (2, 40))
    pattern, _, stride = build_pattern(rows, cols, offset, size, n)

    coupled = np.zeros((n, n), dtype=bool)
    for a, b in [*zip(rows, cols, strict=True), *((b, b) for b in range(blocks))]:
        row, col = slice(offset[a], offset[a] + size[a]), slice(offset[b], offset[b] + size[b])
        coupled[row, col] = True
        coupled.T[row, col] = True
    np.testing.assert_array_equal(dense(pattern, np.ones(pattern.nnz)) == 1.0, coupled)
    for i in range(n):
        assert np.all(np.diff(pattern.indices[pattern.indptr[i] : pattern.indptr[i + 1]]) > 0)
    for b in range(blocks):
        assert np.all(np.diff(pattern.indptr)[offset[b] : offset[b] + size[b]] == stride[b])


def test_no_unknowns_and_no_couplings():
    pattern, slot, stride = build_pattern([], [], [], [], 0)
    assert (pattern.n, pattern.nnz, len(slot), len(stride)) == (0, 0, 0, 0)
    pattern, _, stride = build_pattern([], [], [0, 2], [2, 1], 3)
    np.testing.assert_array_equal(pattern.indices, [0, 1, 0, 1, 2])
    np.testing.assert_array_equal(stride, [2, 1])


@pytest.mark.parametrize(
    ("offset", "size", "rows"), [([0, 3], [2, 2], [0]), ([0, 1], [2, 2], [0]), ([0, 2], [2, 2], [2])]
)
def test_blocks_with_gap_or_overlap_and_unknown_blocks_are_refused(offset, size, rows):
    with pytest.raises(ValueError, match="block"):
        build_pattern(rows, [0], offset, size, 4)


def test_a_million_couplings_have_small_integers_for_columns():
    rng = np.random.default_rng(0)
    blocks = 40_000
    rows = rng.integers(0, blocks, 1_000_000)
    cols = np.clip(rows + rng.integers(-14, 15, rows.size), 0, blocks - 1)
    pattern, _, _ = build_pattern(rows, cols, 3 * np.arange(blocks), np.full(blocks, 3), 3 * blocks)
    assert pattern.indices.dtype == np.int32


def test_groups_are_counted_searched_and_paired_at_once():
    counts = np.array([2, 0, 3])
    np.testing.assert_array_equal(counted(counts), [0, 1, 0, 1, 2])
    start = np.array([0, 2, 2, 5])
    np.testing.assert_array_equal(any_of_each(np.array([0, 0, 0, 1, 0], dtype=bool), start), [False, False, True])
    first, second = all_pairs([np.array([7, 8]), np.array([], dtype=np.int64), np.array([5])])
    assert list(zip(first.tolist(), second.tolist(), strict=True)) == [(7, 7), (7, 8), (8, 7), (8, 8), (5, 5)]
