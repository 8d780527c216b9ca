"""The session: one fit at a time, in the background, and the model on the screen outlives a failure."""

import time
from threading import Event

import pytest

from fipscm.errors import DataError
from fipscm.estimator import FiP
from fipscm.explore.edits import Edits
from fipscm.explore.session import CHECKING, BusyError, Data, NotReadyError, Session
from fipscm.knowledge import Knowledge


def test_a_question_before_the_first_model_is_too_early(waiting):
    with pytest.raises(NotReadyError):
        _ = waiting.screen
    with pytest.raises(BusyError):
        waiting.refit()


def test_progress_is_told_and_a_fit_can_be_called_off(table):
    started, go_on = Event(), Event()

    def fit(report):
        def slowly(*facts):
            report(*facts)
            started.set()
            go_on.wait(60)

        return FiP(random_state=0).fit(table, on_progress=slowly)

    session = Session(Data(table, "data.csv"), fit).start()
    assert started.wait(60)
    assert session.job.progress.stage == "Inferring the order"
    session.cancel()
    go_on.set()
    session.wait(60)
    assert session.job is None
    assert not session.has_screen
    assert session.failure.startswith("The fit was cancelled.")


def test_why_a_fit_failed_is_told(table):
    def fit(_):
        raise DataError("Column 'age' is constant.")

    session = Session(Data(table, "data.csv"), fit).start()
    session.wait(60)
    with pytest.raises(NotReadyError, match="'age' is constant"):
        _ = session.screen


def test_a_refit_obeys_the_edits_and_says_what_changed(fresh):
    before = fresh.screen
    assert ("age", "dose") in before.model.graph_.edges
    fresh.edit(Edits(Knowledge(forbidden_edges=[("age", "dose")])))
    fresh.refit()
    fresh.wait(60)
    after = fresh.screen
    assert after.version == before.version + 1
    assert ("age", "dose") not in after.model.graph_.edges
    assert ("age", "dose") in after.changes.gone
    assert before.version == 1  # what was on the screen is untouched


def test_boxes_stay_where_they_are(fresh):
    before = fresh.screen.layout
    fresh.refit()
    fresh.wait(60)
    assert fresh.screen.layout == before


def test_an_edge_that_was_turned_is_turned(fresh):
    fresh.edit(Edits(Knowledge(required_edges=[("dose", "age")], forbidden_edges=[("age", "dose")])))
    fresh.refit()
    fresh.wait(60)
    assert ("dose", "age") in fresh.screen.changes.turned


def test_the_verdict_comes_by_itself(session):
    for _ in range(600):
        if session.verdict is not CHECKING:
            break
        Event().wait(0.1)
    assert session.verdict.text
    assert session.verdict.passed is not None


def test_suggestions_are_offered_until_they_are_applied(table):
    rows = table[["age", "dose", "sleep"]].rename(columns={"sleep": "wage", "dose": "schooling"}).head(100)
    session = Session(Data(rows, "data.csv"), lambda report: FiP(random_state=0).fit(rows, on_progress=report)).start()
    session.wait(60)
    assert [each.kind for each in session.suggestions] == ["roots", "tiers"]
    assert session.edits == Edits()  # never unasked
    session.edit(Edits(Knowledge(forbidden_edges=[("age", "wage")])))
    session.apply_suggestions()
    session.wait(60)
    assert session.screen.model.causal_order_ == ["age", "schooling", "wage"]
    assert session.edits.knowledge.forbidden_edges == (("age", "wage"),)
    assert session.suggestions == ()


def test_nothing_is_suggested_where_the_order_was_given(fresh):
    assert fresh.screen.model.order is not None
    assert fresh.suggestions == ()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_check_that_fails_comes_to_an_end(table, folder, monkeypatch):
    def fails(*_):
        raise TypeError("a boolean is no number")

    monkeypatch.setattr(FiP, "check", fails)
    session = Session(Data(table, "data.csv", str(folder / "m.fip")), lambda _: FiP.load(folder / "m.fip")).start()
    for _ in range(600):
        if session.verdict is not CHECKING:
            break
        time.sleep(0.1)
    assert session.verdict.passed is None
    assert "could not be checked, by a fault of fipscm (TypeError: a boolean is no number)" in session.verdict.text
