import numpy as np
import pytest

from fipscm.errors import UnknownNameError
from fipscm.simulate.effects import EFFECT_SCMS, SIZES, effect_scm, known_effects


@pytest.mark.parametrize("name", EFFECT_SCMS)
def test_noises_have_variance_one_and_can_be_told(name, rng):
    scm = effect_scm(name, rng)
    rows, noise = scm.sample_arrays(50_000, rng)
    np.testing.assert_allclose(noise.std(axis=0), 1, atol=0.15)
    np.testing.assert_allclose(scm.sample_to_noise(rows), noise, atol=1e-9)


def test_linear_effects_are_their_weights_and_no_effect_is_none(rng):
    for name in EFFECT_SCMS:
        effects = list(known_effects(effect_scm(name, rng), rng))
        assert [effect.size for effect in effects] == list(SIZES)
        assert effects[0].truth == 0
        if "linear" in name:
            np.testing.assert_allclose([effect.truth for effect in effects], list(SIZES.values()), atol=1e-9)


def test_an_unknown_scm_is_refused(rng):
    with pytest.raises(UnknownNameError, match="effect-linear-normal"):
        effect_scm("effect-linear-norml", rng)
