"""The work of the task `chain`, and the text of its steps."""

import re
from typing import Annotated, ClassVar, NamedTuple

from msgspec import Meta

from tierscope import units
from tierscope.errors import UsageError
from tierscope.record.work.base import OfTask

USUAL = "read 64 a"
"""The chain of the core where a plan names none."""
BEST = "flush"
"""The best instruction of the processor that writes a line back."""
FLUSHES = (BEST, "clwb", "clflushopt", "clflush", "cvadp", "cvap", "cvac", "civac")
LINE_BYTES = 64
MOST_BYTES = 256 * units.KiB  # of a step, as core/kernels/chain_steps.hpp
MOST_STEPS = 32
WORD = re.compile(r"[^ \t\n\v\f\r]+")  # as the core splits them


class Step(NamedTuple):
    """One read or write of a region. memory: a, the target, or b, the source."""

    act: str
    size_bytes: int
    memory: str
    past: bool = False
    flush: str = ""

    @property
    def text(self) -> str:
        """Return the step as a file of groups has it."""
        options = (["nt"] if self.past else []) + ([self.flush] if self.flush else [])
        return " ".join([self.act, str(self.size_bytes), self.memory, *options])


class ChainWork(OfTask, frozen=True, kw_only=True, tag="chain"):
    """Lists of reads and writes of two memories, each at a place that the data before it decide."""

    encoded: ClassVar[frozenset[str]] = frozenset({"chain"})

    chain: Annotated[
        str,
        Meta(
            description="its steps, as `read 2048 a, read 1024 b, write 64 b flush`: a is the target, b the source; "
            '"" is `read 64 a`'
        ),
    ] = ""
    draw: Annotated[str, Meta(description='how places are drawn, `uniform` or `zipf:EXPONENT`; "" is `uniform`')] = ""
    partition: Annotated[
        str,
        Meta(
            description="`own`: each thread has its own part of both memories; `shared`: it reads in all parts, and "
            'writes in its own; "" is `own`'
        ),
    ] = ""

    def refuse(self) -> None:
        steps_of(self.chain or USUAL)


def steps_of(text: str) -> tuple[Step, ...]:
    """Return the steps of a chain; UsageError naming the step that is wrong, in the words of the core."""
    steps = tuple(_step(part.strip(" "), number) for number, part in enumerate(text.split(","), 1))
    if len(steps) > MOST_STEPS:
        raise UsageError(f"chain: it has {len(steps)} steps, more than {MOST_STEPS}; try fewer and larger ones")
    return steps


def _step(text: str, number: int) -> Step:
    place, words = f"chain: step {number} '{text}'", WORD.findall(text)
    act, size, memory = [*words, "", "", ""][:3]
    if act not in ("read", "write"):
        wrong = f"begins with '{act}'" if act else "is empty"
        raise UsageError(f"{place} {wrong}; try 'read 64 a'")
    if not size:
        raise UsageError(f"{place} has no bytes; try '{act} 64 a'")
    size_bytes = _size(size, place)
    if memory not in ("a", "b"):
        wrong = f"'{memory}' as its memory" if memory else "no memory"
        raise UsageError(f"{place} has {wrong}; a is the target, b the source: try '{act} {size} a'")
    return _with_options(Step(act, size_bytes, memory), words[3:], place)


def _size(word: str, place: str) -> int:
    try:
        size_bytes = units.parse_bytes(word)
    except UsageError as error:
        raise UsageError(f"{place} has '{word}' where its bytes belong; try 'read 64 a'") from error
    if not 0 < size_bytes <= MOST_BYTES or size_bytes % LINE_BYTES:
        raise UsageError(f"{place} has {word} bytes, not a multiple of 64 up to 256KiB; try 64")
    return size_bytes


def _with_options(step: Step, options: list[str], place: str) -> Step:
    for word in options:
        if step.act == "read":
            raise UsageError(f"{place} has '{word}' behind a read, which takes nothing; try '{step.text}'")
        if word == "nt" and not step.past:
            step = step._replace(past=True)
        elif word not in FLUSHES:
            known = f"try nt, flush, or one of {', '.join(FLUSHES[1:])}"
            raise UsageError(f"{place} has '{word}', which is not an option of a write; {known}")
        elif step.flush:
            raise UsageError(f"{place} has two flushes; try '{step.text}'")
        else:
            step = step._replace(flush=word)
    if step.past and step.flush not in ("", BEST):
        better = step._replace(flush=BEST).text
        raise UsageError(f"{place} flushes what nt leaves in no cache; try '{better}', which adds the fence alone")
    return step
