"""A run as a glTF animation (.glb), which browsers, Blender and slide programs play.

What moves as a rigid body is a node with a place and a rotation over time; what deforms has a morph target for each frame. glTF
has y up; a node above all others turns the axes of the model so that its own upward direction is y. Layout: glTF 2.0.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.body import FrameAnchor
from condyle.errors import InputError
from condyle.report.scene import Item, Scene
from condyle.results.rotations import quaternions
from condyle.results.shapes import chosen_frames

if TYPE_CHECKING:
    from condyle.results.result import Result

__all__ = ["write_gltf"]

Array = NDArray[np.float64]
FLOAT, UINT = 5126, 5125  # kinds of numbers of an accessor
TRIANGLES, LINES = 4, 1
RIGID = 1e-6  # of its size: so little may a thing that is called rigid deform
KINDS = {1: "SCALAR", 3: "VEC3", 4: "VEC4"}
ENDINGS = (".glb",)


def write_gltf(
    result: Result, path: str | Path, times: Sequence[float] | None = None, *, count: int = 100, joints: bool = False
) -> Path:
    """Write all bodies, contact shapes, muscles and ligaments as a glTF animation; returns the path.

    path: ends in .glb. times [s]: of the frames, by default `count` evenly spread ones. joints: dots and axes of joints, too.
    """
    file = Path(path)
    if file.suffix.lower() not in ENDINGS:
        raise InputError(f"write_gltf: '{file}' must end in .glb")
    frames = chosen_frames(result, times, min(count, len(result.times)))
    made = _Asset(result.name, np.asarray(result.times)[frames])
    for item, places in Scene(result).places(frames):
        if (joints or item.kind != "joint") and (len(item.triangles) or len(item.edges)):
            made.add(item, places, _moved_with(result, item, frames))
    if not made.children:
        raise InputError(f"write_gltf: result '{result.name}' has nothing to draw; give the bodies an outline or faces")
    file.write_bytes(made.packed(_upward(result)))
    return file


class _Asset:
    """Nodes, meshes, accessors and the one buffer of a glTF file, as they grow."""

    def __init__(self, name: str, times: Array) -> None:
        self.name = name
        self.moving = len(times) > 1
        self.buffer = bytearray()
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []
        self.nodes: list[dict[str, Any]] = [{"name": name}]
        self.children: list[int] = []
        self.meshes: list[dict[str, Any]] = []
        self.materials: list[dict[str, Any]] = []
        self.samplers: list[dict[str, Any]] = []
        self.channels: list[dict[str, Any]] = []
        self.times = self._accessor(times - times[0], 1)

    def add(self, item: Item, places: Array, axes: tuple[Array, Array] | None) -> None:
        """An item with its places (frames, points, 3); axes: that it may move with."""
        node: dict[str, Any] = {"name": item.name, "mesh": len(self.meshes), "extras": {"kind": item.kind}}
        rigid = _as_rigid(places, axes) if self.moving else None
        own = places[0] if rigid is None else (places[0] - rigid[0][0]) @ rigid[1][0]
        points = self._accessor(own, 3)
        parts = []
        targets = [] if rigid is not None or not self.moving else self._targets(places)
        for numbers, mode in ((item.triangles, TRIANGLES), (item.edges, LINES)):
            if len(numbers):
                part = {
                    "attributes": {"POSITION": points},
                    "indices": self._accessor(numbers, 1, whole=True),
                    "mode": mode,
                }
                parts.append(
                    part | {"material": self._material(item, mode)} | ({"targets": targets} if targets else {})
                )
        mesh: dict[str, Any] = {"name": item.name, "primitives": parts}
        number = len(self.nodes)
        if targets:
            mesh["weights"] = [0.0] * len(targets)
            # One target for each frame but the first: weights are 1 at its frame, and straight between frames.
            weights = np.vstack((np.zeros(len(targets)), np.eye(len(targets))))
            self._animate(number, "weights", self._accessor(weights.reshape(-1, 1), 1))
        elif rigid is not None:
            centres, turns = rigid
            quaternion = _steady(turns)
            node["translation"], node["rotation"] = centres[0].tolist(), quaternion[0].tolist()
            self._animate(number, "translation", self._accessor(centres, 3))
            self._animate(number, "rotation", self._accessor(quaternion, 4))
        self.meshes.append(mesh)
        self.nodes.append(node)
        self.children.append(number)

    def packed(self, turn: list[float]) -> bytes:
        """The whole file: a header, the JSON and the buffer."""
        self.nodes[0] |= {"children": self.children, "rotation": turn}
        content: dict[str, Any] = {
            "asset": {"version": "2.0", "generator": "Condyle"},
            "scene": 0,
            "scenes": [{"name": self.name, "nodes": [0]}],
            "nodes": self.nodes,
            "meshes": self.meshes,
            "materials": self.materials,
            "accessors": self.accessors,
            "bufferViews": self.views,
            "buffers": [{"byteLength": len(self.buffer)}],
        }
        if self.channels:
            content["animations"] = [{"name": self.name, "channels": self.channels, "samplers": self.samplers}]
        text = json.dumps(content, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        data = bytes(self.buffer) + b"\0" * (-len(self.buffer) % 4)
        chunks = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(data), 0x004E4942) + data
        return struct.pack("<III", 0x46546C67, 2, 12 + len(chunks)) + chunks

    def _targets(self, places: Array) -> list[dict[str, int]]:
        return [{"POSITION": self._accessor(places[k] - places[0], 3)} for k in range(1, len(places))]

    def _animate(self, node: int, what: str, values: int) -> None:
        self.channels.append({"sampler": len(self.samplers), "target": {"node": node, "path": what}})
        self.samplers.append({"input": self.times, "output": values, "interpolation": "LINEAR"})

    def _accessor(self, values: NDArray[np.float64] | NDArray[np.int64], width: int, *, whole: bool = False) -> int:
        """Numbers in the buffer, (n, width); returns the number of their accessor."""
        array = np.ascontiguousarray(values, dtype="<u4" if whole else "<f4").reshape(-1, width)
        self.views.append({"buffer": 0, "byteOffset": len(self.buffer), "byteLength": array.nbytes})
        self.buffer += array.tobytes()
        entry = {
            "bufferView": len(self.views) - 1,
            "componentType": UINT if whole else FLOAT,
            "count": array.size if whole else len(array),
            "type": KINDS[width],
            "min": array.min(axis=0).tolist(),
            "max": array.max(axis=0).tolist(),
        }
        self.accessors.append(entry)
        return len(self.accessors) - 1

    def _material(self, item: Item, mode: int) -> int:
        colour = [_linear(int(item.colour[k : k + 2], 16) / 255.0) for k in (1, 3, 5)]
        shade = 0.6 if mode == LINES and len(item.triangles) else 1.0  # edges on faces stand out
        surface = {
            "baseColorFactor": [*(shade * c for c in colour), 1.0],
            "metallicFactor": 0.0,
            "roughnessFactor": 0.8,
        }
        entry = {"pbrMetallicRoughness": surface, "doubleSided": True}
        if entry not in self.materials:
            self.materials.append(entry)
        return self.materials.index(entry)


def _moved_with(result: Result, item: Item, frames: list[int]) -> tuple[Array, Array] | None:
    """Origin (frames, 3) and axes (frames, 3, 3) of the body that an item is, if that body has axes."""
    if item.kind != "body" or not isinstance(result.system.anchors.get(item.name), FrameAnchor):
        return None
    d = result.dimension
    origin, axes = np.zeros((len(frames), 3)), np.tile(np.eye(3), (len(frames), 1, 1))
    origin[:, :d], axes[:, :d, :d] = result.position(item.name)[frames], result.rotation_matrix(item.name)[frames]
    return origin, axes


def _as_rigid(places: Array, axes: tuple[Array, Array] | None) -> tuple[Array, Array] | None:
    """Origins (frames, 3) and axes (frames, 3, 3) in which a shape keeps its form; None if it deforms.

    Of the body if they are given. Else the origin is the middle of its points, and the rotation since the first frame is the
    best one in the mean square, from the polar part of Σ y Xᵀ.
    """
    origins = places.mean(axis=1) if axes is None else axes[0]
    Y = places - origins[:, None]
    if axes is None:
        u, _, vt = np.linalg.svd(np.einsum("tpi,pj->tij", Y, Y[0]))
        keep = np.ones((len(places), 3))
        keep[:, 2] = np.sign(np.linalg.det(u @ vt))
        turns = np.einsum("tik,tk,tkj->tij", u, keep, vt)
    else:
        turns = axes[1]
    off = np.abs(np.einsum("tij,tpi->tpj", turns, Y) - Y[0] @ turns[0]).max()
    return (origins, turns) if off <= RIGID * max(float(np.ptp(Y[0], axis=0).max()), 1e-300) else None


def _steady(turns: Array) -> Array:
    """Quaternions (x, y, z, w) of rotations, each on the same side as the one before it."""
    q = quaternions(turns)
    flips = np.where(np.einsum("ti,ti->t", q[1:], q[:-1]) < 0.0, -1.0, 1.0)
    q[1:] *= np.cumprod(flips)[:, None]
    return np.asarray(q[:, [1, 2, 3, 0]])


def _upward(result: Result) -> list[float]:
    """The quaternion (x, y, z, w) that turns the upward direction of the model to y."""
    g = np.zeros(3)
    g[: result.dimension] = result.model.gravity
    up = -g / np.linalg.norm(g) if g.any() else np.array([0.0, 0.0, 1.0] if result.dimension == 3 else [0.0, 1.0, 0.0])
    axis, cosine = np.cross(up, [0.0, 1.0, 0.0]), float(up[1])
    if np.linalg.norm(axis) < 1e-9:
        return [0.0, 0.0, 0.0, 1.0] if cosine > 0.0 else [1.0, 0.0, 0.0, 0.0]
    half = 0.5 * np.arctan2(np.linalg.norm(axis), cosine)
    return [*(axis / np.linalg.norm(axis) * np.sin(half)).tolist(), float(np.cos(half))]


def _linear(value: float) -> float:
    """A part of a colour of a screen as light, which glTF counts in (sRGB)."""
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
