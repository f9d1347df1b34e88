"""Every check on recorded machines, and on one changed file at a time."""

from pathlib import Path

import pytest

from own import own
from tierscope.doctor import examine
from tierscope.doctor.check import EVERY, Check, checks
from tierscope.host.system import System
from tierscope.record.result import Finding
from trees import FORBIDDEN, plant

CPU, THP, EDAC = "/sys/devices/system/cpu", "/sys/kernel/mm/transparent_hugepage", "/sys/devices/system/edac/mc/mc0"
CLOCK = "/sys/devices/system/clocksource/clocksource0"
L3 = f"{CPU}/cpu0/cache/index3"
ELSEWHERE = [name for name in checks if not own(checks[name], "EXAMPLES")]
"""Checks whose examples are here or in another test, not in their own file."""


def verdicts(system: System) -> dict[str, str]:
    return {one.name: one.verdict for one in examine(system) if one.name in ELSEWHERE}


def seen(tmp_path: Path, name: str, machine: str, **changes: object) -> Finding:
    return checks[name].examine(plant(tmp_path, machine, changes.get("changes")))  # type: ignore[arg-type]


def test_the_guest_that_was_recorded(tmp_path: Path) -> None:
    assert verdicts(plant(tmp_path, "firecracker_guest")) == {
        **dict.fromkeys(ELSEWHERE, "good"),
        "caches": "bad",  # 105 MiB for two CPUs
        **dict.fromkeys(("huge_pages", "hypervisor", "pmu"), "note"),
        **dict.fromkeys(("dimms", "edac", "fio", "governor", "resctrl", "smt", "throttling", "turbo"), "unknown"),
    }


def test_a_server_that_is_set_up_well_but_for_some_notes(tmp_path: Path) -> None:
    assert verdicts(plant(tmp_path, "xeon_server")) == {
        **dict.fromkeys(ELSEWHERE, "good"),
        **dict.fromkeys(
            ("memlock", "mitigations", "numa_balancing", "perf_events", "smt", "throttling", "turbo"), "note"
        ),
        "dimms": "unknown",
        "fio": "unknown",
    }


def test_a_container_on_a_host_set_up_badly(tmp_path: Path) -> None:
    assert verdicts(plant(tmp_path, "epyc_container")) == {
        **dict.fromkeys(("cgroup_cpu", "cgroup_memory", "clock", "damon", "edac", "free_memory", "governor", "load",
                         "pressure", "resctrl", "thp"), "bad"),
        **dict.fromkeys(("cpus", "demotion", "isolation", "ksm", "memlock", "mitigations", "nodes", "numa_balancing",
                         "perf_events", "swap", "turbo"), "note"),
        **dict.fromkeys(("dimms", "fio", "huge_pages", "pmu", "seccomp", "throttling"), "unknown"),
        **dict.fromkeys(("caches", "cxl", "hypervisor", "khugepaged", "pmem_domain", "pmem_emulated", "pmem_health",
                         "pmem_mounts", "pmem_namespaces", "smt", "steal"), "good"),
    }  # fmt: skip


def test_an_arm_guest_without_cpu_flags(tmp_path: Path) -> None:
    found = verdicts(plant(tmp_path, "arm_guest"))
    assert (found["steal"], found["hypervisor"], found["clock"], found["pmu"]) == ("bad", "note", "good", "good")
    assert (found["smt"], found["mitigations"], found["caches"]) == ("unknown", "unknown", "note")


def test_where_nothing_can_be_read_nothing_is_good_by_default(tmp_path: Path) -> None:
    found = verdicts(plant(tmp_path))
    good = {name for name, verdict in found.items() if verdict == "good"}
    absent = {name for name in checks if name.startswith("pmem_")} | {"cxl"}
    assert good <= {"damon", "resctrl"} | absent  # not built in, not mounted, not there: absence is the answer
    assert set(found.values()) <= {"good", "unknown"}


