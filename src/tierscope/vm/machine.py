"""A machine of the list: a shape, the steps that make it usable, and what it offers as targets."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tierscope.registry import Registry
from tierscope.vm.qemu import VirtualMachine
from tierscope.vm.shape import Shape


@dataclass(frozen=True)
class Emulated:
    """One machine. shape: of it, with the bytes of its devices as files in a folder. offers: target -> what it is.

    prepare: what is done inside before it is used; returns the targets that it made. try_: commands to try, typed after
    `tierscope vm NAME --`. blind: what cannot be learned on it.
    """

    name: str
    summary: str
    shape: Callable[[Path], Shape]
    offers: dict[str, str]
    try_: tuple[str, ...]
    blind: str
    prepare: Callable[[VirtualMachine], tuple[str, ...]] = lambda _: ()


machines: Registry[Emulated] = Registry("virtual machine", "tierscope.vm.machines")
