"""The family of the Linux distribution: which tools it has.

Source: systemd, os-release(5): ID, and the related systems in ID_LIKE.
"""

from tierscope.host.system import System

RELEASES = ("/etc/os-release", "/usr/lib/os-release")  # the second counts where the first is absent
DEBIAN, FEDORA = "debian", "fedora"
FAMILIES = {"debian": DEBIAN, "ubuntu": DEBIAN, "fedora": FEDORA, "rhel": FEDORA, "centos": FEDORA}


def family(system: System) -> str:
    """Return DEBIAN or FEDORA for these and what is derived from them; "" for any other, and where no file names it."""
    text = next((found for path in RELEASES if (found := system.read(path)) is not None), "")
    facts = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
    names = f"{facts.get('ID', '')} {facts.get('ID_LIKE', '')}".replace('"', "").replace("'", "").split()
    return next((FAMILIES[name] for name in names if name in FAMILIES), "")
