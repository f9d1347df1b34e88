"""How each number is obtained, and its limits, in the reader's terms."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "A program on other memories": (
        "The program ran here several times, and once in a tracer. The trace went through a model of this machine and "
        "through the same model with each memory. The time there is the time here, multiplied by the ratio of both "
        "model times. The bounds contain a small and a large core, other prefetchers, the interval of the runs "
        "here, the error of sampling, and both readings of what the model does not explain. The contours come from "
        "the own core on a grid of latencies and bandwidths. Limits: threads that wait in the kernel, JIT code "
        "and AVX-512 are not modelled; `model / measured` shows how well the model fits here."
    ),
}

methods.add(Method("prediction", TEXTS))
methods.add(Method("prediction_grid", {}))
