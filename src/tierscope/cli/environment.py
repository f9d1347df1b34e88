"""The variables of the environment that change what the programs of Tierscope do."""

VARIABLES = {
    "TIERSCOPE_CORE": "path of the `tierscope-core` to use instead of the installed one; its folder must also contain "
    "`tierscope-core-pmdk` and `tierscope-core-traced`, if they are used",
    "TIERSCOPE_TRACER": "path of the `tierscope-tracer.so` that `tierscope trace` uses, instead of the one that it "
    "builds in a checkout",
    "TIERSCOPE_PYTHON": "Python interpreter that `./tierscope` uses for the set-up",
    "TIERSCOPE_CALLED": "name of the program in hints, errors and help. Set by `./tierscope`",
    "TIERSCOPE_APT": "`no` forbids the set-up of a checkout to install system packages with apt; it then prints the "
    "command to type, and continues if it can",
    "TIERSCOPE_WHEEL": "wheel from which `./tierscope` takes the core, if the wheel was built from the sources of the "
    "checkout, instead of one in `dist/`; `no` builds the core",
    "CXX": "compiler that `./tierscope` builds the core with",
    "XDG_CACHE_HOME": "folder of caches, by default `~/.cache`: `tierscope/judged` has the judgements "
    "of runs that other processes measured, `tierscope/variants` the loop variants that searches found, "
    "`tierscope/warm` the memory probes of quiet times, `tierscope/earlier` the numbers of earlier runs",
    "TIERSCOPE_VM_KERNEL": "folder with `boot` and `lib/modules` of the kernel of `tierscope vm`",
    "XDG_DATA_HOME": "folder of data, by default `~/.local/share`: `tierscope/vm` has the kernel of `tierscope vm`",
    "NO_COLOR": "no colour in the terminal",
    "TIERSCOPE_TRACEBACK": "any value: after a fault of Tierscope, show its trace, for a report",
    "TIERSCOPE_CRASH_LOG": "for the check of `tierscope crash`: the file that `{log}` names. Set by `tierscope`",
    "TIERSCOPE_SHADOW": "for `libtierscope-shadow.so`: directory of its plan and its counts. Set by `tierscope crash`; "
    "see [counting](../how-to/crash-safety.md#count-flushes-and-fences)",
    "TIERSCOPE_FLEET_SHARED": "any value, on a host of a fleet: several measurements may run there at the same time, "
    "as in tests",
    "TIERSCOPE_PARENT": "for `tierscope-core run`: number of the process that owns it; it ends with that process. Set "
    "by `tierscope`",
}
"""Name -> meaning, in light Markdown with links relative to docs/reference/."""
