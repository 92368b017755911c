"""The published models, each one file, written only with the public names of Condyle.

A module of this folder defines ``STUDY`` (one study) or ``STUDIES`` (several) and is registered by one line in
``MODULES``. ``condyle list`` imports them all, so at the top of a study stand the standard library, ``condyle`` and
NumPy, nothing heavier.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from runpy import run_path

from condyle.errors import InputError, unknown_name
from condyle.study import Study

__all__ = ["MODULES", "all_studies", "from_file", "get", "names"]

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
    "hewlett_friction",
    "solid_benchmarks",
    "hovey_elements",
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
    "hovey_contact",
    "hovey_bartel",
    "contact_benchmarks",
    "spicka_pendulum",
    "spicka_ball",
    "spicka_solvers",
    "spicka_arm",
    "spicka_plane",
    "spicka_legform",
    "impact_chains",
    "painleve_rod",
    "impact_ellipsoids",
    "box_stack",
    "helmet_drop",
    "legform_bumper",
)


def all_studies() -> list[Study]:
    """Every registered study, in the order of registration."""
    studies: dict[str, Study] = {}
    for module_name in MODULES:
        module = import_module(f"{__name__}.{module_name}")
        for study in getattr(module, "STUDIES", None) or [module.STUDY]:
            if study.name in studies:
                raise InputError(f"study {study.name!r} is defined twice; rename the one in {module.__name__}")
            studies[study.name] = study
    return list(studies.values())


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
    return [study.name for study in all_studies()]


def get(name: str) -> Study:
    """The study of this name, or that of a Python file of one's own; InputError with the nearest name if there is none."""
    if name.endswith(".py"):
        return from_file(Path(name))
    studies = {study.name: study for study in all_studies()}
    if name not in studies:
        raise unknown_name("study", name, studies)
    return studies[name]
