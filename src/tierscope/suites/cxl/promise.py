"""The findings on near and far memory, compared with the firmware's report and published devices."""

from tierscope import reference
from tierscope.stats.median import Interval
from tierscope.suites.cxl.row import FarMemoryRow
from tierscope.tables import Insight, Number
from tierscope.tables.measured import sure
from tierscope.units import show_rate, show_seconds

PUBLISHED = "cxl_latency"
FAR_OFF = 1.25  # measured over reported, either way, as for nodes: reports are rounded and made for many models


def found_of(rows: list[FarMemoryRow], *, real: bool) -> list[Insight]:
    """Return the findings of conclusive rows. real: only hardware is compared with published hardware."""
    near, far = rows
    found = [*_over(far, near), *_promises(far)]
    return [*found, *(_published(far) if real else ())]


def _over(far: FarMemoryRow, near: FarMemoryRow) -> list[Insight]:
    late, wait, base = sure(far, far.latency_over_near), sure(far, far.latency), sure(near, near.latency)
    found = []
    if late and wait and base:
        text = _compared(far, near, late, show_seconds(wait.middle), show_seconds(base.middle))
        found.append(_insight("far_latency", f"Latency of {text}", late))
    fast, rate, base = sure(far, far.bandwidth_over_near), sure(far, far.bandwidth), sure(near, near.bandwidth)
    if fast and rate and base:
        text = _compared(far, near, fast, show_rate(rate.middle), show_rate(base.middle))
        found.append(_insight("far_bandwidth", f"Bandwidth of {text}", fast))
    return found


def _compared(far: FarMemoryRow, near: FarMemoryRow, over: Interval, one: str, other: str) -> str:
    ratio = f"{over.middle:.2f}x that of {near.target} ({over.low:.2f} to {over.high:.2f})"
    return f"{far.target}: {ratio}, {one} compared with {other}"


def _insight(name: str, text: str, over: Interval) -> Insight:
    return Insight.of(over, name=name, text=text, unit="1")


def _promises(far: FarMemoryRow) -> list[Insight]:
    found = []
    for what, ratio, told in (
        ("latency", far.latency_over_reported, far.reported_latency_s and show_seconds(far.reported_latency_s)),
        (
            "bandwidth",
            far.bandwidth_over_reported,
            far.reported_bandwidth_bytes_per_s and show_rate(far.reported_bandwidth_bytes_per_s),
        ),
    ):
        if ratio is None or not far.conclusive:
            continue
        kept = 1 / FAR_OFF <= ratio <= FAR_OFF
        verdict = "as reported" if kept else "not as reported"
        text = f"The {what} of {far.target} is {verdict}: {ratio:.2f}x the {told} of the firmware (HMAT)"
        found.append(Insight(name=f"promise {what}", text=text, value=ratio, unit="1"))
    return found


def _published(far: FarMemoryRow) -> list[Insight]:
    wait = sure(far, far.latency)
    if wait is None:
        return []
    table = reference.load(PUBLISHED)
    low, high = (float(table.where(end=end).si("latency_ns")[0]) for end in ("lowest", "highest"))
    place = "within" if wait.low <= high and wait.high >= low else "below" if wait.high < low else "above"
    span = f"{show_seconds(low)} to {show_seconds(high)}"
    text = f"{show_seconds(wait.middle)} is {place} the range of published CXL memory, {span} (Liu et al., 2025)"
    return [Insight.of(wait, name="published", text=text, unit="s", others=(Number(value=low), Number(value=high)))]
