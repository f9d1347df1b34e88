"""Metrics: which events a processor's counters are asked for, and what follows from their counts.

One TOML file per microarchitecture; `generic.toml` applies to all others, and its metrics also to those that do
not define them otherwise. A file has

  - summary, source     what it is for; where encodings and formulas are from
  - processors          "vendor:family:model" of CPUID, as GenuineIntel:6:106, or of MIDR, as 0x41:15:0xd0c; none: of
                        every other one
  - events              groups of events in perf's words, each counted at the same time
  - [names]             NAME = "cpu/event=0xd1,umask=0x20/": what formulas and rows call an encoding
  - [[metric]]          name, summary, formula, unit ("1", "B", "1/s", "s")
  - [[absent]]          name, reason: a metric of `generic.toml` or of other files that this processor cannot give

A formula is +, -, *, /, brackets and numbers over events, with _ for - in their names, and over `operations`, `seconds`
(of the blocks, all threads) and `line` (bytes of a line of the caches). One whose events were not counted, or that
divides by nothing, is left out with the reason.
"""

from tierscope.metrics.formula import Formula
from tierscope.metrics.read import FOLDER, Absent, Metric, Metrics, metrics_for, read_metrics

__all__ = ["FOLDER", "Absent", "Formula", "Metric", "Metrics", "metrics_for", "read_metrics"]
