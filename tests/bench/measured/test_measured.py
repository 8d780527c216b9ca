"""A reduced corpus comes to its end, a table that does not is an entry, and the page follows from the results."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fipscm import FiP
from fipscm.bench.measured.corpus import TrueEffect, corpus
from fipscm.bench.measured.judged_order import contradicting_edges, pairs_among, share_right
from fipscm.bench.measured.known_effects import least_squares_effect
from fipscm.bench.measured.measure import STAGES, usual_contrast
from fipscm.bench.measured.page import MEASURED_PAGE, latest, measured_page
from fipscm.bench.measured.run import (
    MEASURED_RESULTS,
    ended,
    missing_tables,
    read_lines,
    record,
    run_table,
    version,
    what_failed,
)
from fipscm.bench.measured.sanity import insane_intervals
from fipscm.bench.measured.summary import calibration, r2_lead, summarise_corpus
from fipscm.bench.measured.unseen_rows import unseen_scores
from fipscm.errors import DataError

REDUCED = ("ccard", "grunfeld", "macrodata", "fair", "diabetes", "randhie")  # in packages that the tests need anyway
ROWS = 80  # of each: enough to meet every kind of column
COMMITTED = Path(__file__).resolve().parents[3] / "docs" / "results"
LINE = {
    "table": "ccard",
    "half": "lexicon",
    "version": "a",
    "limit": 300.0,
    "rows": 72,
    "columns": 5,
    "stage": "",
    "fit": {"seconds": 2.0, "error": ""},
    "kept": 5,
    "pairs": 2,
    "right": 0.5,
    "right_r2": 1.0,
    "right_direct_lingam": None,
    "confidence": [[0.75, True], [0.95, False]],
    "edges": 5,
    "contradictions": ["INCOME -> AGE"],
    "report": {"seconds": 3.0, "error": ""},
    "intervals": 2,
    "insane": ["AGE on INCOME 1 (1 to 2): estimate not inside its interval"],
    "effect": {"seconds": 1.0, "error": ""},
    "held_out": {
        "r2": {
            "told": {"AVGEXP": 0.9, "AGE": 0.2},
            "ours": {"AVGEXP": 0.5, "AGE": 0.2},
            "least_squares": {"AVGEXP": 0.25, "AGE": 0.25},
            "boosting": {"AVGEXP": 0.4, "AGE": None},
        },
        "log_likelihood": {"ours": -3.0, "least_squares": -4.0, "boosting": None},
        "unseen": 15,
    },
    "effects": [],
}


@pytest.mark.parametrize("name", REDUCED)
def test_a_table_of_the_reduced_corpus_ends_in_a_model_and_an_effect(name):
    table = corpus()[name]
    frame = table.read().head(ROWS)
    model = FiP(random_state=0).fit(frame)
    pairs = pairs_among(table.pairs, model.scm_.names)
    cause, outcome = model.causal_order_[0], model.causal_order_[-1]
    effect = model.effect(cause, outcome, *usual_contrast(frame[cause]))
    assert np.isfinite([effect.low, effect.estimate, effect.high]).all()
    assert len(contradicting_edges(model.graph_, pairs)) <= model.graph_.number_of_edges()
    assert not pairs or 0 <= share_right(model.causal_order_, pairs) <= 1
    assert isinstance(insane_intervals(model, [effect]), list)


def test_a_table_that_is_stopped_is_an_entry():
    line = run_table(corpus()["macrodata"], None, limit=1.0)
    assert not ended(line)
    assert what_failed(line) == "fit: stopped after 1 s of the processor"
    assert line["rows"] == 203
    assert "| stopped after 1 s of the processor |" in measured_page([line], "fipscm bench measured")


def test_a_table_that_cannot_be_read_is_an_entry(tmp_path):
    line = run_table(corpus()["airfoil"], tmp_path, limit=60.0)
    assert what_failed(line).startswith("fit: NotInstalledError: 'airfoil' is the file")
    assert "NotInstalledError" in measured_page([line], "fipscm bench measured")


def test_a_line_replaces_that_of_the_same_version(tmp_path):
    path = tmp_path / MEASURED_RESULTS
    for made_by, right in (("a", 0.1), ("b", 0.2), ("a", 0.3)):
        record(path, {**LINE, "version": made_by, "right": right})
    assert [(line["version"], line["right"]) for line in read_lines(path)] == [("b", 0.2), ("a", 0.3)]
    path.write_text("{")
    with pytest.raises(DataError, match="not a file of results"):
        read_lines(path)


def test_a_stopped_run_goes_on_with_what_this_version_has_not_measured():
    tables = [corpus()[name] for name in ("ccard", "fair", "randhie", "grunfeld")]
    own = {**LINE, "version": version()}
    lines = [own, {**own, "table": "fair", "limit": 60.0}, {**LINE, "table": "randhie"}]
    assert [table.name for table in missing_tables(tables, LINE["limit"], lines)] == ["fair", "randhie", "grunfeld"]


def test_the_summary_counts_tables_pairs_and_columns():
    failed = {**LINE, "table": "fair", "report": {"seconds": 90.0, "error": "LinAlgError: singular"}, "held_out": {}}
    told = summarise_corpus([LINE, failed])
    assert (told["tables"], told["ended"], told["small"], told["small_in_time"]) == (2, 1, 2, 1)
    assert (told["right"], told["right_r2"], told["right_direct_lingam"]) == (0.5, 1.0, None)
    assert told["most_seconds"] == 93.0
    assert told["contradicting_edges"] == told["insane_intervals"] == 2
    assert told["calibration_error"] == pytest.approx((0.25 + 0.95) / 2)
    assert [(each.pairs, each.right) for each in calibration([LINE])] == [(1, 1.0), (1, 0.0)]


def test_methods_are_compared_on_the_columns_that_both_have():
    assert r2_lead(LINE, "least_squares") == pytest.approx(0.1)
    assert r2_lead(LINE, "boosting") == pytest.approx(0.1)


def test_the_page_has_every_table_and_every_reason():
    page = measured_page([LINE], "fipscm bench measured")
    assert "| ccard | 72 x 5 | 5 | yes | yes | yes | 2 + 3 + 1 | yes |" in page
    assert "- ccard: AGE on INCOME 1 (1 to 2): estimate not inside its interval" in page
    assert all(stage in page for stage in STAGES)


def test_the_committed_page_follows_from_the_committed_results():
    if not (COMMITTED / MEASURED_PAGE).exists():
        pytest.skip("no page is committed yet")
    lines = latest(read_lines(COMMITTED / MEASURED_RESULTS))
    assert (COMMITTED / MEASURED_PAGE).read_text() == measured_page(lines, "fipscm bench measured")


def test_plain_regressions_are_judged_on_the_same_unseen_rows():
    rng = np.random.default_rng(0)
    cause = rng.normal(size=400)
    frame = pd.DataFrame({"cause": cause, "effect": 2 * cause + rng.normal(size=400)})
    frame["high"] = np.where(frame["effect"] + rng.normal(size=400) > 0, "yes", "no")
    graph = pd.DataFrame([[0, 1, 0], [0, 0, 1], [0, 0, 0]], frame.columns, frame.columns)
    scores = unseen_scores(FiP(graph=graph, random_state=0).fit(frame), frame)
    assert scores["unseen"] == 80
    for method in ("ours", "least_squares", "boosting"):
        assert scores["r2"][method]["effect"] == pytest.approx(0.8, abs=0.12)
        assert scores["log_likelihood"][method] == pytest.approx(-3.2, abs=0.6)


def test_least_squares_adjusts_for_what_comes_before():
    rng = np.random.default_rng(0)
    old = rng.normal(size=2000)
    treated = (old + rng.normal(size=2000) > 0).astype(float)
    frame = pd.DataFrame({"old": old, "treated": treated, "pay": treated + 3 * old + rng.normal(size=2000)})
    truth = TrueEffect("treated", "pay", 1, 0, 1.0, 0.9, 1.1, "made so")
    assert least_squares_effect(frame, truth, []) > 3
    assert least_squares_effect(frame, truth, ["old"]) == pytest.approx(1.0, abs=0.15)