def test_a_forbidden_file_is_unknown(tmp_path: Path) -> None:
    files = ("/proc/sys/kernel/numa_balancing", f"{THP}/enabled", "/sys/kernel/mm/ksm/run",
             "/sys/kernel/mm/damon/admin/kdamonds/nr_kdamonds", "/proc/sys/kernel/perf_event_paranoid",
             "/sys/kernel/mm/numa/demotion_enabled", f"{CLOCK}/current_clocksource",
             "/proc/pressure/cpu", "/proc/pressure/memory", "/proc/pressure/io", "/proc/stat", "/proc/loadavg",
             "/proc/self/limits", "/sys/firmware/dmi/tables/DMI")  # fmt: skip
    system = plant(tmp_path, changes={**dict.fromkeys(files, FORBIDDEN), "/sys/devices/system/node/has_memory": "0-1",
                                      "/proc/cpuinfo": "flags : fpu"})  # fmt: skip
    names = ("numa_balancing", "thp", "ksm", "damon", "perf_events", "demotion", "clock", "pressure", "steal", "load",
             "memlock", "dimms")  # fmt: skip
    findings = {finding.name: finding for finding in examine(system)}
    assert {findings[name].verdict for name in names} == {"unknown"}
    assert "not readable: " in findings["ksm"].state
    assert findings["dimms"].needs_root


