"""How each number is obtained, and its limits, in the reader's terms."""

from tierscope.tables.methods import Method, methods

methods.add(
    Method(
        "page_ratio",
        {
            "Interleaved pages": (
                "All CPUs of the near node use arrays whose pages alternate between DRAM and the far memory in the "
                "requested ratio, as the kernel's weighted interleaving places them. Tierscope places the pages "
                "itself, without root, and asks the kernel where they are. Limits: a ratio is valid for these CPUs and "
                "this kernel; it does not show what other traffic on the link would change."
            ),
        },
    )
)
methods.add(
    Method(
        "far_memory",
        {
            "Near and far memory": (
                "Latency is that of one CPU of the near node on an otherwise idle machine, bandwidth that of all of "
                "its CPUs on one memory alone. Reported values are those of the firmware (HMAT), for the nodes that "
                "it states to be nearest. Published devices come from the literature, with their source. Limits: a "
                "rated bandwidth is a promise of the device, which these CPUs may be too few to ask for."
            ),
        },
    )
)
