"""A part of the tracer's stream as a trace of ChampSim: one record of 64 bytes for each operation.

An operation touches the lines of its accesses: parts of one access that are in one line are one operand, and an access
across two lines is two. A record has 4 operands that it loads and 2 that it stores. Further lines are left out and
counted. A branch is taken if the next block is not the one behind it.

On request, a store whose bytes no load reads among the next SOON accesses waits for its address alone (operations.py).
SOON is more than the loads that the reorder buffer of either simulator contains.
"""

from dataclasses import dataclass

import numpy as np

from independent.operations import RECORD, is_branch, operations
from independent.stream import Trace, address_of, bytes_of, instruction_of, is_store

LINE = np.uint64(64)  # bytes
LOADS, STORES = 4, 2  # operands of a record
SOON = 512  # accesses
WORD = np.uint64(8)  # bytes, by which a load and a store are of the same place


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
    early: np.ndarray  # the same, where all stores wait for their addresses alone
    first: np.ndarray  # record of each block, by number
    count: np.ndarray  # records of each block
    instruction: np.ndarray  # of each block: its first place in `load`, `store` and `begin`
    load: np.ndarray  # of each instruction of all blocks: its record with loads, from the first of its block
    store: np.ndarray
    begin: np.ndarray  # its first record, also from there
    size: np.ndarray  # its records


def convert(trace: Trace, *, early: bool = False) -> Converted:
    """Return the records of a trace, in the order of the program.

    early: stores whose bytes are not read soon wait for their addresses alone.
    """
    table = _table(trace.blocks)
    starts = trace.starts()
    numbers = trace.numbers(starts)
    count = table.count[numbers]
    first = np.cumsum(count) - count  # record of each block that ran
    source = np.repeat(table.first[numbers] - first, count) + np.arange(count.sum())
    records = table.records[source]
    lengths = np.diff(np.append(starts, trace.events.size)) - 1  # accesses of each block that ran
    accesses = np.delete(trace.events, starts)
    stores = is_store(accesses)
    place = np.repeat(table.instruction[numbers], lengths) + instruction_of(accesses)
    within = np.where(stores, table.store[place], table.load[place])
    if early:
        begin = np.repeat(first, lengths) + table.begin[place]
        others = _early(accesses, stores, begin, table.size[place], records.size)
        records[others] = table.early[source[others]]
    _take_branches(records, trace.blocks, numbers, first + count - 1)
    left_out = _put_addresses(records, np.repeat(first, lengths) + within, accesses, stores)
    return Converted(records, first, left_out)


def _early(accesses: np.ndarray, stores: np.ndarray, begin: np.ndarray, size: np.ndarray, records: int) -> np.ndarray:
    """Return the records of instructions whose stores are not read soon. begin, size: of each access."""
    waits = np.zeros(records + 1, dtype=np.int64)
    change = np.zeros(records + 1, dtype=np.int64)
    read = read_soon(accesses, stores)
    for chosen, edges in ((stores, change), (stores & read, waits)):
        np.add.at(edges, begin[chosen], 1)
        np.add.at(edges, begin[chosen] + size[chosen], -1)
    return np.flatnonzero((np.cumsum(change) > 0) & (np.cumsum(waits) == 0))


def read_soon(accesses: np.ndarray, stores: np.ndarray) -> np.ndarray:
    """Return whether a load reads bytes of each access among the SOON accesses behind it."""
    if accesses.size == 0:
        return np.zeros(0, dtype=bool)
    address = address_of(accesses)
    first, last = address // WORD, (address + bytes_of(accesses) - np.uint64(1)) // WORD
    words = (last - first).astype(np.int64) + 1
    of = np.repeat(np.arange(accesses.size), words)
    word = np.repeat(first, words) + (np.arange(of.size) - np.repeat(np.cumsum(words) - words, words)).astype(np.uint64)
    order = np.lexsort((of, word))
    of, word = of[order], word[order]
    # the next load of the same word: its place in this order, found from the end
    load = np.where(stores[of], of.size, np.arange(of.size))
    following = np.minimum.accumulate(np.append(load[1:], of.size)[::-1])[::-1]
    there = np.minimum(following, of.size - 1)
    same = (following < of.size) & (word[there] == word)
    soon = same & (of[there] - of <= SOON) & (of[there] > of)
    found = np.zeros(accesses.size, dtype=bool)
    found[of[soon]] = True
    return found


def _table(blocks: tuple[np.ndarray, ...]) -> _Table:
    rows: list[tuple[object, ...]] = []
    early: list[tuple[object, ...]] = []
    first, load, store, begin, size = [], [], [], [], []
    for block in blocks:
        first.append(len(rows))
        for one in block:
            found, other = operations(one), operations(one, early=True)
            before = len(rows) - first[-1]
            load.append(before + found.load)
            store.append(before + found.store)
            begin.append(before)
            size.append(len(found.records))
            same = (len(other.records), other.load, other.store) == (size[-1], found.load, found.store)
            for rows_of, its in ((rows, found), (early, other if same else found)):
                for record in its.records:
                    branch = is_branch(int(one["kind"])) and record is its.records[-1]
                    registers = (_padded(record.destinations, 2), _padded(record.sources, 4))
                    rows_of.append((one["address"], branch, False, *registers, 0, 0))
    sizes = np.array([block.size for block in blocks])
    return _Table(
        np.array(rows, dtype=RECORD), np.array(early, dtype=RECORD), np.array(first), np.diff([*first, len(rows)]),
        np.cumsum(sizes) - sizes, *map(np.array, (load, store, begin, size)),
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
