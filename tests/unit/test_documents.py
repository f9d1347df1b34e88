"""Documents as suites: their parts, what is left out and why, and the claims of a whole run."""

import io
from collections.abc import Generator
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from made_documents import NVM, contradicted, document_run, published_disagree, with_options
from made_machine import FLUSHES, made_machine
from tierscope.cli.console import Console as TerminalConsole
from tierscope.cli.finish import present
from tierscope.errors import MachineError, UsageError
from tierscope.plans import Answer, suites
from tierscope.record.experiment import Experiment, Target
from tierscope.record.machine import Machine
from tierscope.record.result import Warn
from tierscope.record.work.key import KeyedWork
from tierscope.report.content import gather
from tierscope.report.terminal import show
from tierscope.report.top.top import top
from tierscope.run.expected import imagine
from tierscope.stats.median import Interval
from tierscope.suites.documents.claim import digits, span, widened
from tierscope.suites.documents.found import Found
from tierscope.suites.documents.parts import Part, Skipped, composed, once
from tierscope.suites.documents.sheet import sheet_of, sheets
from tierscope.suites.documents.stand_in import why_stand_in
from tierscope.tables import tables
from tierscope.units import GiB

DOCUMENTS = [name for name in suites if name.startswith("document-")]
FEATURES = tuple(feature for feature in FLUSHES.values() if feature)


def machine(cpus: int = 4, free: int = 20 * GiB, features: tuple[str, ...] = FEATURES) -> Machine:
    made = made_machine(cpus)
    own = made.identity
    apart = tuple(msgspec.structs.replace(cpu, core=cpu.number) for cpu in own.cpus)
    identity = msgspec.structs.replace(own, cpus=apart, features=features)
    return msgspec.structs.replace(made, identity=identity, state={"available_bytes": free})


def planned(suite: str, on: Machine | None = None, **words: str) -> list[Experiment]:
    return imagine(suites[suite].plan(on or machine(), suites[suite].read(words)))


def told(suite: str, on: Machine | None = None, **words: str) -> str:
    return "\n".join(suites[suite].left_out(on or machine(), suites[suite].read(words)))


