"""Every command, asked as a user would ask it."""

import io
import json

import numpy as np
import pandas as pd
import pytest

from fipscm.estimator import FiP


def table_of(result):
    assert result.returncode == 0, result.stderr
    return pd.read_csv(io.StringIO(result.stdout))


def test_fit_tells_order_edges_and_confidence(fipscm, folder):
    fitted = fipscm("fit", folder / "data.csv", "--out", folder / "f.fip", "--order", "age,dose,pain", "--json")
    facts = json.loads(fitted.stdout)
    assert facts["order"] == ["age", "dose", "pain"]
    assert facts["confidence"]["age"]["pain"] == 1
    assert {(edge["cause"], edge["effect"]) for edge in facts["edges"]} == {
        ("age", "dose"),
        ("age", "pain"),
        ("dose", "pain"),
    }
    assert facts["mechanisms"]["dose"]["causes"] == ["age"]
    assert facts["mechanisms"]["age"]["shape"] == "constant"


def test_an_intervention_beyond_the_rows_is_said_in_one_sentence(fipscm, folder):
    far = fipscm("do", folder / "m.fip", "--do", "age=100000", "--rows", 5)
    assert len(table_of(far)) == 5
    assert far.stderr.startswith("fipscm: The model has seen no 'age' near 100000: its rows go from ")


def test_sample_writes_csv_parquet_and_pipes(fipscm, folder):
    piped = table_of(fipscm("sample", folder / "m.fip", "--rows", 7))
    assert fipscm("sample", folder / "m.fip", "--rows", 7, "--out", folder / "s.parquet").returncode == 0
    pd.testing.assert_frame_equal(pd.read_parquet(folder / "s.parquet"), piped)
    assert not table_of(fipscm("sample", folder / "m.fip", "--rows", 7, "--seed", 1)).equals(piped)


def test_do_sets_and_shifts(fipscm, folder):
    changed = table_of(fipscm("do", folder / "m.fip", "--do", "age=2", "--do", "dose+=5", "--rows", 500))
    assert (changed["age"] == 2).all()
    assert changed["dose"].mean() == pytest.approx(25, abs=0.5)


def test_counterfactual_reads_rows_from_a_pipe(fipscm, folder):
    rows = (folder / "rows.csv").read_bytes()
    imagined = table_of(fipscm("counterfactual", folder / "m.fip", "-", "--do", "age=0", stdin=rows))
    factual = pd.read_csv(io.BytesIO(rows))
    np.testing.assert_allclose(imagined["pain"], factual["pain"] - 6 * factual["age"], atol=0.6)


def test_impute_fills_in_what_is_missing_and_nothing_else(fipscm, folder):
    rows = pd.read_csv(folder / "rows.csv").assign(patient=list("abcde"))
    holed = rows.assign(pain=rows["pain"].where(rows.index > 1))
    filled = table_of(fipscm("impute", folder / "m.fip", "-", stdin=holed.to_csv(index=False).encode()))
    pd.testing.assert_frame_equal(filled.where(holed.notna()), holed)
    np.testing.assert_allclose(filled["pain"], rows["pain"], atol=5)  # its noise has standard deviation one


def test_effect_in_words_and_in_json(fipscm, folder):
    ask = ("effect", folder / "m.fip", "--of", "age", "--on", "pain")
    assert "changes pain by" in fipscm(*ask).stdout
    facts = json.loads(fipscm(*ask, "--json").stdout)
    assert facts["low"] < 6 * (facts["treated"] - facts["control"]) < facts["high"]


def test_an_effect_without_values_is_told_within_the_rows(fipscm, tmp_path):
    rng = np.random.default_rng(0)
    age = rng.normal(60, 10, 300)
    frame = pd.DataFrame({"age": age, "pain": 0.1 * age + rng.normal(size=300)})
    FiP(order=["age", "pain"], random_state=0).fit(frame).save(tmp_path / "m.fip")
    asked = fipscm("effect", tmp_path / "m.fip", "--of", "age", "--on", "pain", "--json")
    facts = json.loads(asked.stdout)
    assert asked.stderr == ""  # nobody was asked about the age of 0
    np.testing.assert_allclose([facts["control"], facts["treated"]], np.quantile(age, [0.25, 0.75]), atol=1.5)
    assert facts["low"] < 0.1 * (facts["treated"] - facts["control"]) < facts["high"]


