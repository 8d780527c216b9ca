"""Safe by default: each promise of the guard."""

import contextlib
import socket
from pathlib import Path
from threading import Event

import httpx
import pytest
from starlette.testclient import TestClient

from fipscm.explore.web.guard import MOST_BYTES, Access
from fipscm.explore.web.routes import make_app
from fipscm.explore.web.server import access_at, listen, open_browser

LOCAL = "http://127.0.0.1:8000"


@pytest.fixture
def client(session):
    return TestClient(make_app(session, Access()), LOCAL)


@pytest.fixture
def remote(session):
    app = make_app(session, Access(("lab.example",), "secret", addresses=True))
    return TestClient(app, "http://lab.example", follow_redirects=False)


def test_only_this_machine_unless_told(client):
    listener = listen(None, 0)
    assert listener.getsockname()[0] == "127.0.0.1"
    listener.close()
    assert access_at(None).names == ("127.0.0.1", "localhost", "::1")
    assert not access_at(None).accepts_host("192.168.1.5")
    assert access_at("0.0.0.0").accepts_host("192.168.1.5")


@pytest.mark.parametrize("host", [None, "0.0.0.0", "127.0.0.1"])
def test_every_server_has_a_token_of_its_own(session, host):
    access = access_at(host)
    assert len(access.token) >= 32
    assert access.token != access_at(host).token
    other_user = TestClient(make_app(session, access), LOCAL)
    assert {other_user.get(path).status_code for path in ("/", "/api/state", "/static/main.js")} == {401}


def test_the_address_with_the_token_is_no_argument_of_the_browser(monkeypatch, tmp_path):
    opened = Event()
    asked = []
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("webbrowser.open", lambda url: (asked.append(url), opened.set()))
    open_browser("http://127.0.0.1:8000/?token=secret")
    assert opened.wait(60)
    assert "secret" not in asked[0]
    page = Path(asked[0].removeprefix("file://"))
    assert "url=http://127.0.0.1:8000/?token=secret" in page.read_text()
    assert page.parent.stat().st_mode & 0o077 == 0


def test_a_request_that_does_not_come_to_its_end_is_given_up(session, running, monkeypatch):
    monkeypatch.setattr("fipscm.explore.web.guard.PATIENCE", 0.2)
    monkeypatch.setattr("fipscm.explore.web.connection.PATIENCE", 0.2)
    port = int(running(session).rstrip("/").rpartition(":")[2])
    head = b"POST /api/what-if HTTP/1.1\r\nhost: 127.0.0.1:%d\r\ncontent-type: application/json\r\n" % port
    for begun, answered in ((b"", b""), (head, b""), (head + b"content-length: 10\r\n\r\n{", b"HTTP/1.1 408")):
        with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
            connection.sendall(begun)
            with contextlib.suppress(ConnectionResetError):
                assert connection.recv(12) == answered
    assert httpx.get(f"http://127.0.0.1:{port}/api/state", timeout=60).status_code == 200


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:1", "[::1]:8000", "localhost"])
def test_this_machine_may_be_called_by_its_local_names(client, host):
    assert client.get("/api/state", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "192.168.1.5", "", "[", "127.0.0.1@evil.example"],
)
def test_a_foreign_name_for_this_machine_is_refused(client, host):
    answer = client.get("/api/state", headers={"host": host})
    assert answer.status_code == 403
    assert "message" in answer.json()


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "https://127.0.0.1:8000"},
        {"origin": "http://127.0.0.1:9999"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_other_pages_cannot_ask(client, headers):
    assert client.post("/api/what-if", json={}, headers=headers).status_code == 403
    assert client.get("/api/state", headers=headers).status_code == 403


def test_the_page_itself_can_ask(client):
    headers = {"origin": LOCAL, "sec-fetch-site": "same-origin"}
    assert client.post("/api/what-if", json={}, headers=headers).status_code == 200


def test_a_link_from_elsewhere_opens_the_page(client):
    assert client.get("/", headers={"sec-fetch-site": "cross-site"}).status_code == 200


def test_forms_are_no_requests(client):
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        assert client.post("/api/refit", content=b"{}", headers={"content-type": kind}).status_code == 415


def test_uploads_find_no_place(client):
    assert client.post("/api/upload", json={}).status_code == 404
    assert client.put("/", json={}).status_code == 405


def test_a_body_is_bounded_whatever_its_header_says(client):
    def endless():
        for _ in range(3):
            yield b" " * (MOST_BYTES // 2)

    headers = {"content-type": "application/json"}
    assert client.post("/api/what-if", content=b" " * (MOST_BYTES + 1), headers=headers).status_code == 413
    assert client.post("/api/what-if", content=endless(), headers=headers).status_code == 413


def test_every_answer_carries_the_policy(client):
    for path in ("/", "/static/main.js", "/api/state", "/nowhere"):
        headers = client.get(path).headers
        assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'")
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in headers


@pytest.mark.parametrize(
    "path", ["/static/../routes.py", "/static/..%2froutes.py", "/static/%2e%2e%2fguard.py", "/static//etc/passwd",
             "/..%2f..%2fetc%2fpasswd", "/static/C:%5cboot.ini", "/static/", "/static/__init__.py"],
)  # fmt: skip
def test_no_path_on_disk_can_be_read(client, path):
    answer = client.get(path)
    assert answer.status_code == 404
    assert "import" not in answer.text


class TestToken:
    def test_nothing_is_told_without_it(self, remote):
        for path in ("/", "/api/state", "/static/main.js", "/?token=wrong", "/?token=", "/api/state?token=secret"):
            assert remote.get(path).status_code == 401
        assert remote.post("/api/what-if", json={}).status_code == 401

    def test_the_address_of_the_command_opens_the_page_once_and_for_all(self, remote):
        entrance = remote.get("/?token=secret")
        assert entrance.status_code == 303
        assert entrance.headers["location"] == "/"
        assert "httponly" in entrance.headers["set-cookie"].lower()
        assert remote.get("/").status_code == 200
        assert remote.post("/api/what-if", json={}).status_code == 200

    def test_a_wrong_cookie_is_refused(self, remote):
        remote.cookies.set("fipscm-token-80", "wrong")
        assert remote.get("/").status_code == 401

    def test_the_host_is_checked_too(self, remote):
        assert remote.get("/?token=secret", headers={"host": "evil.example"}).status_code == 403
        assert remote.get("/?token=secret", headers={"host": "192.168.1.5"}).status_code == 303
