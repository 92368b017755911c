"""Numbers with units, as people write them."""

from __future__ import annotations

import pytest

import condyle as cd
from condyle.units import number_in, split_unit


@pytest.mark.parametrize(
    ("text", "unit", "number"),
    [
        ("4 mm", "m", 4e-3), ("4mm", "m", 4e-3), ("2.5e3", "N", 2500.0), ("3 MPa", "N/m²", 3e6),
        ("-.5 kN s/m", "N s/m", -500.0), ("180 deg", "rad", 3.141592653589793), ("20 %", "", 0.2),
        ("7 N/mm^1.5", "N/m^1.5", 7 * 1000**1.5), ("1e-3", "N/mⁿ", 1e-3),
    ],
)  # fmt: skip
def test_a_number_is_in_the_unit_of_the_parameter(text, unit, number):
    assert number_in(text, unit, "x") == pytest.approx(number, rel=1e-14)


def test_a_text_has_a_number_and_perhaps_a_unit():
    assert split_unit(" 12 N/m ") == (12.0, "N/m")
    assert split_unit("12") == (12.0, "")


@pytest.mark.parametrize(
    ("text", "unit", "message"),
    [
        ("3 m", "kg", "parameter 'mass': 'm' is a unit of another dimension; it is in kg or the like"),
        ("3 m", "", "it is a pure number"),
        ("3 furlongz", "m", "there is no unit 'furlongz'"),
        ("three", "m", "'three' is no number with a unit"),
        ("3 N", "N/mⁿ", "write the number alone, in N/mⁿ"),
    ],
)
def test_a_wrong_unit_is_named(text, unit, message):
    with pytest.raises(cd.InputError, match="parameter 'mass'") as error:
        number_in(text, unit, "parameter 'mass'")
    assert message in str(error.value)
