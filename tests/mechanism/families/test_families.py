"""Every family that applies to a column recovers its mean there, better than a constant."""

import numpy as np

from fipscm.mechanism.candidates import chains_of
from fipscm.mechanism.families.location_scale import LocationScaleFamily
from fipscm.mechanism.families.post_nonlinear import PostNonlinearFamily


def test_every_family_that_applies_recovers_the_mean(simulated):
    data, truth = simulated
    mean = truth(data.causes)
    constant = np.square(mean - mean.mean(axis=0)).mean()
    families = [family for chain in chains_of(data) for family in chain.families if family.applies(data)]
    assert families
    for family in families:
        is_slow = isinstance(family, LocationScaleFamily | PostNonlinearFamily)
        if is_slow and family.predictor != "linear":
            continue
        mechanism = family.fit(data, data.all_rows, family.prepare(data))
        assert np.square(mechanism.mean(data.causes) - mean).mean() < 0.5 * constant, family.name
