"""The output on the processes of a program that were followed, and what is refused."""

import io
import math
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from made_processes import process, ran
from tierscope.errors import UsageError
from tierscope.predict.program import native, slowest
from tierscope.predict.program.anchor import anchor
from tierscope.predict.program.found import Found
from tierscope.predict.program.members import Household, Member, household
from tierscope.predict.program.part import Part, answered, refused
from tierscope.predict.program.place import Here, Place
from tierscope.predict.program.processes import followed_notes, lost, served, strayed
from tierscope.predict.program.stored import predicted
from tierscope.predict.program.text import show
from tierscope.record.predicted import PredictedProcess
from tierscope.simulated.replay import Traced

WHOLE = ran((process("", 0, 10, 0.1), process("1", 0.1, 9.5, 9.4), process("2", 9.5, 9.9, 0.4)))
HERE = Here(Place("this machine", "own"), (Place("far", "far"),), "instant")
BEGUN = "begins /bin/p1 0000000000000000 0000000000000000"


def home() -> Household:
    found = household(WHOLE)
    assert found is not None
    return found


def member() -> Member:
    return home().followed[0]


def traced(seconds: float = 9.4, *notes: str) -> Traced:
    return Traced(
        machine="m", instructions=9, loads=1, stores=1, counters={}, seconds=seconds, ended=0, notes=notes or (BEGUN,)
    )


def found(monkeypatch: pytest.MonkeyPatch, seconds: float = 9.4) -> Found:
    monkeypatch.setattr("tierscope.predict.program.part.factors", lambda *_: [(1.0, 3.0)])
    cores = [traced(seconds)] * 13
    here = replace(HERE, own=Place("this machine", "own", others=("o",) * 12), instant="",
                   tiers=(Place("far", "far", others=("f",) * 12),))  # fmt: skip
    far = traced(seconds * 1.5)
    parts = [Part(member(), here, anchor(member().native, cores), {"own": cores[0], "far": far, "f": far})]
    return answered(("cc", "a.c"), parts, WHOLE, home(), (), Path())


def test_the_answer_is_of_the_whole_program(monkeypatch: pytest.MonkeyPatch) -> None:
    (one,) = found(monkeypatch).tiers
    assert one.ratio == pytest.approx(1.5, abs=0.01)
    assert one.seconds == pytest.approx(15.0, abs=0.1)
    assert one.low == pytest.approx(0.95 * 1.5 + 0.05, abs=0.02)
    assert one.high == pytest.approx(0.95 * 1.5 + 0.05 * 3, abs=0.02)


def test_the_output_names_which_process_was_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    said = io.StringIO()
    show(found(monkeypatch), Console(file=said, width=300))
    told = said.getvalue()
    assert "Here: 10 s" in told
    assert "Note: 94% of the time here is p1 word, which was followed (model / measured 1.00)." in told
    assert "Note: 2 processes, not followed, had 5% of the time; the bounds contain that it stays" in told
    assert "and the most of the patterns that were tried: 3.00x on far." in told


def test_json_and_the_stored_result_carry_it(monkeypatch: pytest.MonkeyPatch) -> None:
    one = found(monkeypatch)
    (row,) = one.document()["followed"]
    assert (row["process"], row["words"], row["model_over_measured"]) == ("1", ["p1", "word"], 1.0)
    assert one.document()["measured"]["wall_s"] == 10
    kept = predicted(one)
    assert kept.followed == (
        PredictedProcess(process="1", words=("p1", "word"), share=row["share"], seconds=row["seconds"],
                         model_over_measured=1.0),
    )  # fmt: skip
    assert kept.wall_s == 10


def test_a_model_that_is_off_leaves_the_program_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    (one,) = found(monkeypatch, 9.4 * 1.3).tiers
    assert one.ratio is None
    assert one.unknown.startswith("of p1 word, which takes 94% of the time here: the model takes 1.30x the time")


def test_a_program_without_a_trace_is_refused_with_the_reason() -> None:
    one = refused(("cc", "a.c"), HERE, WHOLE, home(), "its processes run side by side")
    assert [(each.tier, each.ratio, each.unknown) for each in one.tiers] == [
        ("far", None, "its processes run side by side")
    ]
    assert (one.anchor.ratio, one.document()["model_over_measured"]) == (None, None)
    said = io.StringIO()
    show(one, Console(file=said, width=200))
    assert "far: not known, because its processes run side by side" in said.getvalue()
    assert "model / measured" not in said.getvalue()


@pytest.mark.parametrize(
    ("note", "same"),
    [
        (BEGUN, True),
        ("begins /usr/bin/p1 0000000000000000 0000000000000000", True),  # another path of the same program
        ("begins /bin/a 0000000000000000/p1 0000000000000000 0000000000000000", True),
        ("begins /bin/p2 0000000000000000 0000000000000000", False),
        ("begins /bin/p1 0000000000000000 00000000000000ff", False),
        ("begins /bin/p1 0000000000000000", False),
        ("fork", False),
    ],
)
def test_a_trace_of_another_process_is_refused(note: str, same: bool) -> None:
    assert (strayed(member(), traced(9.4, note)) == "") == same


def test_words_that_differ_from_run_to_run_are_not_compared() -> None:
    one = replace(member(), digests=("", "0" * 16))
    assert strayed(one, traced(9.4, "begins /bin/p1 00000000000000ff 0000000000000000")) == ""


