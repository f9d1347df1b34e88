"""An instruction as records of ChampSim's trace: which registers connect them, and which has its loads and its stores.

A record has one list of registers that it reads, and its loads begin when all of them are known. An instruction whose
loads need only some of its registers (`add (%rax), %rbx`), or that also stores, is therefore two records: the first one
loads into a register of its own, and the second one reads that. Else each sum over an array would be a chain of misses.

ChampSim recognizes branches by three registers, which are used here for nothing else: 6 the stack pointer, 25 flags,
26 the instruction pointer. The registers of the program begin at PROGRAM. Each branch writes 26, and a call reads it,
so a call waits for the branch before it. Its return address is stored by a record of its own, which does not: ChampSim
executes stores in order, and all later ones would wait, too.

ChampSim executes stores in order, so one whose data wait for a miss delays all later ones, and the loads that read
their bytes. Real cores do not do that. On request, a store whose bytes are not read soon gets records of another form,
in which it waits for its address alone. Other results of the instruction are then known when its load ends.

A record reads at most 4 registers and writes 2. Further registers take further records: one before it that joins
registers, or one after it that waits for the first result.
Blind to: fences and atomics, latencies of instructions, and partial registers.
Source: ChampSim, inc/trace_instruction.h and inc/instruction.h, commit 2ff25011, 2025.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from independent.stream import NO_REGISTER

RECORD = np.dtype(
    [("ip", "<u8"), ("is_branch", "u1"), ("branch_taken", "u1"), ("destination_registers", "u1", 2),
     ("source_registers", "u1", 4), ("destination_memory", "<u8", 2), ("source_memory", "<u8", 4)]
)  # fmt: skip
SOURCES, DESTINATIONS = 4, 2

STACK_POINTER, FLAGS, INSTRUCTION_POINTER = 6, 25, 26  # of ChampSim
PROGRAM = 64  # the program's register 0
LOADED, JOINED = 200, 201  # between the records of one instruction; further joined ones are above

BRANCH, JUMP, JUMP_INDIRECT, CALL, CALL_INDIRECT, RETURN = range(12, 18)  # classes of the tracer
INDIRECT, CALLS = (JUMP_INDIRECT, CALL_INDIRECT), (CALL, CALL_INDIRECT)
RSP, STACK = 4, 8  # a register, and the flag of an instruction that knows it in advance


@dataclass(frozen=True)
class Operation:
    """One record, without addresses."""

    sources: tuple[int, ...]
    destinations: tuple[int, ...]


@dataclass
class Operations:
    """The records of one instruction; `load` and `store` are the records of its loads and its stores."""

    records: list[Operation] = field(default_factory=list)
    load: int = 0
    store: int = 0

    def add(self, sources: Iterable[int], destinations: Iterable[int]) -> int:
        """Add one operation, in as many records as it takes; return the record that does it."""
        reads, writes = list(dict.fromkeys(sources)), list(dict.fromkeys(destinations))
        joined = JOINED
        while len(reads) > SOURCES:
            self.records.append(Operation(tuple(reads[:SOURCES]), (joined,)))
            reads = [*reads[SOURCES:], joined]
            joined += 1
        self.records.append(Operation(tuple(reads), tuple(writes[:DESTINATIONS])))
        number = len(self.records) - 1
        for more in range(DESTINATIONS, len(writes), DESTINATIONS):
            self.records.append(Operation((writes[0],), tuple(writes[more : more + DESTINATIONS])))
        return number


def operations(instruction: np.void, *, early: bool = False) -> Operations:
    """Return the records of an instruction of the tracer's stream. A branch is the last of them.

    early: its store waits for its address alone. A branch, and what does not store, has one form.
    """
    kind = int(instruction["kind"])
    address, data, written = (_registers(instruction[n]) for n in ("address_registers", "data_registers", "written"))
    if instruction["flags"] & STACK:
        written = [one for one in written if one != PROGRAM + RSP]
    loads, stores = bool(instruction["loads"]), bool(instruction["stores"])
    found = Operations()
    if early and stores and not is_branch(kind):
        if loads:
            found.load = found.add(address, written or [LOADED])
        found.store = found.add(address, [] if loads else written)
        return found
    apart = loads and kind != RETURN and (stores or kind in INDIRECT or bool(set(data) - set(address)))
    if apart:
        loaded = found.add(address, [LOADED])
        sources = [*data, LOADED, *(address if stores and not is_branch(kind) else [])]
    else:
        sources = [*address, *data]
    if kind in CALLS:
        found.store = found.add([PROGRAM + RSP], [])
        found.add(*_branch(kind, sources, written))
    else:
        found.store = found.add(*_branch(kind, sources, written))
    found.load = loaded if apart else found.store
    return found


def is_branch(kind: int) -> bool:
    """Return whether this class of the tracer's is a branch for ChampSim."""
    return BRANCH <= kind <= RETURN


def _registers(numbers: np.ndarray) -> list[int]:
    return [PROGRAM + int(one) for one in numbers if one != NO_REGISTER]


def _branch(kind: int, sources: list[int], written: list[int]) -> tuple[list[int], list[int]]:
    """Return the registers by which ChampSim recognizes this class; those of any other are unchanged."""
    stack = [STACK_POINTER]
    pointer = [INSTRUCTION_POINTER]
    if kind == BRANCH:
        return [*pointer, *(sources or [FLAGS])], pointer
    if kind == JUMP:
        return [], pointer
    if kind == JUMP_INDIRECT:
        return sources or [LOADED], pointer
    if kind == CALL:
        return [*stack, *pointer], [*stack, *pointer]
    if kind == CALL_INDIRECT:
        others = [one for one in sources if one != PROGRAM + RSP][: SOURCES - 2]
        return [*stack, *pointer, *(others or [LOADED])], [*stack, *pointer]
    if kind == RETURN:
        return [*stack, *sources], [*stack, *pointer]
    return sources, written
