"""The command line as a user meets it: a second process, its output, its exit code."""

import io
import json
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

from fipscm.cli.main import main
from fipscm.simulate import known_scm

PROGRAM = [sys.executable, "-c", "from fipscm.cli.main import main; main()"]


def in_a_second_process(*arguments, stdin=None):
    command = [*PROGRAM, *map(str, arguments)]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, check=False, timeout=300)


@pytest.fixture
def fipscm(capsys):
    """Run a command in this process, as fast as it can be; what starting one adds is tested by those that do."""

    def run(*arguments):
        with pytest.raises(SystemExit) as ending:
            main([str(argument) for argument in arguments])
        written = capsys.readouterr()
        return subprocess.CompletedProcess(arguments, ending.value.code or 0, written.out, written.err)

    return run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table of three columns, and a model of it."""
    place = tmp_path_factory.mktemp("cli")
    frame = known_scm("triangle").sample(4000, np.random.default_rng(0)).set_axis(["age", "dose", "pain"], axis=1)
    frame.to_csv(place / "data.csv", index=False)
    frame.head(5).to_csv(place / "rows.csv", index=False)
    fitted = in_a_second_process(
        "fit", place / "data.csv", "--out", place / "m.fip", "--order", "age,dose,pain", "--json"
    )
    assert fitted.returncode == 0, fitted.stderr
    (place / "fit.json").write_text(fitted.stdout)
    return place


def table_of(result):
    assert result.returncode == 0, result.stderr
    return pd.read_csv(io.StringIO(result.stdout))


def test_fit_tells_order_and_edges(folder):
    facts = json.loads((folder / "fit.json").read_text())
    assert facts["order"] == ["age", "dose", "pain"]
    assert {(edge["cause"], edge["effect"]) for edge in facts["edges"]} == {
        ("age", "dose"),
        ("age", "pain"),
        ("dose", "pain"),
    }


def test_sample_writes_csv_parquet_and_pipes(fipscm, folder):
    piped = table_of(fipscm("sample", folder / "m.fip", "--rows", 7))
    assert fipscm("sample", folder / "m.fip", "--rows", 7, "--out", folder / "s.parquet").returncode == 0
    pd.testing.assert_frame_equal(pd.read_parquet(folder / "s.parquet"), piped)
    assert not table_of(fipscm("sample", folder / "m.fip", "--rows", 7, "--seed", 1)).equals(piped)


def test_do_sets_and_shifts(fipscm, folder):
    changed = table_of(fipscm("do", folder / "m.fip", "--do", "age=2", "--do", "dose+=5", "--rows", 500))
    assert (changed["age"] == 2).all()
    assert changed["dose"].mean() == pytest.approx(25, abs=0.5)


def test_counterfactual_reads_rows_from_a_pipe(folder):
    rows = (folder / "rows.csv").read_text()
    imagined = table_of(in_a_second_process("counterfactual", folder / "m.fip", "-", "--do", "age=0", stdin=rows))
    factual = pd.read_csv(io.StringIO(rows))
    np.testing.assert_allclose(imagined["pain"], factual["pain"] - 6 * factual["age"], atol=0.6)


def test_effect_in_words_and_in_json(fipscm, folder):
    ask = ("effect", folder / "m.fip", "--of", "age", "--on", "pain")
    assert "changes pain by" in fipscm(*ask).stdout
    facts = json.loads(fipscm(*ask, "--json").stdout)
    assert facts["low"] < 6 < facts["high"]


def test_a_warning_is_one_sentence(fipscm, folder):
    asked = fipscm("effect", folder / "m.fip", "--of", "age", "--on", "pain", "--treated", "1000")
    assert asked.returncode == 0
    assert asked.stderr == "fipscm: The model has seen no 'age' near 1000: its answer extrapolates.\n"


def test_check_ends_with_0_on_its_own_data_and_1_on_foreign_data(fipscm, folder):
    own = fipscm("check", folder / "m.fip", folder / "data.csv", "--json")
    assert own.returncode == 0, own.stdout
    assert json.loads(own.stdout)["passed"]
    foreign = pd.DataFrame(np.random.default_rng(0).normal(size=(500, 3)), columns=["age", "dose", "pain"])
    foreign.to_csv(folder / "foreign.csv", index=False)
    other = fipscm("check", folder / "m.fip", folder / "foreign.csv")
    assert other.returncode == 1
    assert "doubtful" in other.stdout


def test_knowledge_and_a_known_graph_on_the_command_line(fipscm, folder):
    result = fipscm(
        "fit",
        folder / "data.csv",
        "--out",
        folder / "k.fip",
        "--order",
        "age,dose,pain",
        "--forbid",
        "age->pain",
        "--json",
    )
    assert ["age", "pain"] not in [[e["cause"], e["effect"]] for e in json.loads(result.stdout)["edges"]]
    (folder / "graph.csv").write_text(",age,dose,pain\nage,0,1,0\ndose,0,0,1\npain,0,0,0\n")
    known = fipscm("fit", folder / "data.csv", "--out", folder / "g.fip", "--graph", folder / "graph.csv", "--json")
    assert len(json.loads(known.stdout)["edges"]) == 2


def test_a_process_is_silent_when_nobody_watches_and_its_mistakes_are_one_line(folder):
    assert in_a_second_process("sample", folder / "m.fip", "--rows", 3).stderr == ""
    expect_mistake(in_a_second_process("sample", folder / "nowhere.fip"), "no model file")


def test_order_names_the_columns_and_tells_how_sure_it_is(fipscm, folder):
    names = fipscm("order", folder / "data.csv").stdout.split()
    assert sorted(names) == ["age", "dose", "pain"]
    told = fipscm("order", folder / "data.csv", "--json", "--plot", folder / "order.png")
    facts = json.loads(told.stdout)
    assert facts["order"] == names
    assert facts["confidence"][names[0]][names[1]] + facts["confidence"][names[1]][names[0]] == pytest.approx(1)
    assert 0 <= facts["edges"][names[0]][names[1]] <= 1
    assert facts["edges"][names[-1]][names[0]] == 0
    assert (folder / "order.png").read_bytes().startswith(b"\x89PNG")


def test_a_classical_order_is_told_in_words_and_in_json(fipscm, folder):
    ask = ("order", folder / "data.csv", "--method", "r2")
    assert json.loads(fipscm(*ask, "--json").stdout) == {"order": fipscm(*ask).stdout.split()}


def test_demo_is_the_main_job(tmp_path):
    result = in_a_second_process("demo", "--out", tmp_path / "demo")
    assert result.returncode == 0, result.stderr
    for promised in ("Causal order found", "What if", "would be, truth", "on average"):
        assert promised in result.stdout
    assert {path.name for path in (tmp_path / "demo").iterdir()} == {"rows.csv", "model.fip", "graph.png"}


def test_simulate_writes_a_table_and_the_seed_decides_it(fipscm, tmp_path):
    out = tmp_path / "data.parquet"
    assert fipscm("simulate", "triangle", "--rows", 7, "--out", out).returncode == 0
    piped = fipscm("simulate", "triangle", "--rows", 7)
    pd.testing.assert_frame_equal(pd.read_parquet(out), table_of(piped))
    assert fipscm("simulate", "triangle", "--rows", 7, "--seed", 1).stdout != piped.stdout


def test_every_command_has_help_with_an_example(fipscm):
    listed = fipscm("--help").stdout
    for command in (
        "demo",
        "order",
        "fit",
        "sample",
        "do",
        "counterfactual",
        "effect",
        "check",
        "simulate",
        "pretrain",
        "bench",
    ):
        assert command in listed
        assert f"Example: fipscm {command}" in " ".join(fipscm(command, "--help").stdout.replace("│", " ").split())


def test_an_interrupt_leaves_no_half_written_file(folder, tmp_path):
    out = tmp_path / "big.csv"
    # A background job may be deaf to interrupts, and what it starts inherits that: listen again.
    program = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); " + PROGRAM[-1]
    arguments = ["sample", str(folder / "m.fip"), "--rows", "3000000", "--out", str(out)]
    running = subprocess.Popen([*PROGRAM[:-1], program, *arguments])
    for _ in range(600):
        time.sleep(0.1)
        if any(tmp_path.iterdir()):
            break
    running.send_signal(signal.SIGINT)
    assert running.wait(60) != 0
    assert not list(tmp_path.iterdir())


BAD_TABLES = {
    "empty.csv": ("", "is empty"),
    "header.csv": ("age,dose,pain\n", "no rows"),
    "ragged.csv": ("age,dose\n1,2\n1,2,3\n", "cannot be read as a table"),
    "text.csv": ("age,dose\n" + "1,high\n" * 30, "'dose' is not numeric"),
    "gaps.csv": ("age,dose\n" + "1,2\n" * 20 + "3,\n" * 12, "'dose' holds 12 missing values (NaN, first at row 20)"),
    "constant.csv": ("age,dose\n" + "".join(f"{i},5\n" for i in range(30)), "'dose' is constant"),
    "twins.csv": ("age,dose\n" + "".join(f"{i},{i}\n" for i in range(30)), "identical"),
    "one.csv": ("age\n" + "".join(f"{i}\n" for i in range(30)), "1 column, but at least 2"),
    "wide.csv": (
        pd.DataFrame(np.random.default_rng(0).normal(size=(25, 30))).to_csv(index=False),
        "30 columns but only 25 rows",
    ),
}


@pytest.mark.parametrize("name", BAD_TABLES)
def test_a_bad_table_ends_in_one_sentence_and_exit_code_2(fipscm, tmp_path, name):
    text, message = BAD_TABLES[name]
    (tmp_path / name).write_text(text)
    expect_mistake(fipscm("fit", tmp_path / name, "--out", tmp_path / "m.fip"), message)
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["simulate", "triangel"], "did you mean 'triangle'"),
        (["simulate", "lin-in", "--preset", "relased"], "did you mean 'released'"),
        (["simulate", "lin-in", "--nodes", "0"], "0 variables"),
        (["simulate", "triangle", "--rows", "0"], "Cannot draw 0 rows"),
        (["simulate", "triangle", "--out", "/no/such/folder/t.csv"], "Cannot write"),
        (["fit", "nowhere.csv"], "no file 'nowhere.csv'"),
        (["fit", "{data}", "--order", "age,dose"], "leaves out 'pain'"),
        (["fit", "{data}", "--order", "age,dose,pain", "--require", "pain->age"], "'pain' before 'age'"),
        (["fit", "{data}", "--forbid", "age"], "write CAUSE->EFFECT"),
        (["do", "{model}", "--do", "weight=1"], "Unknown intervention target 'weight'"),
        (["do", "{model}", "--do", "age=old"], "'old' in 'age=old' is not a number"),
        (["do", "{model}", "--do", "age"], "write NAME=VALUE"),
        (["sample", "{model}", "--out", "/no/such/folder/t.csv"], "Cannot write"),
        (["sample", "nowhere.fip"], "no model file 'nowhere.fip'"),
        (["counterfactual", "{model}", "nowhere.csv", "--do", "age=1"], "no file 'nowhere.csv'"),
        (["effect", "{model}", "--of", "age", "--on", "weight"], "Unknown column 'weight'"),
    ],
)
def test_a_mistake_ends_in_one_sentence_and_exit_code_2(fipscm, folder, arguments, message):
    places = {"data": folder / "data.csv", "model": folder / "m.fip"}
    expect_mistake(fipscm(*(argument.format(**places) for argument in arguments)), message)


def test_a_damaged_model_is_refused(fipscm, folder, tmp_path):
    whole = (folder / "m.fip").read_bytes()
    for name, content, message in (
        ("cut.fip", whole[:-100], "only part of one"),
        ("altered.fip", whole[:-1] + bytes([whole[-1] ^ 1]), "was altered"),
        ("future.fip", whole.replace(b'"format":"1"', b'"format":"7"'), "has format 7"),
    ):
        (tmp_path / name).write_bytes(content)
        expect_mistake(fipscm("sample", tmp_path / name), message)


def expect_mistake(result, message):
    assert result.returncode == 2, result.stdout + result.stderr
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert not result.stdout
