"""A comparison of two runs or more: ratios with intervals, history, rounds, correlation, published tables."""

import sys

from tierscope import Command

sys.modules[__name__].__class__ = Command
