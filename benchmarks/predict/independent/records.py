"""A part of the tracer's stream as a trace of ChampSim: one record of 64 bytes for each operation.

An operation touches the lines of its accesses: parts of one access that are in one line are one operand, and an access
across two lines is two. A record has 4 operands that it loads and 2 that it stores. Further lines are left out and
counted. A branch is taken if the next block is not the one behind it.
"""

from dataclasses import dataclass

import numpy as np

from independent.operations import RECORD, is_branch, operations
from independent.stream import Trace, address_of, bytes_of, instruction_of, is_store

LINE = np.uint64(64)  # bytes
LOADS, STORES = 4, 2  # operands of a record


@dataclass(frozen=True, eq=False)
class Converted:
    """The records of a trace."""

    records: np.ndarray  # of RECORD
    first: np.ndarray  # record of each block that ran
    left_out: int  # lines that no record had a place for


@dataclass(frozen=True, eq=False)
class _Table:
    """The records of all blocks, one after the other, without addresses."""

    records: np.ndarray
    first: np.ndarray  # record of each block, by number
    count: np.ndarray  # records of each block
    instruction: np.ndarray  # of each block: its first place in `load` and `store`
    load: np.ndarray  # of each instruction of all blocks: its record with loads, from the first of its block
    store: np.ndarray


def convert(trace: Trace) -> Converted:
    """Return the records of a trace, in the order of the program."""
    table = _table(trace.blocks)
    starts = trace.starts()
    numbers = trace.numbers(starts)
    count = table.count[numbers]
    first = np.cumsum(count) - count  # record of each block that ran
    records = table.records[np.repeat(table.first[numbers] - first, count) + np.arange(count.sum())]
    _take_branches(records, trace.blocks, numbers, first + count - 1)
    lengths = np.diff(np.append(starts, trace.events.size)) - 1  # accesses of each block that ran
    accesses = np.delete(trace.events, starts)
    stores = is_store(accesses)
    place = np.repeat(table.instruction[numbers], lengths) + instruction_of(accesses)
    within = np.where(stores, table.store[place], table.load[place])
    left_out = _put_addresses(records, np.repeat(first, lengths) + within, accesses, stores)
    return Converted(records, first, left_out)


def _table(blocks: tuple[np.ndarray, ...]) -> _Table:
    rows: list[tuple[object, ...]] = []
    first, load, store = [], [], []
    for block in blocks:
        first.append(len(rows))
        for one in block:
            found = operations(one)
            before = len(rows) - first[-1]
            load.append(before + found.load)
            store.append(before + found.store)
            for record in found.records:
                branch = is_branch(int(one["kind"])) and record is found.records[-1]
                rows.append(
                    (one["address"], branch, False, _padded(record.destinations, 2), _padded(record.sources, 4), 0, 0)
                )
    sizes = np.array([block.size for block in blocks])
    return _Table(
        np.array(rows, dtype=RECORD), np.array(first), np.diff([*first, len(rows)]), np.cumsum(sizes) - sizes,
        np.array(load), np.array(store),
    )  # fmt: skip


def _padded(registers: tuple[int, ...], size: int) -> tuple[int, ...]:
    return registers + (0,) * (size - len(registers))


def _take_branches(records: np.ndarray, blocks: tuple[np.ndarray, ...], numbers: np.ndarray, last: np.ndarray) -> None:
    """Mark the branches that were taken. The last one is not: nobody knows what is behind it."""
    begins = np.array([block["address"][0] for block in blocks])[numbers]
    behind = np.array([block["address"][-1] + block["length"][-1] for block in blocks])[numbers]
    taken = np.append(begins[1:] != behind[:-1], False)
    records["branch_taken"][last] = taken & (records["is_branch"][last] != 0)


def _put_addresses(records: np.ndarray, of: np.ndarray, accesses: np.ndarray, stores: np.ndarray) -> int:
    """Put each line that an access touches into its record; return how many had no place."""
    address = address_of(accesses)
    beyond = (address + bytes_of(accesses) - np.uint64(1)) // LINE * LINE  # the last line that it touches
    split = beyond > address
    order = np.argsort(np.concatenate([np.arange(address.size), np.flatnonzero(split)]), kind="stable")
    address = np.concatenate([address, beyond[split]])[order]
    key = np.concatenate([of * 2 + stores, (of * 2 + stores)[split]])[order]
    order = np.argsort(key, kind="stable")
    address, key = address[order], key[order]
    again = (key[1:] == key[:-1]) & (address[1:] // LINE == address[:-1] // LINE)
    address, key = (one[np.append([True], ~again)[: one.size]] for one in (address, key))
    opens = np.flatnonzero(np.append([True], key[1:] != key[:-1])[: key.size])
    rank = np.arange(key.size) - np.repeat(opens, np.diff(np.append(opens, key.size)))
    for name, store, most in (("source_memory", 0, LOADS), ("destination_memory", 1, STORES)):
        mine = (key % 2 == store) & (rank < most)
        records[name][key[mine] // 2, rank[mine]] = address[mine]
    return int((rank >= np.where(key % 2 == 0, LOADS, STORES)).sum())
