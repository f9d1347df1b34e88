"""The request for a prediction, as typed, and the rows that answer it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tierscope.errors import UsageError
from tierscope.files import is_there
from tierscope.models.counter_model import CounterModel
from tierscope.models.run_time import run_time
from tierscope.models.structure_model import StructureModel
from tierscope.predict.memory import Memory, memory, otherwise
from tierscope.predict.rows import Predicted, moved, of_counters, of_preset
from tierscope.record.result import load
from tierscope.sound import reads
from tierscope.units import parse_bytes

COUNT = "50000"  # the least of document 004
MAY_BE_IDLE = {"write", "bandwidth", "parallelism", "line"}  # keys of memories that not every prediction rests on
Answerer = Callable[[list[Memory]], list[Predicted]]


@dataclass(frozen=True, slots=True)
class Asked:
    """what: a run or a preset; on: words of memories; here: that of the run; `beside`: a run there; count: '10,100';
    value: '16B', that each operation also moves.
    """

    what: str
    on: tuple[str, ...]
    here: str | None = None
    beside: Path | None = None
    count: str | None = None
    value: str | None = None
    model: str = StructureModel.name


@reads("the prediction")
def predicted(asked: Asked) -> tuple[list[Predicted], list[str]]:
    """Return rows and notes; UsageError for a missing or surplus word."""
    model = run_time(asked.model)
    _refuse_spare(asked)
    memories = [memory(word) for word in asked.on]
    value = parse_bytes(asked.value) if asked.value else 0
    if not _is_run(asked):
        notes = _notes(memories, writes=model.writes)
        counts = _counts(asked.count or COUNT)
        return _all_count(asked, memories, lambda on: of_preset(model, asked.what, counts, on, value)), notes
    run = load(Path(asked.what))
    if asked.model == CounterModel.name:
        counts = _counts(asked.count) if asked.count else []
        found = _all_count(asked, memories, lambda on: of_counters(run, counts, on, value))
        return found, _notes(memories, writes=model.writes)
    if asked.model != StructureModel.name:
        known = f"{StructureModel.name} or {CounterModel.name}"
        raise UsageError(f"{asked.what} is a run, and {asked.model} knows presets alone; try --model {known}")
    here, beside = memory(str(asked.here)), load(asked.beside) if asked.beside else None
    _all_count(asked, [here], lambda at: moved(run, at[0], memories, beside)[0])
    rows = _all_count(asked, memories, lambda on: moved(run, here, on, beside)[0])
    return rows, [*_notes([here, *memories]), *moved(run, here, memories, beside)[1]]


def _all_count(asked: Asked, memories: list[Memory], answer: Answerer) -> list[Predicted]:
    """Return the answer; UsageError for a key of a memory that has no effect on it, whatever its value."""
    found = answer(memories)
    for at, one in enumerate(memories):
        for key in sorted(one.given & MAY_BE_IDLE):
            others = [*memories[:at], otherwise(one, key), *memories[at + 1 :]]
            if all(_same(new, old) for new, old in zip(answer(others), found, strict=True)):
                why = run_time(asked.model).without_effect.get(key, "leave it out")
                raise UsageError(f"{key}= of '{one.word}' has no effect on {asked.what}: {why}")
    return found


def _same(one: Predicted, other: Predicted) -> bool:
    return (one.latency_s, one.low_s, one.high_s) == (other.latency_s, other.low_s, other.high_s)


def _is_run(asked: Asked) -> bool:
    return is_there(asked.what)


def _refuse_spare(asked: Asked) -> None:
    """Raise UsageError for words that would have no effect."""
    moves = _is_run(asked) and asked.model == StructureModel.name
    if moves and not asked.here:
        raise UsageError(
            f"{asked.what} is a run: name where it ran, such as --from runs/latency-here (`tierscope run latency`)"
        )
    if moves and (asked.count or asked.value):
        raise UsageError("--count, --value: a run that is moved keeps its own; leave them out")
    if not moves and (asked.here or asked.beside):
        raise UsageError("--from and --beside belong to a run of maps that structure_model moves; leave them out")


def _notes(memories: list[Memory], writes: bool = False) -> list[str]:
    """Return notes. writes: whether the latency of writes counts."""
    guessed = [
        f"{one.word}: writes are assumed to have the latency of reads" for one in memories if one.writes_as_reads
    ]
    kinds = {one.origin for one in memories} - {"real"}
    told = [f"figures of a memory here are {' and '.join(sorted(kinds))}"] if kinds else []
    return [*dict.fromkeys(note for one in memories for note in one.notes), *(guessed if writes else ()), *told]


def _counts(text: str) -> list[int]:
    try:
        counts = [int(word) for word in text.split(",")]
    except ValueError as error:
        raise UsageError(f"--count {text}: numbers are needed, such as 10000,1000000") from error
    if min(counts) < 1:
        raise UsageError(f"--count {text}: numbers above 0 are needed")
    return list(dict.fromkeys(counts))
