"""Claims: what a document states, and whether it is true of this machine.

Numbers come from the other tables of the same run, bounds from `sheet_NNN.py`, and the rule of a verdict from
`claim.py`. A run of another suite has no rows here.
Blind to why a claim is false: a stand-in, another program and another machine are all possible, and the row names only
a stand-in.
"""

from typing import ClassVar

from tierscope.record.origin import strongest
from tierscope.record.result import Run
from tierscope.suites.documents.claim import NO, UNKNOWN, YES, Verdict, judge
from tierscope.suites.documents.found import Found
from tierscope.suites.documents.row import ClaimRow
from tierscope.suites.documents.sheet import sheet_of
from tierscope.tables import Asked, Insight, Main, tables


class Claims:
    """One row for each claim of the document that the run repeats; a run of another suite has none."""

    name: ClassVar[str] = "claims"
    title: ClassVar[str] = "Claims of the document"
    asked: ClassVar[Asked] = Asked(
        question="Is the document right about this machine?",
        answers=("claims",),
        keys={"claims": "claims that are true"},
        leads=True,
    )
    place: ClassVar[int] = 0
    topics: ClassVar[tuple[str, ...]] = ()
    keys: ClassVar[tuple[str, ...]] = ("document", "claim")
    main: ClassVar[tuple[Main, ...]] = ()  # none of its numbers is better or worse
    row: ClassVar[type[ClaimRow]] = ClaimRow
    says: ClassVar[dict[str, str]] = {
        "claims": "number of claims of the document that are true of this machine",
    }

    def rows(self, run: Run) -> list[ClaimRow]:
        sheet = sheet_of(run.result.suite)
        if sheet is None:
            return []
        found = Found(run)
        return [_row(sheet.name, judge(claim, found)) for claim in sheet.claims]

    def insights(self, run: Run, rows: list[ClaimRow]) -> list[Insight]:
        del run
        return [_summary(rows)] if rows else []


def _row(document: str, found: Verdict) -> ClaimRow:
    claim, published = found.claim, [float(one) for one in found.claim.published()]
    unknown = found.verdict == UNKNOWN
    return ClaimRow(
        document=document,
        claim=claim.name,
        says=claim.says,
        number=claim.number,
        published_low=min(published, default=None),
        published_high=max(published, default=None),
        value=found.value,
        points=len(found.points),
        rule=claim.rule,
        holds=found.verdict,
        why=found.why,
        fault=claim.contradicted or claim.doubt,
        stand_in=found.stand_in,
        conclusive=not unknown,
        reasons=(found.why.replace("; ", ", "),) if unknown else (),
        blocks=sum(one.blocks for one in found.points),
        left_out_share=max((one.left_out_share for one in found.points), default=0.0),
        origin=strongest([one.origin for one in found.points] or ["real"]),
    )


def _summary(rows: list[ClaimRow]) -> Insight:
    """Return the headline with the numbers of claims that are true, false and not known; those of none are left out."""
    held, broken, unknown = (sum(row.holds == word for row in rows) for word in (YES, NO, UNKNOWN))
    words = ((held, "true"), (broken, "not true"), (unknown, "not known"))
    first, *rest = (f"{count} {{}}{'is' if count == 1 else 'are'} {word}" for count, word in words if count)
    shown = f"{first.format(f'of {len(rows)} claims ')} here"
    if not held and not broken:
        shown = f"this run decides none of {len(rows)} claims"
    text = f"Document {rows[0].document}: {'; '.join((shown, *(one.format('') for one in rest)))}"
    if any(row.stand_in for row in rows):
        text += "; a stand-in replaces the second tier"
    return Insight(
        name="claims", text=text, value=held, unit="1", kind="count", whole=len(rows), conclusive=held + broken > 0
    )


tables.add(Claims())
