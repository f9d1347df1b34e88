"""What operations on a structure took: a line of totals and a histogram for each batch."""

import msgspec


class Timing(msgspec.Struct, frozen=True, kw_only=True):
    """What operations on a structure took in one batch, all threads of a group together; in ticks of the clock."""

    rounds: int
    operations: int
    done: int  # of them: gets that found their key, inserts and removes that changed something
    ticks: int  # of the operations alone
    least_ticks: int  # of one operation
    most_ticks: int
    rehashes: int
    moved: int  # entries
    rehash_ticks: int
    lock_ticks: int  # waited for the lock of a structure that threads share
    fills: int  # structures made and filled, or emptied and filled again, outside of the blocks
    fill_ticks: int
    clock_ticks: int  # of reading the clock and counting, in each operation
    lines_read: int = 0  # distinct ones of each operation, added up; 0 where accesses were not recorded
    lines_written: int = 0  # likewise
    lines_flushed: int = 0  # each time that a line is written back
    fences: int = 0
    histogram: str  # of the operations' ticks, see `suites.maps.histogram`
