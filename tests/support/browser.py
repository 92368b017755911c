"""A page in headless Chromium: a script of the test is put at its end, and what it leaves in the page is read back."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = (
    "--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist",
    "--hide-scrollbars", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-quic", "--disable-dev-shm-usage",
)  # fmt: skip

# Errors of the page are collected from its first line on; the script runs when the page is ready.
BEFORE = """<script>
window.problems = [];
addEventListener("error", (e) => problems.push(String(e.message)));
addEventListener("unhandledrejection", (e) => problems.push(String(e.reason)));
console.error = (...words) => problems.push(words.join(" "));
</script>"""
AFTER = """<script>(async () => {
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
for (let k = 0; k < 600 && document.body.dataset.ready !== "true"; k++) await wait(50);
let said;
try { said = await (async () => { %s })(); } catch (error) { problems.push(String(error)); }
const out = document.createElement("pre");
out.id = "said";
out.textContent = JSON.stringify({ said: said === undefined ? null : said, problems });
document.body.append(out);
})();</script>"""


def ask(page: str, script: str, folder: Path, *, size: tuple[int, int] = (1280, 800), dark: bool = False) -> Any:
    """What the body of an async function returns in the page; AssertionError if the page had an error."""
    assert CHROMIUM is not None
    file = folder / "asked.html"
    file.write_text(page.replace("<head>", f"<head>{BEFORE}", 1) + AFTER % script, encoding="utf-8")
    flags = [*FLAGS, f"--user-data-dir={folder / 'profile'}", f"--window-size={size[0]},{size[1]}"]
    if dark:
        flags.append("--force-dark-mode")
    shown = subprocess.run(
        [CHROMIUM, *flags, "--virtual-time-budget=60000", "--dump-dom", file.as_uri()],
        capture_output=True, text=True, timeout=180, check=False,
    )  # fmt: skip
    found = re.search(r'<pre id="said">(.*?)</pre>', shown.stdout, re.S)
    assert found, f"the page did not answer: {shown.stderr[-2000:]}"
    answer = json.loads(unescape(found.group(1)))
    assert not answer["problems"], answer["problems"]
    return answer["said"]


def picture(page: str, folder: Path, name: str, *, size: tuple[int, int] = (1280, 800)) -> Path:
    """A screenshot of the page."""
    assert CHROMIUM is not None
    file, out = folder / f"{name}.html", folder / f"{name}.png"
    file.write_text(page, encoding="utf-8")
    flags = [*FLAGS, f"--user-data-dir={folder / 'profile'}", f"--window-size={size[0]},{size[1]}"]
    subprocess.run(
        [CHROMIUM, *flags, "--virtual-time-budget=20000", f"--screenshot={out}", file.as_uri()],
        capture_output=True, timeout=180, check=False,
    )  # fmt: skip
    assert out.is_file()
    return out
