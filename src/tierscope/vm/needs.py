"""The requirements of a virtual machine on this system, and the command that installs what is missing.

The kernel is Debian's for clouds. It is looked up in TIERSCOPE_VM_KERNEL, then in `build/vm` of a checkout, then in the
user's data folder, to which `tierscope vm --get-kernel` brings it.
"""

import os
import platform
import shutil
import subprocess
from pathlib import Path

from tierscope.errors import MachineError, UsageError

HERE = Path(__file__).resolve().parent
VARIABLE = "TIERSCOPE_VM_KERNEL"
BUSYBOX = ("/bin/busybox", "/usr/bin/busybox")
EMULATOR = "qemu-system-x86_64"
PATH = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"
FETCH = "tierscope vm --get-kernel"
TOOLS = {"mkfs.ext4": "e2fsprogs", "mkfs.xfs": "xfsprogs", "ndctl": "ndctl", "daxctl": "daxctl", "cxl": "ndctl"}
"""Programs of this system that a machine may be given, and their packages."""


def install(*packages: str) -> str:
    """Return the command that installs packages on Debian."""
    return f"sudo apt-get install -y {' '.join(packages)}"


def own_folder() -> Path:
    """Return the folder below the user's data to which the kernel is brought."""
    data = os.environ.get("XDG_DATA_HOME", "")
    base = Path(data) if data.startswith("/") else Path.home() / ".local/share"
    return base / "tierscope/vm"


def kernel_folders() -> tuple[Path, ...]:
    """Return where a kernel may be, the first that counts first."""
    if named := os.environ.get(VARIABLE):
        return (Path(named),)
    return (HERE.parents[2] / "build/vm", own_folder())


def kernel() -> Path:
    """Return the image of the kernel; its modules are in ../lib/modules. MachineError where there is none."""
    for folder in kernel_folders():
        if found := sorted(folder.glob("boot/vmlinuz-*")):
            return found[-1]
    looked = " or ".join(str(folder / "boot") for folder in kernel_folders())
    raise MachineError(f"a virtual machine needs a kernel, and there is none in {looked}; run `{FETCH}`")


def emulator() -> str:
    """Return QEMU; MachineError where it is not installed."""
    if found := shutil.which(EMULATOR):
        return found
    raise MachineError(f"a virtual machine needs {EMULATOR}; run `{install('qemu-system-x86')}`")


def busybox() -> Path:
    """Return the static busybox; MachineError where there is none."""
    found = [Path(path) for path in BUSYBOX if Path(path).is_file()]
    if not found:
        raise MachineError(f"a virtual machine needs a static busybox; run `{install('busybox-static')}`")
    return static(found[0], install("busybox-static"))


def static(program: Path, remedy: str) -> Path:
    """Return a program that needs no loader, since there is none inside; MachineError for another."""
    try:
        head = program.read_bytes()[:4096]
    except OSError as error:
        raise MachineError(f"a virtual machine needs {program}: {error.strerror}; try {remedy}") from error
    if b"/ld-linux" in head:
        raise MachineError(f"{program} is not static, so a virtual machine cannot run it; try {remedy}")
    return program


def tool(name: str) -> Path:
    """Return a program of this system; MachineError with the line that installs all that machines copy."""
    if found := shutil.which(name, path=PATH):
        return Path(found)
    raise MachineError(f"this virtual machine needs {name}; run `{install(*sorted(set(TOOLS.values())))}`")


def get_kernel(folder: Path) -> None:
    """Bring the kernel to a folder; MachineError where this system cannot. Prints what apt prints."""
    if platform.machine() != "x86_64":
        raise UsageError(f"the virtual machines are x86-64, this machine is {platform.machine()}")
    folder.parent.mkdir(parents=True, exist_ok=True)
    status = subprocess.run([HERE / "get-kernel", folder], check=False).returncode
    if status:
        raise MachineError(
            f"the kernel was not downloaded (status {status}; the reason is above); on a system without Debian's "
            f"packages unpack linux-image-*-cloud-amd64 of Debian into a folder, and name it in {VARIABLE}"
        )
