"""Blocks that identify themselves: which write made them, for which place, and whether all of it arrived.

After a crash, the content of each block shows whether its last acknowledged write survived. The format is in `sector`,
the writer in `writer`, what it promised in `ledger`, the judgement in `verdict`. Blind to: faults that put back a whole
block of the same write; bytes that nobody wrote.
"""
