"""Numba's compiler as Condyle uses it: arguments are borrowed, and only what Python calls becomes machine code.

A kernel is compiled in one of two forms. As an *entry*, which Python or an address calls, it is optimised together with
everything that it calls and turned into machine code. As an *inner* kernel, which others take in, it stays in LLVM's
intermediate form, until an entry takes it in. Numba alone would optimise each function again at every level of calls above
it, and make machine code of all of them, which nobody calls: more than half of the time of the first run.

Three more things shorten what is left, most of which is Numba's own Python: the type of a call to one of Numba's functions is
looked up once for all kernels (`_remembering`), its settings are compared as a whole (`_settings_as_a_whole`), and kernels that
make no arrays have no code that counts references to them.
"""

from __future__ import annotations

import contextlib
import functools
import gc
from collections.abc import Iterator
from typing import Any

__all__ = ["as_entry", "as_inner", "key_of_an_inner_kernel"]


@functools.cache
def as_entry() -> Any:
    """The compiler of what Python calls."""
    return _pipeline(inner=False)


@functools.cache
def as_inner() -> Any:
    """The compiler of what kernels call."""
    return _pipeline(inner=True)


def key_of_an_inner_kernel() -> Any:
    """What Numba knows a compiled function by: something of the kind that it calls, different every time."""
    return [].append


def _pipeline(inner: bool) -> Any:
    from numba.core import compiler
    from numba.core.compiler_machinery import register_pass
    from numba.core.typed_passes import BaseNativeLowering, NativeLowering, NopythonTypeInference

    _settings_as_a_whole()
    made = _libraries()[0 if inner else 1]

    @register_pass(mutates_CFG=True, analysis_only=False)
    class Lowering(BaseNativeLowering):
        _name: Any = f"lowering_of_{'an_inner_kernel' if inner else 'an_entry'}"
        lowering_class = _lower()

        def run_pass(self, state: Any) -> Any:
            if state.library is None:
                state.library = made(state.targetctx.codegen(), state.func_id.func_qualname)
                state.library.enable_object_caching()  # so that it can be written to disk
            if not _makes_arrays(state):
                state.targetctx = state.targetctx.subtarget(enable_nrt=False)
            if not inner:
                return super().run_pass(state)
            state.flags.no_compile = True
            state.flags.no_cpython_wrapper = True
            super().run_pass(state)
            state.library.finalize()
            key = key_of_an_inner_kernel()
            state.targetctx.insert_user_function(key, state.cr.fndesc, [state.library])
            state.cr = state.cr._replace(cfunc=key)
            return True

    @register_pass(mutates_CFG=True, analysis_only=False)
    class TypeInference(NopythonTypeInference):
        _name: Any = f"types_of_{'an_inner_kernel' if inner else 'an_entry'}"

        def run_pass(self, state: Any) -> Any:
            with _remembering(state.typingctx):
                return super().run_pass(state)

    ours = {NativeLowering: Lowering, NopythonTypeInference: TypeInference}

    class Pipeline(compiler.CompilerBase):
        def define_pipelines(self) -> Any:
            manager = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
            manager.passes = [(ours.get(p, p), name) for p, name in manager.passes]
            manager.finalize()
            return [manager]

        def compile_extra(self, function: Any) -> Any:
            with _without_collecting():
                return super().compile_extra(function)

    return Pipeline


