"""All rows and insights as one JSON document in base units, `report.json`; the same that `--json -` prints."""

import dataclasses
from pathlib import Path
from typing import Any

import msgspec

from tierscope.files import write_atomically
from tierscope.printable import json_text
from tierscope.record.result import Run
from tierscope.report.content import gather
from tierscope.report.writers import file_name, writers
from tierscope.sound import reads


class Json:
    """One document."""

    name = "json"

    def write(self, run: Run, directory: Path) -> list[Path]:
        """report.json."""
        directory.mkdir(parents=True, exist_ok=True)
        path = directory / file_name("report", run, "json")
        write_atomically(path, json_text(document(run)).encode())
        return [path]


@reads("the JSON document")
def document(run: Run) -> dict[str, Any]:
    """`rows` are flat and each names its `table`; `insights` likewise; NaN and infinity become null."""
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


writers.add(Json())
