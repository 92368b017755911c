"""The command line: ``condyle list | run | verify | sweep | new | check | format | schema | simulate | resume | …``.

Results and tables go to standard output, progress and errors to standard error. Exit code 0: all is well, 1: a claim
failed or a solve did not converge, 2: a user's mistake, 130: interrupted. What is slow to import is imported by the
command that needs it.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from condyle import __version__
from condyle.analysis.check_command import (
    add_check_options,
    add_code_option,
    add_load_option,
    check_files,
    load_files,
)
from condyle.analysis.compare_command import add_compare_options, compare_integrators
from condyle.completion import SHELLS
from condyle.errors import CondyleError, ConvergenceError, InputError
from condyle.files.command import (
    add_allow_options,
    add_format_options,
    add_new_options,
    check_model_files,
    format_files,
    print_schema,
    study_with_options,
    write_start,
)
from condyle.imports.command import add_import_options, import_file
from condyle.report.command import add_report_options, add_view_options, view_target, write_page
from condyle.report.export import add_export_options, export_file
from condyle.runs.identify_command import add_identify_options, run_identify
from condyle.runs.sweep_command import add_sweep_options, run_sweep

if TYPE_CHECKING:
    from condyle.claims import Outcome, Verdict
    from condyle.study import Context, Parameters, Study

__all__ = ["main"]

OK, CLAIM_FAILED, MISTAKE, INTERRUPTED = 0, 1, 2, 130

EXAMPLES = """examples:
  condyle new pendulum            write a model file to begin with
  condyle check pendulum.yaml     every mistake with its line and the fix
  condyle run pendulum.yaml       run it; results/pendulum/report.html shows it
  condyle run hip-gait            a published study beside its numbers
  condyle view pendulum.yaml      look at a model before it runs
  condyle doctor                  what is missing on this machine

exit codes: 0 all is well, 1 a claim failed or a solve did not converge, 2 a mistake in what was asked for, 130 interrupted"""
# One line for each command.
EXAMPLE = {
    "list": "condyle list hip-gait",
    "run": "condyle run hip-gait --quick --set end=0.3 --out here",
    "verify": "condyle verify heavy-top --json",
    "report": "condyle report results/hip-gait/as-published.h5 -o hip.html",
    "view": "condyle view knee.yaml --no-browser",
    "sweep": "condyle sweep hovey-liner --vary outer=18:26:5mm",
    "identify": "condyle identify task.yaml --out found",
    "simulate": "condyle simulate arm.json --end 3 --dt 0.01 --integrator 'HHT(alpha=0.1)'",
    "resume": "condyle resume arm.h5 --end 5",
    "compare": "condyle compare heavy-top --steps 0.01,0.005 --integrators EnergyMomentum,HHT",
    "check": "condyle check knee.yaml",
    "new": "condyle new knee mine.yaml",
    "import": "condyle import gait.osim -o gait.yaml",
    "export": "condyle export run.h5 -o run.glb",
    "format": "condyle format knee.yaml --check",
    "schema": "condyle schema condyle.schema.json",
    "show": "condyle show results/hip-gait/as-published.h5",
    "warmup": "condyle warmup",
    "info": "condyle info --json",
    "doctor": "condyle doctor --json",
    "completion": 'eval "$(condyle completion bash)"',
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    options = _parser().parse_args(arguments)
    command: Callable[[argparse.Namespace], int] = options.command
    try:
        with _ended_as_interrupted():
            if options.quiet and not vars(options).get("json"):
                with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
                    return command(options)
            code = command(options)
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # the reader has seen enough: condyle list | head -1
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except KeyboardInterrupt as error:
        print(f"condyle: interrupted: {error}" if error.args else "condyle: interrupted", file=sys.stderr)
        return INTERRUPTED
    except (CondyleError, OSError) as error:
        if options.debug:
            raise
        for line in map(str, vars(error).get("mistakes") or [" ".join(str(error).split())]):  # of a model file: all
            print(f"condyle: error: {line}", file=sys.stderr)
        return CLAIM_FAILED if isinstance(error, ConvergenceError) else MISTAKE


@contextlib.contextmanager
def _ended_as_interrupted() -> Iterator[None]:
    """A request to end (SIGTERM, of a queue or of kill) stops a command as Ctrl+C does: workers end, files are whole."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: object) -> NoReturn:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def list_studies(options: argparse.Namespace) -> int:
    """``condyle list [STUDY ...] [--json]``"""
    from condyle import studies

    chosen = [studies.get(name) for name in options.studies]
    shown: Sequence[Study | studies.Card] = chosen or studies.cards()
    if options.json:
        _print_json([{"name": study.name, "title": study.title, "source": study.source} for study in shown])
    elif chosen:
        from condyle.tables import describe_study

        for study in chosen:
            describe_study(study)
    else:
        # Plain lines: loading the table library would take longer than everything else here.
        width = max((len(card.name) for card in shown), default=0)
        for card in shown:
            print(f"{card.name:{width}}  {card.title} ({card.source})")
    return OK


