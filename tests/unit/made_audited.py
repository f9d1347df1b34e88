"""A made audit of counters: kernels with known lines, and events that count what their law states."""

from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
import numpy as np

from made import Maker, Teamwork, made_facts, one_group
from tierscope.record.counting import PERF_EVENT, Counted, EventCount
from tierscope.record.result import Run
from tierscope.suites.counters_audit.known import Known

KERNELS = {  # loaded, read, written lines of one operation; read share; bus bytes; program bytes; stores
    "read": (1, 1, 0, 1.0, 64, 64, "none"),
    "write": (0, 1, 1, 0.0, 128, 64, "plain"),
    "write_nt": (0, 0, 1, 0.0, 64, 64, "nt"),
    "copy": (1, 2, 1, 0.5, 192, 128, "plain"),
    "copy_nt": (1, 1, 1, 0.5, 128, 128, "nt"),
    "triad": (2, 3, 1, 2 / 3, 256, 192, "plain"),
    "update": (1, 1, 1, 0.5, 128, 128, "plain"),
    "chase": (1, 1, 0, 1.0, 64, 8, "none"),
}
SECONDS = {"chase": 90e-9}
OPERATION_S = 8e-9
OPERATIONS, BLOCKS, REPEATS = 1_000_000_000, 200, 5
Law = Callable[[Known], float]


def known_of(kernel: str) -> Known:
    loaded, read, written, *_, store = KERNELS[kernel]
    return Known(loaded, read, written, written if store == "plain" else 0, SECONDS.get(kernel, OPERATION_S))


def audit_run(
    directory: Path, laws: Mapping[str, Law], noise: float = 0.003, share: float = 1.0, repeats: int = REPEATS,
    lacking: Mapping[str, str] | None = None, moves: Mapping[str, str] | None = None,
) -> Run:  # fmt: skip
    """A record for each repeat and kernel; noise: of a repeat, relative."""
    maker, rng = Maker(directory), np.random.default_rng(7)
    for repeat in range(repeats):
        for kernel, (*_, read_share, bus, program, store) in KERNELS.items():
            group = one_group("chase" if kernel == "chase" else kernel, (0,), 1 << 28)
            facts = made_facts(
                group, program_bytes_per_operation=float(program), bus_bytes_per_operation=float(bus), store=store,
                operation="hop" if kernel == "chase" else "line",
            )  # fmt: skip
            did = known_of(kernel)
            labels = {"kernel": kernel, "repeat": repeat, "read_share": read_share}
            record = maker.add(
                "event_counts", labels, (group,), (Teamwork((1 / did.time,)),), facts=(facts,), preempted=0.0
            )
            events = []
            for event, law in laws.items():
                value = law(did) * OPERATIONS * (1e9 if event.endswith("clock") else 1)
                counted = round(value * (1 + noise * rng.standard_normal()) * share)
                events.append(
                    EventCount(
                        event=event, scope="user+kernel", value=counted + 100 * BLOCKS, empty=6400,
                        enabled_ns=1_000_000, running_ns=round(1_000_000 * share), moves=(moves or {}).get(event, ""),
                    )
                )  # fmt: skip
            events += [EventCount(event=event, reason=why) for event, why in (lacking or {}).items()]
            found = Counted(
                origin=PERF_EVENT, group=0, blocks=BLOCKS, operations=OPERATIONS, seconds=did.time * OPERATIONS,
                empty_blocks=64, events=tuple(events),
            )  # fmt: skip
            maker.records[-1] = msgspec.structs.replace(record, counted=(found,))
    return maker.save("counters-audit")
