"""The explorer as a program: a socket, a browser, and a server until Ctrl-C."""

import atexit
import errno
import socket
import webbrowser
from contextlib import closing, suppress
from html import escape
from pathlib import Path
from secrets import token_urlsafe
from shutil import rmtree
from tempfile import mkdtemp
from threading import Thread
from typing import TYPE_CHECKING

from fipscm.errors import FipscmError
from fipscm.explore.web.guard import LOOPBACK, Access

if TYPE_CHECKING:
    import uvicorn

    from fipscm.explore.session import Session

LOCAL = "127.0.0.1"
MOST_CONNECTIONS = 500
REDIRECTION = '<!doctype html><meta http-equiv="refresh" content="0; url={url}"><a href="{url}">fipscm explore</a>'


class AddressError(FipscmError):
    """An address that cannot be listened at."""


def listen(host: str | None, port: int) -> socket.socket:
    """Reserve the address, 127.0.0.1 unless another one is given; port 0 is any free one."""
    where = host or LOCAL
    family = socket.AF_INET6 if ":" in where else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((where, port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise AddressError(
                f"Port {port} is in use: name another one with --port, or leave it out for a free one."
            ) from None
        raise AddressError(
            f"Cannot listen at '{where}' port {port} ({error.strerror or error}): name an address of this machine."
        ) from None
    return listener


def access_at(host: str | None) -> Access:
    """Whoever knows a new token; from this machine alone unless a host was given."""
    others = () if host is None else (host, socket.gethostname(), socket.getfqdn())
    return Access((*LOOPBACK, *others), token_urlsafe(24), addresses=host is not None)


def address(listener: socket.socket, access: Access) -> str:
    """What to open in a browser."""
    host, port = listener.getsockname()[:2]
    shown = {"0.0.0.0": LOCAL, "::": "::1"}.get(host, host)
    query = "" if access.token is None else f"?token={access.token}"
    return f"http://{f'[{shown}]' if ':' in shown else shown}:{port}/{query}"


def make_server(session: "Session", access: Access) -> "uvicorn.Server":
    """A server that is ready to run."""
    import uvicorn

    from fipscm.explore.web.connection import Connection
    from fipscm.explore.web.routes import make_app

    config = uvicorn.Config(
        make_app(session, access),
        http=Connection,
        limit_concurrency=MOST_CONNECTIONS,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=1,
    )
    return uvicorn.Server(config)


def serve(session: "Session", listener: socket.socket, access: Access) -> None:
    """Answer requests until Ctrl-C."""
    with closing(listener), suppress(KeyboardInterrupt):
        make_server(session, access).run(sockets=[listener])


def open_browser(url: str) -> None:
    """Open the page by a file that only this user can read: everybody sees with which address a program is started.

    A browser that runs in the terminal must not hold the server up.
    """
    folder = mkdtemp(prefix="fipscm-")
    atexit.register(rmtree, folder, ignore_errors=True)
    page = Path(folder) / "explore.html"
    page.write_text(REDIRECTION.format(url=escape(url)))
    Thread(target=webbrowser.open, args=(page.as_uri(),), daemon=True).start()