# machine, check, changed files, verdict, words of the state
CASES = [
    ("xeon_server", "governor", {f"{CPU}/cpu3/cpufreq/scaling_governor": "powersave"}, "note",
     "performance, powersave"),
    ("xeon_server", "governor", {**{f"{CPU}/cpu{n}/cpufreq/scaling_governor": "powersave" for n in range(8)},
                                 f"{CPU}/cpu0/cpufreq/scaling_driver": "acpi-cpufreq"}, "bad", "acpi-cpufreq"),
    ("xeon_server", "governor", {f"{CPU}/cpu0/cpufreq/scaling_min_freq": "garbage"}, "good", "performance"),
    ("xeon_server", "turbo", {f"{CPU}/intel_pstate/no_turbo": "1"}, "good", "off"),
    ("xeon_server", "turbo", {f"{CPU}/intel_pstate/no_turbo": None, f"{CPU}/cpufreq/boost": "0"}, "good", "off"),
    ("xeon_server", "turbo", {f"{CPU}/intel_pstate/no_turbo": "maybe"}, "unknown", "not shown"),
    ("xeon_server", "smt", {f"{CPU}/smt/active": "0", **{f"{CPU}/cpu{n}/topology/thread_siblings_list": str(n)
                                                        for n in range(8)}}, "good", "off"),
    ("xeon_server", "thp", {f"{THP}/hugepages-2048kB/enabled": "always inherit madvise [never]"}, "bad", "4 KiB"),
    ("xeon_server", "thp", {f"{THP}/hugepages-2048kB/enabled": "always [inherit] madvise never"}, "good", "always"),
    ("epyc_container", "thp", {f"{THP}/hugepages-2048kB/enabled": "[madvise]"}, "good", "madvise"),
    ("xeon_server", "thp", {f"{THP}/defrag": "always defer defer+madvise madvise [never]"}, "note", "not fragmented"),
    ("xeon_server", "thp", {f"{THP}/hpage_pmd_size": "?"}, "good", "always"),
    ("xeon_server", "huge_pages", {"/sys/kernel/mm/hugepages/hugepages-2048kB/resv_hugepages": "1024"}, "note",
     "2 MiB: 0 free"),
    ("xeon_server", "numa_balancing", {"/proc/sys/kernel/numa_balancing": "0"}, "good", "off"),
    ("xeon_server", "numa_balancing", {"/sys/devices/system/node/has_memory": "0"}, "good", "one memory node"),
    ("xeon_server", "numa_balancing", {"/proc/sys/kernel/numa_balancing": None}, "good", "not built"),
    ("xeon_server", "demotion", {"/sys/kernel/mm/numa/demotion_enabled": "true"}, "note", "2 memory nodes"),
    ("xeon_server", "ksm", {"/sys/kernel/mm/ksm/run": "1", "/proc/self/ksm_stat": "ksm_merge_any: yes"}, "bad",
     "this process"),
    ("xeon_server", "ksm", {"/sys/kernel/mm/ksm/run": "2"}, "good", "off"),
    ("xeon_server", "damon", {"/sys/module/damon_stat/parameters/enabled": "Y"}, "note", "watching"),
    ("xeon_server", "damon", {"/sys/kernel/mm/damon/admin/kdamonds/0/state": "on",
                              "/sys/kernel/mm/damon/admin/kdamonds/0/contexts/0/schemes/0/action": "pageout"}, "bad",
     "pageout"),
    ("xeon_server", "damon", {"/sys/kernel/mm/damon/admin/kdamonds/0/state": "on",
                              "/sys/kernel/mm/damon/admin/kdamonds/0/contexts/0/schemes/0/action": "stat"}, "note",
     "kdamond 0"),
    ("xeon_server", "damon", {"/sys/module/damon_reclaim/parameters/enabled": FORBIDDEN}, "unknown", "root"),
    ("xeon_server", "khugepaged", {f"{THP}/khugepaged/scan_sleep_millisecs": "0"}, "note", "faster"),
    ("xeon_server", "nodes", {"/proc/self/status": "Mems_allowed_list:\t1"}, "note", "1 of 2"),
    ("xeon_server", "cpus", {"/proc/self/status": "Cpus_allowed_list:\t2-3"}, "note", "2 of 8 online CPUs: 2-3"),
    ("xeon_server", "memlock", {"/proc/self/status": "CapEff:\t0000000000004000"}, "good", "CAP_IPC_LOCK"),
    ("xeon_server", "memlock", {"/proc/self/limits": "Max locked memory  unlimited  unlimited  bytes"}, "good",
     "unlimited"),
    ("xeon_server", "perf_events", {"/proc/sys/kernel/perf_event_paranoid": "-1"}, "good", "memory controllers"),
    ("xeon_server", "perf_events", {"/proc/self/status": "CapEff:\t0000004000000000"}, "good", "this user"),
    ("xeon_server", "clock", {f"{CLOCK}/current_clocksource": "hpet"}, "bad", "hpet"),
    ("xeon_server", "clock", {"/proc/cpuinfo": "flags : fpu tsc constant_tsc"}, "note", "nonstop_tsc"),
    ("firecracker_guest", "clock", {f"{CLOCK}/current_clocksource": "kvm-clock"}, "note", "kvm-clock"),
    ("firecracker_guest", "hypervisor", {"/sys/hypervisor/type": "xen"}, "note", "xen"),
    ("firecracker_guest", "steal", {"/proc/stat": "cpu 100 0 0 100 0 0 0 3 0 0"}, "bad", "2.91 %"),
    ("firecracker_guest", "steal", {"/proc/stat": "cpu 1000 0 0 100 0 0 0 5 0 0"}, "note", "0.50 %"),
    ("firecracker_guest", "steal", {"/proc/stat": "cpu 0 0 0 100 0 0 0 0 0 0"}, "good", "nothing ran"),
    ("xeon_server", "pressure", {"/proc/pressure/memory": "some avg10=5.00 avg60=0"}, "note", "memory 5.0 %"),
    ("xeon_server", "pressure", {"/proc/pressure/cpu": "some avg10=25.00 avg60=0"}, "bad", "cpu 25.0 %"),
    ("xeon_server", "load", {"/proc/loadavg": "2.00 1 1 1/1 1"}, "note", "2.00 tasks"),
    ("xeon_server", "load", {"/proc/loadavg": "4.00 1 1 1/1 1"}, "bad", "8 CPUs"),
    ("xeon_server", "caches", {f"{L3}/number_of_sets": "49151"}, "bad", "sets x ways"),
    ("xeon_server", "caches", {f"{L3}/size": "480M"}, "good", "L2"),  # not the kernel's format: not believed
    ("firecracker_guest", "caches", {f"{L3}/size": "20480K", f"{L3}/number_of_sets": None}, "note",
     "20 MiB for 2 CPUs"),
    ("firecracker_guest", "caches", {f"{CPU}/cpu0/cache/index{n}/size": None for n in range(4)}, "unknown", "no cache"),
    ("xeon_server", "swap", {"/proc/meminfo": "SwapTotal: 100 kB\nSwapFree: 50 kB\nMemAvailable: 9 kB"}, "note",
     "in use"),
    ("xeon_server", "free_memory", {"/proc/meminfo": "MemTotal: 9000000 kB\nMemAvailable: 2000000 kB"}, "bad",
     "1.91 GiB"),
    ("xeon_server", "isolation", {f"{CPU}/isolated": "2-7"}, "note", "isolated: 2-7; without ticks: none"),
    ("xeon_server", "isolation", {f"{CPU}/isolated": "0-7"}, "good", "all CPUs used here"),
    ("xeon_server", "mitigations", {f"{CPU}/vulnerabilities/gather_data_sampling": "Not affected"}, "good", "none"),
    ("xeon_server", "edac", {f"{EDAC}/ce_count": "3"}, "note", "3 corrected"),
    ("xeon_server", "edac", {f"{EDAC}/ue_count": "1"}, "bad", "1 uncorrected"),
    ("xeon_server", "edac", {f"{EDAC}/ce_count": "many"}, "unknown", "not readable"),
    ("xeon_server", "edac", {f"{EDAC}/ue_count": "many"}, "unknown", "not readable"),
    ("xeon_server", "throttling", {f"{CPU}/cpu{n}/thermal_throttle/package_throttle_count": "0" for n in range(8)},
     "good", "never"),
    ("xeon_server", "seccomp", {"/proc/self/status": "Seccomp:\t2"}, "unknown", "container defaults do"),
    ("xeon_server", "seccomp", {"/proc/self/status": "Seccomp:\t2\nCapEff:\t0000000000800000"}, "unknown", "is there"),
    ("epyc_container", "resctrl", {"/proc/self/cpu_resctrl_groups": "res:/\nmon:/"}, "good", "no cap"),
]  # fmt: skip


