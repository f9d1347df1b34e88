"""Finds and runs `tierscope-core`; the only room that knows the words of the border.

Questions are asked of a core process each; a session is one that is steered line by line.
"""

from tierscope.core.ask import catalogue, check, read, topology, trace
from tierscope.core.build import build_tracer
from tierscope.core.find import LINKED, TRACED, find_core, find_pool_core, find_shadow, find_traced_core
from tierscope.core.launch import LOCAL, Asked, Find, Launcher, Running
from tierscope.core.plan import group_words
from tierscope.core.session import Session, in_a_pool

__all__ = [
    "LINKED",
    "LOCAL",
    "TRACED",
    "Asked",
    "Find",
    "Launcher",
    "Running",
    "Session",
    "build_tracer",
    "catalogue",
    "check",
    "find_core",
    "find_pool_core",
    "find_shadow",
    "find_traced_core",
    "group_words",
    "in_a_pool",
    "read",
    "topology",
    "trace",
]
