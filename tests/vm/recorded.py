"""The parts of a machine's /proc and /sys that tests/data/systems keeps, to test discovery without a machine."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from tierscope.host.system import System

KEPT = re.compile(
    r"/proc/(cmdline|mounts|self/mounts)|/sys/(block|bus|class/dmi|devices/virtual/(dmi|memory_tiering))/.*"
    r"|/sys/devices/system/node/(online|has_cpu|has_memory|node\d+/(cpulist|distance|access\d/.*))"
    r"|/sys/devices/.*/(ndbus\d+|root\d+|mem\d+)/.*"
)
DULL = {
    "uevent", "modalias", "stat", "inflight", "diskseq", "ext_range", "range", "capability", "events", "events_async",
    "events_poll_msecs", "hidden", "removable", "discard_alignment", "alignment_offset", "wait_probe", "subsystem",
    "log_zero_flags", "dsm_mask", "rev_id", "bdi", "commands", "dev", "CDAT",
}  # fmt: skip
"""Names without information, or that change at every boot."""
CHANGING = ("/uuid", "/bios_date", "/bios_version", "/mounts")  # sizes of file systems in memory


def tree(system: System) -> dict[str, str]:
    """Path and content of what is kept; of a link, `-> TARGET`."""
    return dict(sorted(_kept(system)))


def _kept(system: System) -> Iterator[tuple[str, str]]:
    for place in system.root.rglob("*"):
        path = f"/{place.relative_to(system.root)}"
        if not KEPT.fullmatch(path) or place.name in DULL:
            continue
        if place.is_symlink():
            yield path, f"-> {place.readlink()}"
        elif place.is_file():
            yield path, place.read_text().strip()


def same(shown: Mapping[str, str], recorded: Path, at: Path) -> None:
    """Fails where a machine shows something else than was recorded; what it shows is then left in a folder."""
    left = at / recorded.name
    left.write_text("".join(f"{quoted(path)} = {quoted(text)}\n" for path, text in shown.items()))
    kept = steady(tomllib.loads(recorded.read_text()) if recorded.exists() else {})
    now = steady(shown)
    differing = sorted(path for path in {*now, *kept} if now.get(path) != kept.get(path))
    assert not differing, f"{recorded}: what this kernel shows is in {left}; they differ in {differing[:20]}"


def steady(files: Mapping[str, str]) -> dict[str, str]:
    """Without what is another at every boot."""
    return {path: text for path, text in files.items() if not path.endswith(CHANGING)}


def quoted(text: str) -> str:
    return f"'''\n{text}'''" if "\n" in text else f"'{text}'"
