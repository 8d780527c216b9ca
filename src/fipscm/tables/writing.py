"""How a text file is written, so that an answer comes in the same way as what it was asked with."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Writing:
    """What stands between cells, the decimal mark, and the encoding as Python calls it."""

    separator: str = ","
    decimal: str = "."
    encoding: str = "utf-8"


PLAIN = Writing()
