"""Knowledge in a small TOML file that people read and edit; every mistake is told with its line.

    [[known]]
    roots = ["sex", "race"]
    why = "People are born with them."

    [[known]]
    tiers = [["schooling"], ["wage"]]

The keys are `tiers`, `roots`, `randomised`, `leaves`, `forbidden`, `required` and `why`. They may also stand at the top
of the file, outside of any table.
"""

import json
import re
import tomllib
import warnings
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from fipscm.errors import FileError, KnowledgeError, unknown_name
from fipscm.knowledge.knowledge import Knowledge
from fipscm.knowledge.statement import GROUPS, KEYS, Statement, contradiction, in_words, joined

TABLE, REASON = "known", "why"
_WIDEST = 110  # characters of a line; longer lists have one line per group
_HEADER = re.compile(r"^\s*\[\[\s*known\s*\]\]")


class Located(NamedTuple):
    """A statement and where its key stands in the file."""

    statement: Statement
    line: int


@dataclass(frozen=True)
class KnowledgeFile:
    """The statements of a file, in its order."""

    name: str
    lines: tuple[str, ...]
    located: tuple[Located, ...]

    @classmethod
    def read(cls, path: str | PathLike[str]) -> "KnowledgeFile":
        """Read a file; what it says is not yet held against a table."""
        try:
            text = Path(path).read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not written in UTF-8"
            raise FileError(f"Cannot read the knowledge in '{path}': {reason}.") from None
        name, lines = Path(path).name, tuple(text.splitlines())
        try:
            content = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise KnowledgeError(f"{_place(name, _line_in(error, lines))}: {_plain(error)}.") from None
        located = tuple(_Parser(name, lines).statements(content))
        if not located:
            warnings.warn(f"{name} says nothing about any column.", UserWarning, stacklevel=2)
        return cls(name, lines, located)

    def knowledge(
        self,
        names: Sequence[Hashable] | None = None,
        set_aside: Collection[Hashable] = (),
        known: Knowledge | None = None,
    ) -> Knowledge:
        """What the file says, in the names of a table, added to what else is known.

        Columns that were set aside are warned of and left out. Without names, no column is unknown.
        """
        columns = {str(name).strip(): name for name in names or self._mentioned()}
        statements = [Located(self._named(each, columns), each.line) for each in self.located]
        unused = {name for each in statements for name in each.statement.columns if name in set_aside}
        if unused:
            told = in_words([f"'{name}'" for name in columns.values() if name in unused])
            warnings.warn(f"What {self.name} says of {told} is left out: not a column to model.", stacklevel=2)
        kept = [name for name in columns.values() if name not in unused]
        statements = [Located(each.statement.restricted(kept), each.line) for each in statements]
        return self._joined(statements, known or Knowledge(), list(columns.values()))

    def _mentioned(self) -> list[Hashable]:
        return list(chain.from_iterable(each.statement.columns for each in self.located))

    def _named(self, each: Located, columns: Mapping[str, Hashable]) -> Statement:
        """The statement with the table's own names, which may be numbers."""
        for name in each.statement.columns:
            if str(name).strip() not in columns:
                place = _place(self.name, self._line_of(str(name), each.line))
                raise KnowledgeError(f"{place}: {unknown_name('column', name, columns)}")
        groups = tuple(tuple(columns[str(name).strip()] for name in group) for group in each.statement.groups)
        return Statement(each.statement.kind, groups, each.statement.reason)

    def _line_of(self, name: str, start: int) -> int:
        """The first line from `start` on that quotes a name."""
        quoted = f'"{name}"', f"'{name}'", json.dumps(name, ensure_ascii=False)
        rest = enumerate(self.lines[start - 1 :], start)
        return next((number for number, line in rest if any(text in line for text in quoted)), start)

    def _joined(self, statements: Sequence[Located], known: Knowledge, names: Sequence[Hashable]) -> Knowledge:
        """All statements joined, or an error that names the lines which contradict each other."""

        def clash(chosen: Iterable[Located], start: Knowledge = known) -> bool:
            return bool(contradiction(joined((each.statement for each in chosen), start), names))

        for count, last in enumerate(statements):
            needed = list(statements[: count + 1])
            if not clash(needed):
                continue
            for candidate in statements[:count]:  # without those that the contradiction does not need
                others = [each for each in needed if each is not candidate]
                needed = others if clash(others) else needed
            lines = [each.line for each in needed[:-1]]
            other = f"line{'s' if len(lines) > 1 else ''} {in_words(lines)}" if lines else "itself"
            if not clash(needed, Knowledge()):
                other = f"{other} and the options given" if lines else "the options given"
            raise KnowledgeError(
                f"{_place(self.name, last.line)} contradicts {other}: change or remove one of the two."
            )
        return joined((each.statement for each in statements), known)


def write_statements(statements: Iterable[Statement], path: str | PathLike[str], heading: Sequence[str] = ()) -> None:
    """Write a knowledge file."""
    try:
        Path(path).write_text(as_toml(statements, heading), encoding="utf-8")
    except OSError as error:
        raise FileError(f"Cannot write '{path}': {error.strerror}.") from None


