"""Takes one newcomer through every part of the program in which it must appear, and prints the parts that leave it out.

Called as a program, with the root of a copy of the tree and a kind: the newcomer of this kind is in the copy already.
`tour` runs on the fake core, or for what is native on that of TIERSCOPE_CORE; `tests` runs the tests of the copy.
"""

import io
import json
import os
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
STREAM = ("stream", "kernels=copy,triad", "threads=1,2", "array=64MiB")
FINE = (0, 1, 4)  # good; a comparison failed; inconclusive


def alone(copy: Path) -> None:
    """Let this process import the copy: the finder of an editable installation would find the checkout."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if "ScikitBuild" not in type(finder).__name__]
    sys.path[:0] = [_children_alone(copy), str(copy / "src"), str(ROOT / "tests/unit")]
    import tierscope

    assert Path(tierscope.__file__).is_relative_to(copy), tierscope.__file__


def _children_alone(copy: Path) -> str:
    """Let the Python processes that a test starts import the copy, too; return the folder that makes them."""
    folder = copy / "site"
    folder.mkdir(exist_ok=True)
    (folder / "sitecustomize.py").write_text(
        "import sys\nsys.meta_path[:] = [one for one in sys.meta_path if 'ScikitBuild' not in type(one).__name__]\n"
    )
    os.environ["PYTHONPATH"] = os.pathsep.join([str(folder), str(copy / "src")])
    return str(folder)


def say(*words: str) -> tuple[int, str]:
    """Status and standard output of a command; what it reports goes to ours."""
    from tierscope.cli.main import main

    out, err = io.StringIO(), io.StringIO()
    sys.argv = ["tierscope", *words]  # which a run keeps
    with redirect_stdout(out), redirect_stderr(err):
        status = main(list(words))
    if status not in FINE:
        sys.stderr.write(f"{' '.join(words)}: status {status}: {err.getvalue()}")
    return status, out.getvalue()


def told(*words: str) -> str:
    """Return standard output of a command; nothing where it fails."""
    status, out = say(*words)
    return out if status in FINE else ""


def completed(*words: str) -> list[str]:
    """Return what a shell offers for the last word."""
    from click.shell_completion import BashComplete

    from tierscope.cli.main import tierscope

    shell = BashComplete(tierscope, {}, "tierscope", "_TIERSCOPE_COMPLETE")
    return [item.value for item in shell.get_completions(list(words[:-1]), words[-1])]


def helped(command: str) -> str:
    """Return the help of a command as one line, whatever its boxes are."""
    return " ".join(told(command, "--help").replace("│", " ").split())


def measured(name: str, *words: str) -> str:
    """Make a run of the fake core; return its directory."""
    told("run", *words, "--out", name, "--quiet")
    return name


def written(run: str, form: str) -> dict[str, str]:
    """Return the files of a format, by name; binary ones as they can be read."""
    to = Path("written") / run / form
    told("report", run, "--format", form, "--to", str(to))
    return {path.name: path.read_text(errors="replace") for path in to.rglob("*") if path.is_file()}


def referred(name: str) -> str:
    """Return a page of the reference, as the copy makes it."""
    from tierscope.cli.reference import made

    return next(text for path, text in made(ROOT).items() if path.name == name)


Parts = dict[str, Any]
"""Part of the program -> what is true where it has the newcomer."""


def suite() -> Parts:
    """A folder with table, findings, figure, terminal form, method and live line."""
    listed, dry = told("suites"), told("run", "skeleton", "--dry-run")
    rows = json.loads(told("run", "skeleton", "--out", "a", "--json", "-") or "{}").get("rows", [])
    run, other = "a", measured("b", "skeleton")
    shown, document = told("show", run), json.loads(told("show", run, "--json") or "{}")
    alike = json.loads(told("compare", run, other, "--json") or "{}")
    past = json.loads(told("history", run, other, "--json") or "{}")
    page, markdown = "".join(written(run, "html").values()), "".join(written(run, "markdown").values())
    audited = json.loads(told("audit", run, "--json") or "{}")
    return {
        "suites": "skeleton: " in listed,
        "suites, its options": "footprints=1MiB,64MiB" in listed,
        "suites NAME": "footprints=" in told("suites", "skeleton"),
        "an unknown suite": "skeleton" in _refused("run", "skeletn"),
        "completion of run": "skeleton" in completed("run", "sk"),
        "completion of its options": "footprints=" in completed("run", "skeleton", "foot"),
        "completion of suites": "skeleton" in completed("suites", "sk"),
        "run --dry-run, its live line": "reads of 64 MiB" in dry,
        "run --json": [row["table"] for row in rows] == ["skeleton"] * 2,
        "resume": say("resume", run, "--quiet")[0] in FINE,
        "rerun": say("rerun", run, "--out", "again", "--quiet")[0] in FINE,
        "show, its form": "Read bandwidth of one CPU" in shown,
        "show, its sentence": "One CPU reads" in shown,
        "show --json, rows": [row["table"] for row in document.get("rows", [])] == ["skeleton"] * 2,
        "show --json, insights": any(one["name"] == "skeleton_most" for one in document.get("insights", [])),
        "page, its figure": '"skeleton"' in page and "Each point is one footprint" in page,
        "page, its table": 'id="skeleton"' in page or "only-skeleton" in page,
        "page, its sentence": "One CPU reads" in page,
        "page, its method": "One CPU reads each footprint" in page,
        "page, its blocks over time": "#0 read" in page,
        "page, its command": "run skeleton" in page,
        "page, what the doctor says of every result": "kernel.doubt" in page,
        "markdown": "Read bandwidth over footprints" in markdown and "One CPU reads" in markdown,
        "CSV": "bandwidth_bytes_per_s" in written(run, "csv").get("skeleton.csv", ""),
        "JSON": '"skeleton_most"' in written(run, "json").get("report.json", ""),
        "SVG": "<svg" in written(run, "svg").get("skeleton.svg", ""),
        "PNG": "PNG" in written(run, "png").get("skeleton.png", ""),
        "reference, its options": "### skeleton\n\nRead bandwidth of one CPU" in referred("cli.md"),
        "reference, its columns": "### `skeleton`\n\nOne row for each footprint." in referred("json.md"),
        "reference, its sentence": "| `skeleton_most` | `skeleton` | largest" in referred("json.md"),
        "reference, its points": "| `skeleton` | `footprint_bytes`, `target` | `bandwidth" in referred("json.md"),
        "manual": ".SS skeleton\nRead bandwidth of one CPU" in referred("tierscope.1"),
        "audit": sum(audited.get("checked", {}).values()) > 0,
        "compare": [row["table"] for row in _rows(alike)] == ["skeleton"] * 2,
        "compare, its value": {row["value"] for row in _rows(alike)} == {"bandwidth_bytes_per_s"},
        "history": any("64 MiB" in line for line in told("history", run, other).splitlines()),
        "history --json": "skeleton" in json.dumps(past),
        **{f"export --to {name}": _exported(name, run, other) for name in _exports()},
    }


def figure() -> Parts:
    """A second figure of the table of another suite."""
    run = measured("a", *STREAM)
    page = "".join(written(run, "html").values())
    return {
        "page, its drawing": '"skeleton_bars"' in page,
        "page, its title": "Best block of each kernel" in page,
        "page, how to read it": "Each bar is the fastest block" in page,
        "SVG": "<svg" in written(run, "svg").get("skeleton_bars.svg", ""),
        "PNG": "PNG" in written(run, "png").get("skeleton_bars.png", ""),
    }


def importer() -> Parts:
    """A format of another tool, from the example in its own file."""
    from tierscope.imports.skeleton import EXAMPLE  # imported: as is

    Path("out.txt").write_text(EXAMPLE)
    Path("other.txt").write_text(EXAMPLE.replace("12.50", "10.00"))
    for name, file in (("a", "out.txt"), ("b", "other.txt")):
        told("import", file, "--out", name)
    ours = measured("ours", "stream", "kernels=read,triad", "threads=2", "array=64MiB")
    shown, page = told("show", "a"), "".join(written("a", "html").values())
    return {
        "import, found by its text": "skeleton-bench 1.0" in shown,
        "import --as": say("import", "out.txt", "--as", "skeleton_bench", "--out", "c")[0] in FINE,
        "import --help": "skeleton_bench" in helped("import"),
        "reference": "| `skeleton_bench` | " in referred("cli.md"),
        "an unknown format": "skeleton_bench" in _refused("import", "out.txt", "--as", "skeletn"),
        "completion of import --as": "skeleton_bench" in completed("import", "out.txt", "--as", "sk"),
        "audit FILE": say("audit", "out.txt")[0] in FINE,
        "audit --as": "skeleton_bench" in completed("audit", "out.txt", "--as", "sk"),
        "show": "12.5" in shown and "triad" in shown,
        "page": "skeleton-bench" in page and "It does not state how often it measured" in page,
        "markdown": "skeleton-bench" in "".join(written("a", "markdown").values()),
        "compare, two of them": "read, threads 2, bandwidth   0.800" in told("compare", "a", "b"),
        "compare, with a run of ours": "triad" in told("compare", ours, "a", "--across-origins"),
        "history": "triad" in told("history", "a", "b"),
        **{f"export --to {name}": "triad" in _export(name, "a", "b") for name in _exports(blocks=False)},
    }


def identity() -> Parts:
    """An identity, with a fault planted into the rows of a run."""
    from msgspec.structs import replace

    from tierscope.suites.stream.table import Stream

    run = measured("a", *STREAM)
    audited = json.loads(told("audit", run, "--json"))
    plain = Stream.rows
    Stream.rows = lambda self, run: [replace(row, best_bytes_per_s=1.0) for row in plain(self, run)]
    _forget()
    wrong, page = told("audit", run), "".join(written(run, "html").values())
    return {
        "audit --json": audited["checked"].get("skeleton_best", 0) == 4,
        "audit, its fault": "columns were swapped" in " ".join(wrong.split()),
        "audit, its name": "skeleton_best" in wrong or "the best is no less" in wrong,
        "show": "skeleton_best" in told("show", run),
        "page": "skeleton_best" in page,
        "markdown": "columns were swapped" in "".join(written(run, "markdown").values()),
        "JSON": "columns were swapped" in "".join(written(run, "json").values()),
    }


def check() -> Parts:
    """A check of the doctor, on systems from its own file."""
    import tempfile

    from tierscope.doctor import examine
    from tierscope.doctor.checks.skeleton import EXAMPLES  # imported: as is
    from tierscope.run import start
    from trees import plant

    found = {}
    for verdict, files in EXAMPLES.items():
        with tempfile.TemporaryDirectory() as folder:
            system = plant(Path(folder), "xeon_server", files)
            found[verdict] = {one.name: one for one in examine(system)}["skeleton"].verdict
    start.examine = examine  # what the fake core leaves out
    run = measured("a", *STREAM)
    document = json.loads(told("show", run, "--json"))
    return {
        "its verdicts": found == {verdict: verdict for verdict in EXAMPLES},
        "doctor": "skeleton" in told("doctor"),
        "reference": "| `skeleton` | none | what happens to core files | set" in referred("doctor.md"),
        "completion of doctor --only": "skeleton" in completed("doctor", "--only", "sk"),
        "doctor --json": "skeleton" in {one["name"] for one in json.loads(told("doctor", "--json"))},
        "run": "skeleton" in {one["name"] for one in document["findings"]},
        "page": ">skeleton<" in "".join(written(run, "html").values()),
        "markdown": "skeleton: " in "".join(written(run, "markdown").values()),
    }


def engine() -> Parts:
    """An engine of fleets, which measures a made host."""
    from tierscope.fleet.engines import engines

    measured("a", *STREAM)
    return {
        "fleet run --help": "local, skeleton, slurm" in helped("fleet run"),
        "reference": "| `--via ENGINE` | One of local, skeleton," in referred("cli.md"),
        "manual": "One of local, skeleton," in referred("tierscope.1"),
        "completion of --via": "skeleton" in completed("fleet", "run", "--via", "sk"),
        "an unknown engine": "skeleton" in _refused("fleet", "run", "--via", "skeletn"),
        "its hosts": engines["skeleton"].hosts(()) == ("skeleton-host",),
    }


def machine() -> Parts:
    """A virtual machine, up to where QEMU would start."""
    return {
        "vm": "skeleton" in told("vm") and "a node with two CPUs" in told("vm"),
        "vm NAME, its targets": "node:1" in told("vm", "skeleton"),
        "vm NAME, its commands": "tierscope vm skeleton -- topology" in told("vm", "skeleton"),
        "vm NAME, its limits": "no time is one of a memory" in told("vm", "skeleton"),
        "an unknown machine": "skeleton" in _refused("vm", "skeletn"),
        "an unknown machine of --host": "skeleton" in _refused("run", "stream", "--host", "vm:skeletn"),
        "completion of vm": "skeleton" in completed("vm", "sk"),
    }


def model() -> Parts:
    """A model, which is documented by its file."""
    return {
        "models": "skeleton          The smallest model" in told("models"),
        "models NAME": "B(n) = b_max * n / (n + n_half)" in told("models", "skeleton"),
        "an unknown model": "skeleton" in _refused("models", "skeletn"),
        "completion of models": "skeleton" in completed("models", "sk"),
    }


def format() -> Parts:  # noqa: A001 (the name of the kind)
    """A format for reports and for exports."""
    run = measured("a", *STREAM)
    return {
        "report --format": written(run, "skeleton").get("report.txt", "").startswith("stream\n"),
        "report --help": "skeleton" in helped("report"),
        "reference of report": "| `skeleton` | The smallest report" in referred("cli.md"),
        "an unknown format of report": "skeleton" in _refused("report", run, "--format", "skeletn"),
        "completion of report --format": "skeleton" in completed("report", run, "--format", "sk"),
        "export --to": "stream kernel triad" in told("export", run, run, "--to", "skeleton"),
        "export --out": "stream kernel triad" in _export("skeleton", run),
        "export --help": "skeleton" in helped("export"),
        "reference of export": "| `skeleton` | The smallest export" in referred("cli.md"),
        "an unknown format of export": "skeleton" in _refused("export", run, "--to", "skeletn"),
        "completion of export --to": "skeleton" in completed("export", run, "--to", "sk"),
    }


def command() -> Parts:
    """A command that reads a run."""
    from tierscope.cli.main import tierscope

    run = measured("a", *STREAM)
    return {
        "its answer": "stream 4" in told("skeleton", run),
        "its JSON": json.loads(told("skeleton", run, "--json") or "{}").get("stream") == 4,
        "--help": "Count the rows of each table" in told("--help"),
        "skeleton --help": "--json" in helped("skeleton"),
        "an unknown command": "skeleton" in _refused("skeletn", run),
        "completion": "skeleton" in completed("sk") and "skeleton" in tierscope.list_commands(None),
        "reference, its list": "[`skeleton`](#skeleton)" in referred("cli.md"),
        "reference, its section": "## `skeleton`\n\n    tierscope skeleton" in referred("cli.md"),
        "manual": ".SS skeleton" in referred("tierscope.1"),
    }


def document() -> Parts:
    """A published document whose figures are computed again."""
    return {
        "reproduce": "skeleton  1 of 2 figures are right" in told("reproduce"),
        "reproduce NAME": "share of the longer time" in told("reproduce", "skeleton"),
        "reproduce --json": any(one["document"] == "skeleton" for one in _documents()),
        "an unknown document": "skeleton" in _refused("reproduce", "skeletn"),
        "completion of reproduce": "skeleton" in completed("reproduce", "sk"),
    }


def _documents() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(told("reproduce", "--json") or '{"documents": []}')["documents"]
    return found


def metrics() -> Parts:
    """Metrics of a processor, on a machine that has it."""
    from fake_core import FakeCore, made_topology
    from tierscope import core

    counted = frozenset({"cpu/event=0x01,umask=0x01/", "cycles", "instructions", "task-clock"})
    core.topology = lambda: {**made_topology(), "family": "GenuineIntel:6:999:1"}
    core.Session = FakeCore(events=counted).session
    run = measured("a", *STREAM, "counters=default")
    rows = json.loads(told("show", run, "--json") or "{}").get("rows", [])
    names = {row.get("counter") for row in rows}
    return {
        "its event by its name": "skeleton_reads" in names,
        "its metric": "skeleton_bytes" in names,
        "a metric of every processor": "ipc" in names,
        "page": "skeleton_bytes" in "".join(written(run, "html").values()),
        "CSV": "skeleton_bytes" in "".join(written(run, "csv").values()),
        "export --to csv": "skeleton_bytes" in _export("csv", run),
    }


def work() -> Parts:
    """The struct of a new task: a plan, a file of groups and a stored run take its fields."""
    import msgspec

    from tierscope.core import group_words
    from tierscope.record.experiment import Experiment
    from tierscope.record.schema import schema
    from tierscope.suites.groups.experiments import read_groups

    group = 'kernel="new"\ncpus="0"\nstripe="8KiB"\nrest="1ms"\nstripes=3\nnote="a b"\n'
    (experiment,) = read_groups(f"[[experiment]]\n[[experiment.group]]\n{group}", {"new": "skeleton"}).experiments
    words = group_words(experiment.groups[0])
    stored = msgspec.json.decode(msgspec.json.encode(experiment), type=Experiment)
    asked = {"stripe": "8KiB", "rest": "0.001000000s", "stripes": "3", "note": "a%20b"}
    return {
        "a file of groups, a plan": {key: words.get(key) for key in asked} == asked,
        "a plan, left to the core": "note" not in group_words(_without_note(experiment)),
        "a stored run": stored == experiment,
        "its schema": '"stripe_bytes"' in json.dumps(schema()),
    }


def _without_note(experiment: Any) -> Any:
    from msgspec.structs import replace

    group = experiment.groups[0]
    return replace(group, workload=replace(group.workload, work=replace(group.workload.work, note="")))


KINDS: dict[str, Callable[[], Parts]] = {
    one.__name__: one
    for one in (
        suite,
        figure,
        importer,
        identity,
        check,
        engine,
        machine,
        model,
        format,
        command,
        document,
        metrics,
        work,
    )
}
"""On the fake core."""


def _everywhere(name: str, run: str, other: str) -> Parts:
    """Whether two runs of the same points show a name in each command, format and export."""
    page = "".join(written(run, "html").values())
    return {
        "show": name in told("show", run),
        "page": name in page,
        "markdown": name in "".join(written(run, "markdown").values()).replace("\\", ""),
        "CSV": name in "".join(written(run, "csv").values()),
        "JSON": name in "".join(written(run, "json").values()),
        "SVG": name in "".join(written(run, "svg").values()),
        "audit": say("audit", run)[0] in FINE,
        "compare": name in told("compare", run, other),
        "history": name in told("history", run, other),
        **{
            f"export --to {form}": name in _export(form, run, other).replace("\\", "")  # Markdown escapes
            for form in _exports()
        },
    }


def kernel() -> Parts:
    """A kernel on vectors, on every ISA of the build."""
    from tierscope import core

    words = ("stream", "kernels=skeleton,skeleton_nt", "threads=1", "array=4MiB", "budget=50ms")
    found = [one for one in core.catalogue().kernels if one.kernel in {"skeleton", "skeleton_nt"}]
    verdicts = [
        verdict
        for one in found
        if one.available
        for verdict in core.check(kernel=one.kernel, isa=one.isa, operations=777, passes=2, seed=1995)
    ]
    run, other = measured("a", *words), measured("b", *words)
    simulated = measured("sim", "stream", "kernels=skeleton", "target=sim:flat", "threads=1", "array=256KiB")
    return {
        "catalogue": "skeleton_nt" in told("catalogue"),
        "every ISA": {one.isa for one in found} == {one.isa for one in core.catalogue().kernels if one.kernel == "add"},
        "its traffic": {one.bus_bytes_per_operation for one in found} == {128, 192},
        "its answers": bool(verdicts) and all(verdict["ok"] for verdict in verdicts),
        "completion of kernels=": "kernels=skeleton" in completed("run", "stream", "kernels=sk"),
        "kernels=all": "skeleton" in told("run", "stream", "kernels=all", "--dry-run"),
        "simulated memory": "skeleton" in told("show", simulated),
        **_everywhere("skeleton", run, other),
    }


def target() -> Parts:
    """A target, in bandwidth and in latency."""
    words = ("stream", "kernels=read", "threads=1", "array=4MiB", "budget=50ms", "target=skeleton")
    run, other = measured("a", *words), measured("b", *words)
    latency = measured("latency", "latency", "target=skeleton", "pages=4k", "to=64KiB", "from=16KiB", "budget=50ms")
    parts = _everywhere("skeleton", run, other)
    return {
        "catalogue": "skeleton" in told("catalogue"),
        "completion of target=": "target=skeleton:" in completed("run", "stream", "target=sk"),
        "latency": "skeleton" in told("show", latency, "--json"),
        "an unknown target": "skeleton" in _refused("run", "stream", "target=skeletn", "--out", "c", "--quiet"),
        **{part: there for part, there in parts.items() if part not in ("show", "SVG", "history")},
    }


def structure() -> Parts:
    """A structure, in memory and on simulated memory."""
    words = ("maps", "structures=skeleton_map", "count=500", "budget=50ms")
    run, other = measured("a", *words), measured("b", *words)
    simulated = measured("sim", *words, "target=sim:flat")
    return {
        "catalogue": "skeleton_map" in told("catalogue"),
        "completion of structures=": "structures=skeleton_map" in completed("run", "maps", "structures=sk"),
        "structures=auto": "skeleton_map" in told("run", "maps", "count=500", "--dry-run"),
        "an unknown structure": "skeleton_map" in _refused("run", "maps", "structures=skeletn", "--dry-run"),
        "simulated memory": "skeleton_map" in told("show", simulated),
        **_everywhere("skeleton_map", run, other),
    }


def victim() -> Parts:
    """A victim, as a group of a plan."""
    import subprocess

    plan = "group kernel=skeleton_sums target=null cpus=0\nprepare\nmeasure seconds=0.05\ncheck\n"
    done = subprocess.run(
        [os.environ["TIERSCOPE_CORE"], "run"], input=plan, text=True, capture_output=True, check=False
    )
    facts = [json.loads(line) for line in done.stdout.splitlines()]
    words = ("neighbors", "aggressors=1", "budget=50ms")
    return {
        "catalogue": "skeleton_sums" in told("catalogue"),
        "neighbors": "skeleton_sums" in told("run", *words, "victim=skeleton_sums", "--dry-run"),
        "victim=all": "skeleton_sums" in told("run", *words, "victim=all", "--dry-run"),
        "an unknown victim": "skeleton_sums" in _refused("run", *words, "victim=skeletn", "--out", "c", "--quiet"),
        "run": done.returncode == 0 and any(fact.get("rows", 0) > 0 for fact in facts),
        "its detail": "200 sums of 128 KiB" in done.stdout,
        "its answers": "inf" not in done.stdout and done.returncode == 0,
    }


def preset() -> Parts:
    """A simulated machine."""
    words = ("stream", "kernels=read", "threads=1", "array=256KiB", "budget=1ms", "target=sim:skeleton")
    run, other = measured("a", *words), measured("b", *words)
    parts = _everywhere("skeleton", run, other)
    return {
        "catalogue": "sim:skeleton" in told("catalogue") and "two CPUs" in told("catalogue"),
        "an unknown machine": "skeleton" in _refused("run", "stream", "target=sim:skeletn", "--dry-run"),
        "completion of target=": "target=sim:skeleton" in completed("run", "stream", "target=sim:sk"),
        "completion of trace --on": "skeleton" in completed("trace", "--on", "sk"),
        "completion of predict --on": "skeleton" in completed("predict", "--on", "sk"),
        "topology of the core": "skeleton" in _core("topology", "sim:skeleton"),
        **{part: there for part, there in parts.items() if part not in ("SVG", "history")},
    }


def _core(*words: str) -> str:
    import subprocess

    return subprocess.run([os.environ["TIERSCOPE_CORE"], *words], text=True, capture_output=True, check=False).stdout


NATIVE: dict[str, Callable[[], Parts]] = {one.__name__: one for one in (kernel, target, structure, victim, preset)}
"""On a core that was built with them."""


def _refused(*words: str) -> str:
    """Return the line of a command that is refused: it names what is known."""
    from tierscope.cli.main import main

    err = io.StringIO()
    with redirect_stdout(io.StringIO()), redirect_stderr(err):
        main(list(words))
    return err.getvalue()


def _rows(document: Any) -> list[dict[str, Any]]:
    return document if isinstance(document, list) else document.get("rows", [])


def _exports(*, blocks: bool = True) -> list[str]:
    """Return the formats that any run has something for; without blocks, any run of another tool."""
    from tierscope.report.formats import formats

    return [name for name, export in formats.exports().items() if not export.needs and (blocks or not export.blocks)]


def _export(form: str, *runs: str) -> str:
    """Return the whole file; of Parquet its rows as text."""
    to = Path(f"export-{form}")
    to.unlink(missing_ok=True)
    told("export", *runs, "--to", form, "--out", str(to))
    if not to.exists():
        return ""
    if form == "parquet":
        import duckdb

        return str(duckdb.read_parquet(str(to)).fetchall())
    return to.read_text()


def _exported(form: str, *runs: str) -> bool:
    """Whether an export has the points of the suite."""
    text = _export(form, *runs)
    return "skeleton" in text and ("64 MiB" in text or "67108864" in text)


def _forget() -> None:
    """Let the next command gather again."""
    from tierscope.report import content

    for one in vars(content).values():
        if hasattr(one, "cache_clear"):
            one.cache_clear()


def tour(kind: str) -> None:
    """Print the parts that leave the newcomer out, as JSON."""
    import pytest

    from fake_core import FakeCore, put_in_place
    from tierscope.record.result import Finding
    from tierscope.report import picture
    from tierscope.run import start

    doubt = Finding(name="doubt", state="made", verdict="note", touches=_every(), effect="kernel.doubt", remedy="")
    with pytest.MonkeyPatch.context() as monkeypatch:
        if kind in KINDS:
            put_in_place(FakeCore(), monkeypatch)
        monkeypatch.setattr(start, "examine", lambda system: (doubt,))
        monkeypatch.setattr(picture, "bundle", lambda snippet: "made")  # two seconds; nothing of a newcomer is in it
        parts = (KINDS | NATIVE)[kind]()
    answer = {"parts": len(parts), "left out": [name for name, there in parts.items() if not there]}
    sys.stdout.write(json.dumps(answer) + "\n")


def _every() -> tuple[str, ...]:
    from tierscope.doctor.check import EVERY

    return EVERY


def main(copy: Path, what: str, *words: str) -> int:
    alone(copy)
    if what == "tour":
        tour(words[0])
        return 0
    import pytest

    os.chdir(copy)
    return int(pytest.main([*words, "-q", "-p", "no:cacheprovider", "-n0"]))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), *sys.argv[2:]))
