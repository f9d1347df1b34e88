"""DAMON: a kernel thread that samples page accesses; its schemes may also page out or move memory.

Source: Linux, Documentation/admin-guide/mm/damon/usage.rst, reclaim.rst, lru_sort.rst and stat.rst (the cost).
"""

from tierscope.doctor.check import EVERY, Check, Seen, checks, good, unknown
from tierscope.doctor.setting import Setting
from tierscope.host.system import System

ADMIN = "/sys/kernel/mm/damon/admin/kdamonds"
MODULES = ("damon_reclaim", "damon_lru_sort", "damon_stat")
WATCH = "DAMON_STAT took 0.x % of one CPU on production servers (Linux, damon/stat.rst); other set-ups differ"


def look(system: System) -> Seen:
    switches = {name: f"/sys/module/{name}/parameters/enabled" for name in MODULES}
    running = [name for name, path in switches.items() if system.read(path, 8) == "Y"]
    hands = [path.split("/")[7] for path in system.glob(f"{ADMIN}/[0-9]*/state") if system.read(path, 8) == "on"]
    actions = {system.read(path, 32) or "not shown" for number in hands
               for path in system.glob(f"{ADMIN}/{number}/contexts/*/schemes/*/action")}  # fmt: skip
    active = sorted(actions - {"stat"}) + [name for name in running if name != "damon_stat"]
    state = ", ".join(running + [f"kdamond {number}" for number in hands])
    modules = tuple(Setting(switches[name], "N") for name in running)  # a kdamond of a user is theirs to stop
    remedies = [setting.command for setting in modules]
    remedy = "; ".join(remedies + [f"echo off | sudo tee {ADMIN}/{number}/state" for number in hands])
    if active:
        effect = f"may page out or move buffers; {WATCH}"
        return Seen("bad", f"on: {state} ({', '.join(active)})", effect, remedy, modules)
    if state:
        return Seen("note", f"on: {state}, watching only", WATCH, remedy, modules)
    files = (f"{ADMIN}/nr_kdamonds", *switches.values())
    hidden = [path for path in files if system.why(path) not in ("absent", "readable")]
    if hidden:
        return unknown("only root may see it", WATCH, f"sudo cat {' '.join(hidden)}")
    return good("off") if system.read(f"{ADMIN}/nr_kdamonds") is not None else good("not built into this kernel")


checks.add(
    Check(
        "damon",
        EVERY,
        look,
        looks_at="DAMON, which may page out or move memory",
        advice="write `N` to its `enabled`, or `off` to its state",
        applies=True,
    )
)
