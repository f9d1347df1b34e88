"""The content of an open device or file, by the marks that util-linux knows, wherever on the device they are.

The marks are those of file systems, members of RAID, LVM, ZFS and Ceph, partition tables, and swap. Two programs are
run, since neither finds all: `blkid -p` knows formats without a mark of their own and reports when two contradict one
another; `wipefs -n` lists also marks whose checksum is wrong. Both only read.
Blind to content without a mark, and to marks that the installed util-linux does not know.
Source: util-linux 2.38, blkid(8) (status 2: nothing found, 8: ambivalent), wipefs(8).
"""

import os
import re
import shutil
import subprocess

from tierscope.errors import MachineError

LONGEST_S = 60.0  # a slow disk answers some hundred small reads in less
FOLDERS = "/usr/sbin:/sbin"  # often not on the PATH of who is not root
NOTHING_FOUND, AMBIVALENT = 2, 8


def signature(handle: int) -> str:
    """Return 'zfs_member', 'dos, ext4'; "" if nothing is known. Raise MachineError if that cannot be asked."""
    status, out, said = _ask(handle, "blkid", "-p", "-o", "export")
    if status == AMBIVALENT:
        return "marks of several formats (blkid: ambivalent)"
    if status not in (0, NOTHING_FOUND) or said:
        raise _unknown("blkid", status, said)
    facts = dict(re.findall(r"^(TYPE|PTTYPE|USAGE)=(.*)$", out, re.MULTILINE))
    usage = facts.pop("USAGE", "")  # "raid": less specific than the type
    status, out, said = _ask(handle, "wipefs", "-n", "-p")
    if status or said:
        raise _unknown("wipefs", status, said)
    listed = {line.split(",")[-1] for line in out.splitlines() if line and not line.startswith("#")}
    return ", ".join(sorted({*facts.values(), *listed})) or usage


def _ask(handle: int, name: str, *words: str) -> tuple[int, str, str]:
    """Return (status, output, error output) of one program about a descriptor that it inherits."""
    path = shutil.which(name, path=f"{os.environ.get('PATH', '')}:{FOLDERS}")
    if path is None:
        raise MachineError(f"{name} is not installed, and without it the content of the device is not known: "
                           "nothing is overwritten; sudo apt-get install -y util-linux")  # fmt: skip
    try:
        done = subprocess.run(
            [path, *words, f"/proc/self/fd/{handle}"],
            stdin=subprocess.DEVNULL, capture_output=True, pass_fds=(handle,), timeout=LONGEST_S, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _unknown(name, None, str(error)) from error
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace").strip()


def _unknown(name: str, status: int | None, said: str) -> MachineError:
    ended = "" if status is None else f" ended with status {status}"
    return MachineError(f"{name}{ended} and does not report what the device contains ({said[:200] or 'no output'}): "
                        "nothing is overwritten; look at the device with `wipefs` by hand")  # fmt: skip
