"""What a prediction is asked for, in words, and the rows that answer it."""

from dataclasses import dataclass
from pathlib import Path

from tierscope.errors import UnknownNameError, UsageError
from tierscope.models.counter_model import CounterModel
from tierscope.models.structure_model import StructureModel
from tierscope.predict.memory import Memory, memory
from tierscope.predict.rows import Predicted, moved, of_counters, of_preset
from tierscope.registry import unknown
from tierscope.result import load
from tierscope.sound import reads
from tierscope.units import parse_bytes

MODELS = (StructureModel.name, CounterModel.name)
COUNT = "50000"  # the least of document 004


@dataclass(frozen=True, slots=True)
class Asked:
    """what: a run or a preset; on: words of memories; here: that of the run; beside: a run there; count: '10,100';
    value: '16B', that each operation moves besides.
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
    """Rows and notes; UsageError says which word is missing or too many."""
    if asked.model not in MODELS:
        raise UnknownNameError(unknown("model of run time", asked.model, list(MODELS)))
    _refuse_spare(asked)
    memories = [memory(word) for word in asked.on]
    value = parse_bytes(asked.value) if asked.value else 0
    if not _is_run(asked):
        notes = _notes(memories, writes=asked.model == CounterModel.name)
        return of_preset(asked.model, asked.what, _counts(asked.count or COUNT), memories, value), notes
    run = load(Path(asked.what))
    if asked.model == CounterModel.name:
        counts = _counts(asked.count) if asked.count else []
        return of_counters(run, counts, memories, value), _notes(memories, writes=True)
    here = memory(str(asked.here))
    rows, notes = moved(run, here, memories, load(asked.beside) if asked.beside else None)
    return rows, [*_notes([here, *memories]), *notes]


def _is_run(asked: Asked) -> bool:
    return Path(asked.what).exists()


def _refuse_spare(asked: Asked) -> None:
    """Words that would have no effect."""
    moves = _is_run(asked) and asked.model == StructureModel.name
    if moves and not asked.here:
        raise UsageError(
            f"{asked.what} is a run: say where it ran, as --from runs/latency-here (`tierscope run latency`)"
        )
    if moves and (asked.count or asked.value):
        raise UsageError("--count, --value: a run that is moved keeps its own; leave them out")
    if not moves and (asked.here or asked.beside):
        raise UsageError("--from and --beside belong to a run of maps that structure_model moves; leave them out")


def _notes(memories: list[Memory], writes: bool = False) -> list[str]:
    """writes: whether the latency of writes counts."""
    guessed = [f"{one.word}: writes are taken to have the latency of reads" for one in memories if one.writes_as_reads]
    kinds = {one.origin for one in memories} - {"real"}
    told = [f"figures of a memory here are {' and '.join(sorted(kinds))}"] if kinds else []
    return [*dict.fromkeys(note for one in memories for note in one.notes), *(guessed if writes else ()), *told]


def _counts(text: str) -> list[int]:
    try:
        counts = [int(word) for word in text.split(",")]
    except ValueError as error:
        raise UsageError(f"--count {text}: numbers are needed, as 10000,1000000") from error
    if min(counts) < 1:
        raise UsageError(f"--count {text}: numbers above 0 are needed")
    return list(dict.fromkeys(counts))
