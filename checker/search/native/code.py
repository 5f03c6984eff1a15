"""Compiles the text of LLVM modules, and gives the addresses of their functions."""

from __future__ import annotations

# What numba and llvmlite give has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from time import perf_counter

from llvmlite import binding as llvm


def target_machine(level: int) -> llvm.TargetMachine:
    """Return this machine as a target of the code generator, at an optimisation level."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine(
        opt=level,
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        jit=True,
    )


class MachineCode:
    """Compiled modules, which may call functions of those before. Functions live as long as it.

    Level 1 optimises in the code generator. Level 2 also optimises the text before: this takes much
    longer and saves a few hundredths of a search's time.
    """

    def __init__(self, level: int) -> None:
        self._level = level
        self._machine = target_machine(level)
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), self._machine)
        #: How long compiling took.
        self.seconds = 0.0

    def add(self, source: str) -> None:
        """Compile the text of a module."""
        began = perf_counter()
        module = llvm.parse_assembly(source)
        if self._level > 1:
            options = llvm.create_pipeline_tuning_options(speed_level=self._level)
            builder = llvm.create_pass_builder(self._machine, options)
            builder.getModulePassManager().run(module, builder)
        self._engine.add_module(module)
        self._engine.finalize_object()
        self.seconds += perf_counter() - began

    def addresses(self, names: Sequence[str]) -> list[int]:
        """Return the addresses of functions."""
        return [self._engine.get_function_address(name) for name in names]


class Compilation:
    """Compiles modules in a thread of its own, in order: LLVM runs without Python's lock."""

    def __init__(self, level: int) -> None:
        self._code = MachineCode(level)
        self._pool = ThreadPoolExecutor(1, "compile")
        self._modules: list[Future[None]] = []

    def add(self, source: str) -> None:
        """Compile a module when those before are done."""
        self._modules.append(self._pool.submit(self._code.add, source))

    @property
    def is_done(self) -> bool:
        """Whether all modules added so far are compiled."""
        return all(module.done() for module in self._modules)

    def code(self, look: Callable[[], None] = lambda: None) -> MachineCode:
        """Wait until all modules are compiled. `look` is called after each, and may raise."""
        for module in self._modules:
            module.result()
            look()
        self.close()
        return self._code

    def close(self) -> None:
        """Compile no further module; wait for the one at hand."""
        self._pool.shutdown(cancel_futures=True)


def compiled(
    sources: Iterable[str], level: int, look: Callable[[], None] = lambda: None
) -> MachineCode:
    """Return modules as code: each is compiled while the next one is written."""
    compilation = Compilation(level)
    try:
        for source in sources:
            compilation.add(source)
        return compilation.code(look)
    finally:
        compilation.close()
