"""The command that opens a model in the browser. The page is there before the heavy modules are."""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fipscm.cli.names import MODEL_SUFFIX
from fipscm.cli.options import FitOptions, Seed, unfolded
from fipscm.errors import DataError, KnowledgeError

if TYPE_CHECKING:
    import pandas as pd

    from fipscm.estimator import FiP
    from fipscm.explore.session import Data
    from fipscm.tables.columns import Columns


@unfolded
def explore(
    model: Annotated[str, typer.Argument(help="A saved model (.fip), or a table to fit first.")],
    options: FitOptions,
    data: Annotated[str | None, typer.Argument(help="The table of a saved model: CSV or Parquet.")] = None,
    host: Annotated[
        str | None, typer.Option(help="Let other machines in, with a token, at this address (0.0.0.0 for every one).")
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; any free one unless given.")] = 0,
    browser: Annotated[bool, typer.Option(help="Open the page in the browser.")] = True,
    seed: Seed = 0,
) -> None:
    """Explore a model in the browser: move sliders, pick rows, edit the graph.  Example: fipscm explore data.csv."""
    from fipscm.explore.web.server import access_at, address, listen, open_browser, serve

    listener, access = listen(host, port), access_at(host)
    found, first_model = (
        _saved(model, data, options) if model.endswith(MODEL_SUFFIX) else _fitted(model, data, options, seed)
    )
    url = address(listener, access)
    print(f"Exploring at {url} (Ctrl-C to stop)", file=sys.stderr, flush=True)
    if browser:
        open_browser(url)

    from fipscm.explore.session import Session

    serve(Session(found, first_model).start(), listener, access)


def _saved(path: str, data: str | None, options: FitOptions) -> "tuple[Data, Callable[..., FiP]]":
    """A saved model and its table, which must match."""
    from fipscm.explore.session import Data
    from fipscm.graph import listed
    from fipscm.tables.archive import load_archive
    from fipscm.tables.columns import Columns
    from fipscm.tables.read import read_table
    from fipscm.tables.validate import as_frame, require_finite

    if options.given():
        raise KnowledgeError(
            f"{', '.join(options.given())} cannot change a model that is fitted: give the table alone."
        )
    settings = load_archive(path, "model")[1]
    known = Columns.restore(settings["columns"]) if "columns" in settings else Columns.plain(settings["names"])
    columns = list(known.variables)
    if data is None:
        raise DataError(f"'{path}' holds no rows to explore: give its table too, as in fipscm explore {path} data.csv.")
    frame = read_table(data, reading=options.reading)
    missing = [name for name in columns if name not in frame.columns]
    if missing:
        raise DataError(
            f"'{data}' does not match '{path}': it lacks {listed(missing)}; it has {listed(frame.columns)}. "
            "Give the table that the model was fitted on, or one with the same columns."
        )
    missing_cells = settings.get("parameters", {}).get("missing", "refuse") != "refuse"
    require_finite(as_frame(known.encode(frame[columns])), missing_cells)

    def load(report: Callable[[str, int, int, str], None]) -> "FiP":
        report("Loading the model", 0, 1, "")
        from fipscm.estimator import FiP

        return FiP.load(path)

    return Data(frame[columns], data, path, panel=_panel_of(known, frame)), load


def _fitted(path: str, data: str | None, options: FitOptions, seed: int) -> "tuple[Data, Callable[..., FiP]]":
    """A table to fit a model on."""
    from fipscm.explore.session import Data, fitted
    from fipscm.tables.columns import warn_of_set_aside
    from fipscm.tables.read import read_table
    from fipscm.tables.validate import training_frame

    if data is not None:
        raise DataError(
            f"'{path}' is not a saved model, whose name ends in .fip: give one table, or a model and a table."
        )
    chosen = options.choose(read_table(path, reading=options.reading))
    known = chosen.known
    known.require_variables(fewest=2)
    warn_of_set_aside(known)
    table = chosen.variables
    # Mistakes in the table and in what is known about it are found before the page opens.
    training_frame(known.encode(table), fewest_columns=2, missing_cells=options.missing != "refuse")
    intervened = known.without_others(chosen.intervened)
    found = Data(table, path, None, intervened, _panel_of(known, chosen.table))
    estimator = options.estimator(chosen._replace(table=found.training, intervened=intervened), seed)

    def fit(report: Callable[[str, int, int, str], Any]) -> "FiP":
        report("Getting ready", 0, 1, "")
        return fitted(estimator, found, report)

    return found, fit


def _panel_of(known: "Columns", frame: "pd.DataFrame") -> "pd.DataFrame | None":
    """The columns that name the units of the rows and tell the time, if they are no variables."""
    others = [name for name in (known.group, *known.panel.times) if name in known.set_aside and name in frame.columns]
    return frame[others] if others else None
