"""Names that no build has are reported before anything is measured or written, in every suite."""

from pathlib import Path

import msgspec
import pytest

from fake_core import FakeCore, made_catalogue, made_topology, put_in_place
from made_work import plain_work
from said import refused
from tierscope import core
from tierscope.errors import Exit, MachineError, TierscopeError, UnknownNameError, UsageError
from tierscope.plans import suites
from tierscope.plans.options import own_options
from tierscope.record.experiment import Group, Target, Team, Workload
from tierscope.run.known import refuse_unknown
from tierscope.run.start import begin

WRONG = "WRONG"
UNUSED = {("neighbors", "target"), ("neighbors", "fio_path"), ("document-002", "dram"),
          ("counters-audit", "counters"), ("document-004", "pool"), ("document-004", "dram_pool")}  # fmt: skip
"""Options that only some victims ask for; a folder that a program looks for; DRAM of a document on its second tier;
events, which the core names; pools, which a build without their structure leaves out."""
CASES = [
    (name, one.name) for name in suites for one in own_options(suites[name].options) if (name, one.name) not in UNUSED
]


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeCore:
    """In an empty current directory."""
    monkeypatch.chdir(tmp_path)
    fake = put_in_place(FakeCore(), monkeypatch)
    monkeypatch.setattr(core, "topology", lambda *_simulated: made_topology())
    return fake


@pytest.mark.parametrize(("suite", "option"), CASES)
def test_a_wrong_option_is_reported_before_anything_is_measured_or_written(
    suite: str, option: str, fake: FakeCore, tmp_path: Path
) -> None:
    with pytest.raises(TierscopeError) as caught:
        begin(suite, suites[suite].read({option: WRONG}), "", ("tierscope",), None)
    assert caught.value.status in (Exit.USAGE, Exit.CANNOT)
    assert fake.log == []
    assert list(tmp_path.iterdir()) == []


def group(kernel: str = "triad", isa: str = "", target: str = "node:0") -> Group:
    work = Workload(kernel=kernel, footprint_bytes=1 << 20, isa=isa, work=plain_work(kernel))
    return Group(workload=work, target=Target.parse(target), team=Team(cpus=(0,)))


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (group("triadd"), "unknown kernel 'triadd'; did you mean triad"),
        (group(isa="avx51"), "unknown isa 'avx51'; did you mean avx512"),
        (group(target="nod:0"), "unknown target 'nod'; did you mean node"),
        (msgspec.structs.replace(group(), source=Target.parse("fil:/x")), "unknown target 'fil'; did you mean file"),
    ],
)
def test_an_unknown_kernel_is_refused_with_the_nearest(wrong: Group, why: str) -> None:
    with pytest.raises(UnknownNameError, match=why):
        refuse_unknown([group(), wrong], made_catalogue())


@pytest.mark.parametrize("kernel", ["triad", "chase", "flow", "command", "made_map", "sleep", "fio"])
def test_kernels_victims_structures_and_programs_are_known(kernel: str) -> None:
    refuse_unknown([group(kernel)], made_catalogue())


def test_the_work_of_another_task_than_the_kernels_is_refused() -> None:
    one = group("chase")
    wrong = msgspec.structs.replace(one, workload=msgspec.structs.replace(one.workload, kernel="read"))
    with pytest.raises(UsageError, match="kernel read is of the task line, and the plan has the work of hop for it"):
        refuse_unknown([wrong], made_catalogue())


def test_an_isa_without_the_kernel_is_refused_with_those_that_have_it() -> None:
    build = made_catalogue()
    kernels = tuple(k for k in build.kernels if (k.kernel, k.isa) != ("chase", "avx512"))
    with pytest.raises(UsageError, match="chase has no isa avx512, but scalar; name kernels= that have it"):
        refuse_unknown([group("chase", "avx512")], msgspec.structs.replace(build, kernels=kernels))


def test_built_kernels_that_do_not_run_here_are_listed_with_the_reason() -> None:
    build = made_catalogue()
    kernels = tuple(msgspec.structs.replace(k, available=k.isa == "scalar", reason="no AVX") for k in build.kernels)
    targets = tuple(msgspec.structs.replace(t, available=t.name != "pool", reason="no pmem") for t in build.targets)
    here = msgspec.structs.replace(build, kernels=kernels, targets=targets)
    with pytest.raises(MachineError, match="triad does not run on avx512 here: no AVX; leave isa= out"):
        refuse_unknown([group(isa="avx512")], here)
    with pytest.raises(MachineError, match="pool is not available here: no pmem"):
        refuse_unknown([group(target="pool:/x")], here)


def test_the_command_leaves_nothing_behind(fake: FakeCore, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    status, why = refused(capfd, "run", "stream", "kernels=triad", "isa=avx51")
    assert (status, "did you mean avx512" in why) == (Exit.USAGE, True)
    assert list(tmp_path.iterdir()) == []
