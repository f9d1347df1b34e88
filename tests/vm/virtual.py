"""Virtual machines with more nodes and CPUs than this one, in pure emulation: for placement and order, never for time.

QEMU's TCG has neither caches nor distances between nodes: every number taken inside means nothing.
"""

import json
import re
import shlex
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pytest

import image
from tierscope.core import LINKED, find_core
from tierscope.host.system import System

PORT = 7000  # inside
SILENT_S = 45.0  # before its first word, which comes after some seconds
BOOT_S = 120.0  # 4 s on an idle machine; a shared one with a stolen CPU takes its time
STATUS = re.compile(rb"\0status (\d+)\n\Z")


@dataclass(frozen=True)
class Node:
    """`latency_ns` and `bandwidth_mb` (1e6 bytes/s): from every initiator in order of its number, told by HMAT."""

    memory_mib: int  # 0 where memory comes later
    cpus: str = ""  # "0-3"; none is a node of memory alone
    nearest: int | None = None  # its initiator, where it has no CPUs
    latency_ns: tuple[int, ...] = ()
    bandwidth_mb: tuple[int, ...] = ()


@dataclass(frozen=True)
class Shape:
    """What is emulated. `smp`: as QEMU takes it. `distances[i][j]`: of node j from i; () is the firmware's default."""

    nodes: tuple[Node, ...]
    smp: str = "2"
    distances: tuple[tuple[int, ...], ...] = ()
    modules: tuple[str, ...] = ()  # of the kernel, beside those of the network
    tools: tuple[str, ...] = ()  # programs of this system to take along, see image.TOOLS
    pools: bool = False  # takes along the core that serves pools, with its libraries
    words: tuple[str, ...] = ()  # for QEMU: further devices
    boot: tuple[str, ...] = ()  # for the kernel
    cpu: str = "max,vendor=GenuineIntel"  # Linux believes AMD's threads only of models that QEMU does not emulate

    @property
    def initiators(self) -> tuple[int, ...]:
        return tuple(number for number, node in enumerate(self.nodes) if node.cpus)

    def arguments(self) -> list[str]:
        """Memory, CPUs, nodes, distances and HMAT for QEMU."""
        hmat = any(node.latency_ns for node in self.nodes)
        total = sum(node.memory_mib for node in self.nodes)
        words = ["-machine", f"pc,hmat={'on' if hmat else 'off'}", "-cpu", self.cpu, "-smp", self.smp]
        words += ["-m", f"{total}M"]
        for number, node in enumerate(self.nodes):
            if node.memory_mib:
                words += ["-object", f"memory-backend-ram,id=ram{number},size={node.memory_mib}M"]
            words += ["-numa", self._node(number, node, hmat)]
        for i, row in enumerate(self.distances):
            words += [w for j, d in enumerate(row) if i != j for w in ("-numa", f"dist,src={i},dst={j},val={d}")]
        return [*words, *(w for number, node in enumerate(self.nodes) for w in self._told(number, node)), *self.words]

    def _node(self, number: int, node: Node, hmat: bool) -> str:
        cpus = "".join(f",cpus={part}" for part in node.cpus.split(",") if part)
        near = number if node.cpus else node.nearest
        initiator = f",initiator={near}" if hmat and near is not None else ""
        memory = f",memdev=ram{number}" if node.memory_mib else ""
        return f"node,nodeid={number}{memory}{cpus}{initiator}"

    def _told(self, target: int, node: Node) -> list[str]:
        words = []
        for initiator, latency, bandwidth in zip(self.initiators, node.latency_ns, node.bandwidth_mb, strict=False):
            one = f"hmat-lb,initiator={initiator},target={target},hierarchy=memory,data-type=access"
            words += ["-numa", f"{one}-latency,latency={latency}"]
            words += ["-numa", f"{one}-bandwidth,bandwidth={bandwidth}M"]
        return words