def as_toml(statements: Iterable[Statement], heading: Sequence[str] = ()) -> str:
    """Statements as the text of a knowledge file, with comments above.

    >>> print(as_toml([Statement("roots", (("sex", "race"),), "Born with.")]), end="")
    [[known]]
    roots = ["sex", "race"]
    why = "Born with."
    """
    blocks = ["".join(f"# {line}\n" for line in heading)] if heading else []
    for statement in statements:
        why = f"{REASON} = {_quoted(statement.reason)}\n" if statement.reason else ""
        blocks.append(f"[[{TABLE}]]\n{statement.kind} = {_value(statement)}\n{why}")
    return "\n".join(blocks)


def _value(statement: Statement) -> str:
    groups = [f"[{', '.join(_quoted(str(name)) for name in group)}]" for group in statement.groups]
    if statement.kind in GROUPS:
        return groups[0]
    line = f"[{', '.join(groups)}]"
    return line if len(line) <= _WIDEST else "[\n" + "".join(f"  {group},\n" for group in groups) + "]"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


class _Parser:
    """Turns the tables of a file into statements; knows on which line each key stands."""

    def __init__(self, name: str, lines: Sequence[str]) -> None:
        self.name, self.lines = name, lines
        self.headers = [number for number, line in enumerate(lines, 1) if _HEADER.match(line)]

    def statements(self, content: Mapping[str, Any]) -> Iterable[Located]:
        """Those at the top first, then table by table."""
        tables = content.get(TABLE, [])
        top = {key: value for key, value in content.items() if key != TABLE}
        if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
            self._refuse(1, f"'{TABLE}' is written in double brackets, as [[{TABLE}]]")
        borders = [*self.headers, len(self.lines) + 1]
        yield from self._of_table(top, 1, borders[0])
        # Tables without such headers, as in known = [{...}], may stand on any line.
        are_seen = len(self.headers) == len(tables)
        spans = list(pairwise(borders)) if are_seen else [(1, borders[-1])] * len(tables)
        for table, (start, end) in zip(tables, spans, strict=True):
            yield from self._of_table(table, start, end)

    def _of_table(self, table: Mapping[str, Any], start: int, end: int) -> Iterable[Located]:
        reason = table.get(REASON, "")
        for key, value in table.items():
            line = self._line(key, start, end)
            if key not in (*KEYS, REASON):
                self._refuse(line, str(unknown_name("key", key, (*KEYS, REASON))).removesuffix("."))
            if key == REASON and not isinstance(value, str):
                self._refuse(line, f"'{REASON}' is a reason in quotes")
            if key in KEYS:
                yield Located(Statement(key, self._groups(key, value, line), str(reason)), line)
        if REASON in table and not table.keys() & {*KEYS}:
            line = self._line(REASON, start, end)
            self._refuse(line, f"this reason stands alone: add {', '.join(KEYS[:-1])} or {KEYS[-1]}, or remove it")

    def _groups(self, key: str, value: Any, line: int) -> tuple[tuple[str, ...], ...]:
        is_flat = key in GROUPS
        groups = [value] if is_flat else value
        if not isinstance(groups, list) or not all(isinstance(group, list) for group in groups):
            example = '["sex", "race"]' if is_flat else '[["sex"], ["wage"]]' if key == "tiers" else '[["sex", "wage"]]'
            self._refuse(line, f"'{key}' is a list, as in {key} = {example}")
        if not all(isinstance(name, str | int) for group in groups for name in group):
            self._refuse(line, f"the names in '{key}' are not all written in quotes")
        if key in ("forbidden", "required") and not all(len(group) == 2 for group in groups):
            self._refuse(line, f'an edge in \'{key}\' is a cause and an effect, as in {key} = [["sex", "wage"]]')
        repeated = [name for group in groups for name in group]
        twice = next((name for name in repeated if key == "tiers" and repeated.count(name) > 1), None)
        if twice is not None:
            self._refuse(line, f"'{twice}' stands in two tiers: keep it in one")
        return tuple(tuple(str(name) for name in group) for group in groups)

    def _line(self, key: str, start: int, end: int) -> int:
        pattern = re.compile(rf"^\s*[\"']?{re.escape(key)}[\"']?\s*[=.]|^\s*\[+\s*{re.escape(key)}\s*\]")
        span = enumerate(self.lines[start - 1 : end - 1], start)
        return next((number for number, line in span if pattern.match(line)), start)

    def _refuse(self, line: int, sentence: str) -> None:
        raise KnowledgeError(f"{_place(self.name, line)}: {sentence}.")


def _place(name: str, line: int) -> str:
    return f"{name}, line {line}"


def _line_in(error: tomllib.TOMLDecodeError, lines: Sequence[str]) -> int:
    """The line that a syntax error is on; one at the end of the file is told without."""
    found = re.search(r"at line (\d+)", str(error))
    return int(found[1]) if found else max(len(lines), 1)


def _plain(error: tomllib.TOMLDecodeError) -> str:
    """What a syntax error is, without its place."""
    return re.sub(r"\s*\(at [^)]*\)", "", str(error)).strip().rstrip(".")
