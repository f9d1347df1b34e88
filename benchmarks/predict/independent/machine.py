"""One machine in the words of both simulators: a core that runs out of order, three caches and a flat memory.

ChampSim adds the latencies of the levels that a load passes, and ours counts from the core. ChampSim's own memory
answers in about DRAM_CYCLES here. The rest of the latency is that of filling the last cache, which delays every line
from memory and occupies nothing else. So the far memory differs from the near one in latency alone, as ours does.

No prefetchers. Translations take no time: ours has no TLB, and ChampSim has pages of 2 MiB that its TLBs contain. With
pages of 4 KiB, its page walks read entries that are in no cache, and ours reads eight of them in one line. Each
operation takes one cycle: ChampSim's trace does not state what an instruction computes. So does a load that takes the
bytes of a store: in ChampSim, the store executes for a cycle, and the load ends with it.
Source: ChampSim, config/ and inc/defaults.hpp, commit 2ff25011, 2025.
"""

from typing import Any

NEAR_CYCLES, FAR_CYCLES = 120, 240  # of the memory, behind the last cache
CYCLE_NS = 0.5
WIDTH, REORDER, STORE_BUFFER, WRONG_GUESS = 4, 256, 64, 16
LINES = 16  # in flight behind the nearest cache
TLB_SETS, TLB_WAYS, PAGE = 64, 8, 2 << 20
CACHES = (("L1d", 64, 8, 4), ("L2", 1024, 8, 14), ("L3", 4096, 16, 40))  # sets, ways, cycles from the core
LINE = 64  # bytes
GIGABYTES = 64  # that the memory moves in a second
DRAM_CYCLES = 10  # of ChampSim's memory with the timings below, when it is idle


def ours(memory_cycles: int) -> str:
    """Return the file of our simulated machine."""
    caches = "".join(
        f'[[cache]]\nname = "{name}"\nsize = "{sets * ways * LINE}B"\nways = {ways}\nlatency = "{_ns(cycles)}"\n'
        for name, sets, ways, cycles in CACHES
    )
    return f"""name = "independent"
summary = "the machine that two simulators share"
source = "made"
default = "flat"
[cpu]
count = 1
cycle = "{_ns(1)}"
loads = {LINES}
stores = {LINES}
[core]
width = {WIDTH}
reorder = {REORDER}
store_buffer = {STORE_BUFFER}
wrong_guess = {WRONG_GUESS}
operations = "unit"
{caches}[memory.flat]
kind = "flat"
size = "64GiB"
read = "{_ns(memory_cycles)}"
write = "{_ns(NEAR_CYCLES)}"
bandwidth = "{GIGABYTES}GB/s"
"""


def champsim(name: str, memory_cycles: int) -> dict[str, Any]:
    """Return the configuration of ChampSim, with which its user builds the program `name`."""
    clock = round(1000 / CYCLE_NS)  # MHz
    (_, *near), (_, *middle), (_, *last) = CACHES
    queues = {"rq_size": 64, "wq_size": 64, "pq_size": 16, "max_tag_check": 4, "max_fill": 4, "prefetcher": "no"}
    tlb = {"sets": TLB_SETS, "ways": TLB_WAYS, "mshr_size": 16, "latency": 2, "rq_size": 64, "wq_size": 64,
           "pq_size": 0, "max_tag_check": 4, "max_fill": 4}  # fmt: skip
    return {
        "executable_name": name, "block_size": LINE, "page_size": PAGE, "num_cores": 1,
        "ooo_cpu": [{
            "frequency": clock, "fetch_width": 2 * WIDTH, "decode_width": 2 * WIDTH, "dispatch_width": WIDTH,
            "execute_width": 2 * WIDTH, "retire_width": WIDTH, "rob_size": REORDER, "scheduler_size": REORDER,
            "register_file_size": 4 * REORDER, "lq_size": REORDER // 2, "lq_width": WIDTH, "sq_size": STORE_BUFFER,
            "sq_width": WIDTH, "ifetch_buffer_size": 64, "decode_buffer_size": 32, "dispatch_buffer_size": 32,
            "mispredict_penalty": WRONG_GUESS - 4, "decode_latency": 1, "dispatch_latency": 1, "schedule_latency": 0,
            "execute_latency": 0, "branch_predictor": "hashed_perceptron", "btb": "basic_btb",
        }],
        "DIB": {"window_size": 16, "sets": 1024, "ways": 8},
        "L1I": {**queues, "sets": 4096, "ways": 8, "mshr_size": 8, "latency": 2},
        "L1D": {**queues, **_cache(near, 0, 1), "wq_size": 8, "mshr_size": LINES},
        "L2C": {**queues, **_cache(middle, near[-1], 1), "mshr_size": 3 * LINES},
        "LLC": {**queues, **_cache(last, middle[-1], memory_cycles - DRAM_CYCLES), "frequency": clock,
                "mshr_size": 4 * LINES},
        "ITLB": tlb, "DTLB": tlb, "STLB": tlb,
        "physical_memory": {
            "data_rate": 2 * clock, "channels": GIGABYTES // 32, "ranks": 1, "bankgroups": 8, "banks": 4,
            "bank_rows": 8192, "bank_columns": 1024, "channel_width": 8, "rq_size": 64, "wq_size": 64,
            "tCAS": 2, "tRCD": 2, "tRP": 2, "tRAS": 4, "refresh_period": 32, "refreshes_per_period": 8192,
        },
        "virtual_memory": {"pte_page_size": 4096, "num_levels": 4, "minor_fault_penalty": 0, "randomization": False},
    }  # fmt: skip


def _cache(size: list[int], before: int, fill: int) -> dict[str, int]:
    """Return a cache whose hits take as long as the levels up to it do together."""
    sets, ways, cycles = size
    return {"sets": sets, "ways": ways, "hit_latency": cycles - before, "fill_latency": fill}


def _ns(cycles: int) -> str:
    return f"{cycles * CYCLE_NS:g}ns"
