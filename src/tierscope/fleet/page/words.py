"""The sentences of the pages of a fleet."""

from collections.abc import Mapping

from tierscope.fleet.outliers_result import Outliers, Size
from tierscope.fleet.outliers_text import open_suspects
from tierscope.fleet.trend_result import Trend


def percent(share: float) -> str:
    """Return '4.1 %'."""
    return f"{share * 100:.1f} %"


def size(slower: Size) -> str:
    """Return '5.0 % slower (4.1 to 5.9)', or 'faster'."""
    way, sign = ("slower", 1) if slower.value >= 0 else ("faster", -1)
    ends = sorted((sign * slower.low, sign * slower.high))
    return f"{slower.value * sign * 100:.1f} % {way} ({ends[0] * 100:.1f} to {ends[1] * 100:.1f})"


def lead(found: Outliers, failed: Mapping[str, str]) -> str:
    """Return the verdict in a sentence or two."""
    count = {word: sum(one.verdict == word for one in found.suspects) for word in ("slower", "odd", "inconclusive")}
    parts = []
    if found.wrong:
        parts.append(f"{_machines(len(found.wrong))} computed wrong answers")
    if count["slower"]:
        parts.append(
            f"{_machines(count['slower'])} of {found.machines} {_are(count['slower'])} slower than their peers"
        )
    if count["odd"]:
        parts.append(f"{_machines(count['odd'])} {_are(count['odd'])} odd")
    if low := sum(bool(one.machine) for one in found.inefficient):
        parts.append(f"{_machines(low)} {_are(low)} far below {'their' if low != 1 else 'its'} peak")
    if worse := sum(one.slower_than_before is not None for one in found.groups):
        parts.append(f"{worse} group{'s' if worse != 1 else ''} {_are(worse)} slower as a whole than in the first days")
    none = f"No machine of {found.machines} is confirmed to be slower than its peers"
    if not found.groups:
        none = f"Not known: none of {_machines(found.machines)} has enough peers to be compared with"
    text = "; ".join(parts) or none
    if waiting := len(open_suspects(found)):
        text += f". {_machines(waiting)} {'await' if waiting != 1 else 'awaits'} confirming sessions"
    if unsure := count["inconclusive"] - waiting:
        text += f". {_machines(unsure)} {_are(unsure)} inconclusive after their sessions"
    return text + (f". {len(failed)} did not answer." if failed else ".")


def unchanged(found: Trend) -> str:
    """Return what no change means: nothing before a baseline is complete."""
    if not found.followed:
        return "It is not known whether a machine changed."
    return f"No machine changed from {found.first} to {found.last} ({found.days} days)."


def _machines(count: int) -> str:
    return f"{count} machine{'s' if count != 1 else ''}"


def _are(count: int) -> str:
    return "are" if count != 1 else "is"
