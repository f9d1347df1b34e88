"""A process that puts the settings of a lever back when the run that wrote them ends, however it ends.

    python -m tierscope.host.lever_guard ROOT

It is made as `host.prefetch_guard`: its standard input is a pipe that ends with the run, also with one that is killed.
"""

import os
import signal
import sys
from pathlib import Path

from tierscope.host.levers_kept import KeptFiles
from tierscope.stops import SIGNALS

READY = b"ready\n"


def main(root: str) -> int:
    """Wait for the end of standard input, then restore; 1 where there is nothing to guard."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    files = KeptFiles(Path(root))
    if files.kept() is None:
        return 1
    os.write(sys.stdout.fileno(), READY)
    while sys.stdin.buffer.read(4096):
        pass
    files.restore()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
