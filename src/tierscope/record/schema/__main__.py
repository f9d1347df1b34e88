"""Writes the schema file."""

import msgspec

from tierscope.files import write_atomically
from tierscope.record.schema import PATH, schema

write_atomically(PATH, msgspec.json.format(msgspec.json.encode(schema()), indent=1) + b"\n")
