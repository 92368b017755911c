"""What a run leaves behind: recording while it goes, files, reading, tables, figures.

recorder.py   Recorder: takes every accepted step, writes blocks of them
layout.py     what is recorded of a step and of a frame, and the header that describes a run
stores.py     where recorded arrays are kept: in memory or in an HDF5 file
files.py      the HDF5 file: written so that a killed run stays readable; opened with clear errors
history.py    what is known of a run without its model: outcome, energies, momenta, frames, slices
result.py     Result: a history read by the names of the model: points, angles, joint forces
clinical.py   motion of bones as a clinician describes it
rotations.py  rotation matrices, angles and spins out of directors
constraint_levels.py  how well constraints hold at the levels of places, velocities and accelerations
reactions.py  joint forces out of multipliers
crash         what a safety engineer reads: filters, criteria of injury, legform, blows, ratings, section forces
fields.py     strain, stress and energy density of solids; VTK
materials.py  curves of materials in simple states of strain
tables.py     pandas and xarray
lines.py      forces along cables and beams; line_history.py: their length and strains over time; vtk.py: shapes for ParaView
plots.py      curves over time; shapes.py: drawing bodies; animation.py: moving pictures; figure.py: their look

Imports `condyle.model` and, when a body or joint is read, `condyle.system`; knows nothing of integrators. h5py,
matplotlib, pandas and xarray are loaded when they are needed.
"""

from condyle.results import crash
from condyle.results.clinical import clinical_motion
from condyle.results.fields import SolidFields
from condyle.results.line_history import LineHistory
from condyle.results.lines import line_forces, plot_line_forces
from condyle.results.materials import material_curves, plot_material
from condyle.results.muscles import muscle_curves, plot_muscle
from condyle.results.result import Result
from condyle.results.vtk import write_vtk

__all__ = [
    "LineHistory",
    "Result",
    "SolidFields",
    "clinical_motion",
    "crash",
    "line_forces",
    "material_curves",
    "muscle_curves",
    "plot_line_forces",
    "plot_material",
    "plot_muscle",
    "write_vtk",
]
