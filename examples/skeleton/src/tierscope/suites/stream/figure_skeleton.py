"""The smallest figure: the best bandwidth of each kernel, as bars.

A figure belongs to a table, which `table` names, and its file to the folder of that table's suite. Its name begins with
`figure`. The page shows the figure above its table, and `report --format svg` and `png` write it as a file.
"""

from tierscope.draw import figures, theme, vega
from tierscope.draw.theme import Spec
from tierscope.record.result import Run
from tierscope.suites.stream.table import StreamRow
from tierscope.tables import Insight


class Bars:
    """A figure draws. It does not compute: what it needs is in the rows."""

    name = "skeleton_bars"  # of the file, and in the page
    title = "Best block of each kernel"
    table = "stream"
    reading = (
        "Each bar is the fastest block of a kernel, over all teams. It is not an estimate: read the table for that."
    )

    def draw(self, run: Run, rows: list[StreamRow], insights: list[Insight]) -> Spec | None:
        """Return a Vega-Lite specification without `$schema`; None where no row has a number."""
        bars = [{"kernel": row.kernel, "gb": vega.gb(row.best_bytes_per_s)} for row in rows]
        bars = [bar for bar in bars if bar["gb"]]
        if not bars:
            return None
        # Colours by their role, so that the page can show dark ones: theme.colour("blue"), never "#1f77b4".
        body = {
            "data": {"values": bars},
            "mark": {"type": "bar", "color": theme.colour("blue")},
            "encoding": {
                "x": {**vega.number("gb", "best block, GB/s"), "aggregate": "max"},
                "y": vega.field("kernel", "n", None),
            },
        }
        # The title states what was not measured on hardware; the notes state what is absent.
        title = vega.origin_title(self.title, run.result.origin)
        return vega.finish(title, body, notes=[vega.missing(len(rows), len(bars))])


figures.add(Bars())
