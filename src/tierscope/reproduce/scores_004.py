"""Our models on document 004, next to its own: seconds of map_get on persistent memory."""

from collections.abc import Sequence
from dataclasses import replace

from tierscope.models.device import Cache, device
from tierscope.models.structure_model import StructureModel
from tierscope.reference import load
from tierscope.reproduce.score import Point, Score

LAST_CACHE_BYTES = 28e6  # section 4.1
CACHE_S = 20e-9  # of a server's last cache; the document states none
VALUE_BYTES = 1
PUBLISHED = (
    ("published counter model", "counters of the program", "counter_model_s"),
    ("published hash-map model", "its structure", "structure_model_s"),
)
ACCESSES = 4  # the root, the table, the bucket and the entry, each behind the one before


def scores() -> list[Score]:
    """Return those of table 6.1."""
    columns = load("document004_map_get").columns
    operations, measured = columns["operations"].tolist(), columns["measured_s"].tolist()
    printed = [
        _score(name, given, operations, columns[key].tolist(), measured, published=True)
        for name, given, key in PUBLISHED
    ]
    memory = device("document 004")
    cached = replace(memory, caches=(Cache("L3", LAST_CACHE_BYTES, CACHE_S),))
    model = StructureModel.preset("hashmap_tx get")
    ours = [model.predict(n, cached, VALUE_BYTES).value for n in operations]
    uncached = [n * ACCESSES * memory.read_latency_s for n in operations]
    first = uncached[0] / measured[0] - 1  # entries that the caches contain, over the smallest number of entries
    resident = [n * ACCESSES * memory.read_latency_s * n / (n + first * operations[0]) for n in operations]
    return [
        *printed,
        _score("structure_model, hashmap_tx get", "read latency, last cache", operations, ours, measured),
        _score("4 dependent accesses", "read latency", operations, uncached, measured),
        _score("4 dependent accesses, caches by the first row", "read latency, row 50,000", operations[1:],
               resident[1:], measured[1:]),
    ]  # fmt: skip


def _score(
    model: str, given: str, operations: Sequence[int], predicted: Sequence[float], measured: Sequence[float],
    published: bool = False,
) -> Score:  # fmt: skip
    points = [Point(f"{n:,}", p, m) for n, p, m in zip(operations, predicted, measured, strict=True)]
    return Score(model, given, tuple(points), published)
