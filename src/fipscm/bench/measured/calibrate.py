"""Fit what a share of drawn orders is worth to the lines of `fipscm bench orders`. Shapes: P certain pairs of a table.

One parameter, because little is known: the slope between log odds of shares and log odds of being right. Every table
counts once, however many pairs it has. It is checked on each table by the slope that the other tables have.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import expit, log_expit

from fipscm.arrays import Array
from fipscm.bench.measured.known_orders import NOT_MEASURED
from fipscm.bench.report.layout import markdown_table
from fipscm.bench.run.results import Line
from fipscm.errors import DataError
from fipscm.order.confidence import Calibration, Told, log_odds

LEVELS = (0.6, 0.7, 0.8, 0.9)
TOLERANCE = 0.1  # how far fewer than told may be right
_STEEPEST = 2.0  # of a slope: shares are never worth that much more than they say
FEWEST_TABLES = 10


def calibrated(lines: Sequence[Line]) -> Calibration:
    """The slope that makes the known answers of measured tables likeliest, and what it told of each table."""
    measured = evidence_of_tables(line for line in lines if line["group"] not in NOT_MEASURED)
    simulated = evidence_of_tables(line for line in lines if line["group"] in NOT_MEASURED)
    if len(measured) < FEWEST_TABLES:
        raise DataError(
            f"Only {len(measured)} measured tables have a line: run `fipscm bench orders` on at least {FEWEST_TABLES}."
        )
    networks = {line["weights"] for line in lines}
    if len(networks) > 1:
        raise DataError(
            f"The lines rest on {len(networks)} different weights ({', '.join(sorted(networks))}): "
            "run `fipscm bench orders` again on all tables."
        )
    slope = fitted_slope(measured)
    left_out = [fitted_slope([*measured[:place], *measured[place + 1 :]]) for place in range(len(measured))]
    return Calibration(
        round(slope, 3),
        networks.pop(),
        len(measured),
        reliability(measured, left_out),
        reliability(simulated, [slope] * len(simulated)),
    )


def evidence_of_tables(lines: Iterable[Line]) -> list[Array]:
    """(P,) for each table: the log odds of the shares of drawn orders that have its certain pairs right."""
    return [log_odds(np.array(line["shares"]), line["draws"]) for line in lines if line.get("shares")]


def fitted_slope(tables: Sequence[Array]) -> float:
    """The slope of the greatest likelihood, never below zero: a larger share is no sign of the other direction.

    >>> slope = fitted_slope([np.array([2.0, 2.0, 2.0, -2.0])])
    >>> round(float(expit(slope * 2.0)), 2)  # three of four are right
    0.75
    """

    def loss(slope: float) -> float:
        return -float(np.mean([log_expit(slope * evidence).mean() for evidence in tables]))

    return float(minimize_scalar(loss, bounds=(0.0, _STEEPEST), method="bounded").x)


def reliability(tables: Sequence[Array], slopes: Sequence[float]) -> tuple[Told, ...]:
    """How many directions are told at each level, and how many of them are right; each table has a slope of its own."""
    if not tables:
        return ()
    sure = np.concatenate([expit(slope * np.abs(table)) for slope, table in zip(slopes, tables, strict=True)])
    right = np.concatenate(tables) > 0
    return tuple(Told(level, int(right[sure >= level].sum()), int((sure >= level).sum())) for level in LEVELS)


def calibration_text(found: Calibration) -> str:
    """The slope, and what was told and right at each level, as Markdown."""
    body = [
        [f"{each.at_least:.0%}", *_cells(each), *(_cells(other) if other else ["-", "-"])]
        for each, other in zip(found.told, found.simulated or [None] * len(found.told), strict=True)
    ]
    header = ["told with at least", "measured: right", "share", "simulated: right", "share"]
    short = [each for each in found.told if each.told and each.right / each.told < each.at_least - TOLERANCE]
    verdict = (
        f"Short of what was told by more than {TOLERANCE:g}: at {', '.join(f'{each.at_least:.0%}' for each in short)}."
        if short
        else f"At no level are fewer right than told, less {TOLERANCE:g}."
    )
    head = (
        f"Slope {found.slope:g}, from {found.tables} measured tables, each counting once; each is told about by the "
        "slope of the others, simulated tables by the slope of all."
    )
    return "\n\n".join([head, markdown_table(header, body), f"{verdict} {found.sentence}"])


def _cells(each: Told) -> list[str]:
    return [f"{each.right} of {each.told}", f"{each.right / each.told:.2f}" if each.told else "-"]
