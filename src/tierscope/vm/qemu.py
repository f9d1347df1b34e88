"""A booted virtual machine: the process of QEMU, its console, and the port of the service inside.

KVM is tried where it can be opened, and given up where the kernel does not begin in time: some hosts open it, and their
guests hang. Without KVM, QEMU emulates the processor in software (TCG), which works everywhere and is slower.
Neither has the caches or the distances of the machine that is shown: no time taken inside is that of a memory.
Source: QEMU, "QEMU Machine Protocol Specification"; docs/system/introduction (accelerators).
"""

import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tierscope.errors import MachineError
from tierscope.vm import image, needs
from tierscope.vm.shape import Shape

PORT = 7000  # inside
KVM = Path("/dev/kvm")
KVM_S = 12.0  # for the kernel to begin under KVM, which takes one second
SILENT_S = 45.0  # until the kernel begins in emulation, which takes some seconds
BOOT_S = 120.0  # 4 s on an idle machine; a shared one with a stolen CPU takes its time
ANSWER_S = 120.0
STATUS = re.compile(rb"\0status (\d+)\n\Z")
BEGUN, READY = "virtual machine begins", "virtual machine is ready"
CONSOLE_BYTES = 3000  # of the console in a message


class VirtualMachine:
    """A booted one, as a context manager. Leaving it ends QEMU and removes the folder.

    accelerator: "kvm", "tcg", or "" for KVM where it works. MachineError for what is missing, and where it does not
    boot. linked: the core that serves pools, to copy too. name: its host name.
    """

    def __init__(
        self, shape: Shape, core: Path, linked: Path | None = None, accelerator: str = "tcg", name: str = ""
    ) -> None:
        self.shape, self.packed, self._name = shape, core, name
        kernel, emulator = needs.kernel(), needs.emulator()
        with ExitStack() as made:
            self.folder = Path(made.enter_context(tempfile.TemporaryDirectory(prefix="tierscope-vm-")))
            self._console = self.folder / "console"
            self._process: subprocess.Popen[str] | None = None
            made.callback(self._end)
            ramdisk = image.pack(self.folder, core, shape.modules, shape.tools, linked)
            self._boot = (str(emulator), str(kernel), str(ramdisk))
            self.accelerator = self._begin(accelerator)
            self._wait()
            self._made = made.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End it immediately; more than once does no harm."""
        self._made.close()

    @property
    def console(self) -> str:
        """Return what its kernel and its programs printed."""
        return self._console.read_text(errors="replace") if self._console.exists() else ""

    @property
    def alive(self) -> bool:
        """Return whether QEMU runs."""
        return self._process is not None and self._process.poll() is None

    def shell(self, line: str) -> tuple[int, str]:
        """Return status and standard output of a line of shell inside."""
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=ANSWER_S) as link:
                link.sendall(line.encode() + b"\n")
                link.shutdown(socket.SHUT_WR)
                answer = b"".join(iter(lambda: link.recv(1 << 16), b""))
        except OSError as error:
            raise self._failed(f"does not answer ({error})") from error
        end = STATUS.search(answer)
        if not end:
            raise self._failed("ended while it answered")
        return int(end[1]), answer[: end.start()].decode(errors="replace")

    def do(self, line: str) -> str:
        """Return the standard output of a line of shell that must succeed; its complaints are on the console."""
        status, answer = self.shell(line)
        if status:
            raise self._failed(f"refused `{line}` with status {status} {answer.strip()}")
        return answer

    def _failed(self, what: str) -> MachineError:
        said = " ".join(self.console[-CONSOLE_BYTES:].split())
        return MachineError(f"the virtual machine {what}; its console ends with: {said or 'nothing'}")

    def _begin(self, accelerator: str) -> str:
        """Start QEMU until the kernel prints; return the accelerator with which it does."""
        if accelerator != "tcg" and os.access(KVM, os.R_OK | os.W_OK) and self._kvm_works():
            return "kvm"
        if accelerator == "kvm":
            raise MachineError(f"{KVM} cannot be used, or a guest does not begin under it; try :tcg, which is slower")
        self._start("tcg")
        if not self._speaks(SILENT_S):  # once in some hundred starts: QEMU emulates several CPUs here
            self._end()
            self._start("tcg")
        return "tcg"

    def _kvm_works(self) -> bool:
        with suppress(MachineError):  # QEMU ended, as where KVM lacks what it needs
            self._start("kvm")
            if self._speaks(KVM_S):
                return True
        self._end()
        return False

    def _start(self, accelerator: str) -> None:
        emulator, kernel, ramdisk = self._boot
        boot = ("console=ttyS0", "quiet", "panic=-1", f"PORT={PORT}", *self.shape.boot)
        boot = (*boot, f"HOST={self._name}") if self._name else boot
        self._console.unlink(missing_ok=True)
        guard = ("setpriv", "--pdeathsig", "KILL") if shutil.which("setpriv") else ()  # none outlives a killed owner
        self._process = subprocess.Popen(
            [
                *guard,
                *(emulator, "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-accel", accelerator),
                *("-netdev", f"user,id=net,restrict=on,hostfwd=tcp:127.0.0.1:0-:{PORT}"),
                *("-device", "virtio-net-pci,netdev=net,romfile="),
                *self.shape.arguments("host" if accelerator == "kvm" else ""),
                *("-kernel", kernel, "-initrd", ramdisk, "-append", " ".join(boot)),
                *("-serial", f"file:{self._console}", "-qmp", "stdio"),
            ],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            start_new_session=True,  # Ctrl-C reaches Python alone, which ends it in order
        )  # fmt: skip
        self.port = self._find_port()

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()

    def _ask(self, command: str, **arguments: str) -> Any:
        """Return QEMU's answer; its greeting and its events are passed over."""
        assert self._process is not None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(BrokenPipeError):  # it has ended, and printed the reason
            self._process.stdin.write(json.dumps({"execute": command, "arguments": arguments}) + "\n")
            self._process.stdin.flush()
        said = []
        for line in self._process.stdout:
            said.append(line)
            if line.startswith('{"return"'):
                return json.loads(line)["return"]
        why = " ".join("".join(said).split())
        raise MachineError(f"{needs.EMULATOR} did not start: {why or 'no message'}; its version must be 7.2 or newer")

    def _find_port(self) -> int:
        """Return the free port that the system chose for ours."""
        self._ask("qmp_capabilities")
        told = self._ask("human-monitor-command", **{"command-line": "info usernet"})
        return int(re.search(r"HOST_FORWARD\]\s+\S+\s+127\.0\.0\.1\s+(\d+)", told)[1])  # type: ignore[index]

    def _speaks(self, patience_s: float) -> bool:
        """Return whether the first program inside began in time."""
        until = time.monotonic() + patience_s
        while BEGUN not in self.console and self.alive and time.monotonic() < until:
            time.sleep(0.05)
        return BEGUN in self.console

    def _wait(self) -> None:
        until = time.monotonic() + BOOT_S
        while READY not in self.console:
            if not self.alive or time.monotonic() > until:
                raise self._failed(f"did not boot within {BOOT_S:g} s" if self.alive else "ended while it booted")
            time.sleep(0.05)