def test_a_warning_is_one_sentence(fipscm, folder):
    asked = fipscm("effect", folder / "m.fip", "--of", "age", "--on", "pain", "--treated", "1000")
    assert asked.returncode == 0
    assert asked.stderr.startswith("fipscm: The model has seen no 'age' near 1000: its rows go from ")
    assert asked.stderr.count("\n") == 1


def test_check_ends_with_0_on_its_own_data_and_1_on_foreign_data(fipscm, folder):
    own = fipscm("check", folder / "m.fip", folder / "data.csv", "--json")
    assert own.returncode == 0, own.stdout
    assert json.loads(own.stdout)["passed"]
    foreign = pd.DataFrame(np.random.default_rng(0).normal(size=(500, 3)), columns=["age", "dose", "pain"])
    foreign.to_csv(folder / "foreign.csv", index=False)
    other = fipscm("check", folder / "m.fip", folder / "foreign.csv")
    assert other.returncode == 1
    assert other.stdout.startswith("The model's assumptions look doubtful:\n- ")  # the figures are in the JSON


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


def test_a_table_a_model_and_rows_come_through_a_pipe(fipscm, folder):
    ask = ("order", "--no-assess")
    named = fipscm(*ask, folder / "data.csv").stdout
    for name in ("data.csv", "data.parquet"):
        assert fipscm(*ask, "-", stdin=(folder / name).read_bytes()).stdout == named
    piped = table_of(fipscm("sample", "-", "--rows", 7, stdin=(folder / "m.fip").read_bytes()))
    assert piped.equals(table_of(fipscm("sample", folder / "m.fip", "--rows", 7)))


def test_a_damaged_model_in_a_pipe_is_called_standard_input(mistake, folder):
    whole = (folder / "m.fip").read_bytes()
    said = mistake("sample", "-", stdin=whole[:-1] + bytes([whole[-1] ^ 1]))
    assert said.startswith("fipscm: Standard input was altered")


def test_order_obeys_knowledge(fipscm, folder):
    facts = json.loads(
        fipscm("order", folder / "data.csv", "--tiers", "pain;age,dose", "--forbid", "age->dose", "--json").stdout
    )
    assert facts["order"][0] == "pain"
    assert facts["confidence"]["pain"] == {"age": 1, "dose": 1, "pain": 0}
    assert facts["edges"]["age"] == {"age": 0, "dose": 0, "pain": 0}


def test_experiments_in_the_table_order_what_observations_cannot(fipscm, tmp_path):
    rng = np.random.default_rng(0)
    arm = np.repeat(["", "dose", "pain"], 100)
    dose = np.where(arm == "dose", 3.0, rng.normal(size=300))
    pain = np.where(arm == "pain", 3.0, dose + rng.normal(size=300))
    pd.DataFrame({"pain": pain, "dose": dose, "arm": arm}).to_csv(tmp_path / "trial.csv", index=False)
    assert fipscm("order", tmp_path / "trial.csv", "--intervened", "arm").stdout.split() == ["dose", "pain"]
    out = tmp_path / "trial.fip"
    assert fipscm("fit", tmp_path / "trial.csv", "--intervened", "arm", "--out", out).returncode == 0
    assert FiP.load(out).causal_order_ == ["dose", "pain"]
    asked = ("effect", tmp_path / "trial.csv", "--intervened", "arm", "--of", "dose", "--on", "pain", "--json")
    asked += "--treated", "1", "--control", "0"
    assert json.loads(fipscm(*asked).stdout)["estimate"] == pytest.approx(1, abs=0.3)


def test_settings_and_changed_columns_are_read_from_the_table(fipscm, tmp_path):
    rng = np.random.default_rng(0)
    site, arm = np.repeat(["A", "B", "A"], [150, 100, 100]), np.repeat(["", "", "~dose"], [150, 100, 100])
    age = rng.normal(size=350)
    dose = np.where((site == "B") | (arm != ""), 3 + 0.3 * age, age) + rng.normal(size=350)
    pain = dose + rng.normal(size=350)
    table = pd.DataFrame({"pain": pain, "dose": dose, "age": age, "site": site, "arm": arm})
    table.to_csv(tmp_path / "sites.csv", index=False)
    asked = "order", tmp_path / "sites.csv", "--setting", "site", "--intervened", "arm"
    assert fipscm(*asked).stdout.split() == ["age", "dose", "pain"]