def test_a_process_whose_trace_is_cut_is_refused_with_the_reason() -> None:
    """Its parent may not notice a signal. A program that it became without the tracer is another reason."""
    cut = Traced(machine="m", instructions=9, loads=1, stores=1, counters={}, whole=False, notes=(BEGUN,))
    assert "in the tracer it ended before its end here; QEMU may lack an instruction" in lost(member().native, cut)
    became = msgspec.structs.replace(cut, notes=(BEGUN, "exec"))
    assert "it replaced itself by another program" in lost(member().native, became)


def test_the_program_itself_needs_no_note() -> None:
    assert strayed(replace(member(), number=""), traced(9.4, "fork")) == ""


def test_processes_of_one_that_was_measured_apart_leave_no_doubt() -> None:
    """Their time is not in that of the process, so that the older rule does not apply."""
    apart = replace(member().native, children_s=5.0)
    assert lost(apart, traced(9.4, BEGUN, "fork")) == ""
    assert served(apart, traced(9.4, BEGUN, "fork")) == ()
    assert lost(replace(apart, apart=False), traced(9.4, BEGUN, "fork")) != ""


def test_a_tier_that_is_faster_has_no_factor_above_one() -> None:
    assert followed_notes(home(), [None], {"near": (0.5, 0.7)})[-1].endswith("tried: 1.00x on near")


def test_the_factors_are_those_of_the_slowest_pattern(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seconds of here, tier, no memory: latency 3x, bandwidth 2x, writes 5x, without the time of instructions."""
    times = {"chase": (11.0, 31.0, 1.0), "read": (3.0, 5.0, 1.0), "write": (2.0, 6.0, 1.0)}
    visited = []

    def replay(words: list[str], path: Path) -> list[Traced]:
        count = slowest.MANY if path.stem.startswith("writes_") else slowest.COUNT
        assert len(path.read_text().splitlines()) == 2 * count
        visited.append(path.stem)
        one = times.get(path.stem, times["read"])
        return [
            Traced(machine=word, instructions=1, loads=1, stores=1, counters={}, seconds_waiting=one,
                   seconds_overlapped=one) for word, one in zip(words, one, strict=True)
        ]  # fmt: skip

    monkeypatch.setattr(slowest, "trace_file", replay)
    ((least, most),) = slowest.factors("own", "instant", ["far"], tmp_path)
    assert (least, most) == pytest.approx((2.0, 5.0))
    assert len(visited) == len(set(visited)) == 11


def test_patterns_on_simulated_machines_show_latency_and_bandwidth(tmp_path: Path) -> None:
    far, same, slow = slowest.factors("ddr5", "", ["cxl_dram", "ddr5", "optane100"], tmp_path)
    assert same == pytest.approx((1.0, 1.0))
    assert 1 < far[0] <= far[1] < math.inf
    assert far[1] >= _ratio(tmp_path, "cxl_dram", [(kind, place * 64 + (kind == "S") * 2**30)
                                                   for place in range(20_000) for kind in "LS"])  # fmt: skip
    assert slow[1] >= _ratio(tmp_path, "optane100", [("L", place * 256) for place in range(50_000)])


def _ratio(folder: Path, tier: str, accesses: list[tuple[str, int]]) -> float:
    """Return how much longer accesses that do not wait take on a tier: kind and place in bytes of each."""
    path = folder / "accesses"
    path.write_text("".join(f"I  00400000,4\n {kind} {0x2000_0000 + place:x},8\n" for kind, place in accesses))
    here, there = slowest.trace_file(["ddr5", tier], path)
    assert here.seconds_overlapped and there.seconds_overlapped  # noqa: PT018
    return 0.99 * there.seconds_overlapped / here.seconds_overlapped


@pytest.mark.parametrize("script", ["true", "true; true; /bin/true; exit 0"])
def test_a_run_states_its_processes_only_if_there_are_some(script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "SPENT_S", 0.0)
    seen = native.measured(["/bin/sh", "-c", script], 60)
    assert [len(family.processes) for family in seen.families] == ([] if script == "true" else [2] * native.LEAST)
    assert seen.wall_s.middle > 0


def test_a_program_that_works_only_unfollowed_is_measured_without_its_processes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Such as one with the rights of another user, which the kernel does not grant then."""
    monkeypatch.setattr(native, "SPENT_S", 0.0)
    monkeypatch.setattr(native, "family_words", lambda descriptor, command: ["/bin/sh", "-c", f"""
        echo '{{"fact":"ended","status":1,"wall_s":1.0}}' >&{descriptor}; exit 1"""])  # fmt: skip
    seen = native.measured(["/bin/sh", "-c", "/bin/true; exit 0"], 60)
    assert seen.families == ()
    monkeypatch.setattr(native, "family_words", lambda descriptor, command: ["/bin/sh", "-c", f"""
        echo '{{"fact":"refused","message":"no"}}' >&{descriptor}; exit 125"""])  # fmt: skip
    assert native.measured(["/bin/sh", "-c", "/bin/true; exit 0"], 60).families == ()


def test_a_failure_of_the_program_is_reported_as_before() -> None:
    with pytest.raises(UsageError, match=r"/bin/sh ended with status 3 \(gone\)"):
        native.measured(["/bin/sh", "-c", "/bin/true; echo gone >&2; exit 3"], 60)
    with pytest.raises(UsageError, match="ended with signal 9"):
        native.measured(["/bin/sh", "-c", "/bin/true; kill -9 $$"], 60)
