"""Tables whose columns are declared once: named tuples in Python, one address in kernels."""

import sys
from typing import NamedTuple

import numpy as np
import pytest

from condyle.laws.columns import (
    EachInteger,
    EachNumber,
    Flags,
    Integers2,
    Numbers,
    Numbers3,
    Starts,
    check_columns,
    columns_of,
    empty_table,
    rows_between,
    table,
)
from condyle.laws.kernel import kernel
from condyle.system.assembly.places import family
from condyle.system.tables import LawTable
from condyle.system.touching.tables import Touching


@table
class Springs(NamedTuple):
    ends: Integers2  # (springs, 2)
    stiffness: Numbers
    slack: Flags


@table
class Net(NamedTuple):
    springs: Springs
    count: int
    factor: float
    doubled: bool
    history: Numbers3


@kernel
def energy(net, x):
    total = 0.0
    springs = net.springs
    for i in range(net.count):
        if not springs.slack[i]:
            stretch = x[springs.ends[i, 1]] - x[springs.ends[i, 0]]
            total += 0.5 * net.factor * springs.stiffness[i] * stretch**2
    net.history[0, 1, 2] = total
    return 2.0 * total if net.doubled else total


def net(**changes):
    springs = Springs(np.array([[0, 1], [1, 2]]), np.array([3.0, 5.0]), np.array([False, True]))
    return Net(springs, 2, 10.0, False, np.zeros((1, 2, 3)))._replace(**changes)


def test_a_kernel_reads_and_writes_the_columns_of_a_table_and_of_tables_within_it():
    x, given = np.array([0.0, 2.0, 7.0]), net()
    assert energy(given, x) == 60.0
    assert given.history[0, 1, 2] == 60.0
    assert energy(net(doubled=True), x) == 120.0
    assert energy(net(springs=given.springs._replace(slack=np.array([False, False]))), x) == 60.0 + 625.0


def test_sizes_are_those_of_the_arrays_at_hand():
    longer = Springs(np.array([[0, 1]] * 5), np.ones(5), np.zeros(5, dtype=bool))
    assert energy(net(springs=longer, count=5, factor=2.0), np.array([0.0, 1.0])) == 5.0


def test_nobody_counts_references_to_columns():
    given, x = net(), np.array([0.0, 2.0, 7.0])
    energy(given, x)
    before = sys.getrefcount(given.springs.stiffness)
    energy(given, x)
    after = sys.getrefcount(given.springs.stiffness)
    assert after == before


@pytest.mark.parametrize(
    "wrong, given",
    [
        (np.ones(2, dtype=np.float32), "float32, 1 axes"),
        (np.ones((2, 1)), "float64, 2 axes"),
        (np.ones(4)[::2], "float64, 1 axes"),
        ([1.0, 2.0], "list"),
    ],
)
def test_an_array_that_is_not_what_its_column_is_declared_as_is_refused_by_name(wrong, given):
    bad = net().springs._replace(stiffness=wrong)
    with pytest.raises(
        TypeError, match=rf"column 'stiffness' of Springs is a contiguous array of float64 .* not {given}"
    ):
        energy(net(springs=bad), np.zeros(3))


@table
class Lists(NamedTuple):
    name: EachInteger
    start: Starts
    size: EachNumber
    entries: Numbers


def test_rows_of_a_table_are_cut_out_by_what_its_columns_are_declared_as():
    whole = Lists(np.array([7, 8, 9]), np.array([0, 2, 2, 5]), np.arange(3.0), np.arange(5.0))
    part = rows_between(whole, 1, 3)
    assert part.name.tolist() == [8, 9] and part.start.tolist() == [2, 2, 5] and part.size.tolist() == [1.0, 2.0]
    assert part.entries is whole.entries


@kernel
def first_and_count(laws, spans, number):
    some = family(laws, spans, number)
    return some.law[0] if some.law.size else -1, some.law.size, some.row_start.size, some.rows.size


def test_kernels_cut_a_family_of_laws_out_of_the_table_of_all_as_python_does():
    columns = {name: np.zeros(5, dtype=column.dtype) for name, column in columns_of(LawTable).items()}
    laws = LawTable(**columns | {"law": np.array([10, 11, 12, 13]), "row_start": np.arange(5)})
    spans = np.array([0, 1, 1, 3, 4])
    for number in range(4):
        part = family(laws, spans, number)
        first = part.law[0] if part.law.size else -1
        assert first_and_count(laws, spans, number) == (first, part.law.size, part.row_start.size, part.rows.size)


def test_an_empty_table_has_all_columns_and_in_none_of_them_an_entry():
    made = empty_table(Touching)
    check_columns(Touching, made)
    assert made.flags.size == 0 and made.meeting.couple.shape == (0, 0) and made.meeting.whole == 0
