"""Every figure as an SVG file, `figures/NAME.svg`, in light colours, with its text as text."""

import re
from pathlib import Path

from tierscope.files import write_atomically
from tierscope.record.result import Run
from tierscope.report import picture
from tierscope.report.content import gather
from tierscope.report.standalone import standalone
from tierscope.report.writers import file_name, folder_of, writers


class Svg:
    """One picture per figure."""

    name = "svg"

    def write(self, run: Run, directory: Path) -> list[Path]:
        """figures/NAME.svg for each figure that has rows."""
        folder = folder_of(directory, "figures")
        paths = []
        for drawing in gather(run).drawings:
            path = folder / file_name(drawing.figure.name, run, "svg")
            write_atomically(path, renumbered(picture.svg(standalone(drawing.spec))).encode())
            paths.append(path)
        return paths


def renumbered(svg: str) -> str:
    """Clip paths counted from 0: `vl_convert` goes on counting from one picture to the next."""
    names: dict[str, str] = {}

    def name(match: re.Match[str]) -> str:
        return match.group(1) + names.setdefault(match.group(2), f"clip{len(names)}")

    return re.sub(r'((?:id="|url\(#))(clip\d+)\b', name, svg)


writers.add(Svg())
