import pandas as pd
import pytest

from fipscm.order.training.recipe import FOLDER, Recipe
from fipscm.order.weights import load_encoder
from fipscm.simulate import known_scm
from fipscm.tables.archive import load_archive

SMOKE = ("pretrain", "--recipe", "smoke", "--simulators", 0)


def test_a_recipe_is_trained_to_its_end_and_its_weights_are_used(fipscm, tmp_path, rng):
    weights, data = tmp_path / "weights.safetensors", tmp_path / "data.csv"
    assert fipscm(*SMOKE, "--run", tmp_path, "--minutes", 0.01).returncode == 0
    assert load_archive(weights, "weights")[1]["steps"] < Recipe.read("smoke").steps
    assert fipscm(*SMOKE, "--run", tmp_path).returncode == 0
    facts = load_archive(weights, "weights")[1]
    assert (facts["steps"], facts["recipe_digest"]) == (Recipe.read("smoke").steps, Recipe.read("smoke").digest)
    known_scm("triangle").sample(300, rng).to_csv(data, index=False)
    named = fipscm("order", data, "--weights", weights, "--no-assess").stdout.split()
    assert sorted(named) == sorted(pd.read_csv(data).columns)


def test_the_papers_encoder_is_trained_by_a_recipe_of_its_own(fipscm, tmp_path, rng):
    recipe, data = tmp_path / "raw.toml", tmp_path / "data.csv"
    recipe.write_text((FOLDER / "paper.toml").read_text().replace('"standardized"', '"raw"'))
    fipscm("pretrain", "--recipe", recipe, "--run", tmp_path, "--simulators", 0, "--minutes", 0.01)
    assert load_encoder(tmp_path / "weights.safetensors").config.scale == "raw"
    known_scm("triangle").sample(300, rng).to_csv(data, index=False)
    arguments = "--scale", "raw", "--weights", tmp_path / "weights.safetensors", "--no-assess"
    assert sorted(fipscm("order", data, *arguments).stdout.split()) == sorted(pd.read_csv(data).columns)


@pytest.mark.parametrize(
    ("recipe", "message"),
    [("shiped", "did you mean 'shipped'"), ("nowhere.toml", "There is no recipe file 'nowhere.toml'")],
)
def test_a_mistake_is_found_before_training(fipscm, tmp_path, recipe, message):
    ended = fipscm("pretrain", "--recipe", recipe, "--run", tmp_path / "run")
    assert ended.returncode == 2
    assert message in ended.stderr
    assert not (tmp_path / "run").exists()
