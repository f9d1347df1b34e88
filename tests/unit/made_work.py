"""The plainest work of a kernel, for made plans: of the task that the catalogue of a core states for it."""

from made_machine import WALKS
from tierscope.record.work import KINDS, Work
from tierscope.record.work.job import JobWork

OTHERS = {
    "chase": "hop", "probe": "hop", "chase_blocks": "hop", "read_blocks": "block", "memcpy_blocks": "block",
    "memset_blocks": "block", "memset_blocks_random": "block", "busy": "call", "noop": "call", "sleep": "call",
    "chain": "chain", "handover": "handover", "transfer_clean": "transfer", "transfer_modified": "transfer",
    "flow": "task", "command": "task", "made_map": "key", "hashmap_tx": "key", "fio": "job",
}  # fmt: skip
"""The work of kernels that do not visit lines; those named `flush_...` are on blocks."""
TASKS = {**dict.fromkeys(WALKS, "line"), "flush_nt": "block", **OTHERS}
"""As a catalogue states them, for plans that are read."""


def task_for(kernel: str) -> str:
    """Return the task of a kernel."""
    return "block" if kernel.startswith(("flush_", "mix_blocks_")) else OTHERS.get(kernel, "line")


def plain_work(kernel: str) -> Work:
    """Return its work with every key left to the core."""
    if kernel == "fio":
        return JobWork(block_bytes=4096, order="random", arguments="rw=randread")
    return KINDS[task_for(kernel)]()
