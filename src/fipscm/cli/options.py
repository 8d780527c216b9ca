"""Options that commands share, declared once; those of one purpose are gathered into a dataclass."""

import inspect
import sys
import warnings
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, fields
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

import fipscm
from fipscm.cli.names import KINDS, MISSING, SCALES
from fipscm.cli.typed import as_column, as_columns, as_edge, as_experiment, as_kind
from fipscm.errors import DataError, KnowledgeError

if TYPE_CHECKING:
    import pandas as pd

    from fipscm.tables.columns import Columns
    from fipscm.tables.textfile import Reading

MOST_GIGABYTES = 1e6  # more than any machine has


def _known(help_text: str, *names: str) -> Any:
    return typer.Option(*names, help=help_text, rich_help_panel="What you know of the table")


def _written(help_text: str, *names: str) -> Any:
    return typer.Option(*names, help=help_text, rich_help_panel="How the file is written, where it is misread")


Model = Annotated[str, typer.Argument(help="A saved model (.fip), or a table to fit first; - for standard input.")]
Rows = Annotated[str, typer.Argument(help="CSV, Excel, Parquet or Feather file, or - for standard input.")]
OwnRows = Annotated[
    str | None,
    typer.Argument(help="File with the rows in question, or -; if left out, the table that is fitted first."),
]
Out = Annotated[str, typer.Option("--out", "-o", help="CSV, Excel or Parquet file, or - for standard output.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the random numbers.")]
Count = Annotated[int, typer.Option("--rows", "-n", min=1, help="Number of rows to draw.")]
Json = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]
Assess = Annotated[bool, typer.Option(help="Say how sure the order is, by resampling the rows.")]
Change = Annotated[list[str], typer.Option("--do", help="NAME=VALUE sets a column, NAME+=VALUE shifts it; repeatable.")]
# Without quotes the shell would take > for itself and write a file.
Edges = Annotated[list[str] | None, _known('"CAUSE->EFFECT", with the quotes; repeatable.')]
Tiers = Annotated[str | None, _known("Earliest first: names by commas, tiers by semicolons.")]
Roots = Annotated[str | None, _known("Columns without causes, separated by commas.")]
Randomised = Annotated[str | None, _known("Columns that an experiment set by chance, separated by commas.")]
Leaves = Annotated[str | None, _known("Columns without effects, separated by commas.")]
KnowledgePath = Annotated[str | None, _known("File with tiers, roots, leaves and edges, as fipscm suggest writes it.")]
Suggested = Annotated[
    bool, _known("Apply what the names of the columns suggest, as fipscm suggest tells it.", "--suggested")
]
Intervened = Annotated[
    str | None,
    _known(
        "Column that names, row by row, what was set from outside; ~NAME for what was changed somehow, ?NAME for a "
        "setting with unknown targets, empty for nothing."
    ),
]
Setting = Annotated[
    str | None,
    _known("Column whose values say which rows belong together, such as a site or a batch; the commonest is compared."),
]
Kept = Annotated[str | None, _known("Use these columns alone, separated by commas.")]
Dropped = Annotated[str | None, _known("Leave these columns out, separated by commas.")]
Computed = Annotated[
    list[str] | None,
    _known("Use these columns although they were computed from others, separated by commas; repeatable."),
]
Group = Annotated[str | None, _known("Column that names the units which rows belong to; none for no group.")]
Time = Annotated[str | None, _known("Column that tells when a row was measured; none for no time.")]
Lags = Annotated[
    int, typer.Option(min=0, help="Put the columns of so many earlier rows beside each row, in tiers by time.")
]
Kinds = Annotated[
    list[str] | None,
    _known(f'NAME=KIND, one of {", ".join(KINDS)}, or "NAME=low<mid<high" for grades; repeatable.'),
]
Order = Annotated[str | None, _known("All columns, causes first, separated by commas.")]
Graph = Annotated[str | None, _known("Adjacency table (row = cause) of the graph: a CSV or Parquet file.")]
Missing = Annotated[str, typer.Option(help=f"What to do about missing cells: {', '.join(MISSING)}.")]
Separator = Annotated[str | None, _written("What stands between cells, as in ';', or tab.")]
Decimal = Annotated[str | None, _written("The decimal mark: . or ,")]
Encoding = Annotated[str | None, _written("Such as utf-8, utf-16 or cp1252.")]
MaxGigabytes = Annotated[float, _written("What a file may unpack to, and its table take in memory.", "--max-gb")]
NoHeader = Annotated[bool, _written("The first line is a row; columns are called x0, x1, ...", "--no-header")]
Scale = Annotated[
    str, typer.Option(help=f"{' or '.join(SCALES)}: raw uses the columns' variances as evidence of their order.")
]


