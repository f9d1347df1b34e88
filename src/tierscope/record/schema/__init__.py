"""The published format of `result.json`, made from the types in `record.result`; a test compares the two.

Make the file again after a change of the types: python -m tierscope.record.schema
"""

from inspect import cleandoc
from pathlib import Path
from typing import Any

import msgspec

from tierscope.record.result import SCHEMA, Result

PATH = Path(__file__).with_name(f"result-{SCHEMA}.json")


def schema() -> dict[str, Any]:
    """Return JSON Schema, draft 2020-12."""
    (top,), parts = msgspec.json.schema_components([Result], ref_template="#/$defs/{name}")
    for part in parts.values():  # Python 3.13 takes the indentation of docstrings away, earlier ones leave it
        if "description" in part:
            part["description"] = cleandoc(part["description"])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Tierscope result, schema {SCHEMA}",
        "description": "Seconds, bytes, bytes/s, hertz and raw ticks; samples are next to it as Parquet.",
        **top,
        "$defs": parts,
    }
