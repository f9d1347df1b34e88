"""Readers of foreign bytes return a result or an error of ours: a short search (benchmarks/fuzz.py: a long one)."""

from itertools import islice

import pytest

from fuzz_readers import READERS, Reader, attempt, contents

RUNS = 60  # of each: a second on an idle CPU for most


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_damaged_bytes_end_in_a_result_or_an_error_of_ours(reader: Reader) -> None:
    for number, content in enumerate(islice(contents(reader, seed=1), RUNS)):
        try:
            attempt(reader, content)
        except Exception as error:
            raise AssertionError(f"input {number} of {reader.name}: {content[:300]!r}") from error
