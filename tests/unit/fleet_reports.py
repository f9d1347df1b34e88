"""Reports of an imagined fleet, and how a test changes them."""

from pathlib import Path

import msgspec

from tierscope.fleet.fold import collect
from tierscope.fleet.host_report import HostReport
from tierscope.fleet.imagine import imagine
from tierscope.fleet.imagine_files import write_fleet
from tierscope.fleet.imagine_options import ImagineOptions


def made(at: Path, *, machines: int = 14, days: int = 2, faults: str = "", start: str = "2026-01-01") -> Path:
    options = ImagineOptions(machines=machines, days=days, faults=faults, metrics=4, start=start)
    write_fleet(at, imagine(options))
    return at


def reports(at: Path, day: str) -> list[Path]:
    return sorted((at / "reports" / day).glob("*.json"))


def changed(path: Path, **values: object) -> None:
    """Write a report again with other values, under its name."""
    report = msgspec.json.decode(path.read_bytes(), type=HostReport)
    path.write_bytes(msgspec.json.encode(msgspec.structs.replace(report, **values)))


def reasons(at: Path, day: str) -> str:
    return "\n".join(
        f"{one.what}: {one.reason}" for record in collect(at).days if record.day == day for one in record.listed
    )
