"""The parameters of a core, by `suites.core.found`. Inconclusive points are included: answers consider their errors."""

from typing import ClassVar

from tierscope.record.result import Run
from tierscope.suites.core.documented import documented
from tierscope.suites.core.findings import sentences
from tierscope.suites.core.found import parameters
from tierscope.suites.core.parameter import Made
from tierscope.suites.core.points import CodePoints, Points
from tierscope.suites.core.row import CoreRow
from tierscope.suites.core.table_code import CoreCode
from tierscope.suites.core.table_points import CorePoints
from tierscope.tables import Asked, Insight, Main, tables


class Core:
    """One row for each parameter of the core that the loops were asked for, known or not."""

    name: ClassVar[str] = "core_parameters"
    title: ClassVar[str] = "Parameters of a core"
    asked: ClassVar[Asked] = Asked(
        question="How much can a core do at the same time?",
        answers=("core_reorder", "core_lines", "core_width", "core_unknown"),
        keys={
            "core_reorder": "reorder buffer, instructions",
            "core_lines": "lines in flight from {}",
            "core_miss": "branch miss, cycles",
        },
    )
    keys: ClassVar[tuple[str, ...]] = ("parameter", "level", "target")
    main: ClassVar[tuple[Main, ...]] = ()  # parameters of a processor are neither slower nor faster
    row: ClassVar[type[CoreRow]] = CoreRow
    says: ClassVar[dict[str, str]] = {
        "core_reorder": "entries of the reorder buffer",
        "core_width": "instructions of all kinds together in a cycle",
        "core_stores": "entries of the store buffer",
        "core_lines LEVEL": "lines on their way together",
        "core_walks": "page walks of a core at the same time",
        "core_miss": "time of a branch that was predicted wrong",
        "core_ahead WAY": "lines that the prefetcher runs ahead",
        "core_code_lines LEVEL": "lines of code on their way together",
        "core_targets": "jumps whose targets the core knows",
        "core_unknown": "null: the text names the parameters that are not known",
    }

    def rows(self, run: Run) -> list[CoreRow]:
        points, code = CorePoints().rows(run), CoreCode().rows(run)
        identity = run.result.machine.identity
        first = {cache.size_bytes for cache in identity.caches if cache.level == 1}
        vendor = documented(identity.family)
        return [
            row
            for target in dict.fromkeys(point.target for point in points)
            for own in [[point for point in points if point.target == target]]
            for made in [Made(target, own[0].origin, vendor if own[0].origin == "real" else None)]
            for row in parameters(Points(own), CodePoints([row for row in code if row.target == target], first), made)
        ]

    def insights(self, run: Run, rows: list[CoreRow]) -> list[Insight]:
        del run
        return sentences(rows)


tables.add(Core())
