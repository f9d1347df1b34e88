"""Arrays are read by one thread at a time."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from tierscope.record import npy


def test_two_threads_never_read_a_header_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    inside, most = threading.Semaphore(0), []

    def load(*_: Any, **__: Any) -> np.ndarray:
        inside.release()
        time.sleep(0.002)
        most.append(inside._value)
        inside.acquire()
        return np.zeros(1)

    monkeypatch.setattr(npy.np, "load", load)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(npy.loaded, [b""] * 8))
    assert most == [1] * 8
