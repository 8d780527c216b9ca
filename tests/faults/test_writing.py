"""Whatever ends a process that writes a file, the file is whole: the old one or the new one, and nothing else stays."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

from fipscm.errors import FileError
from fipscm.tables.archive import save_archive
from fipscm.tables.write import write_table, write_whole

KILLS = max(3, int(os.environ.get("FIPSCM_CASES", "0")) // 50)
SIZE, PIECES = 1 << 16, 64
WRITER = f"""
import sys
from itertools import count
from fipscm.tables.write import write_whole
for number in count(1):
    write_whole(sys.argv[1], lambda file: [file.write(bytes([number % 256]) * {SIZE}) for _ in range({PIECES})])
    print(number, flush=True)
"""


@pytest.fixture
def target(tmp_path):
    return tmp_path / "answer[1].csv"


@pytest.fixture
def writer(target):
    """Start a process that writes the target again and again, and has done so once."""
    processes = []

    def start():
        processes.append(subprocess.Popen([sys.executable, "-c", WRITER, str(target)], stdout=subprocess.PIPE))
        assert processes[-1].stdout.readline()
        return processes[-1]

    yield start
    for process in processes:
        process.kill()
        process.communicate()


def is_whole(path):
    content = path.read_bytes()
    return content == content[:1] * SIZE * PIECES


def test_a_killed_writer_leaves_a_whole_file_and_the_next_one_tidies_up(writer, target):
    rng = np.random.default_rng()
    for _ in range(KILLS):
        process = writer()
        time.sleep(rng.uniform(0, 0.05))
        process.send_signal(signal.SIGKILL)
        process.wait(60)
        assert is_whole(target)
    for unfinished in target.parent.glob(".*"):
        os.utime(unfinished, (0, 0))  # long ago
    write_whole(target, lambda file: file.write(b"new"))
    assert [each.name for each in target.parent.iterdir()] == [target.name]
    assert target.read_bytes() == b"new"


def test_two_writers_of_one_file_never_mix(writer, target):
    first, second = writer(), writer()
    for _ in range(50):
        assert is_whole(target)
        time.sleep(0.005)
    assert first.poll() is None  # neither took the other's unfinished file away
    assert second.poll() is None


def test_an_unfinished_file_that_is_being_written_is_left_alone(target):
    def write_within(file):
        file.write(b"outer")
        os.utime(file.name, (0, 0))
        write_whole(target, lambda inner: inner.write(b"inner"))
        assert target.read_bytes() == b"inner"

    write_whole(target, write_within)
    assert target.read_bytes() == b"outer"
    assert [each.name for each in target.parent.iterdir()] == [target.name]


@pytest.fixture
def full_disk():
    """Let no file of this process become larger than 40 kB."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


WRITERS = {
    "csv": lambda values, path: write_table(pd.DataFrame({"values": values}), str(path)),
    "parquet": lambda values, path: write_table(pd.DataFrame({"values": values}), str(path)),
    "fip": lambda values, path: save_archive(path, "model", {"values": values}, {}),
}


@pytest.mark.parametrize("suffix", WRITERS)
def test_a_full_disk_leaves_the_old_file(full_disk, tmp_path, suffix):
    path, values = tmp_path / f"old.{suffix}", np.random.default_rng(0).normal(size=20_000)
    path.write_bytes(b"old")
    with pytest.raises(FileError, match=r"Cannot write .* \(File too large\)"):
        WRITERS[suffix](values, path)
    assert path.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
