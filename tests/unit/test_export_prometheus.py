"""Prometheus itself reads the export: its linter, and its server, which collects it from an address of this machine."""

import json
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.error import URLError
from urllib.parse import quote
from urllib.request import ProxyHandler, build_opener

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from made import Maker, add_stream
from reported import evil_run
from stored import RUNS, stored
from test_export_openmetrics import later
from tierscope.compare.measures import measures
from tierscope.report.formats import formats
from tierscope.report.formats.openmetrics import BOUNDS, family

KIND = "application/openmetrics-text; version=1.0.0; charset=utf-8"
CONFIG = """
global: {{scrape_interval: 1s, scrape_timeout: 1s}}
scrape_configs:
  - {{job_name: tierscope, static_configs: [{{targets: ["127.0.0.1:{port}"]}}]}}
"""
LONGEST_S = 300  # a server that needs longer hangs
DIRECT = build_opener(ProxyHandler({}))  # whatever proxy the environment names
OURS = quote('{__name__=~"tierscope_.*"}')
Labels = frozenset[tuple[str, str]]
render = formats.export("openmetrics").render


def needed(name: str) -> str:
    """Return the path of one of the programs of Prometheus; without it the test is skipped."""
    return shutil.which(name) or pytest.skip(f"no {name}: sudo apt-get install -y --no-install-recommends prometheus")


def linted(document: bytes) -> str:
    """Return what promtool reports: nothing if all is well. For it, lines that only OpenMetrics knows are comments."""
    done = subprocess.run([needed("promtool"), "check", "metrics"], input=document, capture_output=True, check=False)
    assert (done.returncode == 0) == (not done.stderr), done
    return done.stderr.decode()


@pytest.mark.slow
def test_the_linter_accepts_the_export_of_all_suites_and_of_hostile_names(tmp_path: Path) -> None:
    assert linted(render([stored(name) for name in RUNS])) == ""
    assert linted(render([evil_run(tmp_path)])) == ""


def test_the_linter_accepts_the_name_of_each_value_of_each_table() -> None:
    found = [family(measure, end) for measure in measures().values() for end in BOUNDS]
    assert len({one.name for one in found}) == len(found)
    text = "".join(f"# TYPE {one.name} gauge\n# HELP {one.name} {one.help}\n{one.name} 1\n" for one in found)
    assert linted(text.encode()) == ""


def test_the_linter_finds_what_is_wrong() -> None:
    assert "abbreviated units" in linted(b"# HELP a_b_bytes It.\n# TYPE a_b_bytes gauge\na_b_bytes 1\n")


class Exporter(ThreadingHTTPServer):
    """Answers each request with one document."""

    document = b""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)


class Answer(BaseHTTPRequestHandler):
    server: Exporter

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", KIND)
        self.end_headers()
        self.wfile.write(self.server.document)

    def log_message(self, format: str, *words: Any) -> None:
        """Print nothing."""


@contextmanager
def exporter() -> Iterator[Exporter]:
    with Exporter() as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


class Prometheus:
    """A server that collects from one port, and its answers."""

    def __init__(self, port: int) -> None:
        self.root = f"http://127.0.0.1:{port}/api/v1"

    def asked(self, path: str) -> Any:
        with DIRECT.open(f"{self.root}/{path}", timeout=LONGEST_S) as answer:
            return json.load(answer)["data"]

    def target(self) -> dict[str, str]:
        """Return the state of what it collects: `health`, `lastError`. Empty before it answers."""
        try:
            found: list[dict[str, str]] = self.asked("targets")["activeTargets"]
        except (URLError, ConnectionError):
            return {}
        return found[0] if found else {}

    def values(self) -> dict[Labels, float]:
        """Return the newest number of each series of the export, without the labels that the server adds."""
        found = self.asked(f"query?query={OURS}")["result"]
        return {
            frozenset(pair for pair in one["metric"].items() if pair[0] not in ("job", "instance")): float(
                one["value"][1]
            )
            for one in found
        }


def awaited(true: Callable[[], bool]) -> None:
    until = time.monotonic() + LONGEST_S
    while not true():
        assert time.monotonic() < until
        time.sleep(0.2)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as one:
        port: int = one.getsockname()[1]
        return port


@contextmanager
def prometheus(source: Exporter, folder: Path) -> Iterator[Prometheus]:
    program, port = needed("prometheus"), free_port()
    (folder / "config.yml").write_text(CONFIG.format(port=source.server_port))
    words = [f"--config.file={folder}/config.yml", f"--storage.tsdb.path={folder}/data"]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen([program, *words, f"--web.listen-address=127.0.0.1:{port}"], stdout=log, stderr=log)
        try:
            yield Prometheus(port)
        finally:
            process.terminate()
            process.wait(LONGEST_S)


def parsed(document: bytes) -> dict[Labels, float]:
    return {
        frozenset({**sample.labels, "__name__": sample.name}.items()): sample.value
        for one in text_string_to_metric_families(document.decode())
        for sample in one.samples
    }


@pytest.mark.slow
def test_a_server_collects_each_number_its_unit_and_its_help(tmp_path: Path) -> None:
    with exporter() as source, prometheus(source, tmp_path) as server:
        source.document = render([*(stored(name) for name in RUNS), evil_run(tmp_path / "evil")])
        awaited(lambda: server.target().get("health") == "up")
        assert server.values() == parsed(source.document)
        known = server.asked("targets/metadata")
        assert {(one["metric"], one["unit"], one["help"], one["type"]) for one in known} == {
            (one.name, one.unit, one.documentation, "gauge")
            for one in text_string_to_metric_families(source.document.decode())
        }


@pytest.mark.slow
def test_a_server_has_the_series_of_one_run_after_a_thousand(tmp_path: Path) -> None:
    maker = Maker(tmp_path / "run", 1995)
    add_stream(maker, ("read", "triad"))
    run = maker.save()
    with exporter() as source, prometheus(source, tmp_path) as server:
        source.document = render([run])
        awaited(lambda: server.target().get("health") == "up")
        before = server.values()
        source.document = render([later(run, day) for day in range(1000)])
        newest = parsed(source.document)
        assert newest != before
        awaited(lambda: server.values() == newest)
        ever = server.asked(f"series?match[]={OURS}")
        assert len(ever) == len(before) == len(newest)


@pytest.mark.slow
def test_a_server_refuses_an_export_that_is_cut_off(tmp_path: Path) -> None:
    maker = Maker(tmp_path / "run", 1995)
    add_stream(maker, ("read",))
    with exporter() as source, prometheus(source, tmp_path) as server:
        source.document = render([maker.save()]).removesuffix(b"# EOF\n")
        awaited(lambda: server.target().get("health") == "down")
        assert "does not end with # EOF" in server.target()["lastError"]
