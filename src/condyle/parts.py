"""The Model together with all kinds of parts that it can be made of.

Rooms declare parts and register them with `condyle.model`, which imports none of these rooms. This module stands above them: it
loads the ground, which every model has, and says how the other kinds are loaded when a model file names one of them.
"""

from __future__ import annotations

import condyle.bodies  # noqa: F401  (registers bodies, among them the ground)
from condyle.model.model import Model
from condyle.model.model_files import ModelFiles, reads_model_files
from condyle.model.part import loads_part_types
from condyle.model.showing import Shower, shows

__all__ = ["Model"]


@loads_part_types
def load_all_kinds() -> None:
    """Import the rooms that declare parts; contact is the slowest of them and brings the compiler."""
    import condyle.contact
    import condyle.forces
    import condyle.geometry
    import condyle.joints
    import condyle.muscles  # noqa: F401


@shows
def find_shower() -> Shower:
    """What shows models and results in notebooks and browsers."""
    import condyle.report.show

    return condyle.report.show


@reads_model_files
def find_model_files() -> ModelFiles:
    """What reads and writes models as YAML."""
    from condyle.files.reading import read_model
    from condyle.files.writing import write_model

    return ModelFiles(read_model, write_model)
