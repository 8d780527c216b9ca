"""The Python lines give the numbers on the screen."""

import contextlib
import io

import numpy as np
import pandas as pd
import pytest

from fipscm.estimator import FiP
from fipscm.explore.edits import Edits
from fipscm.explore.script import python_lines
from fipscm.explore.session import Data, Session
from fipscm.knowledge import Knowledge
from fipscm.scm.intervention import Shift


def ran(lines):
    names = {}
    with contextlib.redirect_stdout(io.StringIO()) as said:
        exec(lines, names)
    return names, said.getvalue()


@pytest.mark.parametrize("refitted", [False, True])
def test_the_lines_do_what_the_page_does(fresh, refitted):
    if refitted:
        fresh.edit(Edits(Knowledge(forbidden_edges=[("age", "dose")])))
        fresh.refit()
        fresh.wait(60)
    screen, do = fresh.screen, {"dose": 12.0, "age": Shift(-5.0)}
    saved = None if refitted else fresh.data.saved_model
    names, said = ran(python_lines(fresh.data.title, saved, screen.given(), do, 3, ("sleep", 9.0)))
    np.testing.assert_array_equal(names["after"].to_numpy(), screen.units.under(do))
    np.testing.assert_array_equal(names["before"].to_numpy(), screen.units.before)
    assert "of 'sleep' goes from" in said


@pytest.mark.parametrize("kind", [np.asarray, pd.DataFrame])
def test_a_given_graph_is_written_as_edges_and_can_be_edited(folder, table, kind):
    graph = pd.DataFrame(0, table.columns, table.columns)
    graph.loc["age", "dose"] = graph.loc["dose", "sleep"] = 1
    fit = FiP(graph=kind(graph), random_state=0).fit
    session = Session(Data(table, str(folder / "data.csv")), lambda report: fit(table, on_progress=report)).start()
    session.wait(60)
    session.edit(Edits(Knowledge(forbidden_edges=[("age", "dose")])))
    session.refit()
    session.wait(60)
    assert list(session.screen.model.graph_.edges) == [("dose", "sleep")]
    names, _ = ran(python_lines(session.data.title, None, session.screen.given(), {}, None, None))
    np.testing.assert_allclose(names["before"].to_numpy(), session.screen.units.before)