def run_study(options: argparse.Namespace) -> int:
    """``condyle run STUDY``: simulate, summarise, compare with the claims, draw the figures."""
    from condyle.study import Context

    study = study_with_options(options)
    overrides = study.parse(options.set)
    values = study.values(overrides, options.quick)
    context = Context(options.out or Path("results") / study.name, progress=not options.quiet)
    told = contextlib.redirect_stdout(sys.stderr) if options.json else contextlib.nullcontext()
    with told:
        verdicts, files = _run_and_tell(study, overrides, values, context, options)
    if options.json:
        _print_json({"verdicts": [verdict.to_json() for verdict in verdicts], "files": [str(file) for file in files]})
    return OK if all(verdict.ok for verdict in verdicts) else CLAIM_FAILED


def _run_and_tell(
    study: Study, overrides: Mapping[str, Any], values: Any, context: Context, options: argparse.Namespace
) -> tuple[list[Verdict], list[Path]]:
    """Run a study, print what came out and write its files."""
    try:
        outcome = study.execute(overrides, context, options.quick)
    finally:  # a run that was interrupted or failed has a summary and a file, too
        _print_summaries(context)
    if options.profile:
        _print_profiles(context)
    verdicts = study.judge(outcome, options.quick)
    _print_verdicts(study, verdicts, overrides)
    assert context.out is not None
    context.out.mkdir(parents=True, exist_ok=True)
    claims_file = context.out / "claims.json"
    claims_file.write_text(json.dumps([verdict.to_json() for verdict in verdicts], indent=2, allow_nan=False) + "\n")
    files = [*context.files, claims_file]
    pictures = [] if options.no_figures else _save_figures(study, outcome, values, context.out)
    files += pictures
    if not options.no_report:
        files.append(_write_page(study, context, verdicts, pictures))
    print("written:", *map(_listed, files), sep="\n  ")
    return verdicts, files


def _listed(file: Path) -> str:
    """A file that was written; a folder with the number of its files."""
    return f"{file}{os.sep} ({len(list(file.iterdir()))} files)" if file.is_dir() else str(file)


def _print_profiles(context: Context) -> None:
    from condyle.analysis.profile import profile
    from condyle.results.tables import python_steps
    from condyle.tables import print_profile

    for label, result in context.results.items():
        print_profile(label, profile(result), python_steps(result))


def verify_studies(options: argparse.Namespace) -> int:
    """``condyle verify``: every claim of the chosen studies, run now or read from files."""
    from condyle import studies, verification
    from condyle.claims import counted

    chosen = [studies.get(name) for name in options.studies] or studies.all_studies()
    if options.quick and options.given:
        raise InputError("--quick runs the studies, --from reads what was run; give one of them")
    reports = verification.load_reports(options.given or [])
    if options.given and options.save:  # verdicts of several files in one, of the studies that are named
        verification.save_reports(options.save, [reports[study.name] for study in chosen if study.name in reports])
    # With --json standard output carries the array and nothing else, whatever a study prints.
    with contextlib.redirect_stdout(sys.stderr) if options.json else contextlib.nullcontext():
        for study in chosen:
            if not options.given:
                reports[study.name] = verification.verify(
                    study, quick=options.quick, debug=options.debug, progress=not options.quiet
                )
                if options.save:  # after each study: what was computed is kept if the next one is interrupted
                    verification.save_reports(options.save, [reports[study.name]])
            if not options.json and study.name in reports:
                from condyle.tables import print_claims

                print(f"{study.name}: {study.title} ({study.source})")
                print_claims(reports[study.name].verdicts)
    if options.page and options.save:  # of all that the file holds, not only of what was run now
        everyone = {study.name: study for study in [*studies.all_studies(), *chosen]}
        text = verification.page(list(everyone.values()), verification.load_reports([options.save]))
        options.page.write_text(text, encoding="utf-8")
    elif options.page:
        options.page.write_text(verification.page(chosen, reports), encoding="utf-8")
    verdicts = [verdict for study in chosen if study.name in reports for verdict in reports[study.name].verdicts]
    if options.json:
        _print_json([verdict.to_json() for verdict in verdicts])
    else:
        if len(reports) > 1:
            from condyle.tables import print_counts

            print_counts(verification.count_rows([reports[study.name] for study in chosen if study.name in reports]))
        print(f"claims that hold in all: {counted(verdicts)}")
    return OK if all(verdict.ok for verdict in verdicts) else CLAIM_FAILED


