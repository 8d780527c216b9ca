"""What an Arrow file unpacks to, told by its own index and not by unpacking it.

The file ends in a footer, which says where its batches lie; a batch says where its buffers lie, and a compressed buffer
begins with its size. All of that is in flatbuffers: a table knows by its `vtable` where its fields are
(https://arrow.apache.org/docs/format/Columnar.html).
"""

import struct
from collections.abc import Iterator
from typing import IO

_MARK = b"ARROW1"
_DICTIONARIES, _BATCHES = 2, 3  # fields of a footer
_HEADER_KIND, _HEADER = 1, 2  # of a message
_DICTIONARY_BATCH = 2  # a kind of header, whose field 1 is a batch
_BUFFERS, _COMPRESSION = 2, 3  # fields of a batch
_BLOCK, _BUFFER = struct.Struct("<qi4xq"), struct.Struct("<qq")


def unpacked_size(file: IO[bytes]) -> int:
    """The bytes of all buffers of an Arrow file, unpacked; a damaged file raises a struct.error or an OSError."""
    size = 0
    for offset, header_length, _ in _blocks(file):
        header = _read(file, offset, header_length)
        begin = 8 if header[:4] == b"\xff" * 4 else 4
        message = _Table.root(header[begin:])
        batch = message.table(_HEADER)
        if message.byte(_HEADER_KIND) == _DICTIONARY_BATCH:
            batch = batch.table(1)
        for place, length in batch.structs(_BUFFERS, _BUFFER):
            packed = batch.has(_COMPRESSION) and length >= 8
            told = struct.unpack("<q", _read(file, offset + header_length + place, 8))[0] if packed else length
            size += length if told < 0 else told
    return size


def _blocks(file: IO[bytes]) -> Iterator[tuple[int, ...]]:
    file.seek(-len(_MARK) - 4, 2)
    end = file.tell()
    (length,) = struct.unpack("<i", file.read(4))
    footer = _Table.root(_read(file, end - length, length))
    yield from footer.structs(_DICTIONARIES, _BLOCK)
    yield from footer.structs(_BATCHES, _BLOCK)


def _read(file: IO[bytes], place: int, length: int) -> bytes:
    file.seek(place)
    return file.read(length)


class _Table:
    """A table of a flatbuffer, at a place in its bytes."""

    def __init__(self, content: bytes, place: int) -> None:
        self._content, self._place = content, place

    @classmethod
    def root(cls, content: bytes) -> "_Table":
        return cls(content, struct.unpack_from("<I", content)[0])

    def has(self, field: int) -> bool:
        return self._at(field) != 0

    def byte(self, field: int) -> int:
        return self._content[self._at(field)] if self.has(field) else 0

    def table(self, field: int) -> "_Table":
        place = self._at(field)
        return _Table(self._content, place + struct.unpack_from("<I", self._content, place)[0])

    def structs(self, field: int, kind: struct.Struct) -> list[tuple[int, ...]]:
        if not self.has(field):
            return []
        place = self._at(field)
        vector = place + struct.unpack_from("<I", self._content, place)[0]
        (count,) = struct.unpack_from("<I", self._content, vector)
        end = vector + 4 + count * kind.size
        return list(kind.iter_unpack(self._content[vector + 4 : end]))

    def _at(self, field: int) -> int:
        """Where a field is; zero if the table does not have it."""
        vtable = self._place - struct.unpack_from("<i", self._content, self._place)[0]
        (length,) = struct.unpack_from("<H", self._content, vtable)
        place = 4 + 2 * field
        offset: int = struct.unpack_from("<H", self._content, vtable + place)[0] if place < length else 0
        return self._place + offset if offset else 0
