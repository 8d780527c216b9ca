"""The page about the corpus: does everything end, is what is certain told right, can every figure be believed."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from fipscm.bench.measured.corpus import corpus
from fipscm.bench.measured.measure import STAGES
from fipscm.bench.measured.run import MEASURED_RESULTS, comparison_error, ended, processor_seconds, read_lines
from fipscm.bench.measured.summary import (
    MEASURED_SUMMARIES,
    SMALL_COLUMNS,
    SMALL_ROWS,
    SMALL_SECONDS,
    calibration,
    is_small,
    mean_r2,
    record_summary,
    summarise_corpus,
)
from fipscm.bench.report.layout import markdown_table
from fipscm.bench.run.results import Line
from fipscm.display import digits
from fipscm.errors import FileError

MEASURED_PAGE = "measured.md"
NONE = "n/a"
LONGEST_CELL = 110  # characters of an error that a cell of a table shows
ANSWERED_BY = ("ours", "ours_informed", "difference_of_means", "least_squares")

HEAD = """# Measured tables, end to end

```
{command}
```

Tables that packages on PyPI carry, and some with known answers, as a new user has them: one CSV file, nothing told.
Half of them served to write the lexicon of suggested knowledge; the other half, marked *, did not. What is certain
about the order of their columns follows from what these mean: sex is no effect of a wage, a year of nothing, and what
was measured later of nothing earlier. `src/fipscm/bench/measured` has every fact with its reason. Seconds are those
of the processor; a mean over tables counts each table once, however many pairs or columns it has. Version {version}."""

ORDER = """## The order

The share of certain pairs that an order has the right way round; a coin has 0.5. The columns are those that the fit
kept. Classical orders are given {rows} rows at most. An edge contradicts what is certain if it goes from a column to
one that it cannot cause. A suggestion can be judged if it says something about a certain pair."""

_CALIBRATION = """## Confidence

How sure the model said it was of the direction it chose, on certain pairs, and how often it was right."""

MECHANISMS = """## Mechanisms on unseen rows

