"""A whole quick run, with a few points of every other suite that a report shows."""

from pathlib import Path

import msgspec

from made import Maker, add_groups, add_latency, add_loaded_latency, add_stream
from made_blocks import add_block_points
from made_contention import add_contention
from made_counters import made_counted, made_second_pass
from made_emulation import add_probes
from made_flush import add_flush
from made_maps import add_maps
from made_neighbors import add_neighbors
from made_numa import add_nodes
from tierscope.record.result import Run


def made_run(directory: Path) -> Run:
    """A whole quick run on disk below `directory`; about 130 records, a few seconds to write."""
    maker = Maker(directory)
    add_stream(maker)
    add_latency(maker)
    add_loaded_latency(maker)
    add_groups(maker)
    add_block_points(maker, (8000,))
    add_neighbors(maker)
    add_flush(maker, (4096,))
    add_nodes(maker)
    add_contention(maker, ("nvm-nvm",))
    add_probes(maker)
    add_maps(maker)
    maker.records[-1] = msgspec.structs.replace(maker.records[-1], counted=(made_counted(), made_second_pass()))
    return maker.save()
