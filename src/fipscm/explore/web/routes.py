"""The page and what it may ask for, as an application."""

import warnings
from collections.abc import Hashable
from importlib.resources import files
from typing import Any

import networkx as nx
import pandas as pd
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse, Response
from starlette.exceptions import HTTPException

from fipscm.errors import FipscmError, GraphError, InterventionError, KnowledgeError, UnknownNameError
from fipscm.explore import description
from fipscm.explore.edits import CycleError, Edits, imported
from fipscm.explore.graph_text import WRITERS, read_graph
from fipscm.explore.one_row import portrait
from fipscm.explore.script import python_lines
from fipscm.explore.session import BusyError, NotReadyError, Session
from fipscm.explore.units import SEED
from fipscm.explore.web.guard import Access, Guard
from fipscm.explore.web.requests import (
    Change,
    Edited,
    EffectQuestion,
    GraphText,
    Question,
    RowQuestion,
    ScriptQuestion,
    Target,
    UnitsQuestion,
)
from fipscm.graph import listed
from fipscm.knowledge import Knowledge
from fipscm.scm.intervention import Shift
from fipscm.tables.write import csv_text

TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
# The first that fits counts; any other mistake is one in the request.
STATUSES: tuple[tuple[type[FipscmError], int], ...] = (
    (NotReadyError, 503),
    (BusyError, 409),
    (UnknownNameError, 422),
    (KnowledgeError, 409),
    (GraphError, 422),
    (FipscmError, 422),
)


class FiniteJSON(JSONResponse):
    """JSON, which has no word for what is not finite."""

    def render(self, content: Any) -> bytes:
        """The bytes of the answer, or a sentence about a question that leads beyond all numbers."""
        try:
            return super().render(content)
        except ValueError:
            raise InterventionError(
                "The answer is not finite: choose values that are nearer to those of the table."
            ) from None


