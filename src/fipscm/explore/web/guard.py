"""Who may ask: this machine, or who knows the token. Everything else is refused before any route is looked up.

The Host header is checked because a foreign page can point a name of its own at this machine; the Origin header because
a foreign page can send requests here; the size because a body is read into memory.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address
from secrets import compare_digest
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES = 1_000_000
PATIENCE = 20  # seconds in which a request must be there as a whole
COOKIE = "fipscm-token-{port}"  # browsers share cookies between the ports of a machine
LOOPBACK = ("127.0.0.1", "localhost", "::1")
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


@dataclass(frozen=True)
class Access:
    """From where the page may be asked for.

    Attributes:
        names: the host names by which this machine may be called.
        token: what every request must know, for other users of a machine can connect too; None within one process.
        addresses: whether any address will do for a name: a foreign page can only name names.
    """

    names: tuple[str, ...] = LOOPBACK
    token: str | None = None
    addresses: bool = False

    def accepts_host(self, host: str) -> bool:
        """Whether a Host header names this machine."""
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:  # brackets that do not match
            return False
        return name in self.names or (self.addresses and _is_address(name))

    def knows(self, token: str | None) -> bool:
        """Whether this is the token."""
        return self.token is not None and token is not None and compare_digest(token.encode(), self.token.encode())


@dataclass(frozen=True)
class Guard:
    """Stands before an application."""

    app: ASGIApp
    access: Access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, _with_headers(send))
            return
        try:
            async with asyncio.timeout(PATIENCE):
                body = await _body(receive)
        except TimeoutError:
            await _refused(408, f"The request was not there within {PATIENCE} seconds.")(
                scope, receive, _with_headers(send)
            )
            return
        if body is None:
            await _refused(413, f"The request is larger than {MOST_BYTES:,} bytes.")(
                scope, receive, _with_headers(send)
            )
            return
        await self.app(scope, _once(body, receive), _with_headers(send))

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        host, origin = headers.get("host", ""), headers.get("origin")
        if not self.access.accepts_host(host):
            return _refused(403, "This address is not one of the explorer's: open the one that the command printed.")
        if (origin is not None and origin != f"{scope['scheme']}://{host}") or (
            headers.get("sec-fetch-site") in ("cross-site", "same-site")
            and (scope["method"] != "GET" or scope["path"] != "/")
        ):
            return _refused(403, "Requests from other pages are refused.")
        if self.access.token is not None:
            return self._asks_for_token(scope, headers)
        return _wrong_type(scope, headers)

    def _asks_for_token(self, scope: Scope, headers: Headers) -> Response | None:
        asked = parse_qs(scope["query_string"].decode("latin-1"))
        if self.access.knows(asked.get("token", [""])[0]) and scope["path"] == "/":
            entrance = RedirectResponse("/", 303)  # the token does not stay in the address
            # "lax" lets a link in a mail open the page; "strict" would not send the cookie after the redirect.
            entrance.set_cookie(_cookie(scope), str(self.access.token), httponly=True, samesite="lax")
            return entrance
        if self.access.knows(_cookies(headers).get(_cookie(scope))):
            return _wrong_type(scope, headers)
        return _refused(401, "This page needs the token: open the address that the command printed.")


def _wrong_type(scope: Scope, headers: Headers) -> Response | None:
    """A form of a foreign page cannot send JSON, so that nothing else is taken."""
    if scope["method"] in ("POST", "PUT") and headers.get("content-type", "").split(";")[0] != "application/json":
        return _refused(415, "Requests are JSON: send the content type application/json.")
    return None


def _cookie(scope: Scope) -> str:
    return COOKIE.format(port=scope["server"][1])


def _cookies(headers: Headers) -> Mapping[str, str]:
    try:
        return {name: morsel.value for name, morsel in SimpleCookie(headers.get("cookie", "")).items()}
    except CookieError:
        return {}


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _refused(status: int, message: str) -> Response:
    return JSONResponse({"message": message}, status)


async def _body(receive: Receive) -> bytes | None:
    """The whole body; None if it is too large, whatever its header said."""
    parts, size, more = [], 0, True
    while more:
        message = await receive()
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        more = message.get("more_body", False)
        if size > MOST_BYTES:
            return None
    return b"".join(parts)


def _once(body: bytes, receive: Receive) -> Receive:
    """Give the body that was read, and afterwards what comes."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def given() -> Message:
        return messages.pop() if messages else await receive()

    return given


def _with_headers(send: Send) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
        await send(message)

    return sent
