"""The Python lines give the numbers on the screen."""

import contextlib
import io

import numpy as np
import pytest

from fipscm.explore.edits import Edits
from fipscm.explore.script import python_lines
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
