"""PNG: every figure as a picture, for slides and messages."""

from collections.abc import Iterator

from tierscope.record.result import Run
from tierscope.report import picture
from tierscope.report.content import gather
from tierscope.report.formats import File, Format, Report, formats
from tierscope.report.standalone import standalone


def pictures(run: Run) -> Iterator[File]:
    """Yield figures/NAME.png for each figure that has rows."""
    for drawing in gather(run).drawings:
        yield File(f"figures/{drawing.figure.name}.png", picture.png(standalone(drawing.spec)))


formats.add(Format("png", Report("Every figure as a PNG file, `figures/NAME.png`, for slides and messages.", pictures)))
