"""A standard stream that takes a text as a whole or raises.

Without buffers (PYTHONUNBUFFERED, as in many containers) Python hands a text to the system once. Where a disk fills in
the middle of it the system takes a part, and Python drops the rest without a word. With a buffer in between, it writes
until all is taken, or raises.
Source: CPython, Modules/_io/textio.c, which takes no notice of how much a raw stream took.
"""

import io


def whole(stream: io.TextIOWrapper) -> io.TextIOWrapper:
    """Return a stream in the place of a standard one; letters that its encoding lacks become question marks."""
    if not isinstance(stream.buffer, io.RawIOBase):
        stream.reconfigure(errors="replace")
        return stream
    encoding = stream.encoding
    stream.flush()
    raw = stream.detach()
    assert isinstance(raw, io.RawIOBase)
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding, errors="replace", line_buffering=True)
