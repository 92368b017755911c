"""Fields that are declared once: the check, the unit, the bounds and the type follow from one line."""

import dataclasses

import pytest

import condyle as cd
from condyle.model.part import load_part_types
from condyle.model.quantities import choice, declared, quantities, quantity
from condyle.units import base, factor

load_part_types()
OURS = {name: kind for name, kind in cd.part_types().items() if kind.__module__.startswith("condyle.")}


@declared
class Bumper(cd.Part):
    """A part of one's own with declared fields."""

    name: str
    stiffness: float = quantity("N/m", above=0.0, hint="soften it instead")
    gap: float = quantity("m", default=0.1, at_least=0.0, at_most=1.0)
    towards: object = quantity(default=None, vector=True, nonzero=True)
    way: str = choice("in", "out", default="in")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"stiffness": 0}, "Bumper 'b': stiffness must be above 0, not 0 N/m; soften it instead"),
        ({"stiffness": "3"}, "Bumper 'b': stiffness must be a number, not '3'"),
        ({"stiffness": 1, "gap": 2.0}, "Bumper 'b': gap must be at least 0 and at most 1, not 2 m"),
        ({"stiffness": 1, "towards": (0, 0)}, "Bumper 'b': towards must not be the zero vector"),
        ({"stiffness": 1, "way": "up"}, "Bumper 'b': way is 'up'; choose one of in, out"),
        ({}, "Bumper 'b': missing a required argument: 'stiffness'"),
    ],
)
def test_one_line_gives_the_check_and_its_message(given, said):
    with pytest.raises(cd.InputError) as error:
        Bumper("b", **given)
    assert str(error.value) == said


def test_numbers_are_kept_as_floats_and_vectors_as_tuples():
    made = Bumper("b", 3, towards=[1, 0, 0])
    assert (made.stiffness, type(made.stiffness), made.towards) == (3.0, float, (1.0, 0.0, 0.0))
    assert cd.Part.from_dict(made.to_dict()) == made


def test_a_field_that_is_assigned_later_is_checked_too():
    made = Bumper("b", 3)
    made.gap = -1.0
    with pytest.raises(cd.InputError, match="gap must be at least 0"):
        made.check_changes()


@pytest.mark.parametrize("name", OURS)
def test_units_of_all_fields_are_si(name):
    """One of the unit is one of SI: a number without a unit in a model file means the same."""
    for field, about in quantities(OURS[name]).items():
        if about.unit and not about.unit.startswith("("):
            assert base(about.unit, f"{name}.{field}")[0] == pytest.approx(1.0)


def test_defaults_are_within_their_bounds():
    for name, kind in OURS.items():
        defaults = {f.name: f.default for f in dataclasses.fields(kind)} if dataclasses.is_dataclass(kind) else {}
        for field, about in quantities(kind).items():
            if isinstance(defaults[field], float):
                assert about.allows(defaults[field]), f"{name}.{field}"


def test_the_law_of_a_material_gives_units_and_bounds_of_its_fields():
    about = quantities(cd.ArrudaBoyce)["mu"]
    assert (about.unit, about.low) == ("Pa", 0.0)


def test_a_unit_of_another_dimension_is_refused():
    with pytest.raises(cd.InputError, match="another dimension"):
        factor("mm", quantities(cd.Spring)["stiffness"].unit, "stiffness")