def show_file(options: argparse.Namespace) -> int:
    """``condyle show FILE``: what a results file holds."""
    import condyle
    from condyle.tables import contents_of, print_contents

    result = condyle.load(options.file)
    if options.json:
        _print_json(contents_of(result))
    else:
        print_contents(str(options.file), result)
    return OK


def simulate_model(options: argparse.Namespace) -> int:
    """``condyle simulate MODEL``: run a model file."""
    import condyle

    load_files(options)
    model = condyle.Model.load(options.model, allow=options.allow, allow_code=options.allow_code)
    file = options.out or options.model.with_suffix(".h5")
    result = condyle.simulate(
        model, end=options.end, dt=options.dt, integrator=options.integrator, file=file, overwrite=options.overwrite,
        every=options.every, progress=not options.quiet,
    )  # fmt: skip
    return _tell_run(model.name, result, options)


def resume_run(options: argparse.Namespace) -> int:
    """``condyle resume FILE``: continue a run that was killed or interrupted."""
    import condyle

    load_files(options)
    result = condyle.resume(options.file, end=options.end, allow_code=options.allow_code, progress=not options.quiet)
    return _tell_run(str(options.file), result, options)


def _tell_run(label: str, result: Any, options: argparse.Namespace) -> int:
    """How a run of a model file went, in a table or as JSON, and its exit code."""
    from condyle.tables import contents_of, print_result

    if options.json:
        _print_json(contents_of(result))
    else:
        print_result(label, result)
    return INTERRUPTED if result.status == "interrupted" else OK


def check_any(options: argparse.Namespace) -> int:
    """``condyle check FILE``: model files, or Python files with parts of one's own."""
    from condyle.model.model_files import is_model_file

    return (check_model_files if all(map(is_model_file, options.files)) else check_files)(options)


def warm_up(options: argparse.Namespace) -> int:
    """``condyle warmup``: compile the kernels now rather than at the first run."""
    import condyle
    from condyle.laws import precompile
    from condyle.laws.kernel import warmup

    precompile.start()  # large kernels, in the meantime
    for name in condyle.__all__:  # kernels announce themselves when their modules are imported
        getattr(condyle, name)
    reports = []
    for report in warmup():
        reports.append(report)
        if not options.json:
            print(f"{report.task}: " + (f"{report.seconds:.1f} s" if report.error is None else report.error))
    if options.json:
        _print_json([{"task": made.task, "seconds": made.seconds, "error": made.error} for made in reports])
    return CLAIM_FAILED if any(made.error is not None for made in reports) else OK


def show_info(options: argparse.Namespace) -> int:
    """``condyle info``: versions, solvers, the folder of compiled kernels, as `condyle doctor` finds them, without advice."""
    from condyle.doctor import findings
    from condyle.tables import print_pairs

    pairs = {finding.name: finding.found for finding in findings()}
    if options.json:
        _print_json({"condyle": __version__, **pairs})
    else:
        print_pairs(f"condyle {__version__}", pairs)
    return OK


def show_health(options: argparse.Namespace) -> int:
    """``condyle doctor``: what is there, what is missing and how to get it; exit code 1 if something needed is missing."""
    import dataclasses

    from condyle.doctor import findings

    found = findings()
    if options.json:
        _print_json([dataclasses.asdict(finding) for finding in found])
    else:
        from condyle.tables import print_findings

        print_findings(f"condyle {__version__}", found)
    return CLAIM_FAILED if any(finding.ok is False for finding in found) else OK


def print_completion(options: argparse.Namespace) -> int:
    """``condyle completion SHELL``: the script that completes commands, options and names of studies."""
    from condyle import studies
    from condyle.completion import script

    print(script(_parser(), options.shell, [card.name for card in studies.cards()]), end="")
    return OK


