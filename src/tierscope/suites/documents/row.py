"""Rows of the tables `claims` and `document_tables`."""

from typing import Annotated

from tierscope.tables import JudgedRow
from tierscope.tables.rows import Col, Count, Quotient, Ratio

Maybe = Ratio | None


class ClaimRow(JudgedRow, frozen=True, kw_only=True):
    """One claim of a document."""

    document: Annotated[str, Col("document", help="its number, as `002`")]
    claim: Annotated[str, Col("claim", help="its name")]
    says: Annotated[str, Col("what it states", help="the claim in one sentence")]
    number: Annotated[str, Col("number", help="what is compared; a ratio or a count")]
    published_low: Annotated[Maybe, Col("published from", help="the least one that the document printed; null: none")]
    published_high: Annotated[Maybe, Col("published to", help="the largest one that the document printed")]
    value: Annotated[
        Quotient | None,
        Col("here", help="median of all points; the bounds are the least and the largest bound of all points"),
    ]
    points: Annotated[Count, Col("points", help="that decide it, such as sizes")]
    rule: Annotated[str, Col("needed", help="where the whole interval of each point must be: `above 1`")]
    holds: Annotated[
        str,
        Col("true here", help="`yes`: every whole interval is there; `no`: one is outside; `not known`: all else"),
    ]
    why: Annotated[str, Col("why", help="what decides it, or why it is not known")]
    fault: Annotated[
        str, Col("in the document", help="how its own numbers contradict the claim, or cannot be right; empty: neither")
    ]
    stand_in: Annotated[
        str, Col("replaces a tier", help="why a number is that of a replacement for a tier; empty: none is")
    ]


class PublishedRow(JudgedRow, frozen=True, kw_only=True):
    """One cell of a table of the document."""

    document: Annotated[str, Col("document", help="its number, as `002`")]
    part: Annotated[str, Col("table", help="a table or figure of the document")]
    line: Annotated[str, Col("line", help="line of that table")]
    column: Annotated[str, Col("column", help="column of that table")]
    of: Annotated[str, Col("unit", help="base unit of both numbers: `B/s`, `s`, `1`")]
    published: Annotated[Maybe, Col("published", help="as the document printed it; null: it has no such number")]
    here: Annotated[Quotient | None, Col("here", help="of this run; null: it has no such number")]
    over: Annotated[Maybe, Col("here / published", help="null where one of them is absent")]
