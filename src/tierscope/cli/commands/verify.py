"""`tierscope verify FILE`: which of its acknowledged blocks does a file still contain after a crash?"""

from pathlib import Path

import rich_click as click

from tierscope.cli import door
from tierscope.cli.commands import commands
from tierscope.cli.help import Area, Command, Tried

FIRST = 20


@click.command(
    cls=Command,
    area=Area.PREDICT,
    tried=Tried(),
    status={1: "at least one block is torn, stale, misplaced or missing"},
    examples=(
        "tierscope verify /mnt/data/blocks --write 4 > log",
        "tierscope verify /mnt/data/blocks --log log",
        (
            "tierscope crash /dev/shm/blocks --check 'tierscope verify {image} --log {log}' -- "
            "tierscope verify {file} --write 2 --way map --size 256KiB"
        ),
    ),
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--write", "passes", type=click.IntRange(1), metavar="N",
              help="Write each block N times, and print the log. **The content of FILE is lost.**")  # fmt: skip
@click.option("--log", type=click.Path(path_type=Path), help="The output of the writer; required without --write.")
@click.option("--size", default="16MiB", show_default=True, help="Bytes of the file, with --write.")
@click.option("--block", default="4KiB", show_default=True, help="Bytes of a block, with --write.")
@click.option("--way", default="write", show_default=True, type=click.Choice(["write", "map"]),
              help="With --write: pwrite and fdatasync, or a mapping and msync.")  # fmt: skip
@click.option("--seed", default=1, show_default=True, type=click.IntRange(0, 2**63), help="Seed of order and content.")
@click.option("--json", "as_json", is_flag=True, help="Print [all faults](json.md#verify---json).")
def verify(
    file: Path, passes: int | None, log: Path | None, size: str, block: str, way: str, seed: int, as_json: bool
) -> int:
    """Check which acknowledged blocks FILE still contains.

    With `--write`, writes blocks that contain the number of their write, their offset and a checksum for each sector.
    It prints a line before and after each write. Without it, reads FILE and compares each block with the last write
    that the log shows as acknowledged. See [how to find out whether data survive](../how-to/crash-safety.md).
    """
    from tierscope.errors import UsageError

    if passes is not None:
        return _write(file, passes, size, block, way, seed)
    if log is None:
        raise UsageError("verify needs --log LOG, what the writer printed; or --write N to write the blocks first")
    return _check(file, log, as_json=as_json)


def _write(file: Path, passes: int, size: str, block: str, way: str, seed: int) -> int:
    from tierscope.errors import Exit
    from tierscope.numbered.writer import write
    from tierscope.units import parse_bytes

    write(file, parse_bytes(size), parse_bytes(block), passes, seed, way, door.line_now)
    return Exit.GOOD


def _check(file: Path, log: Path, *, as_json: bool) -> int:
    from rich.text import Text

    from tierscope.cli.console import Console
    from tierscope.errors import Exit, UsageError, reason
    from tierscope.numbered.ledger import read_ledger
    from tierscope.numbered.verdict import counts, judge

    try:
        ledger = read_ledger(log.read_text(encoding="ascii", errors="replace"))
        with file.open("rb") as opened:
            verdicts = list(judge(opened, ledger))
    except OSError as error:
        raise UsageError(f"read {error.filename}: {reason(error)}; name the file and the log of its writer") from error
    faults = [one for one in verdicts if one.fault]
    found = counts(verdicts)
    if as_json:
        door.document({"blocks": found, "faults": faults})
    else:
        console = Console()
        words = ", ".join(f"{number} {kind}" for kind, number in found.items() if number)
        head = f"{file}: {len(verdicts)} blocks of {ledger.block_bytes} bytes: {words or 'none'}"
        console.print(Text(head), soft_wrap=True)
        for one in faults[:FIRST]:
            console.print(Text(f"offset {one.offset}: {one.kind}: {one.detail}"), soft_wrap=True)
        if len(faults) > FIRST:
            console.print(f"and {len(faults) - FIRST} more; --json lists all")
    if faults:
        first = f"{faults[0].kind} at offset {faults[0].offset}"
        door.message(f"{len(faults)} of {len(verdicts)} blocks do not contain what was acknowledged; first: {first}")
    return Exit.FAILED if faults else Exit.GOOD


commands.add(verify)
