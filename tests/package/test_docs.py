"""What the documentation says is true: its code runs, its links lead somewhere, the names it gives exist."""

from __future__ import annotations

import ast
import contextlib
import io
import re
import shlex
from functools import cache
from pathlib import Path

import pytest

import condyle as cd

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "condyle"
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
SAMPLE_WITHIN = 6  # lines after a block of code that prints: what it prints, if a block of text stands there
ROOMS = {path.parent.name for path in SOURCE.glob("*/__init__.py")}


def blocks(page: Path, language: str) -> list[tuple[int, str]]:
    """The code blocks of a page, each with the number of the line it starts after."""
    text = page.read_text(encoding="utf-8")
    fences = re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S)
    return [(text.count("\n", 0, found.start(2)), found[2]) for found in fences if found[1] == language]


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


# --- code -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")], ids=name)
def test_the_python_code_of_a_page_runs_from_top_to_bottom(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    import matplotlib

    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "__main__"}
    shown = {line: text for line, text in blocks(page, "")}
    for line, code in blocks(page, "python"):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            # Empty lines in front, so that a failure shows the line of the page.
            exec(compile("\n" * line + code, str(page), "exec"), namespace)
        after = line + code.count("\n")
        sample = next((shown[k] for k in sorted(shown) if after < k <= after + SAMPLE_WITHIN), "")
        if said.getvalue() and sample:
            wanted = ".*".join(
                re.escape(part) for part in sample.split("…")
            )  # … stands for what differs from run to run
            assert re.fullmatch(wanted, said.getvalue()), f"{name(page)} shows\n{sample}\nbut it is\n{said.getvalue()}"


def test_the_bibliography_page_is_the_bibliography():
    from condyle.bibliography import REFERENCES

    page = (ROOT / "docs" / "bibliography.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| ([\w-]+) \| (.+) \|$", page, re.M))
    assert {key: text for key, text in rows.items() if key != "key"} == REFERENCES


def test_the_page_of_laws_is_made_from_their_records():
    from condyle.analysis.law_page import page

    written = (ROOT / "docs" / "laws.md").read_text(encoding="utf-8")
    assert written == page(), "python -m condyle.analysis.law_page > docs/laws.md"


def test_the_page_of_fields_is_made_from_their_declarations():
    from condyle.analysis.field_page import page

    written = (ROOT / "docs" / "fields.md").read_text(encoding="utf-8")
    assert written == page(), "python -m condyle.analysis.field_page > docs/fields.md"


def test_the_script_of_the_readme_has_at_most_15_lines():
    (_, script), *others = blocks(ROOT / "README.md", "python")
    assert not others
    assert len(script.splitlines()) <= 15


def test_the_commands_of_the_pages_are_understood_by_the_command_line():
    from condyle.cli import _parser

    commands = [
        re.sub(r"\s+#.*", "", line)
        for page in PAGES
        for _, code in blocks(page, "sh")
        for line in code.splitlines()
        if line.startswith("condyle ")
    ]
    assert len(commands) > 5
    for command in commands:
        words = shlex.split(command)[1:]
        if words not in (["--help"], ["--version"]):
            _parser().parse_args(words)


# --- names ------------------------------------------------------------------------------------------------------------


def test_every_public_name_that_a_page_uses_exists():
    for page in PAGES:
        used = set(re.findall(r"\bcd\.(\w+)", page.read_text(encoding="utf-8")))
        assert used <= set(cd.__all__), f"{name(page)}: {sorted(used - set(cd.__all__))}"


def test_every_public_name_is_explained_somewhere():
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    missing = [word for word in cd.__all__ if word != "__version__" and not re.search(rf"\b{word}\b", text)]
    assert missing == []


@cache
def defined(path: Path) -> set[str]:
    """Names at the top level of a module, and Class.member of its classes."""
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        found |= _names(node)
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{member}" for child in node.body for member in _names(child)}
    return found


def _names(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return {word.id for target in targets for word in ast.walk(target) if isinstance(word, ast.Name)}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_file_and_function_that_a_page_names_is_there(page: Path):
    """Written `room/file.py` or `room/file.py:function`, relative to src/condyle or to the repository."""
    text = page.read_text(encoding="utf-8")
    for file, member in re.findall(r"`([\w/]+\.py)(?::([\w.]+))?`", text):
        path = next((base / file for base in (SOURCE, ROOT) if (base / file).is_file()), None)
        assert path, f"{name(page)} names {file}, which does not exist"
        assert not member or member in defined(path), f"{name(page)}: {file} does not define {member}"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_link_leads_to_a_file_and_a_heading(page: Path):
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if target.startswith(("http://", "https://")):
            continue
        file, _, anchor = target.partition("#")
        path = (page.parent / file).resolve() if file else page
        assert path.exists(), f"{name(page)} links to {target}"
        if anchor:
            assert anchor in headings(path), f"{name(page)} links to {target}; headings: {headings(path)}"


def headings(page: Path) -> list[str]:
    """Anchors of a page's headings, as forges make them: lower case, spaces as dashes, no punctuation."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.M)
    return [re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles]


# --- who may import whom ----------------------------------------------------------------------------------------------


def allowed_imports() -> dict[str, set[str]]:
    """The table of docs/architecture.md: room -> what its files may import."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    section = text.partition("## Who may import whom")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| ([^|]*)\|", section, re.M)
    return {room: set(re.findall(r"`(\w+)`", cell)) for room, cell in rows}


def imported(path: Path) -> set[str]:
    """Rooms and modules of Condyle that a file imports, at its top or inside functions; not what only type checkers read."""
    found: set[str] = set()
    waiting: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            waiting += node.orelse
            continue
        if isinstance(node, ast.ImportFrom) and node.module:
            modules = [f"condyle.{a.name}" for a in node.names] if node.module == "condyle" else [node.module]
            found |= {module.split(".")[1] for module in modules if module.startswith("condyle.")}
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
            found |= {name.split(".")[1] for name in names if name.startswith("condyle.")}
            found |= {"condyle" for name in names if name == "condyle"}
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            names = [word.value for word in ast.walk(node) if isinstance(word, ast.Constant)]
            found |= {name.split(".")[1] for name in map(str, names) if name.startswith("condyle.")}
        waiting += ast.iter_child_nodes(node)
    return found - {"__version__"}


@pytest.mark.parametrize("room", sorted(ROOMS - {"studies"}))
def test_a_room_imports_only_what_the_architecture_allows(room: str):
    allowed = allowed_imports()[room] | {room}
    for path in sorted((SOURCE / room).rglob("*.py")):
        extra = imported(path) - allowed
        assert not extra, f"{path.relative_to(SOURCE)} imports {sorted(extra)}; see docs/architecture.md"


def test_no_import_goes_back():
    """Rooms stand in an order in which each imports only rooms above it."""
    above: set[str] = set()
    for room, allowed in allowed_imports().items():
        assert allowed & ROOMS <= above, f"{room} imports {sorted(allowed & ROOMS - above)}, which stand below it"
        above.add(room)
    assert above == ROOMS


def test_studies_use_only_the_public_names():
    for path in sorted((SOURCE / "studies").glob("*.py")):
        if path.name != "__init__.py":
            assert imported(path) <= {"condyle", "studies"}, f"{path.name} imports more than condyle and other studies"
