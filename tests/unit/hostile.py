"""Runs of somebody who means harm: texts, numbers and samples that a good run never has, the same for each seed."""

import json
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tierscope.record import result as results
from tierscope.record.program import BIN, bins_of

TEXTS = (
    "\x1b[2J\x1b]0;title\x07", "\x9b31m", "\u202egnp.exe\u2066", "\r\n\x00\x08\x7f", "[/x][bold]", ":smile:",
    "{{7*7}}{% x %}",
    "</script><img src=x onerror=alert(1)>", "=cmd|'/C calc'!A0", "+1+1", "@SUM(A1)", "../../../escaped", "/escaped",
    "..", "", " ", "*", "[a-z]?", "a" * 5000, "|`*_~#", "\u2028\u2029",
    "\U000e0041\U0010ffff", "\U0001f468\u200d\U0001f469",
    "%s%n{0}", "nan", "1e999", "-1", "node:", "file:/../../escaped", "sim:", "sim:escaped.toml", "cmd touch escaped",
    "real", "simulated", "imported", "stream", "latency", "4k", "'; DROP TABLE x; --", '"\\',
)  # fmt: skip
NUMBERS = (0, 1, -1, 2**31, 2**32 - 1, 2**63 - 1, 2**63, 2**64 - 1, -(2**63), 1e308, -1e308, 5e-324, 0.5, 1e-9, 1e18, 7)
OTHERS: tuple[Any, ...] = (None, True, False, [], {}, [[]], {"": 0}, [0, 0])
MOST = 8  # records
COUNTS = (0, 1, 2**16 - 1, 2**32 - 1, 2**63, 2**64 - 1)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The place of a value in a document."""
    if path:
        yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in inner:
        yield from places(entry, (*path, key))


def other(rng: random.Random, value: Any) -> Any:
    """Mostly of the same kind, so that the loader lets it pass."""
    if rng.random() < 0.05:
        return rng.choice(OTHERS)
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return rng.choice(TEXTS)
    if isinstance(value, int | float):
        number = rng.choice(NUMBERS)
        return int(max(min(number, 2**63), -(2**63))) if isinstance(value, int) and rng.random() < 0.9 else number
    if isinstance(value, list):
        return rng.choice((value[:1], value + value, value[::-1], value[:-1]))
    if isinstance(value, dict):
        return {**value, rng.choice(TEXTS): rng.choice((*value.values(), 0))} if rng.random() < 0.5 else {}
    return rng.choice((*TEXTS, *NUMBERS))


def spoil(rng: random.Random, document: Any, changes: int) -> None:
    """Put other values in these places."""
    for _ in range(changes):
        *above, last = rng.choice(list(places(document)))
        part = document
        for step in above:
            part = part[step]
        part[last] = other(rng, part[last])


def all_texts(rng: random.Random, value: Any, key: str = "") -> Any:
    """Every text that may be any text is a hostile one; texts that determine the kind of run stay."""
    if isinstance(value, dict):
        return {name: all_texts(rng, entry, name) for name, entry in value.items()}
    if isinstance(value, list):
        return [all_texts(rng, entry, key) for entry in value]
    free = isinstance(value, str) and key not in ("samples", "samples_sha256", "bins_sha256", "origin", "table", "side")
    return rng.choice(TEXTS) if free and rng.random() < 0.7 else value


def extreme_blocks(rng: random.Random, run: Path, document: Any) -> None:
    """Samples with numbers at the ends of their types, sealed as if they had been measured."""
    for record in rng.sample(document["records"], min(3, len(document["records"]))):
        path = run / str(record["samples"])
        blocks = results.read_blocks(path).copy()
        for _ in range(rng.randint(1, 4)):
            name = rng.choice([one for one in blocks.dtype.names or () if one not in ("group", "thread")])
            some = np.array([rng.random() < rng.choice((0.02, 0.5, 1.0)) for _ in range(blocks.size)], dtype=bool)
            blocks[name][some] = rng.choice(COUNTS) & int(np.iinfo(blocks.dtype[name]).max)
        seal(path, record, blocks)


def seal(path: Path, record: Any, blocks: results.Blocks) -> None:
    """Write samples, and state them in the record."""
    results.write_blocks(path, blocks)
    record["blocks"], record["samples_sha256"] = len(blocks), results.digest(blocks)


def few_blocks(rng: random.Random, run: Path, document: Any) -> None:
    """Samples that are cut to a few rows or to none, sealed in the same way."""
    for record in rng.sample(document["records"], min(3, len(document["records"]))):
        path = run / str(record["samples"])
        seal(path, record, results.read_blocks(path)[: rng.choice((0, 1, 2, 7))])


def extreme_bins(rng: random.Random, run: Path, document: Any) -> None:
    """The same for histograms."""
    for record in document["records"]:
        path = run / bins_of(str(record["samples"]))
        if path.exists():
            bins = results.read_blocks(path, BIN).copy()
            for name in ("batch", "side", "nanoseconds", "operations"):
                if bins.size and rng.random() < 0.5:
                    bins[name][rng.randrange(bins.size)] = rng.choice(COUNTS) & int(np.iinfo(bins.dtype[name]).max)
            results.write_blocks(path, bins)
            record["bins"], record["bins_sha256"] = len(bins), results.digest(bins)


def exchanged(rng: random.Random, run: Path, document: Any) -> None:
    """Two sample files take each other's place; of one, it is cut off."""
    paths = [run / str(record["samples"]) for record in document["records"]]
    if len(paths) > 1:
        one, two = rng.sample(paths, 2)
        one.rename(run / "kept")
        two.rename(one)
        (run / "kept").rename(two)
    else:
        paths[0].write_bytes(paths[0].read_bytes()[: rng.randrange(100)])


