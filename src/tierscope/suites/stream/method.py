"""How each number is obtained, and its limits, in the reader's terms."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Bandwidth": (
        "Bytes that the program requests per second, as STREAM counts them: a copied byte counts twice, and the "
        "line that a plain store first reads does not count. Bus bytes add that read (write-allocate). They are "
        "computed, not counted by hardware, and are wrong where a CPU avoids the read. Limits: it does not detect "
        "traffic that the program did not request."
    ),
    "Theoretical peak": (
        "Channels x transfer rate x 8 bytes, from SMBIOS or as given; otherwise unknown, never guessed. With few "
        "threads, the lines that each core can have in flight are the limit, not the memory."
    ),
}

methods.add(Method("stream", TEXTS))
