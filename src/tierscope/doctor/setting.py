"""A setting of the running kernel that a check wants: the file below /proc/sys or /sys, and the text to write.

It lasts until the machine restarts, and writing the old text puts it back. Nothing else may be a setting: no mount, no
file on a disk, no CPU that goes offline.
"""

from dataclasses import dataclass

PLACES = ("/proc/sys/", "/sys/")
TRUE, FALSE = frozenset(("1", "y", "true", "on")), frozenset(("0", "n", "false", "off"))


@dataclass(frozen=True, slots=True)
class Setting:
    """path: one file, or a pattern with `*` for one file of each CPU. value: what to write, without a line end.

    ValueError for a place that is not the running kernel's.
    """

    path: str
    value: str

    def __post_init__(self) -> None:
        if not self.path.startswith(PLACES) or ".." in self.path:
            raise ValueError(f"{self.path} is not a setting of the running kernel")

    @property
    def command(self) -> str:
        """Return the same for a person: one line of shell."""
        key = self.path.removeprefix("/proc/sys/")
        if key != self.path:
            return f"sudo sysctl {key.replace('/', '.')}={self.value}"
        return f"echo {self.value} | sudo tee {self.path}"


def same(read: str | None, wanted: str) -> bool:
    """Return whether a file with this content has the value; `true`, `Y` and `1` are one value, as for kstrtobool."""
    if read is None:
        return False
    words = {read.lower(), wanted.lower()}
    return read == wanted or words <= TRUE or words <= FALSE
