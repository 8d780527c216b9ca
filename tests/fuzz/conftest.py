"""Damage to bytes: what a cut download, a bad disk or an attacker does to a file; and how much of it is tried.

A few hundred cases of each kind by default, the same at every run; in a soak new ones, as many as FIPSCM_CASES says.
"""

import os
import zipfile
from io import BytesIO

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

CASES = int(os.environ.get("FIPSCM_CASES", "0"))
settings.register_profile(
    "fuzz",
    max_examples=CASES or 80,
    derandomize=not CASES,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
settings.load_profile("fuzz")

PLACES = st.floats(0, 1, exclude_max=True)
# What stands between cells, ends lines, closes quotes and tags, or is no text at all.
PIECES = st.sampled_from(
    [b"", b"\0", b"\n", b"\r", b'"', b",", b";", b"\t", b"#", b"\xff\xfe", b"\xff", b"\xf0\x9f", b"<", b"&", b"=", b"-"]
) | st.binary(max_size=20)


@st.composite
def _damaged(draw, content):
    """The bytes with a few places flipped, cut, repeated or replaced."""
    damage = bytearray(content)
    for _ in range(draw(st.integers(1, 4))):
        place = int(draw(PLACES) * len(damage))
        kind = draw(st.sampled_from(["flip", "insert", "cut", "repeat", "drop", "zero"]))
        length = draw(st.integers(1, 64))
        if kind == "flip" and damage:
            damage[place] ^= 1 << draw(st.integers(0, 7))
        elif kind == "insert":
            damage[place:place] = draw(PIECES)
        elif kind == "cut":
            del damage[place:]
        elif kind == "repeat":
            damage[place:place] = damage[place : place + length]
        elif kind == "drop":
            del damage[place : place + length]
        elif kind == "zero":
            damage[place : place + length] = bytes(len(damage[place : place + length]))
    return bytes(damage)


@st.composite
def _damaged_inside(draw, archive):
    """A zip archive one of whose members is damaged or missing, its check sums right."""
    with zipfile.ZipFile(BytesIO(archive)) as parts:
        members = {name: parts.read(name) for name in parts.namelist()}
    name = draw(st.sampled_from(sorted(members)))
    if draw(st.integers(0, 9)):
        members[name] = draw(_damaged(members[name]))
    else:
        del members[name]
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as parts:
        for each, content in members.items():
            parts.writestr(each, content)
    return packed.getvalue()


@pytest.fixture(scope="session")
def damaged():
    """The strategy of damaged bytes."""
    return _damaged


@pytest.fixture(scope="session")
def damaged_inside():
    """The strategy of archives with a damaged member."""
    return _damaged_inside