def _print_summaries(context: Context) -> None:
    from condyle.tables import print_result

    for label, result in context.results.items():
        print_result(label, result)


def _print_verdicts(study: Study, verdicts: Sequence[Verdict], overrides: Mapping[str, Any]) -> None:
    from condyle.tables import print_claims

    print_claims(verdicts)
    if len(verdicts) < len(study.claims):
        left = len(study.claims) - len(verdicts)
        print(f"{left} more claim{'s need' if left > 1 else ' needs'} the full run (without --quick).")
    if overrides and study.claims_of is not None:
        print(f"Claims that are expressions of parameters follow what was set: {', '.join(overrides)}.")
    elif overrides:
        print(f"The claims are declared for the default parameters; set here: {', '.join(overrides)}.")


def _save_figures(study: Study, outcome: Outcome, values: Parameters, folder: Path) -> list[Path]:
    import matplotlib

    matplotlib.use("Agg")  # files only: works without a display
    files = []
    for name, figure in study.draw(outcome, values).items():
        file = folder / f"{name}.png"
        figure.savefig(file, dpi=200, bbox_inches="tight")
        files.append(file)
    return files


def _write_page(study: Study, context: Context, verdicts: Sequence[Verdict], pictures: Sequence[Path]) -> Path:
    """report.html: the runs of a study with its claims and figures."""
    from condyle.report.page import write_report
    from condyle.results.result import Result

    assert context.out is not None
    runs = {label: result for label, result in context.results.items() if isinstance(result, Result)}
    shown = {picture.stem: picture for picture in pictures}
    text = f"{study.title}. {study.summary}"
    return write_report(runs, context.out / "report.html", title=study.name, claims=verdicts, figures=shown, text=text)