def tiered(suite: str) -> dict[str, str]:
    """Return the words that name a second tier, where the document has one."""
    return {"nvm": NVM} if "nvm" in suites[suite].options.__struct_fields__ else {}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_asks_the_build_for_all_that_its_parts_need(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A made machine has all of it. A real one has what the suite asks for: `document-002` asked for no victims."""
    asked: list[Part] = []
    monkeypatch.setattr("tierscope.suites.documents.parts.composed", lambda _, parts: asked.extend(parts) or iter(()))
    list(suites[name].plan(machine(), suites[name].read(tiered(name))))
    used = {part.suite for part in asked if isinstance(part, Part)}
    assert used
    for need in ("kernels", "flushes", "structures", "victims"):
        assert getattr(suites[name], need) or not any(getattr(suites[one], need) for one in used), need


def test_every_document_has_a_sheet() -> None:
    assert {f"document-{name}" for name in sheets} == set(DOCUMENTS)
    assert sheet_of("stream") is None


@pytest.mark.parametrize("document", list(sheets))
def test_published_numbers_are_within_the_bounds_or_the_claim_states_why_not(document: str) -> None:
    assert published_disagree(document) == contradicted(document)


@pytest.mark.parametrize("suite", DOCUMENTS)
def test_a_document_plans_the_same_experiments_each_time(suite: str) -> None:
    words = tiered(suite)
    assert planned(suite, **words) == planned(suite, **words)
    assert planned(suite, **words)


@pytest.mark.parametrize("suite", DOCUMENTS)
def test_no_experiment_is_run_twice(suite: str) -> None:
    experiments = planned(suite, **tiered(suite))
    assert all(one not in experiments[:place] for place, one in enumerate(experiments))


def test_an_answer_that_is_known_goes_to_both_parts() -> None:
    """The searches for the cache before STREAM and before contention are one."""
    alone = [one for one in planned("stream", target="node:0") if one.table == "sizing"]
    both = [one for one in planned("document-000", nvm=NVM) if one.table == "sizing"]
    assert alone
    assert len([one for one in both if one in alone]) == len(alone)


def test_a_part_gets_the_answer_of_the_experiment_that_it_asked_for() -> None:
    got: list[Answer] = []

    def asking(number: int) -> Generator[Experiment, Answer, None]:
        got.append((yield Experiment(table=f"made {number % 2}", groups=())))

    plans = [asking(number) for number in range(4)]
    known: list[tuple[Experiment, Answer]] = []
    ran = []
    for plan in plans:
        inner = once(plan, known)
        try:
            experiment = next(inner)
            while True:
                ran.append(experiment.table)
                experiment = inner.send(Answer(experiment))
        except StopIteration:
            pass
    assert ran == ["made 0", "made 1"]
    assert [one.experiment.table for one in got] == ["made 0", "made 1", "made 0", "made 1"]


def test_without_a_second_tier_what_needs_it_is_left_out_with_the_next_step() -> None:
    assert {one.table for one in planned("document-000")} == {"sizing", "stream"}
    assert "nvm=file:/dev/shm/x" in told("document-000")
    assert {one.table for one in planned("document-002")} == {"neighbors"}
    assert "the comparison of flush instructions is left out" in told("document-002")
    for suite in DOCUMENTS:
        assert ("nvm= names none" in told(suite)) == bool(tiered(suite))
        assert "nvm= names none" not in told(suite, **tiered(suite))


def test_a_machine_that_can_do_nothing_of_it_is_refused_with_every_reason() -> None:
    with pytest.raises(MachineError, match=r"flush instructions is left out.*two CPUs"):
        planned("document-002", machine(cpus=1))


@pytest.mark.parametrize("suite", [name for name in DOCUMENTS if "nvm" in suites[name].options.__struct_fields__])
def test_both_tiers_have_pages_of_one_size(suite: str) -> None:
    groups = [group for one in planned(suite, nvm="file:/dev/shm/x") if one.table != "sizing" for group in one.groups]
    assert {group.target.pages for group in groups if group.target.name in ("node", "file")} == {"4k"}


def test_a_bad_word_is_refused_by_the_name_of_the_part() -> None:
    with pytest.raises(UsageError, match="neighbors: unknown aggressor 'what'"):
        list(composed(machine(), [Part("neighbors", {"aggressor": "what"})]))
    with pytest.raises(MachineError, match="x is left out"):
        list(composed(machine(), [Skipped("x is left out")]))


def test_instructions_that_the_cpu_lacks_are_left_out() -> None:
    few = tuple(feature for name, feature in FLUSHES.items() if feature and name in ("clflush", "clwb"))
    experiments = [one for one in planned("document-002", machine(features=few), nvm=NVM) if one.table == "flush"]
    assert {group.workload.kernel for group in experiments[0].groups} == {"flush_clflush", "flush_clwb"}
    assert "clflushopt is left out" in told("document-002", machine(features=few), nvm=NVM)
    assert "writers are left out" in told("document-002", machine(features=few), nvm=NVM)


def test_document_002_has_its_own_sizes_and_counts() -> None:
    on = machine(cpus=32)
    experiments = planned("document-002", on, nvm=NVM, as_printed="yes")
    flush = [one for one in experiments if one.table == "flush"]
    assert [one.labels["chunk_bytes"] for one in flush] == [1 << 10, 2 << 10, 4 << 10, 1 << 20, 2 << 20]
    assert {one.labels["total_bytes"] for one in flush} == {20_000_000_000}
    assert {group.workload.footprint_bytes for one in flush for group in one.groups} == {1_000_000_000}
    tasks = [one for one in experiments if one.table == "neighbors"]
    assert {str(one.labels["size"]) for one in tasks} == {"test", "train", "ref"}
    counts = {tuple(sum(g < 8 for g in take) for take in one.takes) for one in tasks if len(one.groups) == 16}
    assert counts == {(1, 1, 4, 4, 8, 8)}
    assert told("document-002", on, nvm=NVM, as_printed="yes") == ""


def test_parts_that_the_machine_does_not_allow_are_left_out_with_the_reason() -> None:
    words = {"nvm": NVM, "as_printed": "yes"}
    assert "threads are left out: this process may use 4 CPUs" in told("document-000", **words)
    assert "5 to 32 threads" in told("document-000", **words)
    assert "the document's size of contention, 29.8 GiB, is left out" in told("document-000", **words)
    assert "files of 1 GB are left out" in told("document-002", machine(free=4 * GiB), **words)
    assert "8 tasks are left out" in told("document-002", **words)


def test_document_000_has_its_threads_and_splits() -> None:
    on = machine(cpus=32, free=200 * GiB)
    experiments = planned("document-000", on, nvm=NVM, as_printed="yes")
    streams = [one for one in experiments if one.table == "stream" and one.groups[0].target == Target()]
    assert [one.labels["threads"] for one in streams if one.labels["kernel"] == "copy"] == list(range(1, 33))
    splits = [
        (one.labels["a_threads"], one.labels["b_threads"]) for one in experiments if one.labels.get("mode") == "nvm-nvm"
    ]
    assert set(splits) == {(16 - b, b) for b in range(17)}
    assert told("document-000", on, nvm=NVM, as_printed="yes") == ""


def test_the_other_documents_have_their_own_sizes() -> None:
    blocks = [one for one in planned("document-001", machine(cpus=8), as_printed="yes") if one.table == "blocks"]
    assert {one.labels["threads"] for one in blocks} == {1, 2, 4, 8}
    assert {one.labels["block_bytes"] for one in blocks} == {8, 8000, 8_000_000, 80_000_000}
    arrays = {"copy": 2, "write": 1, "random_write": 1}
    footprints = {one.groups[0].workload.footprint_bytes / arrays[str(one.labels["operation"])] for one in blocks}
    assert footprints == {1_300_000_000}
    loads = [one for one in planned("document-003", as_printed="yes") if one.labels.get("delay_cycles") is not None]
    assert len(loads) == 4 * 19 * 2  # mixes, delays, strides
    on = msgspec.structs.replace(machine(), structures={"hashmap_atomic": "pool"})
    words = {"pool": "pool:/mnt/pmem/p", "dram_pool": "pool:/dev/shm/p", "as_printed": "yes"}
    maps = [one.groups[0] for one in planned("document-004", on, nvm=NVM, **words) if one.table == "maps"]
    gets = [one.workload.of(KeyedWork).count for one in maps if one.workload.of(KeyedWork).operation == "get"]
    assert gets == 2 * [50_000, 100_000, 500_000, *range(1_000_000, 8_000_000, 1_000_000)]


def test_jobs_of_storage_run_in_a_folder_that_the_user_names() -> None:
    assert "storage= names no folder" in told("document-003")
    jobs = [one for one in planned("document-003", storage="/srv/x") if one.table == "storage"]
    assert len(jobs) == 9
    assert {one.groups[0].target.word for one in jobs} == {"storage:/srv/x"}


def test_a_hash_map_needs_pools_that_the_user_names_and_a_build_that_has_it() -> None:
    assert "is left out: it is not part of this build" in told("document-004", nvm=NVM)
    on = msgspec.structs.replace(machine(), structures={"hashmap_atomic": "pool"})
    assert "pool= names no pool" in told("document-004", on, nvm=NVM)
    assert "dram_pool= names no pool" in told("document-004", on, nvm=NVM, pool="pool:/mnt/pmem/p")


def test_a_second_tier_that_is_the_first_one_is_refused() -> None:
    with pytest.raises(UsageError, match="this is the target of dram=, too"):
        suites["document-000"].read({"nvm": "node:0"})


@pytest.mark.parametrize(
    ("word", "part"),
    [("file:/x", "page cache"), ("emu:node=0,latency=300ns", "slowed down"), (NVM, ""), ("node:1", "")],
)
def test_a_replaced_tier_is_known_by_its_target(word: str, part: str) -> None:
    assert part in why_stand_in(word)
    assert bool(why_stand_in(word)) == bool(part)


def test_several_points_need_wider_intervals_to_contradict() -> None:
    one = Interval(1.9, 2.0, 2.1, 10)
    assert widened(one, 1) == one
    wide = widened(one, 5)
    assert wide.low < one.low < one.high < wide.high
    assert wide.high == pytest.approx(2.0 * (2.1 / 2.0) ** (2.5758 / 1.95996), rel=1e-3)


def test_numbers_near_one_show_a_third_decimal() -> None:
    assert (digits(1.0188), digits(3.6182), digits(35.98), digits(12345.6)) == ("1.019", "3.62", "36", "12346")
    assert span(Interval(1.07, 1.1, 1.12, 1)) == "1.070 to 1.12"
    assert span(Interval(3.6181, 3.6182, 3.6183, 1)) == "3.62"


def test_the_headline_is_the_number_of_true_claims(tmp_path: Path) -> None:
    content = gather(document_run(tmp_path))
    rows = content.rows("claims")
    holds = [row["holds"] for row in rows]
    held = holds.count("yes")
    assert {"yes", "not known"} <= set(holds)
    assert top(content).lead.startswith(f"Document 002: {held} of 7 claims")
    questions = [one.question for one in top(content).answers]
    assert questions == ["Is it normal?", "How sure?"]  # the headline is the whole answer
    assert next(iter(content.sections)) == "claims"


def test_a_terminal_shows_verdicts_and_published_numbers(tmp_path: Path) -> None:
    console = Console(width=80, record=True, force_terminal=False, file=io.StringIO())
    show(document_run(tmp_path), console)
    text = console.export_text()
    assert "Seconds for 20 GB, written and flushed, s" in text
    assert "35.98" in text
    assert "it replaces the second tier" not in text


def test_a_run_of_another_suite_has_no_claims(tmp_path: Path) -> None:
    run = document_run(tmp_path)
    other = msgspec.structs.replace(run, result=msgspec.structs.replace(run.result, suite="flush"))
    assert tables["claims"].rows(other) == []
    assert tables["document_tables"].rows(other) == []
    assert tables["claims"].insights(other, []) == []


def test_a_target_of_the_options_is_that_of_the_run(tmp_path: Path) -> None:
    run = with_options(document_run(tmp_path), nvm="file:/dev/shm/x")
    assert Found(run).target("nvm") == "file:/dev/shm/x"
    assert Found(run).dram == "node:0"


def test_a_terminal_shows_every_part_that_is_left_out(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run = document_run(tmp_path)
    why = [Warn(code="left_out", message=f"part {n} is left out", next_step="another") for n in (1, 2)]
    alike = [Warn(code="busy", message=f"busy {n}", next_step="wait") for n in (1, 2)]
    result = msgspec.structs.replace(run.result, warnings=(*why, *alike))
    present(msgspec.structs.replace(run, result=result), TerminalConsole())
    said = capfd.readouterr().out
    assert "part 1 is left out. Next" in said
    assert "part 2 is left out. Next" in said
    assert "busy 2" not in said
