"""Reading back what was written for ParaView."""

import base64
import xml.etree.ElementTree as ET

import numpy as np


def vtk_piece(file):
    """The one piece of a .vtp file."""
    return ET.parse(file).getroot().find(".//Piece")


def vtk_numbers(array):
    """The numbers of a DataArray: eight bytes with their size, then themselves, in base 64."""
    assert array.get("format") == "binary"
    raw = base64.b64decode(array.text)
    assert int(np.frombuffer(raw[:8], "<u8")[0]) == len(raw) - 8
    return np.frombuffer(raw[8:], {"Float64": "<f8", "Int64": "<i8"}[array.get("type")])
