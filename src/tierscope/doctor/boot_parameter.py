"""How a parameter is added to the kernel's command line: each family of distributions has its own tool.

Source: grub-mkconfig and update-grub(8) of Debian, which read /etc/default/grub and /etc/default/grub.d/*.cfg as a
shell does; grubby(8) of Fedora and Red Hat; bootparam(7) of the Linux manual.
"""

from shlex import quote

from tierscope.host.distribution import DEBIAN, FEDORA, family
from tierscope.host.system import System

FILE, FOLDER = "/etc/default/grub", "/etc/default/grub.d"
UPDATE = "sudo update-grub"


def adding(system: System, word: str) -> str:
    """Return the command that adds `word` for the next boot; "" on a distribution whose tool is not known."""
    kind = family(system)
    if kind == DEBIAN:
        line = quote(f'GRUB_CMDLINE_LINUX="$GRUB_CMDLINE_LINUX {word}"')
        place = f"{FOLDER}/{word.partition('=')[0]}.cfg" if system.is_folder(FOLDER) else f"-a {FILE}"
        return f"echo {line} | sudo tee {place} && {UPDATE}"
    return f"sudo grubby --update-kernel=ALL --args={quote(word)}" if kind == FEDORA else ""


def by_hand(word: str) -> str:
    """Return what to do on a distribution whose tool is not known."""
    return f"add {word} to the kernel's parameters as the manual of your boot loader describes (see man 7 bootparam)"


def applying(system: System, word: str) -> str:
    """Return the command for a `word` that is already in GRUB's settings; "" where it is not known."""
    return UPDATE if family(system) == DEBIAN else adding(system, word)
