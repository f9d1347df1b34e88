"""How each number is obtained, and what it is blind to, in words for the reader."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Bandwidth": (
        "Bytes that the program asks for per second, as STREAM counts them: a copied byte counts twice, the line "
        "that a plain store reads first does not count. Bus bytes add that read (write-allocate); they are "
        "reckoned, not counted by hardware, and wrong where a CPU avoids the read by itself. Blind to traffic that "
        "the program did not ask for."
    ),
    "Theoretical peak": (
        "Channels x transfer rate x 8 bytes from SMBIOS, or as given; unknown otherwise, never guessed. A few "
        "threads are bound by the lines each core can have in flight, not by the memory."
    ),
}

methods.add(Method("stream", TEXTS))
