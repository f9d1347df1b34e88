"""Made probes of an emulated tier that was asked for 1 us and 8 GB/s."""

import msgspec

from made import Maker, Teamwork, made_facts, one_group
from tierscope.record.experiment import Target
from tierscope.units import GiB

TIER = "emu:latency=1us,bandwidth=8GB/s"


def add_probes(maker: Maker, latency_s: float = 1.02e-6, rate: float = 7.9e9) -> None:
    """A chase, and a read by two threads, with what they achieved."""
    for kernel, what, pace, cpus in (
        ("chase", "latency", 1 / latency_s, (0,)),
        ("read", "bandwidth", rate / 64, (0, 1)),
    ):
        group = msgspec.structs.replace(one_group(kernel, cpus, 1 * GiB), target=Target.parse(TIER))
        facts = made_facts(
            group, origin="emulated", origin_by="DRAM of node 0", latency_floor_s=1e-6, ceiling_bytes_per_s=8e9
        )
        work = Teamwork((pace / len(cpus),) * len(cpus))
        maker.add("emulation", {"quantity": what}, (group,), (work,), facts=(facts,))
