"""Runs the studies and draws their pictures into docs/gallery: ``make gallery``, or ``docs/make_gallery.py [study ...]``.

The pictures are small and committed, so that the site can be built without running anything. A study runs in full if
docs/claims.json says that this takes at most `AFFORDABLE` seconds of one processor, else in its quick form;
docs/gallery/pictures.json says which, and is written after each study, so that the next call goes on where this one was
stopped. The claims beside the pictures come from docs/claims.json, which holds full runs of all studies.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
from PIL import Image

from condyle import studies
from condyle.verification import load_reports

DOCS = Path(__file__).parent
FOLDER = DOCS / "gallery"
LIST = FOLDER / "pictures.json"
AFFORDABLE = 25.0  # [s]
WIDTH = 900  # [pixels]
LARGEST = 60_000  # bytes of a picture
MOST = 4  # pictures of a study


def main(names: list[str]) -> None:
    """Draw the named studies anew, or all that have no pictures yet."""
    FOLDER.mkdir(exist_ok=True)
    listed = json.loads(LIST.read_text(encoding="utf-8")) if LIST.exists() else {}
    taken = {name: report.seconds for name, report in load_reports([DOCS / "claims.json"]).items()}
    for name in names or [name for name in studies.names() if name not in listed]:
        start = time.process_time()
        quick = taken.get(name, 1e9) > AFFORDABLE
        listed[name] = {"quick": quick, "pictures": _draw(name, quick)}
        _save(listed)
        print(f"{name}: {time.process_time() - start:.0f} s", flush=True)


def _draw(name: str, quick: bool) -> list[dict[str, Any]]:
    """Run a study, write its figures, and say what they are called."""
    study = studies.get(name)
    figures = study.draw(study.execute(quick=quick), study.values(quick=quick))
    for old in FOLDER.glob(f"{name}--*.webp"):
        old.unlink()
    return [_write(name, stem, figure) for stem, figure in list(figures.items())[:MOST]]


def _write(name: str, stem: str, figure: Any) -> dict[str, Any]:
    drawn = BytesIO()
    figure.savefig(drawn, dpi=2 * WIDTH / figure.get_size_inches()[0], format="png", bbox_inches="tight")
    picture = Image.open(drawn).convert("RGB")
    height = round(picture.height * WIDTH / picture.width)
    picture = picture.resize((WIDTH, height), Image.Resampling.LANCZOS)
    file = FOLDER / f"{name}--{stem}.webp"
    for options in ({"lossless": True}, *({"quality": quality} for quality in (80, 65, 50, 35, 20))):
        picture.save(file, method=6, **options)
        if file.stat().st_size <= LARGEST:
            break
    return {"file": file.name, "title": re.sub(r"[-_]+", " ", stem), "height": height}


def _save(listed: Mapping[str, Any]) -> None:
    """The list in the order of the studies, a line for each."""
    known = [name for name in studies.names() if name in listed]
    lines = [f"{json.dumps(name)}: {json.dumps(listed[name], ensure_ascii=False)}" for name in known]
    LIST.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
