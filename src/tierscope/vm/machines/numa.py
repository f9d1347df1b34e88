"""A server of two packages with a node each, and a third node of memory alone, which is nearest to node 0."""

from tierscope.vm.machine import Emulated, machines
from tierscope.vm.shape import Node, Shape

SHAPE = Shape(
    nodes=(
        Node(memory_mib=512, cpus="0-3", latency_ns=(90, 250), bandwidth_mb=(102400, 30720)),
        Node(memory_mib=320, cpus="4-7", latency_ns=(260, 95), bandwidth_mb=(30720, 101376)),
        Node(memory_mib=256, nearest=0, latency_ns=(350, 450), bandwidth_mb=(10240, 5120)),
    ),
    smp="8,sockets=2,cores=2,threads=2",
    distances=((10, 21, 31), (21, 10, 41), (31, 41, 10)),
)
"""Two packages of two cores of two threads."""

machines.add(
    Emulated(
        name="numa",
        summary="two packages with a NUMA node each, and a third node without CPUs; distances and HMAT",
        shape=lambda _: SHAPE,
        offers={"node:0, node:1": "nodes with 4 CPUs each", "node:2": "a node without CPUs"},
        try_=("run numa kernel=memset array=1MiB budget=0.15", "run core-to-core budget=0.02", "topology"),
        blind="QEMU has neither caches nor distances: the cells of a matrix mean nothing",
    )
)
