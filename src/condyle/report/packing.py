"""Arrays of a page as one compressed block: the page says where each begins, a browser reads them without copying."""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Block", "Place"]

Place = dict[str, Any]  # where an array stands: kind ('f4', 'u2', 'u4'), first byte, how many numbers
KINDS = {"f4": np.float32, "u2": np.uint16, "u4": np.uint32}
STEPS = 65535  # of a number kept in two bytes


class Block:
    """Arrays one after the other, each on a boundary of four bytes."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self.size = 0

    def add(self, values: object, kind: str) -> Place:
        """Append an array; what the page has to know to find it again."""
        array = np.ascontiguousarray(values, dtype=KINDS[kind])
        raw = array.astype(array.dtype.newbyteorder("<")).tobytes()
        place = {"kind": kind, "at": self.size, "count": int(array.size)}
        raw += bytes(-len(raw) % 4)
        self._parts.append(raw)
        self.size += len(raw)
        return place

    def add_between(self, values: NDArray[np.float64], low: Any, high: Any) -> Place:
        """Append numbers as steps between bounds, two bytes each; what is no number becomes the lower bound."""
        span = np.where(np.asarray(high) > np.asarray(low), np.asarray(high, dtype=float) - low, 1.0)
        steps = np.rint(STEPS * np.clip(np.nan_to_num((values - low) / span), 0.0, 1.0))
        return self.add(steps, "u2")

    def text(self) -> str:
        """Compressed, as letters that may stand in a page."""
        return base64.b64encode(zlib.compress(b"".join(self._parts), 6)).decode("ascii")
