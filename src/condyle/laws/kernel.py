"""The one decorator for compiled functions, and the folder their machine code is kept in.

    @kernel
    def kinetic_energy(mass, velocity):
        ...

``kernel`` is ``numba.njit`` with the settings every Condyle kernel needs:

- ``cache=True``. Machine code is kept on disk, per module in a folder named by a hash of its file and of all that it imports
  of Condyle, of Numba and of Python. Numba alone checks only the file a kernel stands in: after a change in a *called*
  kernel of another file it would silently run the old code. Where the package is installed plays no part.
- ``fastmath`` without ``nnan`` and ``ninf``: sums may be reordered and fused, but ``isnan`` and ``isfinite`` work.
- ``error_model='numpy'``: a division by zero gives inf or nan, no exception and no branch in the inner loop.

What hits the cache in a second process (tests/laws/test_kernel_cache.py): kernels at the top level of a module; kernels that
call kernels of other modules; arguments that are numbers, arrays, tuples, and ``typing.NamedTuple`` classes of arrays,
also nested, when the class stands at the top level of an importable module. What does not: a named tuple class defined
in the script that is run (``__main__``), which is compiled again; and closures, which are therefore refused. The hash
covers Condyle only: somebody else's kernel that calls a kernel of another of their own files keeps Numba's blind spot.

Two processes that compile the same kernel for different argument types at the same moment may lose one of the two
results; it is compiled again later. Nothing is ever corrupted: files are replaced as a whole.

Everything except ``kernel`` itself works without importing Numba.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TypeVar, overload

from condyle.laws.columns import tell_numba
from condyle.laws.compiler import as_entry, as_inner
from condyle.laws.once import one_process_at_a_time
from condyle.laws.sources import source_hash

__all__ = [
    "Kernel", "WarmupReport", "cache_folder", "can_compile_ahead", "clear_cache", "compile_ahead", "is_on_disk", "is_warm",
    "kernel", "machine_code", "separate", "separate_kernels", "warmup", "warmup_task",
]  # fmt: skip

Function = TypeVar("Function", bound=Callable[..., Any])

FASTMATH = frozenset({"contract", "reassoc", "arcp", "nsz"})
FOLDERS_KEPT = 100  # newest folders of compiled kernels that are kept, one per module and state of its sources
UNUSED_SECONDS = 24 * 3600.0  # a folder used more recently may belong to a running process and is never removed

_decorating = threading.Lock()
_making = threading.RLock()
_compiling = threading.RLock()
_warmup_tasks: list[str] = []
_ahead: dict[str, Callable[..., None]] = {}  # see `compile_ahead`
_in_use: list[Path] = []  # folders that kernels of this process write to


@overload
def kernel(function: Function) -> Function: ...
@overload
def kernel(**options: Any) -> Callable[[Function], Function]: ...
def kernel(function: Any = None, *, ahead: Mapping[str, Sequence[Any]] | None = None, **options: Any) -> Any:
    """Compile a top-level function with Numba. Options are those of ``numba.njit`` and override the defaults above.

    ahead: types of its arguments, for which it can be compiled before it is called (`compile_ahead`), by the name of that form.
    """
    if function is None:
        return functools.partial(kernel, ahead=ahead, **options)
    if "<locals>" in function.__qualname__:
        raise TypeError(
            f"kernel '{function.__qualname__}' is defined inside another function, so its machine code could not be "
            "kept on disk; move it to the top level of its module"
        )
    import numba

    if getattr(numba.config, "DISABLE_JIT", 0):
        return function
    made = Kernel(function, options)
    for name, types in (ahead or {}).items():
        _ahead[name] = functools.partial(_compile_entry, made, function, tuple(types))
    return made


class Kernel:
    """A compiled function as Python sees it.

    Numba's dispatcher is made when it is first called, or when a kernel that calls it is compiled: of the kernels in the
    modules that a process loads it calls one in ten, and each dispatcher takes half a millisecond and memory.
    """

    def __init__(self, function: Any, options: dict[str, Any]) -> None:
        functools.update_wrapper(self, function)
        self.py_func, self._options = function, options

    def __call__(self, *args: Any, **named: Any) -> Any:
        return self.dispatcher(*args, **named)

    @functools.cached_property
    def dispatcher(self) -> Any:
        """What Numba makes of the function."""
        with _making:
            made = vars(self).get("dispatcher")  # by another thread meanwhile
            return _dispatcher(self.py_func, self._options) if made is None else made

    @property
    def _numba_type_(self) -> Any:
        return self.dispatcher._numba_type_

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.dispatcher, name)

    def __reduce__(self) -> str:
        return str(self.py_func.__qualname__)


def _dispatcher(function: Any, options: dict[str, Any]) -> Any:
    import numba

    tell_numba()
    settings: dict[str, Any] = {
        "cache": True,
        "fastmath": set(FASTMATH),
        "error_model": "numpy",
        "no_cfunc_wrapper": True,
        "pipeline_class": as_entry(),
    } | options
    try:
        with _cached_in(cache_folder(_source_of(function))):
            return _taken_in(_anywhere(numba.njit(**settings)(function), function), function, settings)
    except RuntimeError as error:
        if "no locator available" not in str(error):
            raise
        # A function typed at a prompt has no source file to be recognised by.
        return _taken_in(numba.njit(**settings | {"cache": False})(function), function, settings)


def _compile_entry(entry: Any, function: Any, types: tuple[Any, ...], wait: bool = True) -> None:
    with one_process_at_a_time(cache_folder(_source_of(function)), function.__name__, wait=wait) as ours:
        if ours:
            entry.compile_here(types)


def compile_ahead(name: str, *, wait: bool = True) -> None:
    """Compile a kernel that is declared with its types, by its name; without waiting if another process is doing it."""
    _ahead[name](wait=wait)


def can_compile_ahead(name: str) -> bool:
    """Is a kernel of the modules imported so far declared with its types?"""
    return name in _ahead


def separate(signature: Any) -> Callable[[Function], Function]:
    """Compile a function on its own, for one signature, when it is first called; its machine code is not in its callers'.

    A kernel is compiled together with all that it calls, so a large function that many kernels call would be compiled many
    times, and one that few models need by all of them. It is called from kernels only, and returns a number.
    """

    def declared(function: Function) -> Any:
        import numba

        return function if getattr(numba.config, "DISABLE_JIT", 0) else _Separate(function, signature).caller

    return declared


def separate_kernels() -> list[str]:
    """Names of the functions decorated with `separate` in the modules imported so far."""
    return sorted(_Separate.known)


class _Separate:
    """Machine code that is made, or read from the cache, at the first call.

    Callers find its address in a cell of memory. While that is empty they first call back to Python, which fills it. Cell
    and call-back are symbols, so the callers' own machine code can be kept on disk.
    """

    known: ClassVar[dict[str, _Separate]] = {}  # by name; kept for ever, because machine code refers to them

    def __init__(self, function: Any, signature: Any) -> None:
        import llvmlite.binding
        import numba.core.typing as typing
        from numba.core import sigutils

        self.function = function
        arguments, result = sigutils.normalize_signature(signature)
        self.signature = typing.signature(result, *arguments)
        self.cell, self.code = ctypes.c_void_p(0), None
        self.call_back = ctypes.CFUNCTYPE(None)(self.compile)
        symbol = re.sub(r"\W", "_", f"{function.__module__}_{function.__name__}")
        llvmlite.binding.add_symbol(f"{symbol}_cell", ctypes.addressof(self.cell))
        llvmlite.binding.add_symbol(f"{symbol}_compile", ctypes.cast(self.call_back, ctypes.c_void_p).value or 0)
        self.caller = _by_symbol(symbol, self.signature)
        self.known[function.__name__] = self
        _ahead[function.__name__] = self.compile

    def compile(self, wait: bool = True) -> None:
        """Make the machine code, or read it from disk, and put its address in the cell."""
        with _compiling:  # two threads may need it at once
            code = None if self.cell.value else machine_code(self.function, self.signature, wait=wait)
            if code is not None:
                self.code, self.cell.value = code, code.address


def machine_code(function: Any, signature: Any, *, cached: bool = True, wait: bool = True) -> Any:
    """A function that C can call: its `address` is good as long as it is kept. Made now, or read from the disk.

    None if another process is making it, and `wait` is false.
    """
    from numba.core.ccallback import CFunc

    settings = {"fastmath": set(FASTMATH), "error_model": "numpy", "nopython": True}
    code: Any = CFunc(function, (signature.args, signature.return_type), {}, settings, pipeline_class=as_entry())
    if not cached:
        code.compile()
        return code
    folder = cache_folder(_source_of(function))
    with _cached_in(folder):
        code.enable_caching()
    code = _anywhere(code, function)
    with one_process_at_a_time(folder, function.__name__, wait=wait) as ours:
        if ours:
            code.compile()
    return code if ours else None


def _by_symbol(symbol: str, signature: Any) -> Any:
    """What kernels call: the machine code of a `_Separate`, which gets all arguments by value (arrays as descriptors)."""
    from llvmlite import ir
    from numba.core import cgutils
    from numba.extending import intrinsic

    def generate(context: Any, builder: Any, sig: Any, values: Any) -> Any:
        types = [context.get_value_type(kind) for kind in sig.args]
        pointer = ir.FunctionType(context.get_value_type(sig.return_type), types).as_pointer()
        nothing = ir.FunctionType(ir.VoidType(), [])
        cell, call_back = (
            cgutils.get_or_insert_function(builder.module, nothing, f"{symbol}_{name}") for name in ("cell", "compile")
        )  # the cell is no function, but its address is found like one
        cell = builder.bitcast(cell, pointer.as_pointer())
        with builder.if_then(cgutils.is_null(builder, builder.load_atomic(cell, "acquire", 8)), likely=False):
            builder.call(call_back, [])
        return builder.call(builder.load_atomic(cell, "acquire", 8), values)

    # Numba asks for the names of the arguments.
    names = ", ".join(f"a{k}" for k in range(len(signature.args)))
    scope: dict[str, Any] = {"signature": signature, "generate": generate}
    exec(f"def call(typingctx, {names}):\n    return signature, generate\n", scope)
    return intrinsic(scope["call"])


def _taken_in(entry: Any, function: Any, settings: dict[str, Any]) -> Any:
    """Let other kernels take a kernel in, compiled for types, never for values.

    Numba would compile a kernel anew for each constant that it is called with.
    """
    import numba

    if not hasattr(entry, "get_call_template"):  # DISABLE_JIT
        return entry
    unliteral = numba.types.unliteral

    @functools.cache
    def inner() -> Any:  # made when a caller is compiled: a process that finds all on disk makes none
        return numba.njit(**settings | {"cache": False, "pipeline_class": as_inner()})(function)

    def get_call_template(args: Any, kws: Any) -> Any:
        return inner().get_call_template([unliteral(a) for a in args], {k: unliteral(a) for k, a in kws.items()})

    def get_overload(signature: Any) -> Any:
        return inner().get_overload(signature)

    entry.compile_here, folder = entry.compile, cache_folder(_source_of(function))

    def compile_once(signature: Any) -> Any:
        with one_process_at_a_time(folder, function.__name__):
            return entry.compile_here(signature)

    entry.get_call_template, entry.get_overload = get_call_template, get_overload
    entry.compile = compile_once
    return entry


@contextlib.contextmanager
def _cached_in(folder: Path) -> Iterator[None]:
    """Numba asks for the folder when a dispatcher is made, and only then."""
    import numba

    config: Any = numba.config
    with _decorating:
        before = config.CACHE_DIR
        config.CACHE_DIR = str(folder)
        try:
            yield
        finally:
            config.CACHE_DIR = before


def _anywhere(dispatcher: Any, function: Any) -> Any:
    """Let a kernel of the package find its code wherever the package stands: its folder already tells its sources."""
    source = _source_of(function)
    cache: Any = getattr(dispatcher, "_cache", None)
    if source is not None and hasattr(cache, "_cache_file"):
        name = f"{function.__module__}.{function.__qualname__}"
        cache._cache_path = str(cache_folder(source))
        cache._cache_file = _cache_file_class()(cache._cache_path, name, "by content")
    return dispatcher


@functools.cache
def _cache_file_class() -> Any:
    """Numba's list of the compiled forms of a kernel, but one that cannot be read counts as empty.

    A kernel called with a named tuple of somebody's script leaves that class in the list, which other scripts cannot import.
    """
    from numba.core.caching import IndexDataCacheFile

    class CacheFile(IndexDataCacheFile):
        def _load_index(self) -> Any:
            try:
                return super()._load_index()
            except (ImportError, AttributeError, EOFError):
                return {}

    return CacheFile


def _source_of(function: Any) -> Path | None:
    """The file of Condyle that a function stands in; None for somebody else's function."""
    return _within_package(function.__code__.co_filename)