def test_effect_takes_the_knowledge_that_fit_takes(fipscm, folder):
    told = fipscm("effect", folder / "data.csv", "--of", "pain", "--on", "age", "--order", "age,dose,pain", "--json")
    assert json.loads(told.stdout)["estimate"] == pytest.approx(0, abs=1e-9)


def test_doubts_about_an_edge_are_told_in_words_and_those_about_strangers_are_not(fipscm, tmp_path):
    # Two linear Gaussian columns: no method can tell which one is the cause.
    left, noise, stranger = np.random.default_rng(0).normal(size=(3, 300))
    pd.DataFrame({"left": left, "right": left + noise}).to_csv(tmp_path / "data.csv", index=False)
    pd.DataFrame({"left": left, "right": stranger}).to_csv(tmp_path / "strangers.csv", index=False)
    assert "irection" not in fipscm("fit", tmp_path / "strangers.csv", "--out", tmp_path / "m.fip").stdout
    asked = fipscm("order", tmp_path / "data.csv")
    assert sorted(asked.stdout.split()) == ["left", "right"]
    assert asked.stderr.startswith("fipscm: Direction open for 1 of 1 edge: ")
    assert "\nfipscm: Of directions told with " in asked.stderr  # what the figure means
    assert asked.stderr.count("\n") == 2
    assert fipscm("order", tmp_path / "data.csv", "--no-assess").stderr == ""
    fitted = fipscm("fit", tmp_path / "data.csv", "--out", tmp_path / "m.fip")
    assert "\nDirection open for 1 of 1 edge: " in fitted.stdout
    assert "--tiers" in fitted.stdout  # what helps
    (line,) = [line for line in fitted.stdout.splitlines() if "  score " in line]
    assert ", direction open (" in line
    assert "->" not in line
    assert "weight" not in line
    facts = json.loads(fipscm("fit", tmp_path / "data.csv", "--out", tmp_path / "m.fip", "--json").stdout)
    assert [(edge["directed"], edge["weight"]) for edge in facts["edges"]] == [(False, None)]
    later, earlier = facts["order"][::-1]
    told = fipscm("effect", tmp_path / "data.csv", "--of", later, "--on", earlier).stdout
    assert told.startswith(f"The order that was inferred puts {earlier} before {later} (")
    assert f"If {later} comes first instead: setting {later} to " in told
    known = fipscm("fit", tmp_path / "data.csv", "--out", tmp_path / "m.fip", "--order", "left,right", "--no-assess")
    assert "direction open" not in known.stdout
    assert "left -> right  weight " in known.stdout


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


def test_demo_is_the_main_job(fipscm, tmp_path):
    result = fipscm("demo", "--out", tmp_path / "demo")
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


BAD_TABLES = {
    "empty.csv": ("", "is empty"),
    "header.csv": ("age,dose,pain\n", "no rows"),
    "ragged.csv": ("age,dose\n1,2\n1,2,3\n", "has 3 cells in line 3, but 2 columns: mend that line"),
    "text.csv": (
        "age,dose\n" + "".join(f"{i**2},{'high' if i in (7, 9) else i}\n" for i in range(30)),
        "'dose' is not numeric (row 7, counted from 0, holds 'high', row 9 'high'; 2 of 30 cells",
    ),
    "gaps.csv": (
        "age,dose\n" + "1,2\n5,3\n" * 10 + "3,\n" * 40,
        "'dose' has no value in 67% of the rows",
    ),
    "constant.csv": ("age,dose\n" + "".join(f"{i},5\n" for i in range(30)), "'dose' is constant"),
    "twins.csv": ("age,dose\n" + "".join(f"{i**2},{i**2}\n" for i in range(30)), "identical"),
    "one.csv": ("age\n" + "".join(f"{i**2}\n" for i in range(30)), "1 column, but at least 2"),
    "wide.csv": (
        pd.DataFrame(np.random.default_rng(0).normal(size=(25, 30))).to_csv(index=False),
        "30 columns but only 25 rows",
    ),
}


