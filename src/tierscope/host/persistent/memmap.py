"""DRAM that the kernel sets aside as persistent memory: `memmap=SIZE!START` on its command line.

Only kernels of x86 know it. The start must be RAM, as `/proc/iomem` shows it to root; others see addresses of 0.
Source: Linux, Documentation/admin-guide/kernel-parameters.txt (memmap=nn[KMG]!ss[KMG]), arch/x86/kernel/e820.c.
"""

import re

from tierscope.host.system import System
from tierscope.units import GiB, MiB

COMMAND_LINE, ADDRESSES = "/proc/cmdline", "/proc/iomem"
LATER = ("/etc/default/grub", "/etc/default/grub.d/*.cfg")  # read at the next boot, once update-grub has run
ASKED = re.compile(r"(?:^|[\s\"'])(memmap=[^\s\"']*![^\s\"']+)")
RAM = re.compile(r"([0-9a-f]+)-([0-9a-f]+) : System RAM")
ASIDE = "Persistent Memory (legacy)"
SHARE = 4  # of a range of RAM: a quarter is set aside
STEP, LEAST = 128 * MiB, 256 * MiB  # a section of the kernel's memory; less is too little for a file system and a file


def asked(system: System) -> str:
    """Return the word of this boot, `memmap=4G!12G`; "" if there is none."""
    found = ASKED.search(system.read(COMMAND_LINE) or "")
    return found[1] if found else ""


def asked_later(system: System) -> str:
    """Return the word that waits for the next boot in the settings of GRUB; "" if there is none."""
    paths = [path for pattern in LATER for path in system.glob(pattern)]
    lines = [
        line for path in paths for line in (system.read(path) or "").splitlines() if not line.lstrip().startswith("#")
    ]
    return next((found[1].replace("\\", "") for line in lines if (found := ASKED.search(line))), "")


def set_aside(system: System) -> bool | None:
    """Return whether the kernel's map of addresses shows such memory; None if it cannot be read."""
    told = system.read(ADDRESSES)
    return None if told is None else ASIDE in told


def proposed(system: System) -> str:
    """Return a word for this machine, the end of its largest range of RAM; "" if the addresses are hidden or small."""
    ranges = [(int(low, 16), int(high, 16) + 1) for low, high in RAM.findall(system.read(ADDRESSES) or "")]
    low, high = max(ranges, key=lambda both: both[1] - both[0], default=(0, 0))
    size = (high - low) // SHARE // STEP * STEP
    start = (high - size) // STEP * STEP
    return f"memmap={_word(size)}!{_word(start)}" if size >= LEAST and start >= low else ""


def _word(number: int) -> str:
    """Return a number of bytes as the kernel reads it: 4G, 384M."""
    return f"{number // GiB}G" if number % GiB == 0 else f"{number // MiB}M"