@contextlib.contextmanager
def _without_collecting() -> Iterator[None]:
    """Numba makes millions of objects that live until a kernel is compiled: looking for garbage among them finds none."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


@functools.cache
def _settings_as_a_whole() -> None:
    """Let Numba tell its settings apart without asking for each of them by its name.

    They are part of the key of each function that it has found an implementation of, and it looks those up tens of thousands
    of times for a large kernel. As before, the hash is that of the names of the options, and equal is what has equal values.
    """
    from numba.core.targetconfig import TargetConfig

    by_value = TargetConfig.__eq__

    @functools.cache
    def of_names(kind: Any) -> int:
        return hash(tuple(sorted(kind.options)))

    def equal(self: Any, other: Any) -> Any:
        alike = self is other or (type(self) is type(other) and self._values == other._values)
        return alike or by_value(self, other)

    def hashed(self: Any) -> int:
        kind: Any = type(self)
        return of_names(kind)

    settings: Any = TargetConfig
    settings.__hash__, settings.__eq__ = hashed, equal


@functools.cache
def _known_calls() -> dict[Any, Any]:
    """The types of calls that were found so far, of all kernels."""
    return {}


@contextlib.contextmanager
def _remembering(context: Any) -> Iterator[None]:
    """Let Numba find the type of a call to a function of its own once.

    It goes through all that the function might mean, for x[i] some twenty, each time anew: half of the time of its inference
    of types. How sums may be reordered belongs to what is remembered: functions of Numba are compiled with it.
    """
    from numba.core import types
    from numba.core.targetconfig import ConfigStack

    if "resolve_function_type" in vars(context):  # within a kernel that calls this one
        yield
        return
    find, known = context.resolve_function_type, _known_calls()

    def resolve(function: Any, args: Any, kws: Any) -> Any:
        if not isinstance(function, types.Function):
            return find(function, args, kws)
        flags: Any = ConfigStack.top_or_none()
        how = None if flags is None else (str(flags.fastmath), flags.error_model)
        key = (function, tuple(args), tuple(kws.items()), how)
        found = known.get(key)
        if found is None:
            found = find(function, args, kws)
            if found is not None:
                known[key] = found
        return found

    context.resolve_function_type = resolve
    try:
        yield
    finally:
        del context.resolve_function_type


def _makes_arrays(state: Any) -> bool:
    """May a kernel make arrays, or anything else that is counted? Views of its arguments are not: nobody counts those."""
    from numba.core import ir, types

    from condyle.laws.column_types import TableType

    numbers = (types.Number, types.Boolean, types.NoneType, types.RangeType, types.SliceType, TableType)
    without_effect = (
        "build_tuple", "cast", "exhaust_iter", "getattr", "getiter", "iternext", "null", "pair_first", "pair_second",
        "phi", "static_getitem",
    )  # fmt: skip

    def is_one_of(kinds: Any, kind: Any) -> bool:
        tuples: Any = types.BaseTuple
        return all(is_one_of(kinds, part) for part in kind) if isinstance(kind, tuples) else isinstance(kind, kinds)

    def makes(assigned: Any) -> bool:
        value = assigned.value
        if not isinstance(value, ir.Expr) or value.op in without_effect:
            return False
        if value.op == "getitem":
            index = state.typemap[value.index.name]
            return not is_one_of((types.Integer, types.SliceType, types.NoneType, types.EllipsisType), index)
        if value.op == "call" and getattr(state.typemap[value.func.name], "typing_key", None) == "array.reshape":
            return False
        return not is_one_of(numbers, state.typemap[assigned.target.name])

    def counts(statement: Any) -> bool:
        if isinstance(statement, ir.Assign):
            return makes(statement)
        if isinstance(statement, (ir.SetItem, ir.StaticSetItem)):
            return not is_one_of(numbers, state.typemap[statement.value.name])
        return isinstance(statement, (ir.Print, ir.Yield)) or "DynamicRaise" in type(statement).__name__

    if not is_one_of(numbers, state.return_type):
        return True
    return any(counts(statement) for block in state.func_ir.blocks.values() for statement in block.body)


@functools.cache
def _libraries() -> tuple[Any, Any]:
    """Code of an inner kernel, and of an entry."""
    from numba.core.codegen import JITCodeLibrary

    class Part(JITCodeLibrary):
        """Code that is not optimised and has no address: entries take it in, with all that it calls."""

        def _optimize_functions(self, ll_module: Any) -> None:
            ll_module.data_layout = self._codegen._data_layout  # the entry that takes it in is optimised as a whole

        def finalize(self) -> None:
            self._raise_if_finalized()
            for library in self._linking_libraries:
                self._reload_init.update(library._reload_init)
            self._finalized = True

    class Entry(JITCodeLibrary):
        """Machine code with its own copies of the kernels that it calls.

        Numba leaves it to the order of loading whether a call goes to the copy in the caller's code or to one that is there
        already, optimised by itself: the process that has compiled them and those that read them from disk would differ
        in the last digits.
        """

        def finalize(self) -> None:
            self._linking_libraries = _closure(self._linking_libraries, Part)
            super().finalize()

        def _finalize_final_module(self) -> None:
            self._shared_module = (
                self._final_module.clone()
            )  # what callers link in, and merge with the same from elsewhere
            for function in self._shared_module.functions:
                if not function.is_declaration and function.linkage.name == "external":
                    function.linkage = "linkonce_odr"
            for function in self._final_module.functions:
                if not function.is_declaration and function.linkage.name == "linkonce_odr":
                    function.linkage = "internal"
            super()._finalize_final_module()

    return Part, Entry


def _closure(libraries: list[Any], inner: Any) -> list[Any]:
    """Libraries and, in turn, those that the inner ones among them call; who calls stands before what is called.

    LLVM takes in a function only if something that is there already calls it. An inner kernel that came before one of its
    callers would be left out, and the call would go to address zero.
    """
    ended: dict[Any, None] = {}  # in the order in which all that a library calls has been gone through
    begun: set[Any] = set()

    def called_by(library: Any) -> Iterator[Any]:
        return iter(library._linking_libraries if isinstance(library, inner) else ())

    for first in libraries:
        path = [] if first in begun else [(first, called_by(first))]
        begun.add(first)
        while path:
            library, rest = path[-1]
            following = next((called for called in rest if called not in begun), None)
            if following is None:
                ended[library] = None
                path.pop()
            else:
                begun.add(following)
                path.append((following, called_by(following)))
    return list(reversed(ended))


@functools.cache
def _lower() -> Any:
    """Numba's lowering, but arguments are borrowed: arrays in them are not counted as references.

    Counting is an atomic operation at every access to an array in a named tuple: most of the time of small laws. Who calls
    holds the arrays until the kernel returns; one that returns arrays, which may be views of its arguments, counts them.
    """
    from llvmlite import ir
    from numba.core import cgutils, lowering, types

    from condyle.laws.column_types import TableType

    not_kept = "captures(none)" if "captures(none)" in ir.values.ArgumentAttributes._known else "nocapture"

    def parts_of(kind: Any) -> list[Any]:
        tuples: Any = types.BaseTuple
        return list(kind) if isinstance(kind, tuples) else []

    def borrow(context: Any, builder: Any, kind: Any, value: Any) -> Any:
        if isinstance(kind, types.Array):
            array = cgutils.create_struct_proxy(kind)(context, builder, value=value)
            for owner in ("meminfo", "parent"):
                setattr(array, owner, ir.Constant(getattr(array, owner).type, None))
            return array._getvalue()
        for k, part in enumerate(parts_of(kind)):
            inner = borrow(context, builder, part, builder.extract_value(value, k))
            value = builder.insert_value(value, inner, k)
        return value

    def has_arrays(kind: Any) -> bool:
        return isinstance(kind, types.Array) or any(has_arrays(part) for part in parts_of(kind))

    class Lower(lowering.Lower):
        def extract_function_arguments(self) -> Any:
            given = super().extract_function_arguments()
            for kind, value in zip(self.fndesc.argtypes, given, strict=True):
                if isinstance(kind, TableType):  # no kernel writes to the words of a table, or keeps their address
                    value.add_attribute("noalias")
                    value.add_attribute(not_kept)
            if not has_arrays(self.fndesc.restype):
                pairs = zip(self.fndesc.argtypes, given, strict=True)
                self.fnargs = [borrow(self.context, self.builder, kind, value) for kind, value in pairs]
            return self.fnargs

    return Lower