@pytest.mark.parametrize("name", BAD_TABLES)
def test_a_bad_table_ends_in_one_sentence(mistake, tmp_path, name):
    text, message = BAD_TABLES[name]
    (tmp_path / name).write_text(text)
    assert message in mistake("fit", tmp_path / name, "--out", tmp_path / "m.fip")
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
        (["fit", "{data}", "--group", "dosis"], "Unknown column 'dosis': did you mean 'dose'"),
        (["fit", "{data}", "--lags", "2"], "Lags need a column that tells the time of the rows"),
        (["fit", "{data}", "--keep", "dosis"], "Unknown column 'dosis': did you mean 'dose'"),
        (["do", "{model}", "--do", "weight=1"], "Unknown intervention target 'weight'"),
        (["do", "{model}", "--do", "age=old"], "'old' in 'age=old' is not a number"),
        (["do", "{model}", "--do", "age"], "write NAME=VALUE"),
        (["sample", "{model}", "--out", "/no/such/folder/t.csv"], "Cannot write"),
        (["sample", "nowhere.fip"], "no model file 'nowhere.fip'"),
        (["counterfactual", "{model}", "nowhere.csv", "--do", "age=1"], "no file 'nowhere.csv'"),
        (["effect", "{model}", "--of", "age", "--on", "weight"], "Unknown column 'weight'"),
        (["effect", "{model}", "--of", "age", "--on", "pain", "--orders", "5"], "with --orders, give the table"),
        (["sample", "{model}", "--roots", "age"], "--roots cannot change a model that is fitted already"),
        (
            ["check", "{model}", "{data}", "--order", "age,dose,pain", "--scale", "raw"],
            "--scale, --order cannot change",
        ),
    ],
)
def test_a_mistake_ends_in_one_sentence(mistake, folder, arguments, message):
    places = {"data": folder / "data.csv", "model": folder / "m.fip"}
    assert message in mistake(*(argument.format(**places) for argument in arguments))


def test_a_damaged_model_is_refused(mistake, folder, tmp_path):
    whole = (folder / "m.fip").read_bytes()
    for name, content, message in (
        ("cut.fip", whole[:-100], "only part of one"),
        ("altered.fip", whole[:-1] + bytes([whole[-1] ^ 1]), "was altered"),
        ("future.fip", whole.replace(b'"format":"1"', b'"format":"7"'), "has format 7"),
    ):
        (tmp_path / name).write_bytes(content)
        assert message in mistake("sample", tmp_path / name)


def test_a_report_is_a_page_about_the_model_and_the_table(fipscm, folder):
    page = folder / "report.html"
    told = fipscm("report", folder / "m.fip", folder / "data.csv", "--out", page, "--target", "pain")
    assert told.returncode == 0
    assert str(page) in told.stdout
    assert "Where the variation of pain comes from" in page.read_text()


@pytest.mark.parametrize("suffix", ["png", "svg", "dot"])
def test_a_fit_draws_its_graph(fipscm, folder, suffix):
    picture = folder / f"graph.{suffix}"
    told = fipscm("fit", folder / "data.csv", "--order", "age,dose,pain", "--out", folder / "n.fip", "--plot", picture)
    assert told.returncode == 0
    assert picture.stat().st_size > 100


def test_sensitivity_in_words_in_json_and_as_a_picture(fipscm, folder, tmp_path):
    ask = ("sensitivity", folder / "m.fip", folder / "data.csv", "--of", "dose", "--on", "pain", "--strength", "0.2")
    assert "A hidden common cause that explains" in fipscm(*ask, "--plot", tmp_path / "s.png").stdout
    assert (tmp_path / "s.png").stat().st_size > 1_000
    facts = json.loads(fipscm(*ask, "--json").stdout)
    assert [each["as strong as"] for each in facts["benchmarks"]] == ["age"]
    assert facts["bounds"]["low"] < facts["estimate"] < facts["bounds"]["high"]


def test_an_effect_of_a_saved_model_has_a_second_opinion_from_rows(fipscm, folder):
    ask = ("--of", "dose", "--on", "pain", "--json")
    alone = json.loads(fipscm("effect", folder / "m.fip", *ask).stdout)
    assert alone["methods"] == []
    assert "holds no rows" in alone["no_second_opinion"]
    both = json.loads(fipscm("effect", folder / "m.fip", folder / "data.csv", *ask).stdout)
    assert [each["method"] for each in both["methods"]] == ["g-computation", "partialling out"]
    assert both["adjusted_for"] == ["age"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--on", "pain", "--strength", "1"], "below 1, not 1"),
        (["--on", "dose"], "its own cause"),
        (["--on", "pain", "--plot", "s.dot"], "ends in .png, .pdf or .svg"),
        (["--on", "pain"], "needs the training table"),
    ],
)
def test_questions_about_sensitivity_without_an_answer(mistake, folder, arguments, says):
    assert says in mistake("sensitivity", folder / "m.fip", "--of", "dose", *arguments)
