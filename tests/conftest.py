"""Shared test material: every SCM the package can make, where the published data lie, and a real browser."""

import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fipscm.simulate import KNOWN_SCMS, PRIORS, known_scm, sample_scm

PUBLISHED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"

EVERY_SCM = {name: known_scm(name) for name in KNOWN_SCMS} | {
    f"{name}-{preset}": sample_scm(name, 6, np.random.default_rng(3), preset)
    for preset, priors in PRIORS.items()
    for name in priors
}

PATIENCE = 120_000  # milliseconds: a busy machine is no mistake of a page


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture(params=EVERY_SCM.values(), ids=EVERY_SCM.keys())
def scm(request):
    return request.param


@pytest.fixture
def published_data():
    if not PUBLISHED_DATA.is_dir():
        pytest.skip(f"no published data at {PUBLISHED_DATA}: put the sachs/ and syntren/ folders there to run this")
    return PUBLISHED_DATA


@pytest.fixture(scope="session")
def clinic():
    """All kinds of columns, a few missing cells: age -> ward (of three) -> pain (low to high) -> visits and cured."""
    rng, rows = np.random.default_rng(0), 400
    age = rng.normal(50, 10, rows)
    scores = np.column_stack([np.zeros(rows), (age - 50) / 5, (50 - age) / 5]) + rng.gumbel(size=(rows, 3))
    ward = np.array(["<i>A</i>", "B & co", "C"])[scores.argmax(axis=1)]
    hurts = 2.5 * (ward == "C") - 1.5 * (ward == "B & co") + rng.logistic(size=rows)
    pain = pd.Categorical.from_codes(np.digitize(hurts, [-0.5, 1.5]), ["low", "middle", "high"], ordered=True)
    visits = rng.poisson(np.exp(0.5 + 0.6 * pain.codes))
    cured = np.where(rng.logistic(size=rows) < 2 - 2 * pain.codes, "yes", "no")
    table = pd.DataFrame({"age": age, "ward": ward, "pain": pain, "visits": visits, "cured": cured})
    table.loc[[3, 50, 90], "age"] = np.nan
    table.loc[[4, 60], "ward"] = None
    return table


@pytest.fixture(scope="session")
def browser():
    """Debian's Chromium without a window, driven by Playwright."""
    playwright = pytest.importorskip("playwright.sync_api", reason="no Playwright: pip install playwright")
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("no Chromium on this machine: apt install chromium, or make browser")
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def new_page(browser):
    """Make a page that remembers its console errors (`page.complaints`) and what it asked for (`page.requests`)."""
    contexts = []

    def make(width=1200, height=900, **settings):
        contexts.append(browser.new_context(viewport={"width": width, "height": height}, **settings))
        page = contexts[-1].new_page()
        page.set_default_timeout(PATIENCE)
        page.complaints, page.requests = [], []
        page.on("console", lambda message: message.type == "error" and page.complaints.append(message.text))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.on("request", lambda request: page.requests.append(request.url))
        return page

    yield make
    for context in contexts:
        context.close()
