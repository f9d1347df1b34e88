"""The results of a hunt for a terminal: counts, verdicts, the first failed points and how to repeat them."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tierscope.crash.asked import Asked, Found

FIRST = 5
VERDICTS = {
    "passed": "the check ended with status 0",
    "wrong": "the check ended with another status",
    "signal": "the check crashed",
    "hang": "the check did not end in time",
}


def show(found: Found, asked: Asked, console: Console) -> None:
    counts = found.counts
    dropped = f", {counts.dropped} dropped" if counts.dropped else ""
    head = f"{found.file}: {counts.file_fences} fences, {counts.file_flushes} flushes{dropped}"
    console.print(Text(head, "bold"), soft_wrap=True)
    table = Table(box=None, pad_edge=False)
    table.add_column("verdict")
    table.add_column("points", justify="right")
    table.add_column("meaning")
    for verdict, meaning in VERDICTS.items():
        number = sum(point.verdict == verdict for point in found.points)
        bad = bool(number) and verdict != "passed"
        table.add_row(Text(verdict, "bold red" if bad else ""), str(number), Text(meaning, "dim"))
    console.print(table)
    if not found.stores:
        console.print("No power failure was simulated between two stores to one cache line: the writer cannot be "
                      "watched so closely, or nothing was stored before the drawn fences.", soft_wrap=True)  # fmt: skip
    _show_failed(found, asked, console)
    if found.missed:
        console.print(f"points not reached, since the second run made fewer fences: {len(found.missed)}")


def _show_failed(found: Found, asked: Asked, console: Console) -> None:
    for point in found.failed[:FIRST]:
        console.print(Text(f"power failure before fence {point.fence}: {point.detail}"), soft_wrap=True)
    if len(found.failed) > FIRST:
        console.print(f"and {len(found.failed) - FIRST} more; --json lists all")
    if not found.failed:
        return
    if asked.keep is None:
        console.print(f"The same command with --seed {found.seed} and --keep DIR leaves these images in DIR.")
    else:
        console.print(
            Text(f"Images and logs: {asked.keep}/image-N and {asked.keep}/log-N, where N is the fence"), soft_wrap=True
        )
