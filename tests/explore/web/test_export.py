"""What is shown can be taken home: pictures, graphs, answers, Python."""

from pathlib import Path


def test_everything_can_be_taken_home(visit, session):
    page = visit(session)
    page.get_by_role("tab", name="Export").click()

    def saved(button):
        with page.expect_download() as download:
            page.get_by_role("button", name=button, exact=True).click()
        return Path(download.value.path()).read_bytes()

    assert saved("PNG").startswith(b"\x89PNG")
    picture = saved("SVG").decode()
    assert "&lt;b&gt;pain" in picture
    assert "var(" not in picture
    assert saved("DAGitty").startswith(b"dag {")
    assert saved("DOT").startswith(b"digraph {")
    assert saved("GML").startswith(b"graph [")
    assert saved("CSV of answers").startswith(b"column,mean_before")
    assert saved("CSV of 1,000 units").count(b"\n") == 1001
    page.get_by_role("button", name="Python", exact=True).click()
    page.get_by_text("model = load(").wait_for()
