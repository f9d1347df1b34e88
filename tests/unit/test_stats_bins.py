"""Percentiles of bins: those of fio, digit by digit, from a document that it wrote."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tierscope.suites.storage.bins import TAIL, percentiles

RAW: dict[str, Any] = json.loads((Path(__file__).parents[1] / "data/fio/randrw-3.33.json").read_text())["jobs"][0]


@pytest.mark.parametrize("part", ["slat_ns", "clat_ns", "lat_ns"])
@pytest.mark.parametrize("side", ["read", "write"])
def test_percentiles_are_those_of_fio(side: str, part: str) -> None:
    latency = RAW[side][part]
    values = np.array([int(ns) for ns in latency["bins"]])
    counts = np.array(list(latency["bins"].values()))
    wanted = [float(share) for share in latency["percentile"]]
    assert percentiles(values, counts, wanted, tail=0) == list(latency["percentile"].values())


def test_bins_of_several_repeats_are_one_histogram() -> None:
    one = percentiles(np.array([10, 30, 10]), np.array([500, 100, 400]), [50, 95])
    assert one == percentiles(np.array([10, 30]), np.array([900, 100]), [50, 95]) == [10.0, 30.0]


def test_too_few_operations_beyond_it_give_no_percentile() -> None:
    counts = np.array([100 * TAIL - 1])
    assert percentiles(np.array([5]), counts, [50, 99]) == [5.0, None]
    assert percentiles(np.array([5]), counts + 1, [50, 99]) == [5.0, 5.0]


def test_no_operation_gives_none() -> None:
    nothing = np.empty(0, dtype=np.int64)
    assert percentiles(nothing, nothing, [50, 99], tail=0) == [None, None]
