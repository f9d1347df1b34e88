"""Small made runs for the tests of reports: every table, in a second or two."""

import dataclasses
from collections.abc import Callable
from pathlib import Path

import msgspec

import made
from made import Maker, Teamwork, made_facts, one_group
from made_machine import PEAK, made_machine
from tierscope.record import result as results
from tierscope.record.experiment import Label
from tierscope.record.result import Finding, Run, Warn
from tierscope.report.content import Content, Section
from tierscope.tables import Flat, Row
from tierscope.tables.rows import unflat
from tierscope.units import GiB, KiB, MiB

EVIL = "</script><img src=x onerror=\"document.documentElement.dataset.evil='1'\"><b>&amp;{{7*7}}\x1b[31m`|"
FOOTPRINTS = (4 * KiB, 16 * KiB, 64 * KiB, 256 * KiB, 1 * MiB, 4 * MiB, 64 * MiB, 1 * GiB)
RATES = {"copy": ("plain", 14.6e9), "copy_nt": ("nt", 28.1e9), "memset": ("libc", 10.7e9)}


def small_run(
    directory: Path, *, threads: tuple[int, ...] = (1, 2), peak: float | None = PEAK, groups: bool = True
) -> Run:
    """Three kernels, two curves of latency, two mixes, and two groups where they are asked for."""
    maker = Maker(directory)
    add_stream(maker, threads)
    for pages in ("thp", "4k"):
        for size in FOOTPRINTS:
            work = Teamwork((1 / made.made_latency_s(size, pages),), noise=0.005)
            group = one_group("chase", (0,), size, pages)
            maker.add("latency", {"probe": "cycle", "order": "global"}, (group,), (work,))
    for share, store, most in ((1.0, "none", 38e9), (0.5, "nt", 30e9)):
        for delay in (0, 100, 200, 400, 1600):
            add_load(maker, share, store, delay, most)
    if groups:
        made.add_groups(maker)
    return maker.save(machine=made_machine(max(threads), peak))


def add_stream(maker: Maker, threads: tuple[int, ...]) -> None:
    for kernel, (store, rate) in RATES.items():
        for count in threads:
            group = one_group(kernel, tuple(range(count)), GiB)
            facts = made_facts(group, store=store, program_bytes_per_operation=128.0)
            work = Teamwork((rate / 128,) * count)
            maker.add("stream", {"kernel": kernel, "threads": count}, (group,), (work,), facts=(facts,))


def add_load(maker: Maker, share: float, store: str, delay: int, most: float) -> None:
    bandwidth, latency = made.made_load(most, delay)
    groups = (one_group("chase", (0,), GiB, role="chaser"), one_group("mix", (1,), GiB, role="load"))
    labels: dict[str, Label] = {"read_share": share, "store": store, "delay_cycles": delay, "load_threads": 1}
    facts = (made_facts(groups[0]), made_facts(groups[1], store=store))
    maker.add("loaded_latency", labels, groups, (Teamwork((1 / latency,)), Teamwork((bandwidth / 64,))), facts=facts)


def retold(content: Content, change: Callable[[str, Flat], Flat]) -> Content:
    """Return the same content with other rows; change: (name of the table, a row) -> the row, both flat."""
    sections = {name: _retold(section, change) for name, section in content.sections.items()}
    return dataclasses.replace(content, sections=sections)


def _retold(section: Section, change: Callable[[str, Flat], Flat]) -> Section:
    rows = [change(section.name, row) for row in section.rows]
    typed = [
        unflat(type(old), row) if isinstance(old, Row) else row for old, row in zip(section.typed, rows, strict=True)
    ]
    return dataclasses.replace(section, rows=rows, typed=typed)


def changed(run: Run, **fields: object) -> Run:
    """The same run with other fields in its result, also on disk."""
    result = msgspec.structs.replace(run.result, **fields)
    results.save_result(run.path, result)
    return results.load(run.path)


def subset(run: Run, table: str) -> Run:
    """Only the records of one table."""
    kept = [record for record in run.result.records if record.experiment.table == table]
    records = tuple(msgspec.structs.replace(record, number=number) for number, record in enumerate(kept))
    return changed(run, records=records)


def evil_run(directory: Path) -> Run:
    """Every text that a user or a machine can choose tries to be markup, a script, a formula of the template."""
    maker = Maker(directory)
    group = one_group("copy", (0,), GiB, role=EVIL)
    facts = made_facts(group, kernel=EVIL, target=f"file:/{EVIL}", placement=EVIL, isa=EVIL, store=EVIL)
    work = (Teamwork((1e8,)),)
    maker.add("stream", {"kernel": EVIL, "threads": 1}, (group,), work, facts=(facts,))
    maker.add("groups", {EVIL: EVIL}, (group,), work, facts=(facts,))
    load = one_group("mix", (1,), GiB, role="load")
    chaser = (one_group("chase", (0,), GiB, role="chaser"), load)
    labels: dict[str, Label] = {"read_share": 0.5, "store": EVIL, "delay_cycles": 0, "load_threads": 1}
    maker.add("loaded_latency", labels, chaser, (Teamwork((4e6,)), Teamwork((1e8,))))
    run = maker.save(suite=EVIL)
    machine = run.result.machine
    identity = msgspec.structs.replace(machine.identity, model=EVIL, memory=EVIL, kernel=EVIL)
    finding = Finding(
        name=EVIL, state=EVIL, verdict="bad", touches=("stream", "groups"), effect=EVIL, remedy=EVIL, needs_root=True
    )  # fmt: skip
    return changed(
        run,
        machine=msgspec.structs.replace(
            machine, hostname=EVIL, identity=identity, state={EVIL: EVIL}, peak_bytes_per_s=None, peak_source=EVIL
        ),
        findings=(finding,),
        warnings=(Warn(code=EVIL, message=EVIL, next_step=EVIL),),
        options={EVIL: EVIL},
    )
