"""The targets that only substitute for the second tier of a document."""

PLAIN = "file"  # a mapped file that is not on a DAX file system: its bytes are in the page cache, which is DRAM


def why_stand_in(word: str) -> str:
    """Return why a target is not a second tier; "" if it is one. word: such as `file:/dev/shm/x`; "" names none."""
    name = word.partition(":")[0]
    if name == PLAIN:
        return f"{word} is a file in the page cache, in the memory of DRAM"
    if name == "emu":
        return f"{word} is DRAM that is slowed down"
    return ""
