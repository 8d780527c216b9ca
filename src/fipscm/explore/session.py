"""The state behind the page: a table, the model on the screen, an expert's edits, and at most one fit at a time."""

import warnings
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

import pandas as pd

from fipscm.errors import FipscmError, unknown_name
from fipscm.explore.edits import Edits
from fipscm.explore.job import CancelledError, Job, OnProgress
from fipscm.explore.one_row import most_unusual
from fipscm.explore.screen import Screen
from fipscm.knowledge import Knowledge
from fipscm.knowledge.statement import Statement
from fipscm.suggestions.suggest import suggest
from fipscm.tables.intervened import parse_intervened
from fipscm.tables.kinds import as_kind

if TYPE_CHECKING:
    from fipscm.estimator import FiP


class NotReadyError(FipscmError):
    """A question that came before the first model."""


class BusyError(FipscmError):
    """A second fit that was asked for while one is running."""


@dataclass(frozen=True)
class Data:
    """The table that the session is about.

    Attributes:
        table: the columns of the model, with names of levels and gaps as they are in the file.
        title: the name of its file.
        saved_model: the name of the model's file; None where the model is fitted on the table.
        intervened: what was done in each row, as `FiP.fit` takes it; None where nothing was.
        panel: the columns that name the units of the rows and tell the time, if they are no variables; None if there
            are none.
    """

    table: pd.DataFrame
    title: str
    saved_model: str | None = None
    intervened: Sequence[Sequence[Hashable]] | None = None
    panel: pd.DataFrame | None = None

    @property
    def training(self) -> pd.DataFrame:
        """What a model is fitted on."""
        return self.table if self.panel is None else self.table.join(self.panel)

    @property
    def observed(self) -> pd.DataFrame:
        """The rows in which nothing was done, or those of the commonest setting."""
        return self.table[parse_intervened(self.intervened, self.table).observed]


@dataclass(frozen=True)
class Verdict:
    """Whether the model's assumptions hold on the table; None while that is not known."""

    passed: bool | None
    text: str


CHECKING = Verdict(None, "Checking the model's assumptions on this table …")


def fitted(model: "FiP", data: Data, report: OnProgress) -> "FiP":
    """Fit a model on the table; where its order is inferred, find out how sure it is, so that the page shows doubt."""
    model.fit(data.training, intervened=data.intervened, on_progress=report)
    if model.order is not None or model.graph is not None:
        return model
    report("Judging how sure the order is", 0, 1, "")
    return model.assess()


