"""The image that a virtual machine boots: Debian's kernel, and a RAM disk of busybox, the core and a few modules.

Nothing in it comes from this system's own kernel, so a machine is the same on every host.
"""

import lzma
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from tierscope.errors import MachineError
from tierscope.vm import needs

NETWORK = ("virtio_pci", "virtio_net")
GUEST = needs.HERE / "guest"


def pack(
    folder: Path, core: Path, modules: Sequence[str] = (), tools: Sequence[str] = (), linked: Path | None = None
) -> Path:
    """Return the RAM disk as a cpio archive in `folder`. modules: by name, without what they need.

    linked: the core that serves pools. MachineError for what this system lacks.
    """
    root = folder / "root"
    for name in ("bin", "dev", "proc", "sys", "tmp", "modules"):
        (root / name).mkdir(parents=True, exist_ok=True)
    busybox = needs.busybox()
    shutil.copy(busybox, root / "bin/busybox")
    shutil.copy(needs.static(core, "the core that ./tierscope builds"), root / "bin/tierscope-core")
    for script in GUEST.iterdir():
        shutil.copy(script, root)
        (root / script.name).chmod(0o755)
    if linked is not None:
        shutil.copy(linked, root / "bin/tierscope-core-pmdk")
    programs = [needs.tool(name) for name in tools]
    for file in {*programs, *(file for one in (*programs, *([linked] if linked else ())) for file in libraries(one))}:
        place = root / str(file).lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, place)
    _add_modules(root / "modules", (*NETWORK, *modules))
    return _archive(busybox, root, folder / "initramfs")


def libraries(program: Path) -> Iterator[Path]:
    """Yield the libraries of a dynamic program, the loader included."""
    listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    yield from (Path(path) for path in re.findall(r"(/\S+) \(0x", listed))


def _add_modules(folder: Path, names: Sequence[str]) -> None:
    order = list(_with_needs(names))
    for name in order:
        (folder / name).write_bytes(_module(name) or b"")
    (folder / "order").write_text("".join(f"{name}\n" for name in order))


def _archive(busybox: Path, root: Path, archive: Path) -> Path:
    names = "\n".join(str(path.relative_to(root)) for path in sorted(root.rglob("*")))
    with archive.open("wb") as out:
        pack_up: list[str | Path] = [busybox, "cpio", "-o", "-H", "newc"]
        subprocess.run(pack_up, cwd=root, input=names.encode(), stdout=out, stderr=subprocess.DEVNULL, check=True)
    shutil.rmtree(root)
    return archive


def _with_needs(names: Sequence[str]) -> Iterator[str]:
    """Yield modules in the order in which they can be loaded, without what the kernel has built in."""
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
    """Return its bytes, or None when it is built in; the tree has - where the module's own name has _."""
    kernel = needs.kernel()
    modules = kernel.parents[1] / "lib/modules" / kernel.name.removeprefix("vmlinuz-")
    stem = name.replace("_", "[-_]")
    for path in modules.glob(f"**/{stem}.ko*"):
        content = path.read_bytes()
        return lzma.decompress(content) if path.suffix == ".xz" else content
    builtin = re.sub(r"[-_]", "_", (modules / "modules.builtin").read_text())
    if name and f"/{name}.ko\n" not in builtin:
        raise MachineError(f"the kernel {kernel} has no module {name}; install Debian's: `{needs.FETCH}`")
    return None