class VirtualMachine:
    """A booted one, as a context manager. `core` is a program that stands for the core inside: for TIERSCOPE_CORE."""

    def __init__(self, shape: Shape, packed: Path | None = None) -> None:
        """`packed`: the core to take along, else the one that `tierscope` finds."""
        self.packed = packed or find_core()
        with ExitStack() as made:
            self.folder = Path(made.enter_context(tempfile.TemporaryDirectory(prefix="tierscope-vm-")))
            self._console = self.folder / "console"
            self._process = self._start(shape)
            made.callback(self._end)
            self._port = self._find_port()
            if not self._speaks():
                self._end()
                self._process = self._start(shape)
                self._port = self._find_port()
            self._wait()
            self.core = self._stand_in()
            self._made = made.pop_all()

    def _start(self, shape: Shape) -> "subprocess.Popen[str]":
        kernel, emulator = image.kernel(), image.emulator()
        boot = ("console=ttyS0", "quiet", "panic=-1", f"PORT={PORT}", *shape.boot)
        linked = self.packed.with_name(self.packed.name + LINKED) if shape.pools else None
        if linked is not None and not linked.is_file():
            pytest.skip(f"no {linked} for the virtual machine: sudo apt-get install -y libpmemobj-dev")
        ramdisk = image.pack(self.folder, self.packed, shape.modules, shape.tools, linked)
        return subprocess.Popen(
            [
                *("setpriv", "--pdeathsig", "KILL"),  # a killed pytest leaves none behind
                *(emulator, "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-accel", "tcg"),
                *("-netdev", f"user,id=net,restrict=on,hostfwd=tcp:127.0.0.1:0-:{PORT}"),
                *("-device", "virtio-net-pci,netdev=net,romfile="),
                *shape.arguments(),
                *("-kernel", kernel, "-initrd", ramdisk, "-append", " ".join(boot)),
                *("-serial", f"file:{self._console}", "-qmp", "stdio"),
            ],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip

    def _stand_in(self) -> Path:
        """With the one that serves pools beside it, as anywhere."""
        core = self.folder / "tierscope-core"
        for program in (core, core.with_name(core.name + LINKED)):
            words = (sys.executable, str(Path(__file__).with_name("core_inside.py")), str(self._port), program.name)
            program.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
            program.chmod(0o755)
        return core

    def _end(self) -> None:
        self._process.kill()
        self._process.communicate()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._made.close()

    @property
    def console(self) -> str:
        return self._console.read_text(errors="replace") if self._console.exists() else ""

    def shell(self, line: str) -> tuple[int, str]:
        """Status and standard output of a line of shell inside."""
        status, answer = self._said(line)
        return status, answer.decode(errors="replace")

    def do(self, line: str) -> str:
        """Standard output of a line of shell that must succeed; what it complains of is on the console."""
        status, answer = self.shell(line)
        assert status == 0, f"{line}: status {status}\n{answer}\n{self.console[-3000:]}"
        return answer

    def _said(self, line: str) -> tuple[int, bytes]:
        with socket.create_connection(("127.0.0.1", self._port), timeout=BOOT_S) as link:
            link.sendall(line.encode() + b"\n")
            link.shutdown(socket.SHUT_WR)
            answer = b"".join(iter(lambda: link.recv(1 << 16), b""))
        end = STATUS.search(answer)
        assert end, f"the virtual machine died:\n{answer.decode(errors='replace')}\n{self.console[-3000:]}"
        return int(end[1]), answer[: end.start()]

    def read(self, path: str) -> str:
        """A text file inside."""
        return self.do(f"cat {shlex.quote(path)}").strip()

    @cached_property
    def system(self) -> System:
        """The files inside that tell of the machine, recorded: for all that looks at them beside the core."""
        tree = self.folder / "tree"
        links, *files = re.split(r"^==> (.*) <==\n", self.shell("/record")[1], flags=re.MULTILINE)
        for path, target in re.findall(r" (\S+) -> (.*)", links):
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            (tree / path).symlink_to(target)
        for path, content in zip(files[::2], files[1::2], strict=True):
            if not (tree / path).is_symlink():
                (tree / path).parent.mkdir(parents=True, exist_ok=True)
                (tree / path).write_text(content)
        return System(tree)

    def processes(self) -> list[str]:
        """Names of what runs inside, but for the kernel's own threads."""
        return self.shell("for p in /proc/[0-9]*; do [ ! -e $p/exe ] || sed -n s/^Name:.//p $p/status; done")[1].split()

    def _ask(self, command: str, **arguments: str) -> Any:
        """QEMU's answer; its greeting and its events are passed over."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(BrokenPipeError):  # it has ended, and said why
            self._process.stdin.write(json.dumps({"execute": command, "arguments": arguments}) + "\n")
            self._process.stdin.flush()
        said = []
        for line in self._process.stdout:
            said.append(line)
            if line.startswith('{"return"'):
                return json.loads(line)["return"]
        return pytest.fail(f"QEMU did not start:\n{''.join(said)}")

    def _find_port(self) -> int:
        """The free port that the system chose for ours."""
        self._ask("qmp_capabilities")
        told = self._ask("human-monitor-command", **{"command-line": "info usernet"})
        return int(re.search(r"HOST_FORWARD\]\s+\S+\s+127\.0\.0\.1\s+(\d+)", told)[1])  # type: ignore[index]

    def _speaks(self) -> bool:
        """Once in some hundred starts QEMU, which emulates all CPUs here, stays silent for ever: then begin anew."""
        until = time.monotonic() + SILENT_S
        while not self.console and self._process.poll() is None and time.monotonic() < until:
            time.sleep(0.05)
        return bool(self.console) or self._process.poll() is not None

    def _wait(self) -> None:
        until = time.monotonic() + BOOT_S
        while "virtual machine is ready" not in self.console:
            alive = self._process.poll() is None and time.monotonic() < until
            assert alive, f"the virtual machine did not boot:\n{self.console[-3000:]}"
            time.sleep(0.05)
