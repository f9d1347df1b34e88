"""Runs of `cxl` on a made machine: two memories of known latency and bandwidth, and pages of both."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from made import Maker, Teamwork, made_blocks, made_facts
from made_machine import two_packages
from made_numa import planned
from tierscope.record.experiment import Group, Target
from tierscope.record.machine import Machine
from tierscope.record.result import Run

REPORTED = {"read_latency_s": 240e-9, "read_bandwidth_bytes_per_s": 24e9}
MACHINE = two_packages(REPORTED)
WAITS = {"node:0": 95e-9, "node:4": 250e-9}
RATES = {"node:0": 30e9, "node:4": 12e9}
LOADED = 1.5  # times the idle latency


def shares(target: Target) -> dict[str, float]:
    """Share of the pages on each node."""
    if target.name != "interleave":
        return {target.word: 1.0}
    pages = {node: int(count) for node, _, count in (part.partition("=") for part in target.where.split(","))}
    return {f"node:{node}": count / sum(pages.values()) for node, count in pages.items()}


def rate_of(target: Target, rates: Mapping[str, float] = RATES) -> float:
    """bytes/s: each memory serves its share of the lines at the same time, and the slower one decides."""
    return min(rates[node] / share for node, share in shares(target).items())


def _work(group: Group, loaded: bool, rates: Mapping[str, float]) -> Teamwork:
    threads = len(group.team.cpus)
    if group.role == "chaser":
        return Teamwork((1 / (WAITS[group.target.word] * (LOADED if loaded else 1)),))
    pace = 1 / (1 + group.workload.pace_cycles / 500)
    return Teamwork((rate_of(group.target, rates) * pace / 64 / threads,) * threads)


def cxl_run(directory: Path, machine: Machine = MACHINE, rates: Mapping[str, float] = RATES, **words: str) -> Run:
    """Return a run on nodes 0 and 4."""
    maker = Maker(directory)
    for experiment in planned("cxl", machine, **{"array": "64MiB", "mixes": "read", **words}):
        groups = experiment.groups
        work = tuple(_work(group, len(groups) > 1, rates) for group in groups)
        blocks = made_blocks(work, seed=maker.seed + len(maker.records), preempted=0.0)
        facts = tuple(
            made_facts(
                group,
                nodes={
                    node.removeprefix("node:"): round(group.workload.footprint_bytes * share)
                    for node, share in shares(group.target).items()
                },
                program_bytes_per_operation=64.0,
            )
            for group in groups
        )
        record = maker.add_blocks(experiment.table, experiment.labels, groups, blocks, facts)
        maker.records[-1] = msgspec.structs.replace(record, experiment=experiment)
    return maker.save("cxl", machine)
