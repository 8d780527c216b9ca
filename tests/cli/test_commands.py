"""What commands read and refuse before they learn anything: nothing is fitted here."""

import numpy as np
import pandas as pd
import pytest

from fipscm.cli.main import main
from fipscm.estimator import FiP
from fipscm.scm.intervention import Shift
from fipscm.simulate import known_scm


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where a table lies and the commands run."""
    frame = known_scm("triangle").sample(50, np.random.default_rng(0)).set_axis(["age", "dose", "pain"], axis=1)
    frame.to_csv(tmp_path / "data.csv", index=False)
    frame.assign(pain=np.nan).to_csv(tmp_path / "gaps.csv", index=False)
    frame.drop(columns="pain").to_csv(tmp_path / "narrow.csv", index=False)
    (tmp_path / "file").touch()
    (tmp_path / "fake.fip").write_text("not a model")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(autouse=True)
def nothing_is_fitted(monkeypatch):
    def fit(*_, **__):
        pytest.fail("fitted before the mistake was found")

    monkeypatch.setattr(FiP, "fit", fit)


EFFECT = ["effect", "data.csv", "--of", "dose", "--on", "pain"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fit", "data.csv", "--out", "no/such/folder/m.fip"], "Cannot write 'no/such/folder/m.fip'"),
        (["fit", "data.csv", "--out", "m.model"], "must end in .fip"),
        (["fit", "data.csv", "--out", "-"], "must end in .fip"),
        (["fit", "data.csv", "--plot", "graph.doc"], "ends in .png, .pdf, .svg or .dot"),
        (["sample", "data.csv", "--out", "no/such/folder/t.csv"], "Cannot write"),
        (["sample", "data.csv", "--out", "t.csv.gz"], "must end in .csv, .xlsx or .parquet"),
        (["sample", "data.csv", "--out", "t.xls"], "must end in .csv, .xlsx or .parquet"),
        (["sample", "data.csv", "--out", "t"], "must end in .csv, .xlsx or .parquet"),
        (["do", "data.csv", "--do", "age=1", "--out", "no/such/folder/t.csv"], "Cannot write"),
        (["do", "data.csv", "--do", "weight=1"], "Unknown intervention target 'weight'"),
        (["do", "data.csv", "--do", "age=inf"], "NaN or infinity"),
        (["do", "data.csv", "--do", "age=1", "--do", "age+=2"], "'age+=2' is the second intervention on 'age'"),
        (["counterfactual", "data.csv", "nowhere.csv", "--do", "age=1"], "no file 'nowhere.csv'"),
        (["counterfactual", "data.csv", "narrow.csv", "--do", "age=1"], "but the model needs age, dose, pain"),
        (["impute", "data.csv", "nowhere.csv"], "no file 'nowhere.csv'"),
        (["impute", "data.csv", "narrow.csv"], "but the model needs age, dose, pain"),
        (["impute", "data.csv", "data.csv", "--out", "no/such/folder/t.csv"], "Cannot write"),
        (["impute", "fake.fip", "data.csv"], "'fake.fip'"),
        (["impute", "-", "-"], "read only once"),
        (["check", "data.csv", "nowhere.csv"], "no file 'nowhere.csv'"),
        (["check", "data.csv", "gaps.csv", "--missing", "refuse"], "'pain' holds 50 missing values"),
        (["report", "data.csv", "nowhere.csv"], "no file 'nowhere.csv'"),
        (["report", "data.csv", "narrow.csv"], "the model needs age, dose, pain: add pain"),
        (["report", "data.csv", "data.csv", "--target", "pian"], "did you mean 'pain'"),
        (["report", "data.csv", "data.csv", "--out", "no/such/folder/r.html"], "Cannot write"),
        (["report", "fake.fip", "data.csv"], "'fake.fip'"),
        (["effect", "data.csv", "--of", "doze", "--on", "pain"], "did you mean 'dose'"),
        (["effect", "data.csv", "--of", "dose", "--on", "pian"], "did you mean 'pain'"),
        ([*EFFECT, "--treated", "nan"], "NaN or infinity"),
        ([*EFFECT, "--tiers", "age;doze,pain"], "did you mean 'dose'"),
        ([*EFFECT, "--graph", "nowhere.csv"], "no file 'nowhere.csv'"),
        ([*EFFECT, "--order", "age,dose,pain", "--orders", "2"], "leave out --orders"),
        (["order", "data.csv", "--tiers", "age;dose,pain", "--require", "pain->age"], "contradicts itself"),
        ([*EFFECT, "--randomised", "doze"], "did you mean 'dose'?"),
        (["order", "data.csv", "--roots", "age", "--method", "r2"], "cannot take knowledge into account"),
        (["fit", "data.csv", "--intervened", "arm"], "Unknown column 'arm'"),
        (["order", "data.csv", "--intervened", "pain"], "Unknown column"),
        (["order", "data.csv", "--setting", "site"], "Unknown column 'site'"),
        (["order", "data.csv", "--setting", "pain"], "have one row alone"),
        (["counterfactual", "-", "-", "--do", "age=1"], "read only once"),
        (["fit", "-", "--graph", "-"], "read only once"),
        (["demo", "--out", "file/folder"], "Cannot write into the folder 'file/folder'"),
        (["pretrain", "--run", "file/folder"], "Cannot write into the folder 'file/folder'"),
        (["pretrain", "--run", "run", "--weights", "no/such/folder/w"], "Cannot write"),
        (["order", "data.csv", "--method", "variance"], "--scale raw"),
        (["order", "data.csv", "--method", "r2", "--plot", "graph.png"], "'r2' finds no graph to draw"),
        (["order", "data.csv", "--plot", "no/such/folder/g.png"], "Cannot write"),
        (["order", "data.csv", "--jobs", "0"], "on 0 processor cores"),
    ],
)
def test_a_mistake_is_found_before_the_fit(folder, mistake, arguments, message):
    said = mistake(*arguments)
    assert message in said
    assert len(said.splitlines()) == 1


@pytest.fixture
def intervention(monkeypatch, tmp_path):
    """What `fipscm do` understands, for a table of the given columns."""
    understood = []

    def intervene(_, do, *__):
        understood.append({do.names[column]: rule for column, rule in do.rules.items()})
        return pd.DataFrame({"any": [0.0]})

    monkeypatch.setattr(FiP, "fit", lambda model, _, **__: model)
    monkeypatch.setattr(FiP, "intervene", intervene)

    def ask(columns, *changes):
        values = np.random.default_rng(0).normal(size=(3, len(columns)))
        pd.DataFrame(values, columns=columns).to_csv(tmp_path / "data.csv", index=False)
        options = [part for change in changes for part in ("--do", change)]
        with pytest.raises(SystemExit) as ending:
            main(["do", str(tmp_path / "data.csv"), *options])
        assert not ending.value.code
        return understood[-1]

    return ask


@pytest.mark.parametrize(
    ("columns", "change", "meaning"),
    [
        (["dose", "pain"], "dose=2", {"dose": 2.0}),
        (["dose", "pain"], "dose+=2", {"dose": Shift(2.0)}),
        (["dose", "pain"], " dose = 2 ", {"dose": 2.0}),
        (["dose", "pain"], "dose += -2", {"dose": Shift(-2.0)}),
        (["CD4+", "pain"], "CD4+=2", {"CD4+": 2.0}),
        (["CD4+", "pain"], "CD4++=2", {"CD4+": Shift(2.0)}),
        (["CD4+", "CD4"], "CD4+=2", {"CD4+": 2.0}),
        (["CD4+", "CD4"], "CD4 +=2", {"CD4": Shift(2.0)}),
        (["a=b", "pain"], "a=b=2", {"a=b": 2.0}),
    ],
)
def test_an_intervention_is_read_against_the_names(intervention, columns, change, meaning):
    assert intervention(columns, change) == meaning
