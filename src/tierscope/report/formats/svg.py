"""SVG: every figure as a picture in light colours, with its text as text."""

from collections.abc import Iterator

from tierscope.record.result import Run
from tierscope.report import picture
from tierscope.report.content import gather
from tierscope.report.formats import File, Format, Report, formats
from tierscope.report.standalone import standalone

HELP = "Every figure as an SVG file, `figures/NAME.svg`, in light colours, with its text as text."


def pictures(run: Run) -> Iterator[File]:
    """Yield figures/NAME.svg for each figure that has rows."""
    for drawing in gather(run).drawings:
        yield File(f"figures/{drawing.figure.name}.svg", picture.svg(standalone(drawing.spec)).encode())


formats.add(Format("svg", Report(HELP, pictures)))
