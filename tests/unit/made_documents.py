"""Rows that are made up, for the claims of documents; and one made run of a document."""

from collections import defaultdict
from pathlib import Path

import msgspec

from made import Maker
from made_flush import add_flush
from made_machine import made_machine
from made_neighbors import add_neighbors
from tierscope.record.experiment import Label
from tierscope.record.machine import Machine
from tierscope.record.result import Run
from tierscope.suites.documents.claim import Verdict, judge
from tierscope.suites.documents.found import Found
from tierscope.suites.documents.sheet import sheets
from tierscope.tables import Flat

NVM = "fsdax:/mnt/pmem/x"
CLOSING: Flat = {"conclusive": True, "reasons": "", "blocks": 100, "left_out_share": 0.01, "origin": "real"}


def row(stem: str, middle: float, half: float = 0.01, **keys: Label) -> Flat:
    """Return a row with one number, `half` of its value to each side; an ending behind the name: 'line_s'."""
    name = next(
        (stem.removesuffix(ending) for ending in ("_bytes_per_s", "_s", "_total") if stem.endswith(ending)), stem
    )
    span = {f"{name}_low": middle * (1 - half), f"{name}_high": middle * (1 + half)}
    return {**CLOSING, stem: middle, **span, **keys}


def doubtful(one: Flat, why: str = "only 3 rounds of 8") -> Flat:
    """Return the same row, inconclusive."""
    return one | {"conclusive": False, "reasons": why}


class MadeFound(Found):
    """Rows by table instead of a run."""

    def __init__(self, rows: dict[str, list[Flat]], nvm: str = NVM, machine: Machine | None = None) -> None:
        held: defaultdict[str, list[Flat]] = defaultdict(list, rows)
        self._rows = held.__getitem__
        self.nvm = nvm
        self._machine = machine or made_machine(2)

    @property
    def machine(self) -> Machine:
        return self._machine

    def target(self, key: str) -> str:
        return {"dram": "node:0", "nvm": self.nvm}[key]


def verdict(document: str, claim: str, found: Found) -> Verdict:
    """Return the verdict on the claim of this name."""
    (one,) = [one for one in sheets[document].claims if one.name == claim]
    return judge(one, found)


def document_run(directory: Path) -> Run:
    """A made run of document 002: flushes on a DAX file, a flow with one writer to it."""
    maker = Maker(directory)
    add_flush(maker, (1024, 4096, 2 << 20), ("clflush", "clflushopt", "clwb"), target=NVM, persistence="adr")
    add_neighbors(maker, aggressor="flush_clflushopt", target=NVM)
    return with_options(maker.save("document-002", made_machine(4)), nvm=NVM, dram="node:0")


def with_options(run: Run, **options: Label) -> Run:
    """Return a run with further options, in its result alone."""
    result = msgspec.structs.replace(run.result, options=run.result.options | options)
    return msgspec.structs.replace(run, result=result)


def published_disagree(document: str) -> set[str]:
    """Return the claims with a published number outside of the bounds."""
    return {
        claim.name
        for claim in sheets[document].claims
        if not all(claim.low < one < claim.high for one in claim.published())
    }


def contradicted(document: str) -> set[str]:
    """Return the claims that state that the document's own numbers contradict them."""
    return {claim.name for claim in sheets[document].claims if claim.contradicted}
