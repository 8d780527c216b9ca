"""What tests of the page share: a session, opened in a real browser."""

from urllib.parse import urlsplit

import pytest


@pytest.fixture
def visit(new_page, running):
    """Open a session in the browser; at the end nothing may have complained, and nothing left this machine."""
    pages = []

    def open_page(session, width=1440, height=900, **settings):
        url = running(session)
        page = new_page(width, height, **settings)
        page.goto(url)
        page.wait_for_selector(".variable")
        pages.append((page, url))
        return page

    yield open_page
    for page, url in pages:
        assert page.complaints == []
        assert {urlsplit(request).netloc for request in page.requests if request.startswith("http")} == {
            urlsplit(url).netloc
        }
