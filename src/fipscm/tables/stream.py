"""Standard input and output under the name `-`; what comes in has no suffix and is known by its first bytes."""

import sys

from fipscm.errors import FileError

STREAM = "-"


def standard_input() -> bytes:
    """All of standard input; a second call finds nothing left."""
    return sys.stdin.buffer.read()


def require_one_stream(*paths: str | None) -> None:
    """Raise if more than one of these is to be read from standard input."""
    if paths.count(STREAM) > 1:
        raise FileError("Standard input can be read only once, but - was given twice: name a file for one of them.")


def is_archive(content: bytes) -> bool:
    """Whether these are the bytes of a safetensors file: eight that give the header's length, then JSON."""
    return content[8:9] == b"{" and int.from_bytes(content[:8], "little") < len(content)