@pytest.mark.parametrize(("machine", "name", "changes", "verdict", "words"), CASES,
                         ids=[f"{case[1]}-{case[3]}-{number}" for number, case in enumerate(CASES)])  # fmt: skip
def test_one_changed_file(
    tmp_path: Path, machine: str, name: str, changes: dict[str, object], verdict: str, words: str
) -> None:
    finding = seen(tmp_path, name, machine, changes=changes)
    assert (finding.verdict, words in finding.state) == (verdict, True), finding


def test_every_check_has_a_case_that_is_not_good() -> None:
    named = {case[1] for case in CASES} | {"cgroup_memory", "cgroup_cpu", "dimms", "pmu"}
    named |= {name for name in checks if name.startswith("pmem_")} | {"cxl"}  # test_doctor_pmem.py
    named |= {"fio"}  # test_doctor_fio.py
    named |= {name for name in checks if set(own(checks[name], "EXAMPLES") or ()) - {"good"}}
    assert named == set(checks)


def test_a_check_finds_the_examples_in_its_own_file(tmp_path: Path) -> None:
    for name in checks:
        for verdict, files in (own(checks[name], "EXAMPLES") or {}).items():
            found = checks[name].examine(plant(tmp_path / name / verdict, "xeon_server", files))
            assert found.verdict == verdict, name


def test_steal_of_the_last_moment_is_found_between_two_looks(tmp_path: Path) -> None:
    system = plant(tmp_path, "firecracker_guest", {"/proc/stat": "cpu 100000 0 0 100 0 0 0 0 0 0"})
    waits: list[float] = []

    def wait(seconds: float) -> None:
        waits.append(seconds)
        (tmp_path / "proc/stat").write_text("cpu 100016 0 0 100 0 0 0 4 0 0\n")

    finding = checks["steal"].examine(System(system.root, wait))
    assert (finding.verdict, waits) == ("bad", [0.1])
    assert "last 0.1 s 20.00 %" in finding.state


def test_one_stolen_tick_in_a_moment_is_chance(tmp_path: Path) -> None:
    system = plant(tmp_path, "firecracker_guest", {"/proc/stat": "cpu 100000 0 0 100 0 0 0 0 0 0"})

    def wait(_: float) -> None:
        (tmp_path / "proc/stat").write_text("cpu 100001 0 0 1 0 0 0 1 0 0\n")

    assert checks["steal"].examine(System(system.root, wait)).verdict == "good"


V2 = {"/proc/self/cgroup": "0::/a/b", "/proc/self/mountinfo": "30 24 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw"}
INSIDE = {"/proc/self/cgroup": "4:memory,cpu:/docker/x", "/proc/self/mountinfo":
          "9 8 0:1 /docker/x /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory,cpu"}  # fmt: skip


@pytest.mark.parametrize(("files", "state", "remedy"), [
    ({**V2, "/sys/fs/cgroup/a/memory.max": "4294967296", "/sys/fs/cgroup/a/b/memory.max": "8589934592",
      "/sys/fs/cgroup/a/memory.current": "1073741824"},
     "4 GiB of 252 GiB (memory.max), 3 GiB left", "echo max | sudo tee /sys/fs/cgroup/a/memory.max"),
    ({**V2, "/sys/fs/cgroup/a/b/memory.high": "4294967296", "/sys/fs/cgroup/a/b/memory.current": "4294967296"},
     "4 GiB of 252 GiB (memory.high), 0 B left", "echo max | sudo tee /sys/fs/cgroup/a/b/memory.high"),
    ({**INSIDE, "/sys/fs/cgroup/memory/memory.limit_in_bytes": "1073741824"},
     "1 GiB of 252 GiB (memory.limit_in_bytes), what is left is not known", ""),
    ({**INSIDE, "/proc/self/cgroup": "4:memory:/docker/x/y",
      "/sys/fs/cgroup/memory/y/memory.usage_in_bytes": "0",
      "/sys/fs/cgroup/memory/y/memory.limit_in_bytes": "1073741824"},
     "1 GiB of 252 GiB (memory.limit_in_bytes), 1 GiB left", ""),
    ({**INSIDE, "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712"}, "none", ""),
])  # fmt: skip
def test_the_lowest_memory_limit_of_all_levels_counts(
    tmp_path: Path, files: dict[str, object], state: str, remedy: str
) -> None:
    finding = seen(tmp_path, "cgroup_memory", "xeon_server", changes=files)
    assert (finding.state, finding.remedy) == (state, remedy)


