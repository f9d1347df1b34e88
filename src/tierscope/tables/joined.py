"""How a row ends that joins several experiments."""

from collections.abc import Mapping

from tierscope.record.origin import strongest
from tierscope.record.result import Record, Run
from tierscope.tables.measured import Closing, closing, measured


def joined(run: Run, cell: Mapping[str, Record]) -> Closing:
    """Return the verdict of all records: conclusive if each is, each reason with what it is of."""
    ends = {what: closing(record, measured(run, record)) for what, record in cell.items()}
    return {
        "conclusive": all(end["conclusive"] for end in ends.values()),
        "reasons": tuple(f"{what}: {'; '.join(end['reasons'])}" for what, end in ends.items() if end["reasons"]),
        "blocks": sum(end["blocks"] for end in ends.values()),
        "left_out_share": max(end["left_out_share"] for end in ends.values()),
        "origin": strongest(end["origin"] for end in ends.values()),
        "visits": min((count for end in ends.values() if (count := end.get("visits")) is not None), default=None),
        "between_share": max((n for end in ends.values() if (n := end.get("between_share")) is not None), default=None),
        "slow_share": max((n for end in ends.values() if (n := end.get("slow_share")) is not None), default=None),
        "degrees": min((n for end in ends.values() if (n := end.get("degrees")) is not None), default=None),
    }
