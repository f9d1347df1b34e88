"""Models: what a machine or a program would do where it was not measured, as numbers with bounds.

A model is a frozen dataclass whose fields are its constants; its module's docstring is its documentation, with formula,
units, limits and source. It computes, and reads no files. Each file adds its model in the last line.
"""

from tierscope.models.model import Model
from tierscope.registry import Registry

models: Registry[type[Model]] = Registry("model", "tierscope.models")

__all__ = ["Model", "models"]
