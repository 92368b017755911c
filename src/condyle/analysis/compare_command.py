"""``condyle compare``: its options and what it does. Imports the engine only when it runs."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from condyle.analysis.check_command import add_load_option, load_files, refuse_failures


def add_compare_options(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    add = parser.add_argument
    add("model", metavar="MODEL", help="model file (.yaml, .json), double-pendulum, heavy-top or slider-crank")
    add("--integrators", metavar="A,B,…", help="names, with options as in 'HHT(alpha=0.2)' (default: Condyle's own)")
    add(
        "--steps",
        type=_numbers,
        default=(0.02, 0.01, 0.005),
        metavar="H,H,…",
        help="steps [s] (default: 0.02,0.01,0.005)",
    )
    add("--end", type=float, default=0.4, metavar="T", help="time simulated [s] (default: 0.4)")
    add("--reference", metavar="NAME", help="reference (default: DOP853; EnergyMomentum where muscles carry states)")
    add("--out", type=Path, metavar="DIR", help="write the table and the work–precision figures here")
    add("--json", action="store_true", help="the table as JSON")
    add_load_option(parser)
    add("--no-check", action="store_true", help="do not check what is loaded")


def compare_integrators(options: argparse.Namespace) -> int:
    """Exit code 1 if a run failed."""
    from condyle.analysis.compare import DEFAULT_INTEGRATORS, compare, named_model, split_names
    from condyle.tables import print_comparison

    loaded = load_files(options)
    if not options.no_check:
        refuse_failures(loaded)
    own = [name for one in loaded for name in one.integrators]
    integrators = split_names(options.integrators) if options.integrators else [*DEFAULT_INTEGRATORS, *own]
    comparison = compare(
        named_model(options.model, allow=options.allow, allow_code=options.allow_code),
        options.end,
        steps=options.steps,
        integrators=integrators,
        reference=options.reference,
        progress=lambda line: print(line, file=sys.stderr),
    )
    if options.json:
        print(json.dumps(comparison.to_json(), indent=2, ensure_ascii=False, allow_nan=False))
    else:
        print_comparison(comparison)
    if options.out:
        print("written:", *comparison.save(options.out), sep="\n  ", file=sys.stderr if options.json else sys.stdout)
    return 1 if comparison.problems() else 0


def _numbers(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(word) for word in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no list of numbers; write for example 0.02,0.01") from None
