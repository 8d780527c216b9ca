"""Work in the background that tells how far it is and can be called off."""

from collections.abc import Callable
from dataclasses import dataclass
from threading import Event, Thread
from typing import Any

OnProgress = Callable[[str, int, int, str], None]


class CancelledError(Exception):
    """Raised inside of the work at its next step after it was called off."""


@dataclass(frozen=True)
class Progress:
    """How far the work is."""

    stage: str
    done: int
    total: int
    note: str = ""


class Job:
    """One piece of work in a thread that does not keep the program alive.

    Attributes:
        progress: what the work reported last.
    """

    def __init__(self, work: Callable[[OnProgress], Any]) -> None:
        self.progress = Progress("Starting", 0, 1)
        self._cancelled = Event()
        self._thread = Thread(target=work, args=(self._report,), daemon=True)

    def start(self) -> "Job":
        """Begin."""
        self._thread.start()
        return self

    def cancel(self) -> None:
        """Call the work off: it ends at its next step."""
        self._cancelled.set()

    def wait(self, seconds: float | None = None) -> None:
        """Wait for the end."""
        self._thread.join(seconds)

    @property
    def runs(self) -> bool:
        """Whether the work has not ended yet."""
        return self._thread.is_alive()

    def _report(self, stage: str, done: int, total: int, note: str = "") -> None:
        if self._cancelled.is_set():
            raise CancelledError
        self.progress = Progress(stage, done, total, note)
