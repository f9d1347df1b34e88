"""fio 3, JSON and JSON+.

Each job gives a reading for each direction that it used, and one for both if it used two. Bandwidth and IOPS are over
the run time of the job; latency is from the call to the completion (`lat_ns`), percentiles are of `lat_ns` or
`clat_ns`, depending on which fio kept. Text around the document is reported as a warning. With --status-interval the
last document is read, and that is reported: after a kill of fio it covers the time until then. Depth counts as
`in_flight` only if requests are asynchronous and direct, and fio saw it at that depth for nearly all of the time.
Otherwise part of the queue is in the page cache, or was never filled. `most_in_flight` is what the options allow. With
group_reporting one entry stands for all clones of numjobs, without it each clone has an entry that names the same
numjobs. If group_reporting was set without a number, fio leaves it out, so the entries of one name and group are
counted. If their number differs, the depth is unknown.
Blind to sections of different depth that group_reporting joined: fio keeps the options of the first alone.
Source: J. Axboe, "fio", HOWTO, sections "JSON output" and "JSON+ output", version 3.33, 2022.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any, ClassVar

from tierscope.errors import UsageError
from tierscope.fio.documents import Found, documents
from tierscope.imports import Imported, importers
from tierscope.imports.values import newer
from tierscope.record import warn
from tierscope.record.experiment import Label
from tierscope.record.reading import Reading, Value
from tierscope.record.result import Warn
from tierscope.reference import Match
from tierscope.units import KiB, parse_bytes

warn.state(
    preamble="of imports: text around the results",
    failed="of imports: a job ended with an error",
    interim="of imports: the last of several documents of fio was read",
)

DIRECTIONS = ("read", "write", "trim")
FULL = 95.0  # per cent of the submissions at full depth, for the depth to count as the number in flight
BATCHES = "iodepth_"  # options that begin so leave places of the queue empty until several are
PERCENTILES = {
    "50": "latency_p50_s",
    "90": "latency_p90_s",
    "95": "latency_p95_s",
    "99": "latency_p99_s",
    "99.9": "latency_p999_s",
}
BIN_SHARE = 1 / 64  # of its value: how wide a bin of fio's histogram is
NEWEST = 3  # major version whose units are known
FIRST = ("ioengine", "iodepth", "numjobs", "direct")  # of the options, which are all reported
NAMED = ("name", "rw", "readwrite", "bs", "blocksize")  # those that have a label or a column of their own
METHOD = (
    "fio counts the operations that it submits and the bytes that it moves over the run time of a job, after ramp_time "
    "where one is set. A latency is from the submission of an operation to its completion; the mean is over all that "
    "completed, percentiles are from its histogram of them. Mean bandwidth of samples is a mean over half seconds. No "
    "interval is stated. All options of the job are listed; the others had fio's "
    "defaults."
)
DEPTHS = {1: "1", 2: "2", 4: "4", 8: "8", 16: "16", 32: "32"}  # keys of `iodepth_level`; 64 and more is ">=64"

Json = dict[str, Any]


class Fio:
    """Readings of all jobs."""

    name: ClassVar[str] = "fio"
    title: ClassVar[str] = "fio's JSON and JSON+: bytes per second, nanoseconds"

    alike: ClassVar[tuple[Match, ...]] = tuple(
        Match(number, "storage", number, {"test": side, "pattern": pattern, "direct": "1"},
              {"operation": side, "order": order, "block_bytes": "{operation_bytes}", "depth": "{iodepth|1}",
               "threads": "{numjobs|1}", "access": "direct"})
        for number in ("bandwidth_bytes_per_s", "latency_s")
        for side in ("read", "write")
        for pattern, order in ((side, "sequential"), (f"rand{side}", "random"))
    )  # fmt: skip

    def knows(self, text: str) -> bool:
        return '"fio version"' in text

    def read(self, text: str) -> Imported:
        found = documents(text)
        document = _last(found)
        version = str(document.get("fio version", "fio"))
        _refuse_newer(version)
        jobs = document.get("jobs")
        if not isinstance(jobs, list) or not all(isinstance(job, dict) for job in jobs):
            raise UsageError("it has no list of jobs: it is cut off, or of a version that is not known")
        try:
            readings = tuple(_readings(jobs, document.get("global options", {})))
        except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
            raise UsageError(f"a job is not as fio {NEWEST} writes it: {type(error).__name__} {error}") from error
        return Imported(version, readings, _warnings(found, jobs), METHOD)


def _last(found: Found) -> Json:
    """Return the last of several documents; UsageError where it is not whole."""
    if found.cut:
        raise UsageError("its JSON is cut off or damaged: the last document in it does not end")
    if not found.documents:
        raise UsageError("it contains no JSON; run fio with --output-format=json")
    return found.documents[-1]


def _refuse_newer(version: str) -> None:
    if newer(version.removeprefix("fio-"), NEWEST):
        raise UsageError(f"it is of {version[:40]!r}; units are known up to fio {NEWEST}: use a newer tierscope")


def _warnings(text: Found, jobs: list[Json]) -> tuple[Warn, ...]:
    found = []
    if text.said:
        said = " ".join(text.said.split())[:200]
        found.append(
            Warn(code="preamble", message=f"fio printed around its JSON: {said}", next_step="see what it warned of")
        )
    if len(text.documents) > 1:
        message = f"the last of {len(text.documents)} documents is read; the others are of --status-interval"
        found.append(Warn(code="interim", message=message, next_step="check that fio was not stopped early"))
    for job in jobs:
        if job.get("error"):
            message = f"job {job.get('jobname')} ended with error {job['error']}"
            found.append(Warn(code="failed", message=message, next_step="fix the job and run it again"))
    return tuple(found)


def _readings(jobs: list[Json], shared: Json) -> Iterator[Reading]:
    entries = Counter(_clones(job) for job in jobs)
    for job in jobs:
        yield from _job(job, {**shared, **job.get("job options", {})}, entries[_clones(job)])


def _clones(job: Json) -> tuple[str, str]:
    """Return what the clones of one section have in common."""
    return str(job.get("jobname")), str(job.get("groupid"))


def _job(job: Json, options: Json, entries: int) -> list[Reading]:
    """Return the readings of a job.

    entries: of this section in the document.
    """
    used = [name for name in DIRECTIONS if name in job and job[name]["total_ios"]]
    depths = _depths(job, options, entries)
    readings = []
    for name in used:
        values = _values(job[name])
        if len(used) == 1:
            values |= depths
        readings.append(Reading(test=name, labels=_labels(job, options, name), values=values))
    if len(used) == 2:
        values = _both(job, used) | depths
        readings.append(Reading(test="+".join(used), labels=_labels(job, options, "both"), values=values))
    return readings


def _values(side: Json) -> dict[str, Value]:
    milliseconds, moved = int(side["runtime"]), int(side["io_bytes"])
    values = {
        "bandwidth_bytes_per_s": Value(value=float(side["bw_bytes"]), step=1.0, said=f"{side['bw_bytes']} B/s"),
        "rate_per_s": Value(value=float(side["iops"]), step=1e-6, said=f"{side['iops']} IOPS"),
        "operations": Value(value=float(side["total_ios"]), step=1.0),
        "total_bytes": Value(value=float(moved), step=1.0),
        "seconds": Value(value=milliseconds / 1e3, step=1e-3, said=f"{milliseconds} ms"),
        "second_bandwidth_bytes_per_s": Value(
            value=float(side["bw_mean"]) * KiB, step=KiB * 1e-6, said=f"{side['bw_mean']} KiB/s"
        ),
    }
    values |= _again(side)
    if not side.get("bw_samples") or side["bw_samples"] < 10:  # of half a second each: too few to be a mean of the run
        del values["second_bandwidth_bytes_per_s"]
    return values | _latencies(side)


def _again(side: Json) -> dict[str, Value]:
    """Return the numbers that fio also prints in whole KiB, and the two parts of a latency."""
    values = {}
    for name, key in (("bandwidth_bytes_per_s", "bw"), ("total_bytes", "io_kbytes")):
        if key in side:
            middle = (int(side[key]) + 0.5) * KiB  # fio cuts fractions off
            values[f"again_{name}"] = Value(value=middle, step=float(KiB), said=f"{side[key]} KiB")
    submission, completion, total = (side.get(f"{kind}_ns", {}) for kind in ("slat", "clat", "lat"))
    if submission.get("N") and submission["N"] == completion.get("N") == total.get("N"):
        made = float(submission["mean"]) + float(completion["mean"])
        values["again_latency_s"] = Value(value=made * 1e-9, step=4e-15)  # three means of six decimals
    return values


def _latencies(side: Json) -> dict[str, Value]:
    total = side["lat_ns"]
    kept = total if "percentile" in total else side["clat_ns"]  # of completion alone: the least is that of the same
    values = {
        "latency_s": _nanoseconds(total["mean"]),
        "latency_least_s": _nanoseconds(kept["min"]),
        "latency_most_s": _nanoseconds(total["max"]),
    }
    if "stddev" in total and total.get("N"):
        values["latency_deviation_s"] = _nanoseconds(total["stddev"])
        values["timed_operations"] = Value(value=float(total["N"]))
    for share, nanoseconds in kept.get("percentile", {}).items():
        name = PERCENTILES.get(f"{float(share):g}")
        if name:
            values[name] = _binned(nanoseconds)
    return values


def _binned(number: float) -> Value:
    """Return the middle of a bin, which is 1/64 of its value wide: the extremes may be on either side of it."""
    exact = _nanoseconds(number)
    return Value(value=exact.value, step=max(exact.step, exact.value * BIN_SHARE), said=exact.said)


def _nanoseconds(number: float) -> Value:
    step = 1.0 if float(number) == int(number) else 1e-6
    return Value(value=float(number) * 1e-9, step=step * 1e-9, said=f"{number} ns")


def _both(job: Json, used: list[str]) -> dict[str, Value]:
    """Return sums, the longest of both, and the mean latency by the number of operations."""
    sides = [job[name] for name in used]
    times = sorted(int(side["runtime"]) / 1e3 for side in sides)
    count = sum(int(side["total_ios"]) for side in sides)
    mean = sum(float(side["lat_ns"]["mean"]) * int(side["total_ios"]) for side in sides) / count
    return {
        "bandwidth_bytes_per_s": Value(value=float(sum(side["bw_bytes"] for side in sides))),
        "rate_per_s": Value(value=float(sum(side["iops"] for side in sides))),
        "operations": Value(value=float(count)),
        "latency_s": Value(value=mean * 1e-9),
        "latency_most_s": max((_nanoseconds(side["lat_ns"]["max"]) for side in sides), key=lambda most: most.value),
        "seconds": Value(value=times[-1], step=1e-3 + 2 * (times[-1] - times[0])),
    }


def _labels(job: Json, options: Json, side: str) -> dict[str, Label]:
    size = _size(options, side)
    labels: dict[str, Label] = {
        "job": str(job.get("jobname", "")),
        "pattern": str(_option(options, "rw", "readwrite", "read")),
    }
    if size:
        labels["operation_bytes"] = size
    labels |= {key: str(options[key]) for key in (*FIRST, *sorted(options)) if key in options and key not in NAMED}
    if not size:
        labels["bs"] = str(_option(options, "bs", "blocksize", "4k"))
    return labels


def _option(options: Json, name: str, other: str, default: str) -> Any:
    """Return an option by either of its two names."""
    return options.get(name, options.get(other, default))


def _size(options: Json, side: str) -> int | None:
    """Return the bytes of one operation; None if they vary. fio's k is 1024 unless kb_base changes it."""
    if "bsrange" in options or "bssplit" in options or str(options.get("kb_base", "1024")) != "1024":
        return None
    words = str(_option(options, "bs", "blocksize", "4k")).split(",")
    place = min({"read": 0, "write": 1, "trim": 2}.get(side, 0), len(words) - 1)
    if side == "both" and len(set(words)) > 1:
        return None
    word = words[place].strip().lower().removesuffix("b").removesuffix("i")
    return parse_bytes(word[:-1] + word[-1].upper() + "iB" if word[-1:] in "kmg" else word)


def _depths(job: Json, options: Json, entries: int) -> dict[str, Value]:
    """Return the depth that was allowed and, if it was reached, the number in flight; {} if neither is known."""
    clones = int(options.get("numjobs", 1))
    if entries not in (1, clones) or not options:
        return {}
    jobs = clones if entries == 1 else 1
    depth = int(options.get("iodepth", 1))
    reached = float(job.get("iodepth_level", {}).get(DEPTHS.get(depth, ">=64"), 0.0))
    stated = Value(value=float(jobs * depth), said=f"depth {depth}")
    asynchronous = (
        str(options.get("ioengine", "psync")) in ("libaio", "io_uring") and str(options.get("direct", "0")) == "1"
    )
    full = reached >= FULL and (depth in DEPTHS or depth == 64)
    if not full or not asynchronous:
        return {"most_in_flight": stated}
    kept = jobs == 1 and not any(key.startswith(BATCHES) for key in options)
    return {"in_flight": stated} | ({"full_share": Value(value=min(reached / 100, 1.0), step=1e-8)} if kept else {})


importers.add(Fio())