@pytest.mark.parametrize(("files", "verdict", "state"), [
    ({**V2, "/sys/fs/cgroup/a/cpu.max": "150000 100000"}, "bad", "1.5 of 8 CPUs"),
    ({**V2, "/sys/fs/cgroup/a/cpu.max": "800000 100000"}, "good", "none below the allowed CPUs"),
    ({**V2, "/sys/fs/cgroup/a/b/cpu.max": "max 100000"}, "good", "none below the allowed CPUs"),
    ({**INSIDE, "/sys/fs/cgroup/memory/cpu.cfs_quota_us": "50000", "/sys/fs/cgroup/memory/cpu.cfs_period_us": "100000"},
     "bad", "0.5 of 8 CPUs"),
])  # fmt: skip
def test_a_cpu_quota_below_the_allowed_cpus(tmp_path: Path, files: dict[str, object], verdict: str, state: str) -> None:
    finding = seen(tmp_path, "cgroup_cpu", "xeon_server", changes=files)
    assert (finding.verdict, finding.state) == (verdict, state)


@pytest.mark.parametrize("machine", ["", "firecracker_guest", "xeon_server", "epyc_container", "arm_guest"])
def test_every_finding_is_complete(tmp_path: Path, machine: str) -> None:
    for finding in examine(plant(tmp_path, machine)):
        assert finding.verdict in {"good", "note", "bad", "unknown"}
        assert set(finding.touches) <= set(EVERY)
        assert finding.state
        assert "#" not in finding.remedy  # a broken line would make a command of the comment
        assert finding.needs_root == ("sudo " in finding.remedy)
        if finding.verdict == "good":
            assert (finding.effect, finding.remedy) == ("", "")
        else:
            assert finding.effect


def test_a_check_that_fails_is_a_finding(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def look(_: System) -> None:
        raise ZeroDivisionError("no CPU")

    broken = Check("swap", EVERY, look)  # type: ignore[arg-type]
    monkeypatch.setattr("tierscope.doctor.check.checks", {"swap": broken})
    (finding,) = examine(plant(tmp_path))
    assert (finding.verdict, finding.state) == ("unknown", "the check itself failed: ZeroDivisionError: no CPU")


def test_no_dangerous_advice_where_swap_is_fuller_than_memory_is_free(tmp_path: Path) -> None:
    tight = "SwapTotal: 100 kB\nSwapFree: 50 kB\nMemAvailable: {} kB"
    assert seen(tmp_path / "a", "swap", "xeon_server", changes={"/proc/meminfo": tight.format(40)}).remedy == ""
    assert seen(tmp_path / "b", "swap", "xeon_server", changes={"/proc/meminfo": tight.format(60)}).remedy


def test_cores_of_one_kind_whose_clocks_differ_are_used_together(tmp_path: Path) -> None:
    base = "/sys/devices/system/cpu"
    sizes = (1024, 1001, 1018, 1024)
    found = seen(
        tmp_path, "cores", "arm_guest", changes={f"{base}/cpu{n}/cpu_capacity": str(c) for n, c in enumerate(sizes)}
    )
    assert (found.verdict, found.state) == ("good", "capacities of 1001 to 1024: used together")


@pytest.mark.parametrize("listed", ["L2", "nothing"])
def test_an_arm_server_whose_last_cache_is_in_no_file(listed: str, tmp_path: Path) -> None:
    base = "/sys/devices/system/cpu/cpu0/cache"
    gone = ("index2",) if listed == "L2" else ("index0", "index1", "index2")
    changes = {
        f"{base}/{index}/{name}": None for index in gone for name in ("level", "shared_cpu_list", "size", "type")
    }
    found = seen(
        tmp_path, "caches", "arm_guest", changes=changes | {"/proc/stat": "cpu  5000 0 500 690000 100 0 10 0 0 0"}
    )
    if listed == "L2":
        assert (found.verdict, found.state) == ("note", "last level L2, 1 MiB for 1 CPU; no L3 is reported")
        assert "system-level cache" in found.effect
    else:
        assert (found.verdict, found.state) == ("unknown", "no cache is reported")
