"""Tierscope from Python: run a suite, load a run, compare two. The names and the words are those of the command line.

    run = tierscope.run("stream", kernels=["triad"], threads=[1, 2])
    run["stream"].columns()["bandwidth_bytes_per_s"]

`import tierscope` loads none of this; the functions do when they are called.
"""

from tierscope.api.comparison import Comparison, compare
from tierscope.api.loaded import Run, load
from tierscope.api.measure import run
from tierscope.api.table import Table

__all__ = ["Comparison", "Run", "Table", "compare", "load", "run"]
