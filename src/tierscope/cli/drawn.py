"""A figure of a command, as an SVG file."""

from pathlib import Path

from tierscope.errors import MachineError
from tierscope.files import write_atomically
from tierscope.report.standalone import standalone
from tierscope.report.theme import Spec


def draw(spec: Spec, path: Path) -> None:
    """MachineError if the file cannot be written."""
    import vl_convert

    try:
        write_atomically(path, vl_convert.vegalite_to_svg(standalone(spec)).encode())
    except OSError as error:
        raise MachineError(f"cannot write {path}: {error.strerror}; try another --figure PATH") from error