def _print_json(value: object) -> None:
    print(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(MISTAKE, f"condyle: error: {message}; see {self.prog} --help\n")


def _parser() -> argparse.ArgumentParser:
    common = _Parser(add_help=False)
    common.add_argument("--debug", action="store_true", help="show the traceback of an error")
    common.add_argument("--quiet", action="store_true", help="print no tables and no progress, only errors and JSON")
    parser = _Parser(
        prog="condyle", description="Simulate motion and stress together; reproduce published studies.",
        epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("--version", action="version", version=f"condyle {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    def command(name: str, action: Callable[[argparse.Namespace], int], text: str) -> argparse.ArgumentParser:
        added = commands.add_parser(
            name,
            help=text,
            description=text,
            parents=[common],
            epilog=f"example: {EXAMPLE[name]}",
            formatter_class=argparse.RawDescriptionHelpFormatter,  # an example stays in one line, to be copied
        )
        added.set_defaults(command=action)
        return added

    _add_studies(command)
    _add_files(command)
    return parser


def _add_studies(command: Callable[..., argparse.ArgumentParser]) -> None:
    """The commands of studies and of results that are looked at."""
    listing = command("list", list_studies, "list the studies, or describe the parameters and claims of some")
    listing.add_argument("studies", nargs="*", metavar="STUDY", help="describe this study, or that of a Python file")
    listing.add_argument("--json", action="store_true", help="name, title and source as JSON")

    run = command("run", run_study, "run a study, compare it with its claims, draw its figures")
    run.add_argument(
        "study", metavar="STUDY", help="as in condyle list, a model file (.yaml), or a Python file with one"
    )
    run.add_argument(
        "--set", nargs="+", action="extend", default=[], metavar="NAME=VALUE", help="change parameters of the study"
    )
    run.add_argument("--out", type=Path, metavar="DIR", help="output folder (default: results/STUDY)")
    run.add_argument("--quick", action="store_true", help="run the reduced form that the tests run")
    run.add_argument("--profile", action="store_true", help="show where the time of a step goes")
    run.add_argument("--no-figures", action="store_true", help="draw no figures")
    run.add_argument("--no-report", action="store_true", help="write no page (report.html)")
    run.add_argument("--json", action="store_true", help="verdicts and files as JSON; all else goes to standard error")
    add_allow_options(run)

    verify = command("verify", verify_studies, "check the claims of all or some studies")
    verify.add_argument(
        "studies", nargs="*", metavar="STUDY", help="as in condyle list, or a Python file (default: all)"
    )
    verify.add_argument("--quick", action="store_true", help="run the reduced forms that the tests run")
    verify.add_argument("--json", action="store_true", help="the verdicts as JSON")
    verify.add_argument(
        "--save", type=Path, metavar="FILE", help="keep the verdicts in FILE (.json), beside those it holds"
    )
    verify.add_argument(
        "--from",
        dest="given",
        type=Path,
        nargs="+",
        metavar="FILE",
        help="run nothing: the verdicts kept in these files",
    )
    verify.add_argument("--page", type=Path, metavar="PAGE", help="write the page of claims, of all that FILE holds")

    report = command("report", write_page, "write a page that shows results: the model in motion, curves, stress")
    add_report_options(report)
    view = command("view", view_target, "look at a model before it runs, or at a result, in a browser")
    add_view_options(view)

    exported = command(
        "export", export_file, "write a result for other programs: glTF, CSV, Parquet, OpenSim, ParaView"
    )
    add_export_options(exported)

    sweep = command("sweep", run_sweep, "run a study with many values of its parameters: one table, response figures")
    add_sweep_options(sweep)

    identification = command("identify", run_identify, "find parameters of a model file from measured curves")
    add_identify_options(identification)


def _add_files(command: Callable[..., argparse.ArgumentParser]) -> None:
    """The commands of files, and of the machine."""
    simulation = command("simulate", simulate_model, "run a model file, with end and step of your own")
    simulation.add_argument("model", type=Path, metavar="MODEL", help="model file (.yaml, .json)")
    simulation.add_argument("--end", type=float, required=True, metavar="T", help="end time [s]")
    simulation.add_argument("--dt", type=float, required=True, metavar="H", help="time step [s]")
    simulation.add_argument("--every", type=int, default=1, metavar="N", help="store every N-th state (default: 1)")
    simulation.add_argument(
        "--integrator", metavar="NAME", help="such as HHT or 'HHT(alpha=0.2)' (default: EnergyMomentum)"
    )
    simulation.add_argument("--out", type=Path, metavar="FILE", help="results file (default: MODEL with .h5)")
    simulation.add_argument("--overwrite", action="store_true", help="replace a results file that exists")
    simulation.add_argument("--json", action="store_true", help="how the run went as JSON")
    add_load_option(simulation)
    add_allow_options(simulation)

    resumption = command(
        "resume", resume_run, "continue a run that was killed or interrupted, or that is to last longer"
    )
    resumption.add_argument("file", type=Path, metavar="FILE", help="results file (.h5)")
    resumption.add_argument("--end", type=float, metavar="T", help="end time [s] (default: that of the first run)")
    resumption.add_argument("--json", action="store_true", help="how the run went as JSON")
    add_load_option(resumption)
    add_code_option(resumption)

    compare = command("compare", compare_integrators, "one model, many integrators and steps: errors, orders, cost")
    add_compare_options(compare)
    add_allow_options(compare)
    check = command("check", check_any, "check a model file, or laws, parts and integrators of your own")
    add_check_options(check)
    add_allow_options(check)
    new = command("new", write_start, "write a commented model file to begin with")
    add_new_options(new)
    foreign = command("import", import_file, "turn a model file of another program into one of Condyle")
    add_import_options(foreign)
    layout = command("format", format_files, "put model files into one style; comments stay")
    add_format_options(layout)
    outline = command("schema", print_schema, "the JSON schema of model files, for editors")
    outline.add_argument("file", nargs="?", type=Path, metavar="FILE", help="where to write it (default: print it)")
    outline.set_defaults(json=True)  # --quiet does not hold it back
    show = command("show", show_file, "say what a results file holds")
    show.add_argument("file", type=Path, metavar="FILE", help="results file (.h5)")
    show.add_argument("--json", action="store_true", help="the same as JSON")
    warming = command("warmup", warm_up, "compile the kernels now rather than at the first run")
    warming.add_argument("--json", action="store_true", help="what was compiled and its time as JSON")
    info = command("info", show_info, "versions, solvers and the folder of compiled kernels")
    info.add_argument("--json", action="store_true", help="the same as JSON")
    doctor = command("doctor", show_health, "is everything there, what is missing, and the command that installs it")
    doctor.add_argument("--json", action="store_true", help="the findings as JSON")
    completion = command("completion", print_completion, "complete commands and names in your shell")
    completion.add_argument("shell", choices=SHELLS, help='bash and zsh: eval "$(condyle completion bash)"')
    completion.set_defaults(json=True)
