"""A calibration tells the truth about tables like those it was fitted to, and is modest where orders err."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit

from fipscm.bench.measured.calibrate import (
    LEVELS,
    TOLERANCE,
    calibrated,
    calibration_text,
    evidence_of_tables,
    fitted_slope,
    reliability,
)
from fipscm.bench.measured.order_scores import ORDER_LINES
from fipscm.bench.measured.run import read_lines
from fipscm.cli.main import main
from fipscm.errors import DataError
from fipscm.order.confidence import Calibration, shipped_calibration

COMMITTED = Path(__file__).resolve().parents[3] / "docs" / "results"


def table(name, shares, group="corpus", weights="w"):
    return {"table": name, "group": group, "weights": weights, "draws": 20, "shares": list(shares)}


def tables_of_slope(slope, count, rng, pairs=8):
    """Tables whose shares are right with the log odds of the share times a slope."""
    for each in range(count):
        odds = rng.normal(scale=2.0, size=pairs)
        right = rng.random(pairs) < expit(slope * np.abs(odds))
        share = expit(np.abs(odds))
        yield table(f"t{each}", np.where(right, share, 1 - share))


@pytest.mark.parametrize("slope", [0.3, 1.0])
def test_the_slope_that_made_the_tables_is_found_and_what_is_told_is_true(slope):
    lines = list(tables_of_slope(slope, 300, np.random.default_rng(0)))
    found = calibrated(lines)
    assert found.slope == pytest.approx(slope, abs=0.12)
    assert all(each.right / each.told >= each.at_least - TOLERANCE for each in found.told if each.told > 20)


def test_shares_that_say_nothing_are_worth_nothing():
    rng = np.random.default_rng(0)
    lines = [table(f"t{each}", rng.choice([0.05, 0.95], 10)) for each in range(100)]
    found = calibrated(lines)
    assert found.slope < 0.1
    assert all(each.told == 0 for each in found.told)
    assert fitted_slope([np.array([-2.0, -2.0, 2.0])]) == pytest.approx(0.0, abs=1e-3)


def test_every_table_counts_once():
    right, wrong = table("right", [0.95]), table("wrong", [0.05] * 50)
    one = fitted_slope(evidence_of_tables([right, right, wrong]))
    other = fitted_slope(evidence_of_tables([right, right, table("wrong", [0.05])]))
    assert one == pytest.approx(other, abs=1e-3)


def test_a_table_is_told_about_by_the_slope_of_the_others():
    sure, lost = np.array([3.0, 3.0]), np.array([-3.0])
    told = reliability([sure, lost], [1.0, 0.0])
    assert [(each.right, each.told) for each in told] == [(2, 2)] * len(LEVELS)


def test_simulated_tables_are_told_of_and_not_fitted_to():
    rng = np.random.default_rng(0)
    measured = list(tables_of_slope(0.3, 100, rng))
    simulated = [table(f"s{each}", [1.0], group="simulated") for each in range(100)]
    assert calibrated([*measured, *simulated]).slope == calibrated(measured).slope
    assert all(each.right == each.told for each in calibrated([*measured, *simulated]).simulated)


def test_lines_of_two_networks_or_of_hardly_any_table_are_refused():
    lines = list(tables_of_slope(0.3, 20, np.random.default_rng(0)))
    with pytest.raises(DataError, match="rest on 2 different weights"):
        calibrated([*lines, table("other", [0.5], weights="x")])
    with pytest.raises(DataError, match="Only 3 measured tables"):
        calibrated(lines[:3])


def test_the_text_says_where_less_is_right_than_told():
    lines = [table(f"t{each}", [1.0, 1.0]) for each in range(20)]
    good = calibrated(lines)
    assert "At no level are fewer right than told" in calibration_text(good)
    bad = Calibration(good.slope, "w", 20, tuple(each._replace(right=0) for each in good.told))
    assert "Short of what was told by more than 0.1: at 60%, 70%, 80%, 90%" in calibration_text(bad)


def test_the_command_writes_what_it_prints(tmp_path, capsys):
    lines = tables_of_slope(0.5, 50, np.random.default_rng(0))
    (tmp_path / ORDER_LINES).write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    with pytest.raises(SystemExit, match="0"):
        main(["bench-calibration", "--out", str(tmp_path), "--file", str(tmp_path / "c.json")])
    written = Calibration.load(tmp_path / "c.json")
    assert capsys.readouterr().out.startswith(f"Slope {written.slope:g}, from 50 measured tables")


def test_what_ships_follows_from_the_committed_lines():
    assert calibrated(read_lines(COMMITTED / ORDER_LINES)) == shipped_calibration()
