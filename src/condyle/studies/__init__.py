"""The published models, each one file, written only with the public names of Condyle.

A module of this folder ends with ``STUDY = cd.Study.of_module(globals(), source="…")`` and is registered by one line in
``MODULES``. ``condyle list`` reads names, titles and sources from the files as text (`cards`) and imports none of them;
a command that is given the name of a study imports that study. At the top of a study stand the standard library,
``condyle`` and NumPy, nothing heavier.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from runpy import run_path
from typing import Any, NamedTuple

from condyle.errors import InputError, unknown_name
from condyle.study import Study, name_of_module, title_and_summary

__all__ = ["MODULES", "Card", "all_studies", "cards", "from_file", "get", "names"]

MODULES: tuple[str, ...] = (
    "taylor_block",
    "taylor_disk_beam",
    "taylor_hinged_blocks",
    "torque_free_body",
    "heavy_top",
    "revolute_pair",
    "pseudo_rigid_bar",
    "tumbling_hyperelastic",
    "slider_crank",
    "floating_frame",
    "four_bar",
    "bricard",
    "double_pendulum_3d",
    "gyroscope",
    "flexible_crank",
    "ancf_roll_up",
    "ancf_statics",
    "ancf_plates",
    "ancf_pendulum",
    "ancf_cables",
    "hewlett_chains",
    "hewlett_friction",
    "hewlett_cylinders",
    "hewlett_rolling",
    "hewlett_bent_cable",
    "hewlett_monolithic",
    "capstan",
    "crane_pulleys",
    "gripper",
    "hitch",
    "net_on_ball",
    "hewlett_rescaling",
    "solid_benchmarks",
    "hovey_rigid_body",
    "hovey_double_pendulum",
    "hovey_tied_quad",
    "hovey_dashpot",
    "hovey_moment_actuator",
    "hovey_gait",
    "hovey_muscles",
    "gait_foot",
    "gait_legs",
    "gait_3d",
    "hip_gait",
    "hovey_liner",
    "hip_stride",
    "hip_3d",
    "hip_wear",
    "imported_hip",
    "hovey_hertz",
    "hovey_indentor",
    "hovey_bartel",
    "contact_benchmarks",
    "spicka_pendulum",
    "spicka_ball",
    "spicka_solvers",
    "spicka_arm",
    "spicka_plane",
    "spicka_legform",
    "spicka_identification",
    "impact_chains",
    "painleve_rod",
    "rolling_and_gliding",
    "rope_bridge",
    "limb_identification",
    "hip_response",
    "hip_stiffness",
    "long_chains",
    "friction_holds",
    "impact_ellipsoids",
    "box_stack",
    "rattleback",
    "helmet_drop",
    "legform_bumper",
    "knee_ligaments",
    "knee_comparison",
    "knee_laxity",
    "knee_passive_flexion",
    "knee_replacement",
    "walking_knee",
    "knee_contact",
    "warped_pendulum",
)

_DOCSTRING = re.compile(r'\A"""(.*?)"""', re.DOTALL)
_DECLARATION = re.compile(r"^STUDY = cd\.Study\.of_module\(globals\(\), (.*)\)$", re.MULTILINE)
_WORD = re.compile(r'\b(name|source|title)="([^"\\]*)"')


class Card(NamedTuple):
    """What a list shows of a study, and the module that it is in."""

    name: str
    title: str
    source: str
    module: str


def cards() -> list[Card]:
    """Name, title and source of every registered study, in the order of registration; no study is imported for it."""
    found: dict[str, Card] = {}
    for module in MODULES:
        card = _read_card(module) or _card_of(module, _study(module))
        if card.name in found:
            raise InputError(f"study {card.name!r} is defined twice; rename the one in {__name__}.{module}")
        found[card.name] = card
    return list(found.values())


def all_studies() -> list[Study]:
    """Every registered study, in the order of registration."""
    return [_study(card.module) for card in cards()]


def from_file(file: Path) -> Study:
    """The `STUDY` that a Python file defines."""
    if not file.is_file():
        raise InputError(f"there is no file '{file}' to read a study from")
    study = run_path(str(file)).get("STUDY")
    if not isinstance(study, Study):
        raise InputError(f"'{file}' defines no STUDY = cd.Study(…)")
    return study


def names() -> list[str]:
    """The names of all registered studies."""
    return [card.name for card in cards()]


def get(name: str) -> Study:
    """The study of this name, or that of a model file or a Python file; InputError with the nearest name if there is none."""
    if name.endswith(".py"):
        return from_file(Path(name))
    if name.endswith((".yaml", ".yml")):
        import condyle

        return condyle.study_of_file(name)
    modules = {card.name: card.module for card in cards()}
    if name not in modules:
        raise unknown_name("study", name, modules, listing="`condyle list`")
    return _study(modules[name])


def _study(module: str) -> Study:
    study: Study = import_module(f"{__name__}.{module}").STUDY
    return study


def _card_of(module: str, study: Study) -> Card:
    return Card(study.name, study.title, study.source, module)


def _read_card(module: str) -> Card | None:
    """The card as `Study.of_module` would give it, from the text of the file; None where the text does not say all of it."""
    loader: Any = __spec__.loader
    try:
        text = loader.get_data(str(Path(__file__).with_name(f"{module}.py"))).decode()
    except OSError:
        return None
    docstring, declaration = _DOCSTRING.match(text), _DECLARATION.search(text)
    if docstring is None or declaration is None:
        return None
    given = dict(_WORD.findall(declaration[1]))
    if "source" not in given:
        return None
    title = given.get("title") or title_and_summary(docstring[1])[0]
    return Card(given.get("name") or name_of_module(module), title, given["source"], module)
