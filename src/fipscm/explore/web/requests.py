"""What the page may ask, as it arrives: bounded in size, finite in number, nothing unknown."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, Strict, StringConstraints, model_validator

_MOST_COLUMNS = 2_000
MOST_EDGES = 10_000
_MOST_ROWS = 10_000
LONGEST_NAME = 1_000
LONGEST_TEXT = 500_000

Name = Annotated[str, StringConstraints(max_length=LONGEST_NAME)]
# Squares of larger numbers overflow in double precision.
Number = Annotated[FiniteFloat, Field(ge=-1e100, le=1e100)]
# Text never stands for a number: "NaN" is a name.
LevelName = Annotated[str, Strict(), StringConstraints(max_length=LONGEST_NAME)]
Grades = Annotated[str, StringConstraints(max_length=LONGEST_NAME, pattern="<")]  # their names, the lowest first
Kind = Literal["continuous", "count", "ordinal", "binary", "categorical"] | Grades
Names = Annotated[list[Name], Field(max_length=_MOST_COLUMNS)]
Edges = Annotated[list[tuple[Name, Name]], Field(max_length=MOST_EDGES)]


class Request(BaseModel):
    """Fields that no one asked for are a mistake."""

    model_config = ConfigDict(extra="forbid")


class Change(Request):
    """One column is set to a value, a number or the name of a level, or shifted by an amount."""

    column: Name
    kind: Literal["set", "shift"]
    value: Number | LevelName


class Question(Request):
    """What if? The row and the target are those on the screen, if any."""

    do: Annotated[list[Change], Field(max_length=_MOST_COLUMNS)] = []
    row: Annotated[int, Field(ge=0)] | None = None

    @model_validator(mode="after")
    def _each_column_once(self) -> "Question":
        columns = [change.column for change in self.do]
        if len(set(columns)) < len(columns):
            raise ValueError("A column is changed twice: change each column once.")
        return self


class RowQuestion(Question):
    """What would this row have been?"""

    row: Annotated[int, Field(ge=0)]


class EffectQuestion(Request):
    """The effect of one column on another; values that are not given are the usual ones."""

    treatment: Name
    outcome: Name
    treated: Number | LevelName | None = None
    control: Number | LevelName | None = None


class Target(Request):
    """Which column should reach which average, by which columns."""

    target: Name
    value: Number
    using: Names | None = None


class UnitsQuestion(Question):
    """Simulated units under an intervention."""

    rows: Annotated[int, Field(ge=1, le=_MOST_ROWS)] = 1_000


class ScriptQuestion(Question):
    """The Python lines for everything on the screen."""

    target: Target | None = None


class Edited(Request):
    """All edits of the expert."""

    required: Edges = []
    forbidden: Edges = []
    hidden: Edges = []
    kinds: Annotated[dict[Name, Kind], Field(max_length=_MOST_COLUMNS)] = {}
    tiers: Annotated[list[Names], Field(max_length=_MOST_COLUMNS)] = []
    roots: Names | None = None
    leaves: Names | None = None


class GraphText(Request):
    """A graph as DAGitty, DOT or GML."""

    text: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_TEXT)]