@dataclass(frozen=True)
class ReadOptions:
    """What bears on the reading of tables, as it was typed."""

    separator: Separator = None
    decimal: Decimal = None
    encoding: Encoding = None
    no_header: NoHeader = False
    max_gb: MaxGigabytes = 1.0

    @property
    def reading(self) -> "Reading":
        """What is known about how the file is written."""
        from fipscm.tables.limits import GIGABYTE
        from fipscm.tables.textfile import Reading

        named = {"tab": "\t", "\\t": "\t", "": None}
        separator = named.get(self.separator or "", self.separator)
        if not 0 < self.max_gb < MOST_GIGABYTES:
            raise DataError(f"--max-gb {self.max_gb:g} is no size of a table: give a number of gigabytes above zero.")
        return Reading(separator, self.decimal, self.encoding, not self.no_header, int(self.max_gb * GIGABYTE))


@dataclass(frozen=True)
class OrderOptions(ReadOptions):
    """What bears on an inferred order, as it was typed."""

    require: Edges = None
    forbid: Edges = None
    tiers: Tiers = None
    roots: Roots = None
    leaves: Leaves = None
    randomised: Randomised = None
    knowledge: KnowledgePath = None
    suggested: Suggested = False
    intervened: Intervened = None
    setting: Setting = None
    columns: Kept = None
    drop: Dropped = None
    kind: Kinds = None
    keep: Computed = None
    group: Group = None
    time: Time = None
    lags: Lags = 0
    scale: Scale = "standardized"

    def given(self) -> list[str]:
        """The options that were used and bear on what is learned."""
        learning = fields(self)[len(fields(ReadOptions)) :]
        return [f"--{field.name}" for field in learning if getattr(self, field.name) != field.default]

    def choose(self, table: "pd.DataFrame") -> "Chosen":
        """What is learned from in a table: the columns chosen, and what was done in each row."""
        from fipscm.tables.columns import Columns
        from fipscm.tables.lags import with_lags

        names: list[Hashable] = list(table.columns)
        experiment, setting = (
            None if text is None else as_column(text, names) for text in (self.intervened, self.setting)
        )
        kept, dropped = as_columns(self.columns, names), {experiment, setting, *as_columns(self.drop, names)}
        panel = self.panel(names)
        kept += [name for name in panel.values() if kept and name in names and name not in kept]
        chosen = [name for name in kept or names if name not in dropped]
        rows, tiers = with_lags(table[chosen], **panel, lags=self.lags) if self.lags else (table[chosen], [])
        columns: list[Hashable] = list(rows.columns)
        known = Columns.of(rows, self.kinds(columns), {*self.kept(columns), *self.named(columns)}, **panel)
        tiers = [[name for name in tier if name in known.variables] for tier in tiers]
        done = None
        if experiment is not None or setting is not None:
            arms, sites = (_texts(table, name, rows.index) for name in (experiment, setting))
            named = ([f"?{site}"] if site else [] for site in sites)
            done = [as_experiment(arm, columns) + site for arm, site in zip(arms, named, strict=True)]
        return Chosen(rows, known, done, tiers)

    def panel(self, columns: Sequence[Hashable]) -> dict[str, Any]:
        """The columns that name the units of the rows and tell the time, as far as they were named."""
        typed = {"group": self.group, "time": self.time}
        return {name: text if text in (None, "none") else as_column(text, columns) for name, text in typed.items()}

    def kept(self, columns: Sequence[Hashable]) -> tuple[Hashable, ...]:
        """The columns to use although they may have been computed from others."""
        return tuple(as_columns(",".join([*(self.keep or ()), self.columns or ""]), columns))

    def named(self, columns: Sequence[Hashable]) -> set[Hashable]:
        """The columns that are spoken of."""
        from fipscm.constraints import Constraints

        return Constraints(knowledge=self.typed(columns)).named(columns)

    def kinds(self, columns: Sequence[Hashable]) -> dict[Hashable, str] | None:
        """The kinds of columns that were set by hand; None if none was."""
        return dict(as_kind(text, columns) for text in self.kind) if self.kind else None

    def typed(self, columns: Sequence[Hashable], tiers: Sequence[Sequence[Hashable]] = ()) -> "fipscm.Knowledge":
        """The constraints on these columns that were typed, of which lags have `tiers` by time."""
        if tiers and self.tiers:
            raise KnowledgeError("--lags puts the columns in tiers by time: say the rest with --require and --forbid.")
        return fipscm.Knowledge(
            required_edges=[as_edge(text, columns) for text in self.require or ()],
            forbidden_edges=[as_edge(text, columns) for text in self.forbid or ()],
            tiers=tiers or [as_columns(tier, columns) for tier in (self.tiers or "").split(";") if tier.strip()],
            roots=as_columns(self.roots, columns),
            leaves=as_columns(self.leaves, columns),
            randomised=as_columns(self.randomised, columns),
        )

    def constraints(self, chosen: "Chosen") -> "fipscm.Knowledge | None":
        """What is known of a table: as typed, from a file, and as names suggest if that was asked for; None if nothing.

        A suggestion gives way to what the user says.
        """
        columns = list(chosen.table.columns)
        known = self.typed(columns, chosen.tiers)
        if self.knowledge is not None:
            from fipscm.knowledge.file import KnowledgeFile

            known = KnowledgeFile.read(self.knowledge).knowledge(columns, chosen.known.set_aside, known)
        if self.suggested:
            known = _with_suggestions(known, chosen)
        return None if known == fipscm.Knowledge() else known

    @property
    def tell_the_order(self) -> bool:
        """Whether something about the order was told, or asked to be taken from names."""
        told = self.require, self.forbid, self.tiers, self.roots, self.leaves, self.randomised, self.knowledge
        return self.suggested or any(told)


