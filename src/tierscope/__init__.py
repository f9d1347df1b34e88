"""Tierscope measures, models and predicts every tier of a machine's memory."""

__version__ = "0.1.0"
