"""Functions that sweeps run in other processes, which import them from here."""

from __future__ import annotations

import atexit
import math
import os
import signal
import time
from pathlib import Path

import numpy as np


def area(width: float, height: float = 1.0) -> dict[str, float]:
    return {"area": width * height, "half": 0.5 * width * height}


def ishigami(x: float, y: float, z: float) -> float:
    """Its indices of sensitivity are known in closed form."""
    return math.sin(x) + 7.0 * math.sin(y) ** 2 + 0.1 * z**4 * math.sin(x)


def mostly(number: int) -> float:
    if number == 2:
        raise ZeroDivisionError("two is too much")
    return math.nan if number == 3 else float(number)


def deadly(number: int, folder: str) -> float:
    """Number 1 kills its process the first time, number 2 always."""
    seen = Path(folder) / f"{number}"
    first = not seen.exists()
    seen.write_text(seen.read_text() + "x" if not first else "x")
    if number == 2 or (number == 1 and first):
        time.sleep(0.2)
        os._exit(9)
    return float(number)


def slow(number: int, folder: str) -> float:
    """It leaves a line with its process in a file of its own, and takes a while."""
    with (Path(folder) / f"{number}").open("a") as stream:
        stream.write(f"{os.getpid()}\n")
    time.sleep(0.1)
    return float(number)


def saying_goodbye(number: int, folder: str) -> float:
    """Its process leaves a file as it ends."""
    atexit.register((Path(folder) / f"{number}").write_text, "goodbye")
    return float(number)


def sleepy(width: float) -> float:
    time.sleep(0.3)
    return width


def swing(damping: float, stiffness: float):
    """A damped oscillator of 1 kg, in closed form."""
    t = np.linspace(0.0, 3.0, 121)
    frequency = np.sqrt(stiffness - 0.25 * damping**2)
    phase = 0.5 * damping / frequency
    return {"position": (t, np.exp(-0.5 * damping * t) * (np.cos(frequency * t) + phase * np.sin(frequency * t)))}


def kills_its_worker(number: int, folder: str) -> float:
    """Number 3 kills the worker that has it first, as the system does when memory is short."""
    (Path(folder) / f"{number}-{os.getpid()}").touch()
    if number == 3 and len(list(Path(folder).glob("3-*"))) == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return float(number)
