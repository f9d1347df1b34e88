"""fio's JSON and JSON+ as plain data: seconds, bytes, shares of one CPU.

If there are several documents, the last one is read. Bins are those of JSON+: the value that fio names a bin by, in ns,
and how many operations fell into it.
Blind to the documents of fio 2, whose latencies are in other units under other names: they are refused.
Source: fio 3.33, HOWTO, "Interpreting the output" and "JSON+ output"; stat.c.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tierscope.errors import ResultError
from tierscope.fio.documents import documents

SIDES = ("read", "write", "trim")
PARTS = {"submission": "slat_ns", "completion": "clat_ns", "total": "lat_ns"}


@dataclass(frozen=True, slots=True)
class Latency:
    """The latency of all operations of one kind, in s; `bins`: ns -> operations, {} where the document has none."""

    count: int
    least_s: float
    mean_s: float
    deviation_s: float
    most_s: float
    percentiles: dict[float, float] = field(default_factory=dict)  # 99.0 -> s, as fio computed them
    bins: dict[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Side:
    """The reads, writes or trims of a job. `latency`: by part, those of PARTS that the document has."""

    name: str
    operations: int
    bytes: int
    seconds: float
    iops: float  # as fio reports it
    bytes_per_s: float  # as fio reports it
    latency: dict[str, Latency]


@dataclass(frozen=True, slots=True)
class Job:
    """One job, or a group of jobs that were reported as one. `sides`: those that did anything."""

    name: str
    options: dict[str, str]  # as given in the job; {} where fio does not repeat them
    error: int  # errno; 0 is none
    seconds: float
    cpu_user: float  # share of one CPU
    cpu_system: float
    switches: int  # of the scheduler
    sides: dict[str, Side]

    @property
    def iops(self) -> float:
        """Return the operations per second, reads, writes and trims together."""
        return sum(side.iops for side in self.sides.values())


@dataclass(frozen=True, slots=True)
class Document:
    """The output of one call of fio."""

    version: str  # "3.33"
    options: dict[str, str]  # that all jobs share
    jobs: tuple[Job, ...]
    said: str  # lines around the document: warnings and errors


def parse(text: str) -> Document:
    """Return the last document in `text`; ResultError that names the problem if there is none, or another one."""
    found = documents(text)
    if not found.documents:
        first = next((line for line in text.splitlines() if line.strip()), "nothing at all")
        cut = " that ends too early" if found.cut else ""
        raise ResultError(f"no JSON document of fio{cut}: it begins with {first.strip()[:100]!r}; "
                          "write it with --output-format=json+ --output=FILE")  # fmt: skip
    return _document(found.documents[-1], found.said)


def _document(value: dict[str, Any], said: str) -> Document:
    version, jobs = value.get("fio version"), value.get("jobs")
    if not isinstance(version, str) or not isinstance(jobs, list):
        raise ResultError("a JSON document, but not of fio: it has no 'fio version' and no 'jobs'")
    number = version.removeprefix("fio-")
    if number.startswith(("1.", "2.")):
        raise ResultError(f"written by fio {number}, whose latencies have other units; write it again with fio 3")
    try:
        read = tuple(_job(job) for job in jobs)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise ResultError(f"fio {number}: the document lacks or garbles {error}; write it again") from error
    return Document(number, _words(value.get("global options")), read, said)


def _job(job: dict[str, Any]) -> Job:
    return Job(
        name=str(job["jobname"]),
        options=_words(job.get("job options")),
        error=int(job.get("error", 0)),
        seconds=_number(job.get("job_runtime", 0)) / 1e3,
        cpu_user=_number(job.get("usr_cpu", 0)) / 100,
        cpu_system=_number(job.get("sys_cpu", 0)) / 100,
        switches=int(job.get("ctx", 0)),
        sides={name: side for name in SIDES if name in job and (side := _side(name, job[name])).operations},
    )


def _side(name: str, value: dict[str, Any]) -> Side:
    return Side(
        name=name,
        operations=int(value["total_ios"]),
        bytes=int(value["io_bytes"]),
        seconds=_number(value["runtime"]) / 1e3,
        iops=_number(value["iops"]),
        bytes_per_s=_number(value["bw_bytes"]) if "bw_bytes" in value else _number(value["bw"]) * 1024,
        latency={part: read for part, key in PARTS.items() if key in value and (read := _latency(value[key])).count},
    )


def _latency(value: dict[str, Any]) -> Latency:
    bins = {int(ns): int(count) for ns, count in value.get("bins", {}).items()}
    return Latency(
        count=int(value["N"]) if "N" in value else sum(bins.values()),
        least_s=_number(value["min"]) / 1e9,
        mean_s=_number(value["mean"]) / 1e9,
        deviation_s=_number(value["stddev"]) / 1e9,
        most_s=_number(value["max"]) / 1e9,
        percentiles={float(share): _number(ns) / 1e9 for share, ns in _percentiles(value)},
        bins={ns: bins[ns] for ns in sorted(bins)},
    )


def _percentiles(value: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    yield from value.get("percentile", {}).items()


def _number(value: Any) -> float:
    """Return a finite number; ValueError for words, truth values, infinities."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"the number {str(value)[:40]!r}")
    return float(value)


def _words(value: Any) -> dict[str, str]:
    return {str(key): str(word) for key, word in value.items()} if isinstance(value, dict) else {}
