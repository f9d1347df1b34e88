"""The format: each sector of 512 bytes carries the number of its write, its offset and a checksum.

A block consists of whole sectors, the unit that a disk writes or does not. So a block that arrived in part shows
which part. The rest of a sector is random, and differs from write to write.

    bytes  0..7   mark          bytes 24..31  offset of the sector in the file
    bytes  8..15  run           bytes 32..39  BLAKE2b of all other bytes, 8 bytes long
    bytes 16..23  number        bytes 40..511 random, from run, number and offset of the block

Source: J.-P. Aumasson et al., "BLAKE2: Simpler, Smaller, Fast as MD5", ACNS 2013; for such headers in blocks: fio,
`verify` (https://fio.readthedocs.io).
"""

import hashlib
import struct
from typing import NamedTuple

import numpy as np

SECTOR = 512
MARK = b"tierblk1"
HEAD = struct.Struct("<8sQQQ")
SUM_BYTES = 8
BODY = HEAD.size + SUM_BYTES


class Sector(NamedTuple):
    """The content of an intact sector."""

    run: int
    number: int
    offset: int


def block(run: int, number: int, offset: int, size: int) -> bytes:
    """Return the `size` bytes of write `number` at `offset`, both whole sectors.

    run: of the writer, so that blocks of another one are not taken for its own; below 2**64, as the number.
    """
    random = np.random.default_rng([run, number, offset]).bytes(size)
    parts = []
    for at in range(0, size, SECTOR):
        head = HEAD.pack(MARK, run, number, offset + at)
        body = random[at + BODY : at + SECTOR]
        parts += [head, _sum(head, body), body]
    return b"".join(parts)


def read(sector: bytes) -> Sector | None:
    """Return the fields of a sector of 512 bytes; None if it is not a sector, or not all of one."""
    head, body = sector[: HEAD.size], sector[BODY:]
    mark, run, number, offset = HEAD.unpack(head)
    if mark != MARK or sector[HEAD.size : BODY] != _sum(head, body):
        return None
    return Sector(run, number, offset)


def _sum(head: bytes, body: bytes) -> bytes:
    return hashlib.blake2b(head + body, digest_size=SUM_BYTES).digest()
