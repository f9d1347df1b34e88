"""Experiments as the machine can run them: whole lines of its caches, and pages that its kernel has.

A chase goes from line to line. Where a line is longer than the 64 bytes that suites request, the element becomes one
line. Values in elements (a pair of neighbours, a window of one) grow with it. Pages of 4 KiB become the kernel's
smallest where these are 16 or 64 KiB; the note of the experiment states it, so that the run warns.
Where lines have 64 bytes and pages 4 KiB, as on x86-64, no experiment changes.
"""

from collections.abc import Generator
from typing import TypeVar

import msgspec

from tierscope.plans.answer import Answer
from tierscope.record.experiment import PAGES, Experiment, Group, Target, word_of_page
from tierscope.record.machine import Machine
from tierscope.record.work.hop import HopWork
from tierscope.units import LINE_BYTES, show_size

Returned = TypeVar("Returned")
SMALLEST = "4k"


def fitted(machine: Machine, plan: Generator[Experiment, Answer, Returned]) -> Generator[Experiment, Answer, Returned]:
    """Yield the experiments of a plan as this machine can do them, and pass the answers on."""
    answer = None
    while True:
        try:
            asked = next(plan) if answer is None else plan.send(answer)
        except StopIteration as ended:
            returned: Returned = ended.value
            return returned
        answer = yield fit(machine, asked)


def fit(machine: Machine, asked: Experiment) -> Experiment:
    """Return the experiment in whole lines and in pages that exist."""
    line, base = machine.line_bytes(), machine.base_page_bytes()
    if line <= LINE_BYTES and base == PAGES[SMALLEST]:
        return asked
    groups = tuple(_paged(_lined(group, line), base) for group in asked.groups)
    if groups == asked.groups:
        return asked
    labels = dict(asked.labels)
    if labels.get("pages") == SMALLEST and base != PAGES[SMALLEST]:
        labels["pages"] = word_of_page(base)
    swapped = any(new.target.pages != old.target.pages for new, old in zip(groups, asked.groups, strict=True))
    note = f"pages of {show_size(base)} instead of 4 KiB, which this machine does not have" if swapped else ""
    step = "" if asked.note else f"; name pages={word_of_page(base)} to ask for them"
    notes = "; ".join(part for part in (note and f"{note}{step}", asked.note) if part)
    return msgspec.structs.replace(asked, groups=groups, labels=labels, note=notes)


def _lined(group: Group, line: int) -> Group:
    work = group.workload.work
    if not isinstance(work, HopWork) or work.element_bytes >= line:
        return group
    grown = line // work.element_bytes
    longer = msgspec.structs.replace(
        work, element_bytes=line, locality_bytes=_windows(work.locality_bytes, line, grown)
    )
    size = -(-group.workload.footprint_bytes // line) * line
    return msgspec.structs.replace(
        group, workload=msgspec.structs.replace(group.workload, work=longer, footprint_bytes=size)
    )


def _windows(locality: int, line: int, grown: int) -> int:
    """Return a window in elements as the same number of lines; a window that is a page does not change."""
    return locality if locality % line == 0 and locality >= PAGES[SMALLEST] else locality * grown


def _paged(group: Group, base: int) -> Group:
    def on_base(target: Target) -> Target:
        return target.on(word_of_page(base)) if target.pages == SMALLEST and base > PAGES[SMALLEST] else target

    source = on_base(group.source) if group.source else group.source
    return msgspec.structs.replace(group, target=on_base(group.target), source=source)
