"""`condyle new`, `condyle check FILE.yaml`, `condyle format`, `condyle schema`: their options and what they do."""

from __future__ import annotations

import argparse
import difflib
import json
import sys
from pathlib import Path
from typing import Any

from condyle.errors import InputError

__all__ = [
    "add_allow_options", "add_format_options", "add_new_options", "check_model_files", "format_files",
    "print_schema", "study_with_options", "write_start",
]  # fmt: skip


def add_allow_options(parser: argparse.ArgumentParser) -> None:
    """--allow and --allow-code, for commands that read model files."""
    parser.add_argument(
        "--allow", type=Path, action="append", default=[], metavar="PATH", help="folder that a model file may read, too"
    )
    parser.add_argument(
        "--allow-code", action="store_true", help="import functions that a model file names; only if you trust it"
    )


def add_new_options(parser: argparse.ArgumentParser) -> None:
    """The arguments of `condyle new`."""
    from condyle.files.starts import STARTS

    parser.add_argument("kind", choices=sorted(STARTS), help="what to begin with")
    parser.add_argument("file", nargs="?", type=Path, metavar="FILE", help="the file to write (default: KIND.yaml)")
    parser.add_argument("--overwrite", action="store_true", help="replace a file that is there")
    parser.add_argument("--json", action="store_true", help="the file that was written as JSON")


def add_format_options(parser: argparse.ArgumentParser) -> None:
    """The arguments of `condyle format`."""
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="model file (.yaml)")
    parser.add_argument("--check", action="store_true", help="change nothing; exit code 1 if a file would be changed")
    parser.add_argument("--json", action="store_true", help="the files that were changed, or would be, as JSON")


def study_with_options(options: argparse.Namespace) -> Any:
    """The study that a command names, or that a model file is."""
    from condyle.model.model_files import is_model_file

    if is_model_file(options.study):
        from condyle.files.experiment import Experiment

        found = Experiment(options.study, options.allow, options.allow_code)
        found.check_equations()
        return found.study()
    from condyle import studies

    return studies.get(options.study)


def write_start(options: argparse.Namespace) -> int:
    """``condyle new KIND``: a commented file to begin with."""
    from condyle.files.starts import STARTS

    file = options.file or Path(f"{options.kind}.yaml")
    if file.exists() and not options.overwrite:
        raise InputError(f"'{file}' is there already; give another name, or --overwrite")
    file.write_text(STARTS[options.kind], encoding="utf-8")
    if options.json:
        print(json.dumps({"written": str(file)}, ensure_ascii=False))
    else:
        print(f"written: {file}\nnext: condyle check {file}; condyle run {file}")
    return 0


def check_model_files(options: argparse.Namespace) -> int:
    """``condyle check FILE.yaml``: every mistake with its place; exit code 2 if there is one."""
    from condyle.files.experiment import Experiment
    from condyle.files.tree import FileError

    wrong: list[dict[str, Any]] = []
    for path in options.files:
        try:
            found = Experiment(path, options.allow, options.allow_code)
            found.check_equations()
        except FileError as error:
            wrong += [vars(mistake) for mistake in error.mistakes]
            if not options.json:
                print(*error.mistakes, sep="\n")
            continue
        if not options.json:
            counts = {
                "part": len(found.file.model) - 1,
                "parameter": len(found.scope.nodes),
                "claim": len(found.claims),
            }
            said = ", ".join(f"{count} {word}{'' if count == 1 else 's'}" for word, count in counts.items())
            print(f"{path}: {said}; no mistakes")
    if options.json:
        print(json.dumps(wrong, indent=2, ensure_ascii=False))
    elif wrong:
        print(f"{len(wrong)} mistake{'s' if len(wrong) > 1 else ''}", file=sys.stderr)
    return 2 if wrong else 0


def format_files(options: argparse.Namespace) -> int:
    """``condyle format FILE``: one indentation, comments kept; exit code 1 of --check if a file would change."""
    from condyle.files.formatting import formatted

    changed: list[str] = []
    for path in options.files:
        text = path.read_text(encoding="utf-8")
        made = formatted(text, str(path))
        if made == text:
            continue
        changed.append(str(path))
        if not options.check:
            path.write_text(made, encoding="utf-8")
        if options.json:
            continue
        if options.check:
            sys.stdout.writelines(
                difflib.unified_diff(text.splitlines(True), made.splitlines(True), str(path), str(path))
            )
        else:
            print(f"formatted: {path}")
    if options.json:
        print(json.dumps({"changed": changed, "written": not options.check}, ensure_ascii=False))
    return 1 if options.check and changed else 0


def print_schema(options: argparse.Namespace) -> int:
    """``condyle schema``: the JSON schema of model files."""
    from condyle.files.schema import schema

    text = json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"
    if options.file is None:
        print(text, end="")
    else:
        options.file.write_text(text, encoding="utf-8")
    return 0
