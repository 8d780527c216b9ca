"""Shared test material: every SCM the package can make, where the published data lie, and a real browser."""

import shutil
from pathlib import Path

import numpy as np
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
