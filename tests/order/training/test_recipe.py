from dataclasses import replace

import pytest

from fipscm.errors import OrderError, UnknownNameError
from fipscm.order.training.recipe import FOLDER, RECIPES, Recipe
from fipscm.order.weights import shipped_facts

TEXT = (FOLDER / "smoke.toml").read_text()


@pytest.mark.parametrize("name", RECIPES)
def test_what_a_recipe_says_can_be_read_back(name):
    recipe = Recipe.read(name)
    assert Recipe.parse(recipe.content()) == recipe
    assert Recipe.parse(recipe.content()).digest == recipe.digest


def test_the_weights_that_ship_name_the_recipe_that_ships():
    assert shipped_facts()["recipe_digest"] == Recipe.read("shipped").digest
    assert shipped_facts()["steps"] == Recipe.read("shipped").steps


def test_any_change_of_a_recipe_changes_its_digest():
    recipe = Recipe.read("smoke")
    stage = recipe.stages[0]
    others = [
        replace(recipe, seed=1),
        replace(recipe, stages=recipe.stages[:1]),
        replace(recipe, stages=(replace(stage, families=dict(stage.families) | {"p-in": 0.3}), *recipe.stages[1:])),
    ]
    assert len({recipe.digest, *(other.digest for other in others)}) == 4


def test_a_stage_that_does_not_restart_says_nothing_of_it():
    recipe = Recipe.read("smoke")
    assert all("restart" not in stage for stage in recipe.content()["stages"])
    later = replace(recipe, stages=(recipe.stages[0], replace(recipe.stages[1], restart=True)))
    assert Recipe.parse(later.content()) == later
    assert later.digest != recipe.digest


def test_steps_belong_to_stages_one_after_the_other():
    recipe = Recipe.read("smoke")
    first = recipe.stages[0].steps
    assert [recipe.at(step) for step in (0, first - 1, first)] == [(0, 0), (0, first - 1), (1, 0)]
    with pytest.raises(OrderError, match=f"has {recipe.steps} steps, so there is no step {recipe.steps + 1}"):
        recipe.at(recipe.steps)


def test_the_rate_rises_stays_and_falls():
    stage = replace(Recipe.read("smoke").stages[0], steps=10, rate=1.0, warmup=2, cooldown=4)
    assert [stage.rate_at(step) for step in range(1, 11)] == [0.5, 1, 1, 1, 1, 1, 1, 0.75, 0.5, 0.25]


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("seed = 0", "seed = ", r"'own\.toml' cannot be read: .*line 2"),
        ("seed = 0\n", "", "The recipe has no entry 'seed'"),
        ("rate = 1e-3", "rat = 1e-3", "did you mean 'rate'"),
        ('encoder = "evidence"', 'encoder = "evidenc"', "did you mean 'evidence'"),
        ("survey = 0.2", "surveys = 0.2", "did you mean 'survey'"),
        ("width = 8", "widht = 8", "did you mean 'width'"),
    ],
)
def test_a_mistake_in_a_recipe_is_told_in_one_sentence(before, after, message, tmp_path):
    path = tmp_path / "own.toml"
    path.write_text(TEXT.replace(before, after))
    with pytest.raises(OrderError, match=message):
        Recipe.read(path)


def test_a_recipe_that_does_not_exist_is_named():
    with pytest.raises(UnknownNameError, match="did you mean 'shipped'"):
        Recipe.read("shiped")
    with pytest.raises(OrderError, match=r"no recipe file 'nowhere\.toml'"):
        Recipe.read("nowhere.toml")
