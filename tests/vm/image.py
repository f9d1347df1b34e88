"""What a virtual machine boots: Debian's kernel, and a RAM disk of busybox, the core and a few modules.

Nothing in it comes from this system's own kernel, so the lane is the same on every host.
"""

import lzma
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
KERNEL = ROOT / "build/vm"
"""Where `packaging/vm-kernel` unpacks the kernel's package."""
BUSYBOX = Path("/bin/busybox")
BRING = "sudo apt-get install -y qemu-system-x86 busybox-static && packaging/vm-kernel"
TOOLS = {"mkfs.ext4": "e2fsprogs", "mkfs.xfs": "xfsprogs", "ndctl": "ndctl", "daxctl": "daxctl", "cxl": "ndctl"}
"""Programs of this system that a machine may take along, and their packages."""
PATH = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"
NETWORK = ("virtio_pci", "virtio_net")


def kernel() -> Path:
    """The image; skips with the line that brings it."""
    found = sorted(KERNEL.glob("boot/vmlinuz-*"))
    return found[-1] if found else pytest.skip(f"no kernel for the virtual machine: {BRING}")


def emulator() -> str:
    found = shutil.which("qemu-system-x86_64")
    return found or pytest.skip(f"no qemu-system-x86_64 for the virtual machine: {BRING}")


def pack(
    folder: Path, core: Path, modules: Sequence[str] = (), tools: Sequence[str] = (), linked: Path | None = None
) -> Path:
    """The RAM disk as a cpio archive in `folder`; `modules` beside those of the network, without their needs.

    linked: the core that serves pools.
    """
    root = folder / "root"
    for name in ("bin", "dev", "proc", "sys", "tmp", "modules"):
        (root / name).mkdir(parents=True)
    shutil.copy(_static(BUSYBOX), root / "bin/busybox")
    shutil.copy(_static(core), root / "bin/tierscope-core")
    for script in ("init", "serve", "record"):
        shutil.copy(Path(__file__).parent / "guest" / script, root)
    if linked is not None:
        shutil.copy(linked, root / "bin/tierscope-core-pmdk")
    for file in {file for tool in tools for file in _tool(tool)} | set(_libraries(linked) if linked else ()):
        place = root / str(file).lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, place)
    order = list(_with_needs((*NETWORK, *modules)))
    for name in order:
        (root / "modules" / name).write_bytes(_module(name) or b"")
    (root / "modules/order").write_text("".join(f"{name}\n" for name in order))
    return _archive(root, folder / "initramfs")


def _static(program: Path) -> Path:
    """There is no dynamic loader inside."""
    if not program.is_file():
        pytest.skip(f"no {program} for the virtual machine: {BRING}")
    if b"/ld-linux" in program.read_bytes()[:4096]:
        pytest.skip(f"{program} is not static, so it does not run in the virtual machine: {BRING}")
    return program


def _tool(name: str) -> Iterator[Path]:
    """A program of this system and its libraries; skips with the line that brings all that machines take along."""
    program = shutil.which(name, path=PATH)
    if program is None:
        packages = " ".join(sorted(set(TOOLS.values())))
        pytest.skip(f"no {name} for the virtual machine: sudo apt-get install -y {packages}")
    yield Path(program)
    yield from _libraries(Path(program))


def _libraries(program: Path) -> Iterator[Path]:
    """Of a dynamic program, the loader included."""
    listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    yield from (Path(path) for path in re.findall(r"(/\S+) \(0x", listed))


def _archive(root: Path, archive: Path) -> Path:
    names = "\n".join(str(path.relative_to(root)) for path in sorted(root.rglob("*")))
    with archive.open("wb") as out:
        pack_up: list[str | Path] = [BUSYBOX, "cpio", "-o", "-H", "newc"]
        subprocess.run(pack_up, cwd=root, input=names.encode(), stdout=out, stderr=subprocess.DEVNULL, check=True)
    return archive


def _with_needs(names: Sequence[str]) -> Iterator[str]:
    """Modules in the order in which they can be loaded; what the kernel has built in is left out."""
    done: set[str] = set()

    def visit(name: str) -> Iterator[str]:
        content = _module(name)
        if name in done or content is None:
            return
        done.add(name)
        found = re.search(rb"\0depends=([^\0]*)\0", content)
        for need in found[1].decode().split(",") if found else ():
            yield from visit(need)
        yield name

    for name in names:
        yield from visit(name)


def _module(name: str) -> bytes | None:
    """Its bytes, or None when it is built in; the tree has - where the module's own name has _."""
    modules = KERNEL / "lib/modules" / kernel().name.removeprefix("vmlinuz-")
    stem = name.replace("_", "[-_]")
    for path in modules.glob(f"**/{stem}.ko*"):
        content = path.read_bytes()
        return lzma.decompress(content) if path.suffix == ".xz" else content
    builtin = re.sub(r"[-_]", "_", (modules / "modules.builtin").read_text())
    assert not name or f"/{name}.ko\n" in builtin, f"this kernel has no module {name}"
    return None