def _texts(table: "pd.DataFrame", column: Hashable | None, index: "pd.Index") -> list[str]:
    """The cells of a column in these rows as texts, empty where there is none."""
    if column is None:
        return [""] * len(index)
    cells = table[column].loc[index]
    return list(cells.astype(str).where(cells.notna(), ""))


def _with_suggestions(known: "fipscm.Knowledge", chosen: "Chosen") -> "fipscm.Knowledge":
    """What is known and what names suggest; suggestions that contradict what is known are named and left out."""
    found = fipscm.suggest(chosen.variables)
    known, dropped = found.added_to(known)
    if not found.facts:
        warnings.warn("The names of the columns suggest nothing, so --suggested adds nothing.", stacklevel=2)
    for statement in dropped:
        warnings.warn(f"Not applied as suggested, for it contradicts what you gave: {statement}", stacklevel=2)
    return known


class Chosen(NamedTuple):
    """What is learned from."""

    table: "pd.DataFrame"
    known: "Columns"
    intervened: list[list[Hashable]] | None  # what was done in each row; None where no column names that
    tiers: list[list[Hashable]]  # the columns by time, if some are lags

    @property
    def variables(self) -> "pd.DataFrame":
        """The table without the columns that are set aside."""
        return self.table[list(self.known.variables)]


@dataclass(frozen=True)
class FitOptions(OrderOptions):
    """What bears on a model, as it was typed: an order or a graph may be known as a whole."""

    order: Order = None
    graph: Graph = None
    missing: Missing = MISSING[0]

    @property
    def fix_the_order(self) -> bool:
        """Whether no order is left to infer."""
        return self.order is not None or self.graph is not None

    def named(self, columns: Sequence[Hashable]) -> set[Hashable]:
        """The columns that are spoken of; what a graph speaks of is seen where it is read."""
        return super().named(columns) | set(as_columns(self.order, columns))

    @property
    def tell_the_order(self) -> bool:
        """Whether something about the order was told, perhaps all of it."""
        return self.fix_the_order or super().tell_the_order

    def estimator(self, chosen: Chosen, seed: int, **settings: Any) -> "fipscm.FiP":
        """A model of these columns, still to be fitted; progress is shown if somebody watches."""
        from fipscm.tables.read import read_table

        if self.suggested and self.fix_the_order:
            raise KnowledgeError("With --order or --graph no order is left to suggest: leave out --suggested.")
        columns = list(chosen.table.columns)
        return fipscm.FiP(
            order=None if self.order is None else as_columns(self.order, columns),
            graph=None if self.graph is None else read_table(self.graph, row_names=True),
            knowledge=self.constraints(chosen),
            kinds=self.kinds(columns),
            keep=self.kept(columns),
            **self.panel(columns),
            missing=self.missing,
            scale=self.scale,
            random_state=seed,
            verbose=sys.stderr.isatty(),
            **settings,
        )


def unfolded(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command an option for every field of the dataclass that its parameter `options` is annotated with.

    Typer reads the options of a command from its signature: this puts there what commands share.
    """
    signature = inspect.signature(command)
    parameters = dict(signature.parameters)
    shared = parameters.pop("options").annotation
    for field in fields(shared):
        parameters[field.name] = inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=field.type
        )

    @wraps(command)
    def with_options(**values: Any) -> None:
        typed = {field.name: values.pop(field.name) for field in fields(shared)}
        command(**values, options=shared(**typed))

    with_options.__signature__ = signature.replace(parameters=list(parameters.values()))  # type: ignore[attr-defined]
    with_options.__annotations__ = {name: parameter.annotation for name, parameter in parameters.items()}
    return with_options