class Session:
    """Everything the page shows. Every method may be called from any thread.

    Attributes:
        data: the table.
        edits: what the expert has said; the next refit obeys it.
        verdict: about the model on the screen.
        unusual: positions of its most unusual rows; empty until they are known.
        failure: why the last fit ended without a model; None unless it did.
    """

    def __init__(self, data: Data, first_model: Callable[[OnProgress], "FiP"]) -> None:
        self.data = data
        self.edits = Edits()
        self.verdict = CHECKING
        self.unusual: list[int] = []
        self.failure: str | None = None
        self._screen: Screen | None = None
        self._lock = Lock()
        self._suggested = suggest(data.table)
        self._columns = {str(name): name for name in data.table.columns}
        self._job = Job(lambda report: self._show(first_model, report))

    def start(self) -> "Session":
        """Load or fit the first model."""
        self._job.start()
        return self

    @property
    def screen(self) -> Screen:
        """What is on the screen, or an error while there is no model yet."""
        if self._screen is None:
            raise NotReadyError(self.failure or "The model is not ready yet: ask again in a moment.")
        return self._screen

    @property
    def lent_rows(self) -> pd.DataFrame | None:
        """The rows that a loaded model needs for some questions; None if the model on the screen was fitted here."""
        return self.data.observed if self.data.saved_model and self.screen.version == 1 else None

    @property
    def has_screen(self) -> bool:
        """Whether there is a model."""
        return self._screen is not None

    @property
    def job(self) -> Job | None:
        """The fit that is running."""
        return self._job if self._job.runs else None

    def column(self, text: str) -> Hashable:
        """The column that the page calls so: names on the page are text, those of a table may be numbers."""
        if text not in self._columns:
            raise unknown_name("column", text, self._columns)
        return self._columns[text]

    def edit(self, edits: Edits) -> None:
        """Replace the edits, if they contradict neither each other nor the graph on the screen nor the table."""
        edits.require_consistent(self.screen.model.graph_)
        for name, kind in edits.kinds.items():
            as_kind(self.data.table[name], kind)
        with self._lock:
            self.edits = edits

    @property
    def suggestions(self) -> tuple[Statement, ...]:
        """What names suggest and the edits do not say yet; nothing where the order or the graph was given."""
        if self._screen is None or self._screen.model.order is not None or self._screen.model.graph is not None:
            return ()
        known = self.edits.knowledge
        return () if self._suggested.added_to(known)[0] == known else self._suggested.facts

    def apply_suggestions(self) -> None:
        """Add what names suggest to the edits, as far as it does not contradict them, and fit again."""
        known, _ = self._suggested.added_to(self.edits.knowledge)
        self.edit(replace(self.edits, knowledge=known))
        self.refit()

    def refit(self) -> None:
        """Fit again on the edits, in the background; the model on the screen stays until the new one is there."""
        with self._lock:
            if self._job.runs:
                raise BusyError("A fit is running already: wait for it, or cancel it first.")
            settings = self.screen.settings(self.edits)
            self._job = Job(lambda report: self._show(lambda told: self._fit(settings, told), report)).start()

    def cancel(self) -> None:
        """Call the running fit off, if one is running."""
        self._job.cancel()

    def wait(self, seconds: float | None = None) -> None:
        """Wait for the running fit."""
        self._job.wait(seconds)

    def _fit(self, settings: dict[str, Any], report: OnProgress) -> "FiP":
        from fipscm.estimator import FiP  # takes a second: the page is there before

        return fitted(FiP(**settings), self.data, report)

    def _show(self, make: Callable[[OnProgress], "FiP"], report: OnProgress) -> None:
        """Make a model and put it on the screen, or say why there is none."""
        self.failure = None
        try:
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always", UserWarning)
                model = make(report)
            remarks = [str(each.message) for each in told if issubclass(each.category, UserWarning)]
            screen = Screen.of(model, self.data.table, list(dict.fromkeys(remarks)), self._screen)
        except CancelledError:
            again = "" if self.has_screen else " Start fipscm explore again for a model."
            self.failure = f"The fit was cancelled.{again}"
        except FipscmError as error:
            self.failure = str(error)
        except Exception as error:
            self.failure = (
                f"The fit failed ({type(error).__name__}: {error}). The earlier model, if any, is still there."
            )
            raise
        else:
            with self._lock:
                if self._screen is None:
                    self.edits = Edits(model.knowledge or Knowledge(), kinds=model.kinds or {})
                self._screen, self.verdict, self.unusual = screen, CHECKING, []
            # Both take longer than the page should: sliders answer meanwhile.
            Thread(target=self._look_over, args=(screen,), daemon=True).start()

    def _look_over(self, screen: Screen) -> None:
        """Find unusual rows, then check the assumptions; nothing is told about a model that is gone by then."""
        try:
            unusual = most_unusual(screen.units, self.data.table)
            self._tell(screen, self.verdict, unusual)
            found = screen.model.check(self.data.observed)
            self._tell(screen, Verdict(found.passed, str(found)), unusual)
        except FipscmError as error:
            self._tell(screen, Verdict(None, f"The assumptions could not be checked: {error}"), self.unusual)
        except Exception as error:
            fault = f"a fault of fipscm ({type(error).__name__}: {error}): please report what the terminal says"
            self._tell(screen, Verdict(None, f"The assumptions could not be checked, by {fault}."), self.unusual)
            raise

    def _tell(self, screen: Screen, verdict: Verdict, unusual: list[int]) -> None:
        with self._lock:
            if self._screen is screen:
                self.verdict, self.unusual = verdict, unusual
