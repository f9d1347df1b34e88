"""The work of the task `key`."""

from typing import Annotated

from msgspec import Meta

from tierscope.record.work.base import Bytes, OfTask


class KeyedWork(OfTask, frozen=True, kw_only=True, tag="key"):
    """Operations on the keys of a structure."""

    operation: Annotated[
        str, Meta(description='`get`, `insert`, `remove`, or shares such as `get:8+insert:1+remove:1`; "" is `get`')
    ] = ""
    keys: Annotated[str, Meta(description='how keys are drawn, `uniform` or `zipf:EXPONENT`; "" is `uniform`')] = ""
    sharing: Annotated[str, Meta(description='`own`: a structure for each thread; `one` for all; "" is `own`')] = ""
    count: Annotated[int, Meta(description="keys of the whole team")] = 0
    value_bytes: Annotated[Bytes, Meta(description="bytes of each value; 0 is 16")] = 0
