"""The command: a page at once, a message for every mistake, and Ctrl-C as its usual end."""

import re
import signal
import socket
import subprocess
import sys
import time

import httpx
import pytest

from fipscm.cli.main import main

# A background job may be deaf to interrupts, and what it starts inherits that: listen again.
LISTENING = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from fipscm.cli.main import main; main()"
)


@pytest.fixture
def explore():
    """Start the command in a process of its own; return the process and the address it prints."""
    processes = []

    def start(*arguments):
        process = subprocess.Popen(
            [sys.executable, "-c", LISTENING, "explore", *map(str, arguments), "--no-browser"],
            stderr=subprocess.PIPE,
            text=True,
        )
        processes.append(process)
        return process, re.search(r"http://\S+", process.stderr.readline()).group()

    yield start
    for process in processes:
        process.kill()
        process.communicate()


@pytest.fixture
def refusal(capsys):
    """Run the command with a mistake in it; return its one sentence."""

    def run(*arguments):
        with pytest.raises(SystemExit) as ending:
            main(["explore", "--no-browser", *map(str, arguments)])
        assert ending.value.code == 2
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        return said

    return run


def ready(url, seconds=300):
    end = time.monotonic() + seconds
    client = httpx.Client(timeout=60, follow_redirects=True)
    client.get(url)  # leaves its token
    while time.monotonic() < end:
        state = client.get(f"{url.partition('?')[0]}api/state").json()
        if state["screen"] is not None or state["failure"] is not None:
            return state
        time.sleep(0.1)
    raise TimeoutError


def test_a_saved_model_from_the_first_moment_to_ctrl_c(explore, folder):
    process, url = explore(folder / "m.fip", folder / "data.csv")
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{32}", url)
    assert httpx.get(url, timeout=60, follow_redirects=True).status_code == 200  # before the model is there
    assert ready(url)["screen"]["version"] == 1
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[1] == ""
    assert process.returncode == 0


def test_a_table_alone_is_fitted_first(explore, folder):
    _, url = explore(folder / "data.csv", "--tiers", "age;dose")
    state = ready(url)
    assert state["failure"] is None
    assert state["model"] is None
    assert state["edits"]["tiers"] == [["age"], ["dose"]]


@pytest.mark.parametrize("where", [(), ("--host", "127.0.0.1")])
def test_other_users_and_machines_need_the_token(explore, folder, where):
    _, url = explore(folder / "m.fip", folder / "data.csv", *where)
    with httpx.Client(timeout=60, follow_redirects=True) as client:
        assert client.get(url.split("?")[0]).status_code == 401
        assert client.get(url).status_code == 200
        assert client.get(url.split("?")[0]).status_code == 200


def test_a_port_in_use(refusal, folder):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert f"Port {port} is in use" in refusal(folder / "m.fip", folder / "data.csv", "--port", port)


def test_an_address_of_another_machine(refusal, folder):
    assert "Cannot listen at '192.0.2.1'" in refusal(folder / "m.fip", folder / "data.csv", "--host", "192.0.2.1")


def test_a_model_and_a_table_that_do_not_match(refusal, folder, tmp_path, table):
    table.drop(columns=["dose", "sleep"]).assign(other=1).to_csv(tmp_path / "other.csv", index=False)
    said = refusal(folder / "m.fip", tmp_path / "other.csv")
    assert "lacks dose, sleep" in said
    assert "other" in said


def test_what_is_no_model(refusal, folder, tmp_path):
    (tmp_path / "no.fip").write_text("hello")
    assert "is not a model file" in refusal(tmp_path / "no.fip", folder / "data.csv")
    assert "There is no model file" in refusal(tmp_path / "absent.fip", folder / "data.csv")


def test_what_is_missing_or_too_much(refusal, folder):
    assert "give its table too" in refusal(folder / "m.fip")
    assert "is not a saved model" in refusal(folder / "data.csv", folder / "data.csv")
    assert "--roots cannot change a model" in refusal(folder / "m.fip", folder / "data.csv", "--roots", "age")


def test_a_table_that_cannot_be_learned_from(refusal, tmp_path, table):
    wards = ["north", "south", "west"] * len(table)
    table.assign(ward=wards[: len(table)]).to_csv(tmp_path / "text.csv", index=False)
    assert "which is not count" in refusal(tmp_path / "text.csv", "--kind", "ward=count")
    table.assign(age=table["age"].mask(table.index == 3)).to_csv(tmp_path / "gap.csv", index=False)
    assert "Column 'age'" in refusal(tmp_path / "gap.csv", "--missing", "refuse")
