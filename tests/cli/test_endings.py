"""How a process ends: mistakes, full and closed outputs, interrupts."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from fipscm.estimator import FiP

PROGRAM = [sys.executable, "-m", "fipscm"]
# A background job may be deaf to interrupts, and what it starts inherits that: listen again.
LISTENING = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from fipscm.cli.main import main; main()"
)


def shell(command):
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, timeout=300)


def fipscm(*arguments):
    return " ".join([*PROGRAM, *map(str, arguments)])


def interrupted(process):
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in error
    return error


def test_a_pipe_takes_a_model_and_gives_a_table_silently(folder):
    ended = shell(f"cat {folder / 'm.fip'} | {fipscm('sample', '-', '--rows', 3)}")
    assert ended.returncode == 0
    assert ended.stderr == ""
    assert ended.stdout.count("\n") == 4


@pytest.mark.parametrize("module", ["fipscm", "fipscm.cli.main"])
def test_the_package_and_its_entry_point_run_as_modules(module):
    ended = subprocess.run([sys.executable, "-m", module, "--version"], capture_output=True, text=True, check=True)
    assert ended.stdout.startswith("fipscm ")


def test_a_reader_that_has_seen_enough_is_no_mistake():
    ended = shell(f"set -o pipefail; {fipscm('simulate', 'triangle', '--rows', 100_000)} | head -1")
    assert ended.stdout == "x0,x1,x2\n"
    assert ended.stderr == ""
    assert ended.returncode == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_full_output_is_one_sentence():
    ended = shell(f"{fipscm('--version')} > /dev/full")
    assert ended.returncode == 2
    assert ended.stderr.startswith("fipscm: No space left on device: standard output")
    assert ended.stderr.count("\n") == 1


def test_a_fault_of_the_program_is_one_sentence_and_no_verdict(fipscm, folder, monkeypatch):
    def fails(*_, **__):
        raise ZeroDivisionError("division\nby zero")

    monkeypatch.setattr(FiP, "check", fails)
    ended = fipscm("check", folder / "m.fip", folder / "data.csv")
    assert ended.returncode == 70  # neither a mistake, 2, nor the verdict of check, 1
    assert ended.stderr.startswith(
        "fipscm: This is a fault of fipscm, not of yours (ZeroDivisionError: division by zero"
    )
    assert "ask.py line" in ended.stderr
    assert ended.stderr.count("\n") == 1
    assert not ended.stdout


def test_too_little_memory_is_a_mistake_of_one_sentence(mistake, folder, monkeypatch):
    def fails(*_, **__):
        raise MemoryError("Unable to allocate 65.0 GiB")

    monkeypatch.setattr(FiP, "check", fails)
    assert "does not suffice (Unable to allocate 65.0 GiB)" in mistake("check", folder / "m.fip", folder / "data.csv")


def test_a_closed_output_is_refused_before_the_work(folder):
    ended = shell(f"{fipscm('order', folder / 'data.csv')} >&-")
    assert ended.returncode == 2
    assert ended.stderr.startswith("fipscm: Standard output is closed, so that the answer would be lost")
    assert ended.stderr.count("\n") == 1


def test_a_closed_input_is_empty(folder):
    ended = shell(f"{fipscm('sample', '-')} <&-")
    assert ended.returncode == 2
    assert ended.stderr.startswith("fipscm: Standard input is empty")


def test_a_closed_place_for_messages_keeps_them_out_of_the_answer(folder):
    ended = shell(f"{fipscm('do', folder / 'm.fip', '--do', 'age=100000', '--rows', 2)} 2>&-")
    assert ended.returncode == 0
    assert ended.stdout.splitlines()[0] == "age,dose,pain"


def test_names_outside_of_the_encoding_of_the_output_are_one_sentence(folder, tmp_path):
    rows = pd.read_csv(folder / "data.csv").rename(columns={"pain": "\u75db\u307f"})
    FiP(order=list(rows.columns)).fit(rows).save(tmp_path / "m.fip")
    ended = shell(f"PYTHONIOENCODING=latin-1 {fipscm('sample', tmp_path / 'm.fip', '--rows', 2)}")
    assert ended.returncode == 2
    assert ended.stderr.startswith("fipscm: The encoding of standard output, latin-1, has no")
    assert ended.stderr.count("\n") == 1


def test_an_interrupt_while_modules_load_is_one_sentence(folder):
    arguments = ["sample", str(folder / "m.fip")]
    process = subprocess.Popen(
        [sys.executable, "-X", "importtime", "-c", LISTENING, *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    for line in process.stderr:
        if "numpy" in line:
            break
    assert interrupted(process).endswith("fipscm: interrupted.\n")


def test_an_interrupt_leaves_no_half_written_file(folder, tmp_path):
    arguments = ["sample", str(folder / "m.fip"), "--rows", "3000000", "--out", str(tmp_path / "big.csv")]
    process = subprocess.Popen([sys.executable, "-c", LISTENING, *arguments], stderr=subprocess.PIPE, text=True)
    for _ in range(600):
        time.sleep(0.1)
        if any(tmp_path.iterdir()):
            break
    assert interrupted(process) == "fipscm: interrupted.\n"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sample", "data.csv", "--seed", "-1"], "Invalid value for '--seed'"),
        (["sample", "data.csv", "--rows", "0"], "Invalid value for '--rows'"),
        (["sample", "data.csv", "--rows", "many"], "Invalid value for '--rows'"),
        (["simulate", "triangle", "--seed", "-1"], "Invalid value for '--seed'"),
        (["pretrain", "--simulators", "-1"], "Invalid value for '--simulators'"),
        (["effect", "data.csv", "--of", "a", "--on", "b", "--orders", "-1"], "Invalid value for '--orders'"),
        (
            ["effect", "data.csv", "--of", "a"],
            "Missing option '--on'. Example: fipscm effect model.fip --of dose",
        ),
        (["effect", "data.csv", "--treatment", "a"], "Example: fipscm effect model.fip --of dose --on pain"),
        (["do", "data.csv", "--set", "a=1"], "Example: fipscm do model.fip --do dose=2"),
        (["fit"], "(more: fipscm fit --help)"),
        (["fit", "data.csv", "--sed", "1"], "No such option: --sed"),
        (["--sed"], "No such option: --sed. More: fipscm --help"),
        (["fitt", "data.csv"], "Did you mean 'fit'?"),
    ],
)
def test_a_mistake_in_the_options_is_one_sentence(mistake, arguments, message):
    assert message in mistake(*arguments)
