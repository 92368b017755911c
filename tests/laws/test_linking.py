"""Kernels that call kernels: everything that is called is in the machine code, whatever is called in vain."""

from condyle.laws.kernel import kernel


@kernel
def shared(x):
    s = 0.0
    for k in range(int(x)):
        s += x / (k + 1.0)
    return s


@kernel
def called_in_vain(x):
    return 2.0 * shared(x)


@kernel
def called(x):
    return shared(x) + 1.0


@kernel
def vain_call_first(x):
    total = called(x)
    for _ in range(0):
        total += called_in_vain(x)
    return total


@kernel
def vain_call_last(x):
    total = 0.0
    for _ in range(0):
        total += called_in_vain(x)
    return total + called(x)


def test_a_kernel_that_a_dead_branch_shares_with_live_code_is_taken_in():
    expected = 3.0 + 1.5 + 1.0 + 1.0
    assert vain_call_first(3.0) == expected
    assert vain_call_last(3.0) == expected
