"""The kernels that the suites ask for, by their names in the core's catalogue, and how many arrays each walks.

`ARRAYS` counts arrays of equal length, as STREAM does, so that a kernel with more arrays touches more memory;
tests/catalogue holds it against the catalogue.
"""

STREAM = (
    "read", "write", "write_nt", "copy", "copy_nt", "scale", "scale_nt", "add", "add_nt", "triad", "triad_nt",
    "memcpy", "memset",
)  # fmt: skip
"""What `run stream` measures unless told otherwise."""

ARRAYS = {
    "read": 1, "write": 1, "write_nt": 1, "update": 1, "memset": 1, "rep_stosb": 1,
    "copy": 2, "copy_nt": 2, "scale": 2, "scale_nt": 2, "memcpy": 2, "rep_movsb": 2, "copy_movdir64b": 2,
    "add": 3, "add_nt": 3, "triad": 3, "triad_nt": 3,
    "mix_3r1w": 2, "mix_3r1w_nt": 2, "mix_2r1w": 2, "mix_2r1w_nt": 2,
    "mix_1r1w": 2, "mix_1r1w_nt": 2, "mix_1r2w": 2, "mix_1r2w_nt": 2,
}  # fmt: skip

FORMLESS = ("memcpy", "memset", "rep_stosb", "rep_movsb")
"""A library or microcode decides how their bytes go, so that no simulated memory can run them."""

READ_SHARES = {
    "read": 1.0, "mix_3r1w": 3 / 4, "mix_2r1w": 2 / 3, "mix_1r1w": 1 / 2, "mix_1r2w": 1 / 3, "write": 0.0,
}  # fmt: skip
"""Share of the program's lines that are read, of the kernels that loaded latency is measured under."""

FLUSHES = {
    "clflush": "clflush", "clflushopt": "clflushopt", "clwb": "clwb", "nt": "", "movdir64b": "movdir64b", "msync": "",
    "none": "",
}  # fmt: skip
"""How a stored line leaves the core -> the feature of the CPU that it needs; the kernel is called flush_ and this."""

FENCES = ("chunk", "line", "never")
"""After what a fence stands that orders the flushes."""
