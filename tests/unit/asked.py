"""Short runs, as words of the command line, and what their rows must contain."""

STREAM = ["run", "stream", "kernels=triad", "threads=1", "array=64MiB"]
LATENCY = ["run", "latency", "from=16KiB", "to=64KiB", "per_octave=1"]
LOADED = ["run", "loaded-latency", "mixes=read,mix_1r1w_nt", "delays=0,1000", "array=512MiB"]
KEYS = {
    "stream": {
        "kernel", "threads", "target", "footprint_bytes", "bandwidth_bytes_per_s", "bandwidth_low", "bandwidth_high",
        "best_bytes_per_s", "conclusive",
    },
    "latency": {"footprint_bytes", "page_bytes", "latency_s", "latency_low", "latency_high", "conclusive"},
    "loaded_latency": {
        "read_share", "store", "delay_cycles", "load_threads", "bandwidth_bytes_per_s", "bandwidth_low",
        "bandwidth_high", "latency_s", "latency_low", "latency_high", "conclusive",
    },
}  # fmt: skip