Refitted to four fifths of the rows (of {rows} at most) on the edges found, judged on complete rows of the rest; least
squares and gradient boosting (scikit-learn's, as it comes) on the same causes and rows. R2 is the mean over columns
with causes, and `told` is what the model says of itself; one below -1 counts as -1. The log-likelihood is that of a
whole row; plain methods have normal noise with the spread of the unseen rows."""

INTERVALS = """## Intervals that cannot be believed

Of every effect in a report and of the effect asked for: an estimate that does not lie inside its interval, an
interval wider than ten times the range of the outcome, or a sign against that of the only arrow that leads there."""

EFFECTS = """## Effects that are known

From an experiment or a design, with what agrees with it. `told` knows what is certain about the order; least squares
adjusts for the columns that certainly come before the treatment. An estimate in bold agrees."""


def write_page(out: Path, command: str) -> Path:
    """Write the page and the summary of a folder with results."""
    lines = latest(read_lines(out / MEASURED_RESULTS))
    if not lines:
        raise FileError(f"{out / MEASURED_RESULTS} holds no result yet: run it without --no-run.")
    record_summary(out / MEASURED_SUMMARIES, summarise_corpus(lines))
    path = out / MEASURED_PAGE
    path.write_text(measured_page(lines, command))
    return path


def latest(lines: Sequence[Line]) -> list[Line]:
    """The last line of every table, as the corpus has them."""
    last = {line["table"]: line for line in lines}
    return [last[name] for name in corpus() if name in last]


def measured_page(lines: Sequence[Line], command: str) -> str:
    """The whole page."""
    from fipscm.bench.measured.unseen_rows import COMPARED_ROWS

    rows = f"{COMPARED_ROWS:,}"
    head = HEAD.format(command=command, version=summarise_corpus(lines)["version"])
    parts = [
        head,
        markdown_table(["what is asked for", "what there is", ""], list(_bars(lines))),
        "## Does it end\n\n" + markdown_table(_endings_header(), [_ending(line) for line in lines]),
        ORDER.format(rows=rows),
        markdown_table(_order_header(), [_order(line) for line in lines if line.get("pairs")]),
        _CALIBRATION,
        markdown_table(["told", "pairs", "mean told", "share right"], list(_calibration(lines))),
        MECHANISMS.format(rows=rows),
        markdown_table(_mechanisms_header(), [_mechanisms(line) for line in lines if "kept" in line]),
        INTERVALS,
        "\n".join(f"- {line['table']}: {each}" for line in lines for each in line.get("insane", ())) or "None.",
        EFFECTS,
        markdown_table(_effects_header(), [_effect(line, each) for line in lines for each in line.get("effects", ())]),
    ]
    return "\n\n".join(parts) + "\n"


def _bars(lines: Sequence[Line]) -> Iterator[tuple[str, str, str]]:
    """What is asked of the corpus, what there is, and whether that is enough where a bar is set."""
    told, limit = summarise_corpus(lines), max(line["limit"] for line in lines)
    in_time = sum(ended(line) and processor_seconds(line) <= limit for line in lines)
    every, finished, small, quick = (told[key] for key in ("tables", "ended", "small", "small_in_time"))
    seconds = f"median {told['median_seconds']:.0f} s, most {told['most_seconds']:.0f} s"
    minute = f"fewer than {SMALL_ROWS:,} rows and {SMALL_COLUMNS} columns: within {SMALL_SECONDS:g} s"
    ours, r2, lingam = (_share(told[key]) for key in ("right", "right_r2", "right_direct_lingam"))
    right, wrong = told["right_suggested_held_out"], told["wrong_suggestions_held_out"]
    leads = f"{_lead(told['r2_beyond_least_squares'])} and {_lead(told['r2_beyond_boosting'])}"
    insane = told["insane_intervals"]
    left_out = sorted(corpus().keys() - {line["table"] for line in lines})
    if left_out:
        yield "every table of the corpus is measured", f"{every} of {len(corpus())}; not {', '.join(left_out)}", "no"
    all_end = finished == every and not left_out
    yield "every table ends in a model, a report and an effect", f"{finished} of {every}", _met(all_end)
    yield minute, f"{quick} of {small}", _met(quick == small)
    yield f"all within {limit:g} s", f"{in_time} of {every}; {seconds}", _met(all_end and in_time == every)
    yield "certain pairs right from rows alone", f"{ours}; R2 {r2}, DirectLiNGAM {lingam}", ""
    if right is not None and wrong is not None:
        yield "with suggestions, on held-out tables: at least 0.85", _share(right), _met(right >= 0.85)
        yield "wrong suggestions, on held-out tables: at most 0.05", _share(wrong), _met(wrong <= 0.05)
    yield "calibration error of the confidence told", _share(told["calibration_error"]), ""
    yield "edges that contradict what is certain", str(told["contradicting_edges"]), ""
    yield "no interval that cannot be believed", f"{insane} of {told['intervals']}", _met(insane == 0)
    yield "R2 of unseen rows beyond least squares and boosting", leads, ""


def _met(bar: bool) -> str:
    return "yes" if bar else "no"


def _name(line: Line) -> str:
    return f"{line['table']}{'*' if line['half'] == 'held-out' else ''}"


def _endings_header() -> list[str]:
    return ["table", "rows x columns", "kept", *STAGES, "seconds", "in time", "version"]


def _ending(line: Line) -> list[str]:
    size = f"{line['rows']:,} x {line['columns']}" if "rows" in line else NONE
    stages = [_stage(line, stage) for stage in STAGES]
    seconds = " + ".join(f"{line[stage]['seconds']:.0f}" for stage in STAGES if stage in line)
    most = SMALL_SECONDS if is_small(line) else line["limit"]
    in_time = "yes" if ended(line) and processor_seconds(line) <= most else "no"
    commit = line["version"].partition("-")[0]
    return [_name(line), size, str(line.get("kept", NONE)), *stages, seconds, in_time, commit]


def _stage(line: Line, stage: str) -> str:
    if stage not in line:
        return NONE
    return _short(line[stage]["error"]) or "yes"


def _short(error: str) -> str:
    """The first line of an error, as a cell of a table can hold it."""
    first = error.split("\n", maxsplit=1)[0].replace("|", "/")
    return first if len(first) <= LONGEST_CELL else f"{first[:LONGEST_CELL]}..."


def _order_header() -> list[str]:
    return [
        "table",
        "pairs",
        "ours",
        "with suggestions",
        "R2",
        "DirectLiNGAM",
        "contradicting edges",
        "wrong suggestions",
    ]


def _order(line: Line) -> list[str]:
    shares = [_share(line.get(key)) for key in ("right", "right_suggested", "right_r2", "right_direct_lingam")]
    edges = f"{len(line['contradictions'])} of {line['edges']}"
    judged = line.get("judged_suggestions")
    wrong = NONE if judged is None else f"{line['wrong_suggestions']} of {judged}"
    return [_name(line), str(line["pairs"]), *shares, edges, wrong]


def _calibration(lines: Sequence[Line]) -> Iterator[list[str]]:
    for each in calibration(lines):
        yield [f"{each.low:g} to {each.high:g}", str(each.pairs), _share(each.told), _share(each.right)]


def _mechanisms_header() -> list[str]:
    figures = ("told", "ours", "least squares", "boosting")
    return ["table", "unseen rows", *(f"R2 {each}" for each in figures), *(f"log-lik. {each}" for each in figures[1:])]


def _mechanisms(line: Line) -> list[str]:
    found = line.get("held_out", {"error": comparison_error(line) or NONE})
    if "r2" not in found:
        return [_name(line), _short(found["error"]), *[NONE] * 7]
    shares = [_share(mean_r2(line, method)) for method in ("told", "ours", "least_squares", "boosting")]
    likelihoods = [_figure(found["log_likelihood"][method]) for method in ("ours", "least_squares", "boosting")]
    return [_name(line), str(found["unseen"]), *shares, *likelihoods]


def _effects_header() -> list[str]:
    return ["table", "effect", "known", "ours", "ours, told", "difference of means", "least squares"]


def _effect(line: Line, each: Line) -> list[str]:
    known = f"{each['truth']:g} ({each['low']:g} to {each['high']:g})"
    return [
        _name(line),
        f"{each['of']} on {each['on']}",
        known,
        *(_answer(each, each[method]) for method in ANSWERED_BY),
    ]


def _answer(truth: Line, found: Line) -> str:
    if "error" in found:
        return _short(found["error"])
    if not found.get("possible", True):
        return "cannot act"
    estimate = digits(found["estimate"])
    bold = f"**{estimate}**" if truth["low"] <= found["estimate"] <= truth["high"] else estimate
    return f"{bold} ({digits(found['low'])} to {digits(found['high'])})" if "low" in found else bold


def _share(figure: float | None) -> str:
    return NONE if figure is None else f"{figure:.2f}"


def _lead(figure: float | None) -> str:
    return NONE if figure is None else f"{figure:+.3f}"


def _figure(figure: float | None) -> str:
    return NONE if figure is None else f"{figure:.2f}"
