"""Numbers, units and expressions of model files."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import condyle as cd
from condyle.files.expressions import Measure, Vector, evaluate, in_words
from condyle.units import base

LENGTH = base("m", "")[1]
NAMES = {"length": Measure(0.1, LENGTH), "ratio": Measure(3.0), "k": Measure(2.0)}
UNITS = {"BW": Measure(735.75, base("N", "")[1])}


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("3 MPa", 3e6, "Pa"),
        ("20 deg", math.radians(20), ""),
        ("20°", math.radians(20), ""),
        ("1.2 BW", 882.9, "N"),
        ("3 N/mm", 3000.0, "N/m"),
        ("9.81 m/s²", 9.81, "m/s^2"),
        ("9.81 m s^-2", 9.81, "m/s^2"),
        ("2 kg m**2", 2.0, "kg m^2"),
        ("0.5*length + 2 cm", 0.07, "m"),
        ("-length^2", -0.01, "m^2"),
        ("(1 + 2) * ratio", 9.0, ""),
        ("sqrt(4 m^2)", 2.0, "m"),
        ("2*pi", 2 * math.pi, ""),
        ("2^3^2", 512.0, ""),
        ("max(1 mm, 2 cm)", 0.02, "m"),
        ("sin(30 deg)", 0.5, ""),
        ("5 %", 0.05, ""),
        ("(3 N)/length", 30.0, "N/m"),
        ("1.5e-3", 0.0015, ""),
    ],
)
def test_a_text_is_a_number_with_a_dimension(text, value, unit):
    found = evaluate(text, NAMES, UNITS)
    assert found.value == pytest.approx(value)
    assert found.dimension == (base(unit, "")[1] if unit else ())


def test_brackets_with_commas_are_vectors():
    found = evaluate("(0, 20, length/1 mm) mm", NAMES)
    assert isinstance(found, Vector)
    assert [entry.value for entry in found.entries] == pytest.approx([0.0, 0.02, 0.1])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2 + 3 mm", "adds a pure number and m"),
        ("lenght", "did you mean 'length'"),
        ("3 foo", "there is no unit 'foo'"),
        ("1.2 BW", "units: {BW: 75 kg"),
        ("3 N/k", "'k' is a unit and a parameter"),
        ("1/0", "divides by zero"),
        ("9**9**9**9", "has no value"),
        ("(1, 2", "a bracket is not closed"),
        ("__import__('os')", "cannot be read from"),
        ("length.__class__", "unknown parameter"),
        ("sin(length)", "pure number or an angle"),
        ("0 degC", "there is no unit"),
        ("(" * 50 + "1" + ")" * 50, "brackets within each other"),
        ("1" * 5000, "characters"),
        ("(0 - 1)^0.5", "negative number has no such power"),
        ("", "ends where"),
    ],
)
def test_what_cannot_be_read_is_said(text, said):
    with pytest.raises(cd.InputError) as error:
        evaluate(text, NAMES, {})
    assert said in str(error.value)


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="0123456789.+-*/^()e, mMPaNlength°%²piksqrt=", max_size=40))
def test_any_text_is_a_number_or_an_input_error(text):
    try:
        found = evaluate(text, NAMES, UNITS)
    except cd.InputError:
        return
    flat = found.entries if isinstance(found, Vector) else (found,)
    assert all(isinstance(entry, Vector) or math.isfinite(entry.value) for entry in flat)


def test_dimensions_are_written_as_units():
    assert in_words(base("N", "")[1]) == "m kg/s^2"
    assert in_words(()) == "a pure number"
