"""FEBio's model files (.feb), versions 3 and 4.

spec.py       nodes, elements, sets, surfaces, load curves, with units
materials.py  materials with the constants of Condyle
reading.py    `read`: solids and rigid bodies, and what holds and loads them
rigid.py      conditions, loads and joints of rigid bodies
"""

from condyle.imports.febio.reading import read

__all__ = ["read"]
