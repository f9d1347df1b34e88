"""The work of a group on its memory: one struct for each task, with the keys that the task takes and no others.

A task is what one operation of a kernel is, as the kernel states it in the catalogue; the core has a class for each
(core/bench/tasks/). Each file of this folder is the struct of one task: its fields are the keys of a plan and of a
file of groups, and nothing else names it. `job.py` is of a program that measures in place of the core.
"""

import importlib
import pkgutil
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any

from tierscope.record.work.base import OfTask


def task_of(kind: type[OfTask]) -> str:
    """Return the task of a kind of work."""
    return str(kind.__struct_config__.tag)


def _found() -> dict[str, type[Any]]:
    """Return the structs of this folder by task, as kernels and the catalogue state it."""
    modules = [importlib.import_module(f"{__name__}.{one.name}") for one in pkgutil.iter_modules(__path__)]
    kinds = [one for module in modules for one in vars(module).values() if isinstance(one, type)]
    own = [kind for kind in kinds if issubclass(kind, OfTask) and kind is not OfTask]
    return {task_of(kind): kind for kind in sorted(own, key=task_of)}


KINDS = _found()

if TYPE_CHECKING:
    Work = OfTask
else:
    Work = reduce(or_, KINDS.values())  # which a stored run is read with
