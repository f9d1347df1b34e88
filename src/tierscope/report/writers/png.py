"""Every figure as a PNG file, `figures/NAME.png`, for slides and messages."""

from pathlib import Path

from tierscope.files import write_atomically
from tierscope.record.result import Run
from tierscope.report import picture
from tierscope.report.content import gather
from tierscope.report.standalone import standalone
from tierscope.report.writers import file_name, folder_of, writers

SCALE = 2.0  # pixels per px: sharp on dense screens and on paper 17 cm wide at 220 dpi


class Png:
    """One picture per figure."""

    name = "png"

    def write(self, run: Run, directory: Path) -> list[Path]:
        """figures/NAME.png for each figure that has rows."""
        folder = folder_of(directory, "figures")
        paths = []
        for drawing in gather(run).drawings:
            path = folder / file_name(drawing.figure.name, run, "png")
            write_atomically(path, picture.png(standalone(drawing.spec), SCALE))
            paths.append(path)
        return paths


writers.add(Png())
