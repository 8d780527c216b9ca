"""Help is quick: it imports nothing that takes long; what it lists is what there is."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import fipscm as package
from fipscm.bench.methods import METHODS as BENCH_METHODS
from fipscm.bench.report.summary import SUMMARIES
from fipscm.bench.run.engine import BACKENDS
from fipscm.bench.tasks import TASKS
from fipscm.cli import names
from fipscm.cli.app import app
from fipscm.estimator import MISSING
from fipscm.mechanism.candidates import NOISES
from fipscm.order import ORDERINGS, SCALES
from fipscm.simulate import PRIORS
from fipscm.simulate.mixed.holes import PATTERNS
from fipscm.simulate.worlds import VARIANTS
from fipscm.tables.kinds import KINDS

COMMANDS = [command.callback.__name__.replace("_", "-") for command in app.registered_commands]
HEAVY = {"torch", "matplotlib", "pandas", "numpy", "sklearn", "networkx", "scipy", "joblib", "fipscm.bench"}


def loaded_after(program, *arguments):
    """The names of the modules that a fresh interpreter has imported after a program."""
    listing = program + "\nimport sys; print(*sys.modules, file=sys.stderr)"
    ended = subprocess.run([sys.executable, "-c", listing, *arguments], capture_output=True, text=True, check=True)
    return set(ended.stderr.split())


def test_help_imports_nothing_heavy():
    every_help = """
import sys
from fipscm.cli.main import main
for command in sys.argv[1:]:
    try:
        main([command, "--help"] if command != "--version" else [command])
    except SystemExit as ending:
        assert ending.code == 0
"""
    assert not loaded_after(every_help, *COMMANDS, "--help", "--version") & HEAVY


def test_the_package_imports_what_a_name_needs_when_it_is_used():
    assert not loaded_after("import fipscm; dir(fipscm)") & HEAVY
    assert "numpy" in loaded_after("from fipscm import Knowledge")


def test_a_saved_model_answers_without_what_only_learning_and_drawing_need(tmp_path):
    rng = np.random.default_rng(0)
    x, u = rng.normal(size=(2, 300))
    table = pd.DataFrame({"x": x, "y": np.sin(3 * x) + 0.1 * u})
    package.FiP(order=["x", "y"], random_state=0).fit(table).save(tmp_path / "m.fip")
    asked = """
import sys
import pandas as pd
from fipscm import load
from fipscm.explore.screen import Screen
model = load(sys.argv[1])
assert model.mechanisms_["shape"]["y"] == "smooth"
table = model.sample(100, random_state=0)
model.counterfactual(table, {"x": 0.5})
Screen.of(model, table, [], None).units.under({"x": 0.5})
"""
    assert not loaded_after(asked, str(tmp_path / "m.fip")) & {"torch", "matplotlib", "igraph", "fastapi"}


def test_every_public_name_is_there_and_no_other():
    assert set(package.__all__) <= set(dir(package))
    assert package.load == package.FiP.load
    for name in package.__all__:
        assert callable(getattr(package, name))
    with pytest.raises(AttributeError, match="no attribute 'FIP'"):
        _ = package.FIP


@pytest.mark.parametrize(
    ("listed", "real"),
    [
        (names.SCALES, SCALES),
        (names.KINDS, KINDS),
        (names.MISSING, MISSING),
        (names.NOISES, NOISES),
        (names.ORDER_METHODS, ORDERINGS),
        (names.PRESETS, PRIORS),
        (names.DISTRIBUTIONS, dict.fromkeys(name for priors in PRIORS.values() for name in priors)),
        (names.VARIANTS, VARIANTS),
        (names.PATTERNS, PATTERNS),
        (names.BACKENDS, BACKENDS),
        (names.TASKS, TASKS),
        (names.SUMMARIES, SUMMARIES),
        (names.BENCH_METHODS, BENCH_METHODS),
    ],
)
def test_help_lists_the_names_that_there_are(listed, real):
    assert listed == tuple(real)


def test_every_command_has_help_with_an_example(fipscm):
    listed = fipscm("--help").stdout
    for command in COMMANDS:
        assert command in listed
        assert f"Example: fipscm {command}" in " ".join(fipscm(command, "--help").stdout.replace("│", " ").split())


def test_no_arguments_ask_for_help_and_the_version_is_told(fipscm):
    assert fipscm().stdout == fipscm("--help").stdout
    assert fipscm("--version").stdout == f"fipscm {package.__version__}\n"


@pytest.mark.parametrize("option", ["--require", "--forbid"])
def test_the_help_shows_edges_in_quotes(fipscm, option):
    after = fipscm("fit", "--help").stdout.split(option)[1]
    assert after.index('"CAUSE->EFFECT"') < after.index("--", 2)
