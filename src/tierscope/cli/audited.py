"""The results that `audit` examines, by the argument: a run, a published table, or a file of another tool."""

from pathlib import Path

from tierscope import reference
from tierscope.audit import Audit, examine, own, published, readings
from tierscope.audit.limits import Limits, limited
from tierscope.cli.names import PUBLISHED
from tierscope.errors import UsageError
from tierscope.files import is_there
from tierscope.imports import read
from tierscope.record.result import load
from tierscope.tables.kept import anew

UNKNOWN = Limits()


def audited(what: str, name: str = "", limits: Limits = UNKNOWN) -> tuple[str, Audit]:
    """Return its name for people, and the audit; UsageError for anything else. name: of a file's format."""
    if what.startswith(PUBLISHED):
        table = reference.load(what.removeprefix(PUBLISHED))
        return f"{table.name}: {table.title}", examine(limited(published.statements(table), limits))
    path = Path(what)
    if not is_there(path):
        raise UsageError(f"{what}: no such file or directory; name a run, a file of another tool, or {PUBLISHED}NAME")
    if path.is_file() and path.name != "result.json":
        _, imported = read(path, name)
        return f"{what}: {imported.tool}", examine(limited(readings.statements(imported.readings), limits))
    with anew():  # what was stored may not be what the samples show
        return what, examine(limited(own.statements(load(path)), limits))
