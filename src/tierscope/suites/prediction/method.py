"""How each number is obtained, and its limits, in the reader's terms."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "A program on other memories": (
        "The program ran here several times, and once in a tracer. The trace went through a model of this machine and "
        "through the same model with each memory. The time there is the time here, multiplied by the ratio of both "
        "model times. The bounds are the 90 % prediction interval of one more core, from 14 cores between a small and "
        "a large one that count by how well they explain the time here. It includes the error of sampling. They also "
        "contain the interval of the runs here, both readings of what the model does not explain, and reads from "
        "memory that only the trace has, since its last cache is empty at first. The contours "
        "come from the own core on a grid of latencies and bandwidths. If the program starts processes, the heaviest "
        "ones were followed, and the bounds contain that all others stay or grow as much as the memory allows. "
        "Limits: threads that wait in the kernel, "
        "JIT code and AVX-512 are not modelled; `model / measured` shows how well the model fits here."
    ),
}

methods.add(Method("prediction", TEXTS))
PLACED = {
    "Objects of the program, and which to keep in the memory here": (
        "An object is all memory that one call stack allocates, or the static data of a module. The core waits for a "
        "load when it is its oldest instruction. The share of an object is the time that waits for it on the tier "
        "less the same here. Sets are chosen by these shares: the best set for a size by integer programming, and "
        "growing sets by share per byte. The program is traced again, and each set is replayed in the memory here "
        "with all other memory on the tier. Limits: objects keep their addresses, so that other sets of the caches "
        "are not modelled."
    ),
}
PHASES = {
    "Phases of the program": (
        "A phase is what runs from one mark of the program to the next, or an equal part of the time here. Marks are "
        "instructions, so they are the same on all machines. Bounds contain all cores that were replayed, one more "
        "core, and the error of what was not traced. Limits: time in the kernel has no phase."
    ),
}

methods.add(Method("prediction_grid", {}))
methods.add(Method("prediction_objects", PLACED))
methods.add(Method("prediction_placement", {}))
methods.add(Method("prediction_phases", PHASES))
