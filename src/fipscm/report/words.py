"""Numbers and names as a reader expects them in a sentence."""

from collections.abc import Hashable, Sequence
from math import floor, isfinite, log10


def number(value: float) -> str:
    """Three significant digits, without an exponent where that is readable.

    >>> number(1234.56), number(0.012345), number(5.0), number(3.2e12)
    ('1,235', '0.0123', '5', '3.2e+12')
    """
    if not isfinite(value):
        return "unknown"
    size = abs(value)
    if value != 0 and not 1e-4 <= size < 1e9:
        text = f"{value:.3g}"
    else:
        decimals = max(0, 2 - floor(log10(size))) if size else 0
        text = f"{value:,.{decimals}f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
    return text.replace("-", "\N{MINUS SIGN}")


def signed(value: float) -> str:
    """The same with its sign.

    >>> signed(0.5), signed(0.0)
    ('+0.5', '0')
    """
    return ("+" if value > 0 else "") + number(value)


def joined(names: Sequence[Hashable]) -> str:
    """Names as part of a sentence.

    >>> joined(["age"]), joined(["age", "dose", "sex"])
    ('age', 'age, dose and sex')
    """
    *rest, last = map(str, names)
    return f"{', '.join(rest)} and {last}" if rest else last


def counted(count: int, noun: str) -> str:
    """A number of things.

    >>> counted(1, "row"), counted(2000, "row")
    ('1 row', '2,000 rows')
    """
    return f"{count:,} {noun}" + ("" if count == 1 else "s")
