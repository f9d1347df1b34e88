"""ReFrame test of memory: `tierscope check` with your thresholds. Its points become performance variables.

    import reframe as rfm
    from tierscope_check import TierscopeCheck

    @rfm.simple_test
    class MemoryCheck(TierscopeCheck):
        thresholds = "/etc/tierscope/memory.toml"

A point that failed fails the test. If none failed and one is not known, the test shows nothing and is skipped.
Source: ReFrame 4, "Test API Reference".
"""

# ruff: noqa: RUF012 (ReFrame copies lists of a class for each test)

import json
import re
from pathlib import Path

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import run_before, sanity_function, variable

SHOWN = {"B/s": ("GB/s", 1e-9), "s": ("ns", 1e9), "1/s": ("M/s", 1e-6)}  # of a base unit: unit, factor


class TierscopeCheck(rfm.RunOnlyRegressionTest):
    """The base of tests of memory. thresholds: a file that `tierscope check --write` made, on the node of the test."""

    thresholds = variable(str)
    executable = "tierscope"
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    exclusive_access = True  # other jobs make memory look slower
    time_limit = "5m"
    keep_files = ["run", "check.xml"]

    @run_before("run")
    def _name_the_file(self):
        self.executable_opts = ["check", self.thresholds, "--json", "--junit", "check.xml", "--out", "run"]

    @run_before("sanity")
    def _read_the_answer(self):
        text = self._text(self.stdout)
        self.answer = json.loads(text) if text.startswith("{") else {}
        if self.answer.get("verdict") == "not known":
            reasons = [reason for point in self.answer["points"] for reason in point["reasons"]]
            self.skip(f"not known: {reasons[0]}")

    @sanity_function
    def passed(self):
        if not self.answer:  # a wrong file, or a machine that cannot do it
            return sn.assert_true(False, self._text(self.stderr).strip() or "tierscope printed no answer")
        failed = [point["point"] for point in self.answer["points"] if point["verdict"] == "failed"]
        return sn.assert_eq(failed, [], f"outside of their thresholds: {'; '.join(failed)}")

    @run_before("performance")
    def _take_the_numbers(self):
        for point in self.answer["points"]:
            unit, factor = SHOWN.get(point["unit"], (point["unit"], 1.0))
            name = re.sub(r"\W+", "_", point["point"])
            self.perf_variables[name] = sn.make_performance_function(sn.defer(point["value"] * factor), unit)

    def _text(self, stream):
        return Path(self.stagedir, str(stream)).read_text(encoding="utf-8")
