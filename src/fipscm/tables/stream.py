"""Standard input and output under the name `-`; what comes in has no suffix and is known by its first bytes."""

import sys

from fipscm.errors import FileError
from fipscm.tables.limits import MOST_BYTES, read_at_most

STREAM = "-"


def standard_input(most_bytes: int = MOST_BYTES) -> bytes:
    """All of standard input, unless it is more than so many bytes; a second call finds nothing left."""
    return read_at_most(sys.stdin.buffer, most_bytes)


def require_one_stream(*paths: str | None) -> None:
    """Raise if more than one of these is to be read from standard input."""
    if paths.count(STREAM) > 1:
        raise FileError("Standard input can be read only once, but - was given twice: name a file for one of them.")


def is_archive(content: bytes) -> bool:
    """Whether these are the bytes of a safetensors file: eight that give the header's length, then JSON."""
    return content[8:9] == b"{" and int.from_bytes(content[:8], "little") < len(content)
