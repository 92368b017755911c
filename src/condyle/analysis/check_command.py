"""``condyle check``: its options and what it does. Imports the engine only when it runs."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from condyle.errors import InputError

if TYPE_CHECKING:
    from condyle.analysis.loading import Loaded


def add_check_options(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument(
        "files", nargs="+", type=Path, metavar="FILE", help="model file (.yaml), or Python file with parts of your own"
    )
    parser.add_argument("--json", action="store_true", help="the outcomes as JSON")


def add_load_option(parser: argparse.ArgumentParser) -> None:
    """--load, for all commands that read a model."""
    parser.add_argument(
        "--load", type=Path, action="append", default=[], metavar="FILE", help="Python file with parts of your own"
    )


def add_code_option(parser: argparse.ArgumentParser) -> None:
    """--allow-code, for all commands that read a file which may name Python functions."""
    parser.add_argument(
        "--allow-code",
        action="store_true",
        help="import functions of time that the file names as module:name; only for files you trust",
    )


def load_files(options: argparse.Namespace) -> list[Loaded]:
    """What the files of --load bring."""
    if not options.load:
        return []
    from condyle.analysis.loading import load_parts

    return [load_parts(file) for file in options.load]


def check_files(options: argparse.Namespace) -> int:
    """``condyle check FILE``: exit code 1 if a check failed."""
    from condyle.analysis.check import check_loaded
    from condyle.analysis.loading import load_parts
    from condyle.tables import print_checks

    checks = []
    for file in options.files:
        loaded = load_parts(file)
        if not any(loaded):
            raise InputError(f"'{file}' brings no law, part or integrator; see condyle.law, Part, register_integrator")
        checks += check_loaded(loaded, lambda done: print(done, file=sys.stderr)).checks
    if options.json:
        print(json.dumps([asdict(check) for check in checks], indent=2, ensure_ascii=False))
    else:
        print_checks(checks)
    return 1 if any(check.ok is False for check in checks) else 0


def refuse_failures(loaded: Sequence[Loaded]) -> None:
    """Check all that was loaded, a line each on standard error; an error that names what failed."""
    from condyle.analysis.check import check_loaded

    checks = [c for one in loaded for c in check_loaded(one, lambda done: print(done, file=sys.stderr)).checks]
    failed = [str(check) for check in checks if check.ok is False]
    if failed:
        raise InputError(f"{'; '.join(failed)}. Correct it, or leave the checks out with --no-check")