def forgotten(rng: random.Random, run: Path, document: Any) -> None:
    """As a version wrote it that stated no sums, and with exchanged samples."""
    for record in document["records"]:
        for key in ("samples_sha256", "bins", "bins_sha256"):
            record.pop(key, None)
    exchanged(rng, run, document)


def linked(rng: random.Random, run: Path, document: Any) -> None:
    """Folders that readers and writers use lead elsewhere."""
    del document
    for name in rng.sample(("samples", "figures", "tables"), 2):
        place = run.parent / "elsewhere" / name
        if (run / name).exists():
            shutil.copytree(run / name, place)
            shutil.rmtree(run / name)
        place.mkdir(parents=True, exist_ok=True)
        (run / name).symlink_to(place)


SAMPLES: tuple[Callable[[random.Random, Path, Any], None], ...] = (
    extreme_blocks, few_blocks, extreme_bins, exchanged, forgotten, linked,
)  # fmt: skip


def trim(rng: random.Random, document: Any) -> None:
    """Keep some records: a reader that accepts eight accepts eighty."""
    kept = sorted(rng.sample(range(len(document["records"])), min(MOST, len(document["records"]))))
    document["records"] = [{**document["records"][old], "number": new} for new, old in enumerate(kept)]


def harm(seed: int, run: Path) -> None:
    """Damage a run on disk: alternately its texts, some values, and its samples."""
    rng = random.Random(seed)
    document = json.loads((run / "result.json").read_bytes())
    manifest = json.loads((run / "manifest.json").read_bytes())
    trim(rng, document)
    kind = seed % 4
    if kind == 0:
        document, manifest = all_texts(rng, document), all_texts(rng, manifest)
    elif kind == 1:
        rng.choice(SAMPLES)(rng, run, document)
    else:
        spoil(rng, document, rng.choice((1, 1, 2, 4)))
        spoil(rng, manifest, rng.choice((0, 1)))
    (run / "result.json").write_text(json.dumps(document))
    (run / "manifest.json").write_text(json.dumps(manifest))
