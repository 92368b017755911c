"""Moving pictures of the shapes: GIF, HTML with a player, or MP4."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from condyle.errors import InputError
from condyle.results.shapes import Drawing, label_space

if TYPE_CHECKING:
    from condyle.model.given import BodyLike, PointLike
    from condyle.results.result import Result

MOST_FRAMES = 150


def animate(
    result: Result,
    path: str | Path,
    *,
    fps: float = 25.0,
    frames: int | None = None,
    trace: PointLike | Sequence[PointLike] = (),
    bodies: Sequence[BodyLike] | None = None,
    unit: str = "m",
    time_unit: str = "s",
    width: float = 6.4,
    dpi: int = 100,
) -> Path:
    """Write an animation; the ending of the path says which kind: .gif, .html (with a player) or .mp4 (needs ffmpeg, or the
    extra `video`).

    fps: pictures per second. frames: number of pictures, evenly spread in time (by default all, at most 150). trace:
    points whose paths are drawn. width [inch] times dpi is the width of the pictures in pixels.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    path = Path(path)
    if not (np.isfinite(fps) and fps > 0):
        raise InputError(f"animate: fps must be above zero, not {fps}")
    writer = _writer(path, fps)
    numbers = _spread(result, frames)
    drawing = Drawing(result, bodies)
    ax = drawing.space(numbers, trace, width=width)
    figure = label_space(ax, unit)
    FigureCanvasAgg(figure)
    title = ax.set_title("t", fontsize="medium")
    figure.draw_without_rendering()
    figure.set_layout_engine("none")  # laid out once, so that nothing moves but the bodies
    digits = int(np.clip(2 - np.floor(np.log10(max(result.times[-1] - result.times[0], 1e-300))), 0, 9))
    with writer.saving(figure, str(path), dpi):
        for frame in numbers:
            drawn = drawing.trace(ax, trace, result.times[frame]) + drawing.draw(ax, frame)
            title.set_text(f"t = {result.times[frame]:.{digits}f} {time_unit}".rstrip())
            writer.grab_frame()
            for artist in drawn:
                artist.remove()
    return path


def _writer(path: Path, fps: float) -> Any:
    from matplotlib import animation

    if not path.parent.is_dir():
        raise InputError(f"animate: there is no folder '{path.parent}'; make it first")
    kind = path.suffix.lower()
    if kind == ".gif":
        return animation.PillowWriter(fps=fps)  # type: ignore[arg-type]
    if kind in (".html", ".htm"):
        return animation.HTMLWriter(fps=fps, embed_frames=True)  # type: ignore[arg-type]
    if kind == ".mp4":
        return _mp4_writer(fps)
    raise InputError(f"animate: '{path.name}' must end in .gif, .html or .mp4")


def _mp4_writer(fps: float) -> Any:
    """A writer that calls the machine's ffmpeg, or the one that the package imageio-ffmpeg brings."""
    from matplotlib import animation, rcParams

    if not animation.FFMpegWriter.isAvailable():
        try:
            from imageio_ffmpeg import get_ffmpeg_exe

            rcParams["animation.ffmpeg_path"] = get_ffmpeg_exe()
        except (ImportError, RuntimeError):
            raise InputError(
                "animate: .mp4 needs the program ffmpeg, which was not found; pip install 'condyle[video]', or write a .gif"
            ) from None
    return animation.FFMpegWriter(fps=fps)  # type: ignore[arg-type]


def _spread(result: Result, frames: int | None) -> list[int]:
    """Numbers of the frames to show, evenly spread in time."""
    count = min(len(result), MOST_FRAMES) if frames is None else int(frames)
    if count < 1:
        raise InputError(f"animate: frames must be at least 1, not {frames}")
    return [result.at(t) for t in np.linspace(result.times[0], result.times[-1], count)]
