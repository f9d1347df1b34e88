"""Virtual machines without booting one: what they are made of, what is missing, and the connection with one."""

import os
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tierscope.cli.main import main
from tierscope.errors import MachineError, UsageError
from tierscope.host.system import System
from tierscope.record.origin import banner
from tierscope.remote.channel import Channel
from tierscope.remote.machine import Remote
from tierscope.vm import client, needs, qemu, reached
from tierscope.vm.machine import machines
from tierscope.vm.shape import Node, Shape

HERE = Path(reached.__file__).parent
SHAPE = Shape(nodes=(Node(memory_mib=64, cpus="0"),), media_mib=32)


class Inside:
    """The service of a machine, played by this system's `sh` behind a port. Its files are in a folder of the test."""

    def __init__(self, folder: Path, silent: bool = False) -> None:
        self.folder, self.silent = folder, silent
        session = (HERE / "guest/session").read_text().replace("/tmp", str(folder)).replace("usleep 1000", "sleep 0.01")
        (folder / "session").write_text(session)
        (folder / "session").chmod(0o755)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                link, _ = self._listening.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(link,), daemon=True).start()

    def _answer(self, link: socket.socket) -> None:
        with link:
            line = b""
            while not line.endswith(b"\n"):
                line += link.recv(1)
            if self.silent:
                link.recv(1)
                return
            words = line.decode().replace("/tmp", str(self.folder)).replace("/session", f"{self.folder}/session")
            subprocess.run(["sh", "-c", words], stdin=link, stdout=link, stderr=subprocess.DEVNULL, check=False)

    def close(self) -> None:
        self._listening.close()


@pytest.fixture
def inside(tmp_path: Path) -> Iterator[Inside]:
    made = Inside(tmp_path)
    yield made
    made.close()


def joined(inside: Inside, said: bytes) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        reached.Line("vm:numa", inside.port).command(), input=said, capture_output=True, timeout=30, check=False
    )


# --- the connection ---


def test_streams_and_status_of_a_shell_inside_are_those_of_the_client(inside: Inside) -> None:
    done = joined(inside, b"echo out; echo wrong >&2; exit 7\n")
    assert (done.returncode, done.stdout, done.stderr) == (7, b"out\n", b"wrong\n")
    assert sorted(path.name for path in inside.folder.iterdir()) == ["session"]


def test_bytes_pass_unchanged(inside: Inside) -> None:
    content = os.urandom(300_000)
    channel = Channel(reached.Line("vm:numa", inside.port), "exec cat")
    try:
        threading.Thread(target=lambda: (channel.send(content), channel.finish())).start()
        assert channel.process.stdout is not None
        assert channel.process.stdout.read() == content
    finally:
        channel.close()


def test_a_signal_inside_ends_the_client_as_it_ends_ssh(inside: Inside) -> None:
    assert joined(inside, b"kill -9 $$\n").returncode == client.LOST


def test_a_whole_connection_copies_a_core_and_asks_it(inside: Inside, monkeypatch: pytest.MonkeyPatch) -> None:
    core = inside.folder / "tierscope-core"
    core.write_text('#!/bin/sh\n[ "$1" = --version ] && { echo 0.1.0; exit; }\necho answer "$@"\n')
    monkeypatch.setenv("TMPDIR", str(inside.folder))
    with Remote("vm:numa", reached.Line("vm:numa", inside.port)) as remote:
        said = remote.launcher.ask(lambda: core, ("topology",))
    assert (said.status, said.answer) == (0, b"answer topology\n")
    assert not list(inside.folder.glob("tierscope-??????"))