@functools.cache
def _package() -> Path:
    return Path(__file__).resolve().parent.parent


@functools.cache
def _within_package(file: str) -> Path | None:
    path = Path(file).resolve()
    return path if _package() in path.parents else None


@functools.cache
def cache_folder(source: Path | None = None) -> Path:
    """The folder of compiled kernels of one file of Condyle, or of somebody else's (None); made if it is not there."""
    name = f"kernels-{source_hash(_package(), source)}"
    for root in _cache_roots():
        folder = root / name
        if _make_writable(folder):
            _in_use.append(folder)
            if source is None:
                _remove_old_folders(folder)
            return folder
    return Path(tempfile.mkdtemp(prefix="condyle-"))


def is_warm() -> bool:
    """Whether compiled kernels for the present sources are on disk (if not, the first run has to compile them)."""
    main = _package() / "system" / "assembly" / "whole.py"
    return next(cache_folder(main).glob("**/*.nbi"), None) is not None


def is_on_disk(source: Path, name: str) -> bool:
    """Whether a kernel of a file of Condyle has been compiled, for whatever types."""
    module = ".".join(source.relative_to(_package().parent).with_suffix("").parts)
    return (cache_folder(source) / f"{module}.{name}.nbi").exists()


def clear_cache() -> None:
    """Remove all compiled kernels, of these and of earlier sources."""
    for old in _kernel_folders(cache_folder().parent):
        shutil.rmtree(old, ignore_errors=True)
    for folder in _in_use:
        _make_writable(folder)


