"""Compiles the text of an LLVM module, and gives the addresses of its functions."""

from __future__ import annotations

# What numba and llvmlite give has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
from collections.abc import Sequence

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
    """A compiled module. Its functions live as long as the module.

    Level 1 optimises in the code generator. Level 2 also optimises the text before: this takes much
    longer and saves a few hundredths of a search's time.
    """

    def __init__(self, source: str, level: int) -> None:
        module = llvm.parse_assembly(source)
        machine = target_machine(level)
        if level > 1:
            options = llvm.create_pipeline_tuning_options(speed_level=level)
            builder = llvm.create_pass_builder(machine, options)
            builder.getModulePassManager().run(module, builder)
        self._engine = llvm.create_mcjit_compiler(module, machine)
        self._engine.finalize_object()

    def addresses(self, names: Sequence[str]) -> list[int]:
        """Return the addresses of functions."""
        return [self._engine.get_function_address(name) for name in names]


__all__ = ["MachineCode", "target_machine"]