def test_a_machine_that_hangs_is_lost(
    inside: Inside, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(client, "SILENT_S", 0.05)
    monkeypatch.setattr(client, "ALIVE_S", 0.05)
    inside.silent = True
    with client.connect(inside.port, "exec sh") as link:
        assert client.copy_out(inside.port, {link: 1}) is False
    assert capfd.readouterr().err == "the virtual machine does not answer\n"


def test_a_machine_that_measures_long_without_a_word_is_not_lost(
    inside: Inside, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(client, "SILENT_S", 0.05)
    with client.connect(inside.port, "sleep 0.4; echo done") as link:
        assert client.copy_out(inside.port, {link: 1}) is True
    assert capfd.readouterr().out == "done\n"


def test_a_machine_that_is_gone_is_reported_in_one_line(inside: Inside) -> None:
    inside.close()
    done = joined(inside, b"true\n")
    assert done.returncode == client.LOST
    assert done.stderr.startswith(b"the virtual machine does not answer")


def test_a_machine_that_is_lost_between_two_streams_is_reported_soon(capfd: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        links = [socket.create_connection(("127.0.0.1", port)) for _ in range(2)]
        peers = [server.accept()[0] for _ in range(2)]
    peers[0].close()  # as a shell that ended; the other stream would stay open for ever
    with links[0], links[1], peers[1]:
        assert client.copy_out(port, {links[0]: 1, links[1]: 2}) is False
    assert capfd.readouterr().err == "the virtual machine does not answer\n"


def test_a_connection_that_is_reset_is_reported(capfd: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        link = socket.create_connection(server.getsockname())
        peer, _ = server.accept()
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # close sends a reset
        peer.close()
        with link:
            assert client.copy_out(server.getsockname()[1], {link: 1}) is False
    assert capfd.readouterr().err.startswith("the virtual machine does not answer: ")


# --- what is missing ---


def test_without_a_kernel_the_message_names_the_command_that_brings_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(needs.VARIABLE, str(tmp_path))
    with pytest.raises(MachineError, match=r"needs a kernel, .* run `tierscope vm --get-kernel`"):
        needs.kernel()
    (tmp_path / "boot").mkdir()
    (tmp_path / "boot/vmlinuz-6.1").touch()
    assert needs.kernel() == tmp_path / "boot/vmlinuz-6.1"


@pytest.mark.parametrize("word", ["numa", "cxl"])
def test_without_qemu_the_message_names_its_package(
    word: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "boot").mkdir()
    (tmp_path / "boot/vmlinuz-6.1").touch()
    monkeypatch.setenv(needs.VARIABLE, str(tmp_path))
    monkeypatch.setenv("TIERSCOPE_CORE", sys.executable)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["vm", word, "--", "topology"]) == 3
    assert "needs qemu-system-x86_64; run `sudo apt-get install -y qemu-system-x86`" in capsys.readouterr().err


def test_a_dynamic_core_is_refused(tmp_path: Path) -> None:
    program = tmp_path / "core"
    program.write_bytes(b"\x7fELF" + b"/lib64/ld-linux-x86-64.so.2")
    with pytest.raises(MachineError, match="is not static"):
        needs.static(program, "another")


def test_too_little_memory_is_refused_before_qemu_starts(tmp_path: Path) -> None:
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/meminfo").write_text("MemTotal: 999999 kB\nMemAvailable: 102400 kB\n")
    with pytest.raises(MachineError, match=r"needs 364 MiB of memory, and 100 MiB are available"):
        reached.refuse_shortage(SHAPE, tmp_path, System(tmp_path))


def test_files_in_memory_count_as_memory(tmp_path: Path) -> None:
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/mounts").write_text("none / ext4 rw 0 0\nnone /dev/shm tmpfs rw 0 0\n")
    system = System(tmp_path)
    assert reached.in_memory(Path("/dev/shm/x"), system)
    assert not reached.in_memory(Path("/tmp/x"), system)


def test_too_little_space_names_the_variable(tmp_path: Path) -> None:
    shape = Shape(nodes=(Node(memory_mib=1, cpus="0"),), media_mib=1 << 30)
    with pytest.raises(MachineError, match=r"MiB below .*; name another folder in TMPDIR"):
        reached.refuse_shortage(shape, tmp_path, System(tmp_path))


def test_qemu_that_ends_immediately_is_reported_with_its_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "qemu"
    program.write_text("#!/bin/sh\necho no such machine; exit 1\n")
    program.chmod(0o755)
    monkeypatch.setattr(needs, "kernel", lambda: tmp_path)
    monkeypatch.setattr(needs, "emulator", lambda: str(program))
    monkeypatch.setattr(qemu.image, "pack", lambda *_: tmp_path)
    with pytest.raises(MachineError, match="did not start: no such machine"):
        qemu.VirtualMachine(SHAPE, program)


def test_where_kvm_fails_the_processor_is_emulated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[str] = []

    class Machine(qemu.VirtualMachine):
        def __init__(self) -> None:
            self._process, self._name = None, ""

        def _start(self, accelerator: str) -> None:
            started.append(accelerator)
            if accelerator == "kvm":
                raise MachineError("it asserts")

        def _speaks(self, patience_s: float) -> bool:
            return patience_s > qemu.KVM_S

    monkeypatch.setattr(qemu, "KVM", tmp_path)
    assert Machine()._begin("") == "tcg"
    assert started == ["kvm", "tcg"]
    with pytest.raises(MachineError, match="try :tcg"):
        Machine()._begin("kvm")
    assert Machine()._begin("tcg") == "tcg"
    assert started == ["kvm", "tcg", "kvm", "tcg"]


# --- the command ---


def test_the_list_has_each_machine(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["vm"]) == 0
    shown = capsys.readouterr().out
    assert all(f"  {name} " in shown for name in machines)


@pytest.mark.parametrize("name", list(machines))
def test_each_machine_states_what_it_offers_and_what_it_cannot_show(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["vm", name]) == 0
    shown = capsys.readouterr().out
    assert all(f"tierscope vm {name} -- {words}" in shown for words in machines[name].try_)
    assert f"emulated: {machines[name].blind}" in shown


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["cxk"], "did you mean cxl?"),
        (["cxl", "--", "compare", "a", "b"], "'compare' cannot run on vm:cxl; try "),
        (["cxl:xen", "--", "topology"], "unknown accelerator 'xen'"),
    ],
)
def test_wrong_words_are_refused(words: list[str], why: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["vm", *words]) == 2
    assert why in capsys.readouterr().err


def test_an_accelerator_is_part_of_the_word() -> None:
    assert reached.named("vm:cxl:kvm")[1] == "kvm"
    assert reached.named("vm:cxl")[0].name == "cxl"
    with pytest.raises(UsageError):
        reached.named("vm:nothing")


def test_times_of_qemu_are_not_times_of_a_memory() -> None:
    said = banner("emulated", "QEMU (KVM), machine cxl")
    assert said.startswith("EMULATED by QEMU (KVM), machine cxl: no time or speed here is one of a memory")
    assert "not measurements of hardware" in banner("emulated", "DRAM of node 0, floor 350 ns")


def test_hmat_and_distances_become_words_of_qemu() -> None:
    shape = Shape(
        nodes=(
            Node(memory_mib=64, cpus="0-1", latency_ns=(90,), bandwidth_mb=(1024,)),
            Node(memory_mib=32, nearest=0, latency_ns=(250,), bandwidth_mb=(512,)),
        ),
        distances=((10, 17), (28, 10)),
    )
    words = " ".join(shape.arguments())
    assert "-machine pc,hmat=on" in words
    assert "-m 96M" in words
    assert "node,nodeid=1,memdev=ram1,initiator=0" in words
    assert "dist,src=0,dst=1,val=17" in words
    assert "dist,src=1,dst=0,val=28" in words
    assert "initiator=0,target=1,hierarchy=memory,data-type=access-latency,latency=250" in words
