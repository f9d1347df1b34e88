"""The live line of a run."""

from tierscope.plans.live import Live, footprint, lives

lives.add(Live("latency", footprint))
