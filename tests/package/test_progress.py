"""The progress bar, on a terminal and elsewhere."""

from __future__ import annotations

import io

import pytest

from condyle import progress
from condyle.laws.compiling import CompileBar, Compiling
from condyle.progress import ProgressBar


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch):
    """A clock that only advances when told."""
    now = [100.0]
    monkeypatch.setattr(progress, "perf_counter", lambda: now[0])
    return now


def test_a_log_gets_a_plain_line_every_tenth_of_the_way(clock):
    log = io.StringIO()
    bar = ProgressBar(log)
    bar.start(0.0, 10.0, "swing")
    for step in range(1, 1001):
        clock[0] += 0.01
        bar.step(step * 0.01, step, 2 + step % 2)
    bar.end("completed")
    lines = log.getvalue().splitlines()
    assert 10 <= len(lines) <= 12
    assert lines[4] == ("swing:  50 %  t = 5 of 10 s, step 500, Newton 2 (mean 2.5), 100 steps/s, 5 s left")
    assert lines[-1].startswith("swing: completed at t = 10 of 10 s, step 1000")
    assert "\x1b" not in log.getvalue()


def test_a_step_longer_than_a_tenth_gives_one_line(clock):
    log = io.StringIO()
    bar = ProgressBar(log)
    bar.start(2.0, 3.0, "")
    bar.step(2.75, 1, 4)
    assert log.getvalue() == " 75 %  t = 2.75 of 3 s, step 1, Newton 4 (mean 4.0)\n"


def test_a_note_is_passed_on_with_the_title():
    log = io.StringIO()
    bar = ProgressBar(log)
    bar.start(0.0, 1.0, "swing")
    bar.note("compiling kernels, first run only")
    assert log.getvalue() == "swing: compiling kernels, first run only\n"


def test_a_terminal_is_redrawn_ten_times_a_second_at_most(clock, monkeypatch):
    bar = ProgressBar(Terminal())
    bar.start(0.0, 1.0, "swing")
    drawn = []
    monkeypatch.setattr(bar, "_refresh", lambda now, status="": drawn.append(now))
    for step in range(1, 1001):
        clock[0] += 0.001
        bar.step(step * 0.001, step, 2)
    assert 9 <= len(drawn) <= 11
    bar.end("completed")


def test_a_terminal_shows_state_note_and_end(monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setenv("TERM", "xterm")
    screen = Terminal()
    bar = ProgressBar(screen)
    bar.start(0.0, 2.0, "swing [fast]")
    bar.note("compiling kernels [first run only]")
    bar.step(1.0, 1, 3)
    bar.end("interrupted")
    shown = screen.getvalue()
    for text in (
        "swing [fast]",
        "compiling kernels [first run only]",
        "1/2 s, step 1, Newton 3 (3.0), interrupted",
    ):
        assert text in shown
    assert shown.rstrip().endswith("\x1b[?25h")  # the cursor is back


def test_a_bar_can_be_used_again_and_ended_before_the_first_step():
    log = io.StringIO()
    bar = ProgressBar(log, unit="")
    for _ in range(2):
        bar.start(0.0, 1.0, "press")
        bar.end("failed")
    assert log.getvalue() == "press: failed at load factor 0 of 1, step 0, Newton 0 (mean 0.0)\n" * 2


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.2, "0 s"), (59.4, "59 s"), (59.6, "1 min 00 s"), (200, "3 min 20 s"), (7500, "2 h 05 min")]
)
def test_durations_read_like_words(seconds, text):
    assert progress._duration(seconds) == text


@pytest.fixture
def loud(monkeypatch):
    """Whoever runs the tests may have asked for quiet."""
    monkeypatch.delenv("CONDYLE_QUIET", raising=False)
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setenv("TERM", "xterm")


def test_a_log_is_told_of_compiling_in_one_line(loud):
    log = io.StringIO()
    bar = CompileBar(log)
    for left in (22, 15, 3, 0):
        bar.show(left, 22, 2.0, "run_steps")
    assert (
        log.getvalue()
        == "condyle: compiling 22 kernels for this kind of model; they are kept, only the first run waits\n"
    )


def test_a_terminal_sees_the_kernels_that_are_left_and_how_long(loud):
    screen = Terminal()
    bar = CompileBar(screen)
    bar.show(22, 22, 2.0, "run_steps")
    bar.show(11, 22, 10.0, "_finish")
    shown = screen.getvalue()
    for text in ("compiling 22 kernels, which are kept", "22 left; now run_steps", "11 left, about 10 s; now _finish"):
        assert text in shown
    bar.show(0, 22, 20.0, "")
    ended = screen.getvalue()
    assert ended.rstrip().endswith("\x1b[2K")  # the bar is taken off the screen
    bar.show(0, 22, 21.0, "rare")
    bar.close()
    assert screen.getvalue() == ended  # and does not come back


def test_a_person_who_wants_quiet_is_not_told_of_compiling(monkeypatch):
    monkeypatch.setenv("CONDYLE_QUIET", "1")
    log = io.StringIO()
    CompileBar(log).show(22, 22, 2.0, "run_steps")
    assert log.getvalue() == ""


def test_pieces_of_the_compiler_itself_are_not_named_and_long_names_leave_room_for_the_bar(loud):
    said = []
    compiling = Compiling(lambda *state: said.append(state[3]), clock=iter(range(0, 1000, 10)).__next__)
    compiling.start("run_steps")
    compiling.start("ol_max.<locals>.impl")
    assert said and set(said) == {"run_steps"}
    screen = Terminal()
    CompileBar(screen).show(3, 22, 2.0, "steps_of_a_very_long_name")
    assert "now steps_of_a_very_" in screen.getvalue() and "very_l" not in screen.getvalue()


def test_a_running_bar_shows_compiling_in_its_place(loud):
    screen = Terminal()
    bar = ProgressBar(screen)
    assert not bar.show_compiling("compiling run_steps, 3 of 22 kernels left")
    bar.start(0.0, 1.0, "swing")
    assert bar.show_compiling("compiling run_steps, 3 of 22 kernels left")
    bar.end("completed")
    assert "compiling run_steps, 3 of 22 kernels left" in screen.getvalue()
