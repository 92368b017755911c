"""A study that a user writes in one file (examples/extensions/swinging_rod.py) is run by the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from condyle.cli import main
from extensions import FOLDER


def test_a_study_is_listed_run_and_verified_by_its_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = str(FOLDER / "swinging_rod.py")
    assert main(["verify", file, "--quick"]) == 0
    assert "1 of 1 closed form; 1 of 1 property" in capsys.readouterr().out
    assert main(["list", file]) == 0
    assert "swinging-rod" in capsys.readouterr().out
    empty = tmp_path / "empty.py"
    empty.write_text("")
    assert main(["verify", str(empty)]) != 0
    assert "defines no STUDY" in capsys.readouterr().err
    assert main(["verify", str(tmp_path / "none.py")]) != 0
    assert "there is no file" in capsys.readouterr().err