def make_app(session: Session, access: Access) -> Guard:
    """The whole application behind its guard."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, default_response_class=FiniteJSON)
    _add_page(app)
    _add_answers(app, session)
    _add_edits(app, session)
    _add_exports(app, session)
    _add_refusals(app)
    return Guard(app, access)


def _add_page(app: FastAPI) -> None:
    """The files of the page are read once: no request names a path on disk."""
    folder = files("fipscm.explore.web") / "static"
    known = {
        file.name: (file.read_bytes(), TYPES[f".{file.name.rpartition('.')[2]}"])
        for file in folder.iterdir()
        if file.is_file()
    }

    @app.get("/")
    def page() -> Response:
        content, kind = known["index.html"]
        return Response(content, media_type=kind)

    @app.get("/static/{name}")
    def part(name: str) -> Response:
        if name not in known:
            raise HTTPException(404, f"There is no '{name}' here.")
        content, kind = known[name]
        return Response(content, media_type=kind)


def _add_answers(app: FastAPI, session: Session) -> None:
    @app.get("/api/state")
    def state() -> dict[str, Any]:
        return description.of_session(session)

    @app.post("/api/what-if")
    def what_if(question: Question) -> dict[str, Any]:
        screen = session.screen
        return description.of_answer(screen, screen.units.under(_do(session, question)))

    @app.post("/api/row")
    def row(question: RowQuestion) -> dict[str, Any]:
        units = session.screen.units
        found = portrait(units, _row(session, question.row), _do(session, question))
        return description.of_portrait(found, units.levels)

    @app.post("/api/effect")
    def effect(asked: EffectQuestion) -> dict[str, Any]:
        treatment, outcome = (session.column(name) for name in (asked.treatment, asked.outcome))
        treated, control = (
            None
            if value is None
            else _rule(session, treatment, Change(column=asked.treatment, kind="set", value=value))
            for value in (asked.treated, asked.control)
        )
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", UserWarning)
            found = session.screen.model.effect(
                treatment, outcome, treated, control, rows=session.lent_rows, random_state=SEED
            )
        return description.of_effect(found, [str(each.message) for each in told])

    @app.post("/api/recommend")
    def recommend(wanted: Target) -> dict[str, Any]:
        using = None if wanted.using is None else [session.column(name) for name in wanted.using]
        target = session.column(wanted.target)
        found = session.screen.model.recommend(target, value=wanted.value, using=using, random_state=SEED)
        return description.of_recommendation(found, session.screen.units.levels)


def _add_edits(app: FastAPI, session: Session) -> None:
    @app.put("/api/edits")
    def edit(edited: Edited) -> dict[str, Any]:
        # Roots and leaves that came with the model stay unless they are named anew; the rest is not edited here.
        own = session.edits.knowledge
        knowledge = Knowledge(
            required_edges=_pairs(session, edited.required),
            forbidden_edges=_pairs(session, edited.forbidden),
            tiers=[[session.column(name) for name in tier] for tier in edited.tiers],
            roots=own.roots if edited.roots is None else [session.column(name) for name in edited.roots],
            leaves=own.leaves if edited.leaves is None else [session.column(name) for name in edited.leaves],
            before=own.before,
            randomised=own.randomised,
        )
        kinds = {session.column(name): kind for name, kind in edited.kinds.items()}
        session.edit(Edits(knowledge, tuple(_pairs(session, edited.hidden)), kinds))
        return description.of_edits(session.edits)

    @app.post("/api/import")
    def take_over(given: GraphText) -> dict[str, Any]:
        graph, hidden = read_graph(given.text)
        named, found = nx.relabel_nodes(graph, session.column), session.screen.model.graph_
        session.edit(imported(named, _pairs(session, hidden), found, session.edits.kinds))
        return description.of_edits(session.edits)

    @app.post("/api/suggestions", status_code=202)
    def apply_suggestions() -> dict[str, Any]:
        session.apply_suggestions()
        return description.of_session(session)

    @app.post("/api/refit", status_code=202)
    def refit() -> dict[str, Any]:
        session.refit()
        return description.of_session(session)

    @app.delete("/api/refit")
    def cancel() -> dict[str, Any]:
        session.cancel()
        return description.of_session(session)


def _add_exports(app: FastAPI, session: Session) -> None:
    @app.get("/api/graph/{kind}")
    def graph(kind: str) -> Response:
        if kind not in WRITERS:
            raise HTTPException(404, f"A graph cannot be written as '{kind}': ask for {', '.join(WRITERS)}.")
        edited = session.edits.applied_to(session.screen.model.graph_)
        return PlainTextResponse(WRITERS[kind](edited, session.edits.hidden))

    @app.post("/api/answers")
    def answers(question: Question) -> Response:
        units, do = session.screen.units, _do(session, question)
        before, after = units.measured(units.before), units.measured(units.under(do))
        table = pd.DataFrame(
            {
                "mean_before": before.mean(),
                "mean_after": after.mean(),
                "sd_before": before.std(ddof=0),
                "sd_after": after.std(ddof=0),
            }
        ).rename_axis("column")
        if question.row is not None:
            found = description.of_portrait(portrait(units, _row(session, question.row), do), units.levels)
            told = pd.DataFrame(found["columns"]).rename(columns={"deviations": "noise_in_sd"})
            own = told.set_index(pd.Index(units.names, name="column")).drop(columns="column")
            table = table.reindex(table.index.union(own.index, sort=False)).join(own)
        return _csv(csv_text(table.reset_index()))

    @app.post("/api/units")
    def units(question: UnitsQuestion) -> Response:
        return _csv(csv_text(session.screen.units.sample(_do(session, question), question.rows)))

    @app.post("/api/python")
    def python(question: ScriptQuestion) -> Response:
        screen, data, target = session.screen, session.data, question.target
        saved = data.saved_model if screen.version == 1 else None
        wanted = None if target is None else (session.column(target.target), target.value)
        do, with_levels = _do(session, question), list(screen.units.levels)
        return PlainTextResponse(python_lines(data.title, saved, screen.given(), do, question.row, wanted, with_levels))


def _add_refusals(app: FastAPI) -> None:
    """Every mistake is answered with a status and one message for the page."""

    @app.exception_handler(FipscmError)
    def mistake(_: Request, error: FipscmError) -> Response:
        status = next(status for kind, status in STATUSES if isinstance(error, kind))
        facts: dict[str, Any] = {"message": str(error)}
        if isinstance(error, CycleError):
            facts["cycle"] = [str(name) for name in error.cycle]
        return JSONResponse(facts, status)

    @app.exception_handler(RequestValidationError)
    def invalid(_: Request, error: RequestValidationError) -> Response:
        # What was sent is not repeated: it may be NaN, which is no JSON, or very long.
        first = error.errors()[0]
        place = ".".join(str(step) for step in first["loc"] if step != "body")
        return JSONResponse({"message": f"{place or 'The request'}: {first['msg']}."[:500]}, 422)

    @app.exception_handler(HTTPException)
    def refused(_: Request, error: HTTPException) -> Response:
        return JSONResponse({"message": str(error.detail)}, error.status_code, error.headers)

    @app.exception_handler(Exception)
    def failed(_: Request, error: Exception) -> Response:
        return JSONResponse({"message": f"The explorer failed ({type(error).__name__}): see its terminal."}, 500)


def _do(session: Session, question: Question) -> dict[Any, Any]:
    return {(name := session.column(change.column)): _rule(session, name, change) for change in question.do}


def _rule(session: Session, name: Hashable, change: Change) -> Any:
    """A number, a shift, or a level as the model takes it."""
    levels = session.screen.units.levels.get(name)
    if levels is None:
        if isinstance(change.value, str):
            raise InterventionError(f"Column '{name}' holds numbers, but '{change.value}' is none: give a number.")
        return Shift(change.value) if change.kind == "shift" else float(change.value)
    if change.kind == "shift":
        raise InterventionError(f"Column '{name}' has levels and cannot be shifted: set it to one of them.")
    text = change.value if isinstance(change.value, str) else f"{change.value:g}"
    if text not in levels.names:
        raise InterventionError(
            f"'{text[:100]}' is not a level of column '{name}': choose one of {listed(levels.names, most=20)}."
        )
    place = levels.names.index(text)
    is_named = name in session.screen.model.columns_.levels
    return levels.cells[place] if is_named else float(levels.codes[place])


def _row(session: Session, position: int) -> pd.DataFrame:
    table = session.data.table
    if position >= len(table):
        raise HTTPException(404, f"There is no row {position}: the table has rows 0 to {len(table) - 1}.")
    return table.iloc[[position]]


def _pairs(session: Session, edges: list[tuple[str, str]]) -> list[tuple[Any, Any]]:
    return [(session.column(cause), session.column(effect)) for cause, effect in edges]


def _csv(text: str) -> Response:
    return Response(text, media_type="text/csv")
