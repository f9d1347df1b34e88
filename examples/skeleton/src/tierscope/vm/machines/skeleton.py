"""The smallest virtual machine: one node with two CPUs, and a second one of memory alone.

Copy this file to src/tierscope/vm/machines/NAME.py. `tierscope vm NAME` prints `offers`, `try_` and `blind`.
"""

from tierscope.vm.machine import Emulated, machines
from tierscope.vm.shape import Node, Shape

SHAPE = Shape(nodes=(Node(memory_mib=512, cpus="0-1"), Node(memory_mib=256, nearest=0)))

machines.add(
    Emulated(
        name="skeleton",
        summary="the smallest machine: a node with two CPUs, and a node without CPUs",
        shape=lambda _: SHAPE,  # its argument is a folder, for files that are the bytes of its devices
        # prepare=lambda machine: (...) makes what is not there after the start, and returns the targets that it made
        offers={"node:0": "a node with 2 CPUs", "node:1": "a node without CPUs"},
        try_=("topology", "run stream kernels=read threads=1 array=1MiB budget=0.05 target=node:1"),
        blind="QEMU has neither caches nor distances: no time is one of a memory",
    )
)
