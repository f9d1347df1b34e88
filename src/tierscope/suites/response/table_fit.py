"""The response to each lever: the share of the run time that grows with latency, by `models.response`."""

from typing import ClassVar

from tierscope.draw.words import short_command
from tierscope.record.result import Run
from tierscope.stats.median import Interval
from tierscope.suites.response.found import Found, found
from tierscope.suites.response.row import FitRow
from tierscope.suites.response.table import ResponseSteps
from tierscope.tables import Asked, Insight, Main, Number, tables

KNOWN, UNKNOWN = "known", "not known"


class ResponseFit:
    """One row for each lever, used or refused."""

    name: ClassVar[str] = "response_fit"
    title: ClassVar[str] = "Response of a program to latency"
    place: ClassVar[int] = 45
    asked: ClassVar[Asked] = Asked(
        question="How does this program answer to slower memory?",
        answers=("response", "response_refused"),
        keys={"response": "share of the time that grows with latency, {}"},
    )
    keys: ClassVar[tuple[str, ...]] = ("command", "lever")
    main: ClassVar[tuple[Main, ...]] = ()  # a share may be about 0; the steps are compared
    row: ClassVar[type[FitRow]] = FitRow
    says: ClassVar[dict[str, str]] = {
        "response LEVER": "share of the run time that grows with latency",
        "response_refused LEVER": "range of the latency that the lever made",
    }

    def rows(self, run: Run) -> list[FitRow]:
        return [_row(one) for one in found(ResponseSteps().rows(run))]

    def insights(self, run: Run, rows: list[FitRow]) -> list[Insight]:
        """Return a sentence for each lever: the share, or why it is refused."""
        del run
        return [_said(row) for row in rows]


def _row(one: Found) -> FitRow:
    fit, base = one.fit, one.rows[0]
    count = len(one.rows) - 1
    bends = f"the time bends up, by {fit.bend_share * 100:.1f} % at the last step" if fit and fit.bends else ""
    return FitRow(
        command=one.command,
        lever=one.lever,
        answer=KNOWN if fit and not one.why else UNKNOWN,
        reach=Interval(*fit.range_, count) if fit else None,
        share=Interval(fit.share_low, fit.share, fit.share_high, count) if fit else None,
        latency=base.latency,
        seconds=base.seconds,
        left=one.left,
        steps=count,
        why=one.why or bends,
        origin=base.origin,
    )


def _said(row: FitRow) -> Insight:
    if row.answer == UNKNOWN or row.share is None:
        reach = row.reach
        return Insight(
            name=f"response_refused {row.lever}",
            text=f"{short_command(row.command)}: lever {row.lever} is refused, because {row.why}",
            value=reach.middle if reach else None,
            low=reach.low if reach else None,
            high=reach.high if reach else None,
            unit="1" if reach else "",
            kind="percent" if reach else "",
            others=(
                (
                    Number(value=reach.low, kind="percent"),
                    Number(value=reach.high, kind="percent"),
                    Number(value=0.25, kind="percent"),
                )
                if reach
                else ()
            ),
            conclusive=False,
        )
    low, share, high = (100 * one for one in (row.share.low, row.share.middle, row.share.high))
    name = short_command(row.command)
    text = f"{name}: {share:.0f} % ({low:.0f} to {high:.0f}) of the time grows with latency, by {row.lever}"
    return Insight.of(row.share, name=f"response {row.lever}", text=text, unit="1", kind="difference")


tables.add(ResponseFit())
