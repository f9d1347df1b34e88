"""Raw SMBIOS tables for tests, made field by field after DSP0134."""

from dataclasses import dataclass

SYSTEM_BOARD, CXL_CARD, DDR4, DDR5 = 3, 0xA4, 0x1A, 0x22


@dataclass(frozen=True, kw_only=True)
class Module:
    """One memory device as a test wants it; the fields of the specification by their offsets are in `structure`."""

    locator: str
    bank: str = ""
    kind: int = DDR4
    gib: int = 32
    rated: int = 3200
    configured: int = 2933
    bits: int = 64
    form: int = 9  # DIMM
    technology: int = 3  # DRAM
    array: int = 0x1000
    length: int = 0x5C  # SMBIOS 3.3; shorter ones end inside a field list
    word: int | None = None  # the raw size field, in place of `gib`

    def structure(self, handle: int) -> bytes:
        fields = bytearray(0x5C)
        strings = [text for text in (self.locator, self.bank) if text]
        self._put(fields, 0x04, 2, self.array)
        self._put(fields, 0x08, 2, self.bits + 8)
        self._put(fields, 0x0A, 2, self.bits)
        extended = self.gib * 1024 >= 0x7FFF
        size = 0x7FFF if extended else self.gib * 1024
        self._put(fields, 0x0C, 2, size if self.word is None else self.word)
        self._put(fields, 0x1C, 4, self.gib * 1024 if extended else 0)
        self._put(fields, 0x0E, 1, self.form)
        self._put(fields, 0x10, 1, 1 if self.locator else 0)
        self._put(fields, 0x11, 1, len(strings) if self.bank else 0)
        self._put(fields, 0x12, 1, self.kind)
        self._speed(fields, 0x15, 0x54, self.rated)
        self._speed(fields, 0x20, 0x58, self.configured)
        self._put(fields, 0x28, 1, self.technology)
        return structure(17, handle, bytes(fields[4 : self.length]), strings)

    def _speed(self, fields: bytearray, offset: int, extended: int, value: int) -> None:
        self._put(fields, offset, 2, min(value, 0xFFFF))
        self._put(fields, extended, 4, value if value >= 0xFFFF else 0)

    @staticmethod
    def _put(fields: bytearray, offset: int, size: int, value: int) -> None:
        fields[offset : offset + size] = value.to_bytes(size, "little")


def structure(kind: int, handle: int, fields: bytes, strings: list[str]) -> bytes:
    tail = b"\0".join(text.encode("latin-1") for text in strings) + b"\0\0"
    return bytes([kind, len(fields) + 4]) + handle.to_bytes(2, "little") + fields + tail


def array(handle: int = 0x1000, location: int = SYSTEM_BOARD, use: int = 3) -> bytes:
    return structure(16, handle, bytes([location, use, 3]) + bytes(16), [])


def table(modules: list[Module], *, arrays: tuple[bytes, ...] = (array(),)) -> bytes:
    """A BIOS structure with strings first, as in real tables; the end mark last."""
    parts = [structure(0, 0, bytes(20), ["Maker", "1.0"]), *arrays]
    parts += [module.structure(0x1100 + number) for number, module in enumerate(modules)]
    return b"".join(parts) + structure(127, 0xFFFF, b"", [])
