"""Connections that end when no request comes: half a request must not hold one for ever."""

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from fipscm.explore.web.guard import PATIENCE


class Connection(H11Protocol):
    """A connection that is looked after once in a while."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._look_after(object())

    def _look_after(self, seen: Any) -> None:
        """Close the connection if nothing is being answered and no request came since the last look."""
        if self.transport.is_closing():
            return
        if self.cycle is seen and (seen is None or seen.response_complete):
            self.transport.abort()
            return
        self.loop.call_later(PATIENCE / 2, self._look_after, self.cycle)
