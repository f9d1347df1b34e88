"""Units and names as this project spells them; a line with `spelling: as is` is left alone.

Sizes are KiB, MiB, GiB; rates GB/s or bytes/s; times s, ms, us, ns. Run with files to check them.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

WRONG = {
    r"\b[KMGT]i?bps\b|\b[KMGT]Bps\b|\b[KMGT]i?B/sec\b": "a rate is GB/s",
    r"\bkB/s\b|\bK[Bb]/s\b": "a rate is GB/s or MB/s",
    r"\b[KMGT]ib\b": "a size is KiB, MiB, GiB (a bit is no byte)",
    r"\b\d+ ?(?:usec|msec|nsec|µsec)s?\b": "a time is us, ms or ns",
    r"\bHyper-?[Tt]hreading\b": "say SMT",
    r"\bTier[ -][Ss]cope\b|\bTierScope\b": "the name is Tierscope",
    r"\bnon temporal\b": "write non-temporal",
    r"\b[Pp]mem\b(?![][./_'\"`:,-])": "say persistent memory",  # but for names of the kernel, in paths or quoted
}
LEAVE = "spelling: as is"
KINDS = {".py", ".hpp", ".cpp", ".md", ".toml", ".cmake", ".in", ".sh", ".html", ".js", ".css"}


def faults(name: str, text: str) -> Iterator[str]:
    """One line for every word that is spelt otherwise."""
    for number, line in enumerate(text.splitlines(), 1):
        if LEAVE in line:
            continue
        for pattern, advice in WRONG.items():
            for found in re.finditer(pattern, line):
                yield f"{name}:{number}: {found.group()!r}: {advice}"


def main(names: list[str]) -> int:
    """Status 1 and the faults on standard output, if there are any."""
    paths = [path for path in map(Path, names) if path.suffix in KINDS and path.name != Path(__file__).name]
    found = [fault for path in paths for fault in faults(str(path), path.read_text())]
    sys.stdout.write("".join(f"{fault}\n" for fault in found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