class WarmupReport(NamedTuple):
    """One finished warm-up task: its name, the time it took [s], and the error text if it failed."""

    task: str
    seconds: float
    error: str | None


def warmup_task(function: Function) -> Function:
    """Register a top-level function without arguments that calls kernels, so that ``warmup`` compiles them."""
    _warmup_tasks.append(f"{function.__module__}:{function.__qualname__}")
    return function


def warmup(tasks: Sequence[str] | None = None, *, processes: int | None = None) -> Iterator[WarmupReport]:
    """Run warm-up tasks, each in a fresh Python process, and yield a report as each one ends.

    ``tasks`` are functions without arguments, written ``"module:function"``; by default those registered by
    ``warmup_task`` in the modules imported so far. ``processes`` defaults to the number of processors.
    """
    names = list(dict.fromkeys(_warmup_tasks if tasks is None else tasks))
    with ThreadPoolExecutor(max_workers=processes or os.cpu_count() or 1) as pool:
        for future in as_completed([pool.submit(_run_task, name) for name in names]):
            yield future.result()


def _run_task(task: str) -> WarmupReport:
    module, _, function = task.partition(":")
    program = f"import importlib; importlib.import_module({module!r}).{function}()"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    start = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    error = (done.stderr.strip() or f"exit code {done.returncode}") if done.returncode else None
    return WarmupReport(task, time.perf_counter() - start, error)


