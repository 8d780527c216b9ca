"""What tests of the report share: a table with names that are hard to show, a model of it, and their page."""

import numpy as np
import pandas as pd
import pytest

from fipscm import FiP

SCRIPT, BOLD, FORMULA = "<script>alert(1)</script>", "<b>bold</b> & \"quoted\" 'name'", "$x_1$ %{y}"


@pytest.fixture(scope="session")
def table():
    """BOLD causes SCRIPT, both cause FORMULA, and one column is alone; non-Gaussian, so that the order can be found."""
    rng = np.random.default_rng(0)
    bold, own, rest, alone = rng.laplace(size=(4, 400))
    script = 1.5 * bold + own
    return pd.DataFrame({FORMULA: script - bold + 0.5 * rest, "alone": alone, SCRIPT: script, BOLD: bold})


@pytest.fixture(scope="session")
def model(table):
    return FiP(random_state=0).fit(table)


@pytest.fixture(scope="session")
def report(model, table):
    return model.report(table, target=FORMULA)


@pytest.fixture(scope="session")
def address(report, tmp_path_factory):
    """Where the page can be opened."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    report.save(path)
    return path.as_uri()
