"""Where a model is asked for, a table does as well: it is fitted first.

That takes minutes, so that the names of the columns are known at once and the model only when it is needed: every
mistake that can be found without the model is found before.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from tempfile import NamedTemporaryFile

from fipscm.cli.names import MODEL_SUFFIX
from fipscm.cli.options import Chosen, FitOptions
from fipscm.errors import DataError, KnowledgeError, ModelFileError
from fipscm.estimator import FiP
from fipscm.graph import listed
from fipscm.tables.columns import Columns
from fipscm.tables.read import ReadTable, parse_table, read_with_writing
from fipscm.tables.stream import STREAM, is_archive, require_one_stream, standard_input
from fipscm.tables.validate import as_frame, require_finite
from fipscm.tables.writing import PLAIN, Writing


@dataclass(frozen=True)
class Source:
    """A saved model, which has no table, or a table to learn one from."""

    known: Columns
    model: Callable[[], FiP]
    table: ReadTable | None = None
    chosen: Chosen | None = None

    def assessed(self) -> FiP:
        """The model, which knows how sure its order is; one that was saved without knowing cannot find out."""
        return self.model() if self.is_saved else self.model().assess()

    @property
    def is_saved(self) -> bool:
        """Whether the model was fitted before."""
        return self.table is None

    @property
    def writing(self) -> Writing:
        """How the table is written; a saved model does not know that."""
        return PLAIN if self.table is None else self.table.writing

    @property
    def columns(self) -> list[Hashable]:
        """The variables of the model."""
        return list(self.known.variables)


def open_source(path: str, options: FitOptions, seed: int, kept: Sequence[str] = ()) -> Source:
    """Load a saved model, or read a table to fit with these options.

    What is asked about is `kept`, also if it was computed from other columns.
    """
    require_one_stream(path, options.graph)
    content = standard_input(options.reading.most_bytes) if path == STREAM else b""
    if path.endswith(MODEL_SUFFIX) or is_archive(content):
        if options.given():
            raise KnowledgeError(
                f"{', '.join(options.given())} cannot change a model that is fitted already: give the table instead, "
                "or fit again with fipscm fit."
            )
        model = _load(content) if path == STREAM else FiP.load(path)
        return Source(model.columns_, lambda: model)
    if path == STREAM:
        read = parse_table(content, "Standard input", reading=options.reading)
    else:
        read = read_with_writing(path, reading=options.reading)
    chosen = options.choose(read.frame)
    computed = [text for text in kept if text.strip() in map(str, chosen.known.computed)]
    if computed:
        options = replace(options, keep=[*(options.keep or ()), *computed])
        chosen = options.choose(read.frame)
    chosen.known.require_variables(fewest=2)
    estimator = options.estimator(chosen, seed)
    asked = read._replace(frame=chosen.table) if options.lags else read
    return Source(chosen.known, lambda: estimator.fit(chosen.table, intervened=chosen.intervened), asked, chosen)


def rows_for(path: str | None, source: Source, options: FitOptions) -> ReadTable:
    """Rows that a model can be asked about, those of its own table if no others are given.

    Columns that the model does not know are carried along.
    """
    read = source.table if path is None else read_with_writing(path, reading=options.reading)
    if read is None:
        raise DataError("A saved model holds no rows: name the table with the rows after it.")
    frame, columns = read.frame, source.columns
    missing = [name for name in columns if name not in frame.columns]
    if missing:
        found, needed = (listed(names) for names in (frame.columns, columns))
        raise DataError(f"'{path}' has the columns {found}, but the model needs {needed}: add {listed(missing)}.")
    require_finite(as_frame(source.known.encode(frame[columns])), missing_cells=options.missing != "refuse")
    return read


def _load(content: bytes) -> FiP:
    """A model from its bytes: archives are read from files, which a stream is not."""
    with NamedTemporaryFile(suffix=MODEL_SUFFIX) as file:
        file.write(content)
        file.flush()
        try:
            return FiP.load(file.name)
        except ModelFileError as error:
            raise ModelFileError(str(error).replace(f"'{file.name}'", "Standard input")) from None