def _cache_roots() -> Iterator[Path]:
    """Places for the cache, best first."""
    if os.environ.get("CONDYLE_CACHE"):
        yield Path(os.environ["CONDYLE_CACHE"]).expanduser().absolute()
    elif os.environ.get("XDG_CACHE_HOME"):
        yield Path(os.environ["XDG_CACHE_HOME"]).absolute() / "condyle"
    else:
        yield Path(os.path.expanduser("~")) / ".cache" / "condyle"
    user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
    yield Path(tempfile.gettempdir()) / f"condyle-{user}"


def _make_writable(folder: Path) -> bool:
    """Make the folder, readable by this user only; False if it cannot be written or belongs to somebody else.

    Cached code is executed, so a folder that another user prepared in a shared temporary directory is never used.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if hasattr(os, "getuid") and folder.stat().st_uid != os.getuid():
            return False
        tempfile.TemporaryFile(dir=folder).close()
        os.utime(folder)  # newest = last used
    except OSError:
        return False
    return True


def _kernel_folders(root: Path) -> list[Path]:
    """All folders of compiled kernels, the one used last first."""
    stamped = []
    for folder in root.glob("kernels-*"):
        try:
            stamped.append((folder.stat().st_mtime, folder))
        except OSError:  # removed by another process in between
            continue
    return [folder for _, folder in sorted(stamped, reverse=True)]


def _remove_old_folders(current: Path) -> None:
    """Remove all but the newest folders. Other processes may do the same, or use them: errors are ignored."""
    for folder in _kernel_folders(current.parent)[FOLDERS_KEPT:]:
        try:
            unused = time.time() - folder.stat().st_mtime > UNUSED_SECONDS
        except OSError:
            continue
        if unused and folder != current:
            shutil.rmtree(folder, ignore_errors=True)
