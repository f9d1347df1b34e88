"""JSON: all rows and insights as one document in base units."""

import dataclasses
from collections.abc import Iterator
from typing import Any

import msgspec

from tierscope.printable import json_text
from tierscope.record.result import Run
from tierscope.report.content import gather
from tierscope.report.formats import File, Format, Report, formats
from tierscope.sound import reads


def one_document(run: Run) -> Iterator[File]:
    """Yield report.json."""
    yield File("report.json", json_text(document(run)).encode())


@reads("the JSON document")
def document(run: Run) -> dict[str, Any]:
    """Return the document: `rows` and `insights` are flat, and each names its `table`; NaN and infinity become null."""
    result = run.result
    sections = [section for section in gather(run).sections.values() if section.name != "series"]
    return {
        "schema": result.schema,
        "suite": result.suite,
        "origin": result.origin,
        "origin_by": result.origin_by,
        "complete": result.complete,
        "started": result.started,
        "machine": result.machine,
        "software": result.software,
        "rows": [{"table": section.name, **row} for section in sections for row in section.rows],
        "insights": [
            {"table": section.name, **msgspec.structs.asdict(insight)}
            for section in sections
            for insight in section.insights
        ],
        "audit": [{"text": one.text, **dataclasses.asdict(one)} for one in gather(run).audit.failures],
        "findings": result.findings,
        "warnings": result.warnings,
    }


formats.add(
    Format(
        "json",
        Report(
            "All rows and insights as one JSON document in base units, `report.json`; the same that `--json -` prints.",
            one_document,
        ),
    )
)
