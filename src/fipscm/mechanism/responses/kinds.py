"""The kinds of responses, by their names in model files."""

from fipscm.mechanism.parts import Part
from fipscm.mechanism.responses.additive import Additive
from fipscm.mechanism.responses.categorical import Categorical
from fipscm.mechanism.responses.count import Count
from fipscm.mechanism.responses.cumulative import Cumulative
from fipscm.mechanism.responses.location_scale import LocationScale
from fipscm.mechanism.responses.logarithm import Logarithm
from fipscm.mechanism.responses.monotone import Monotone
from fipscm.mechanism.responses.post_nonlinear import PostNonlinear
from fipscm.mechanism.responses.zero_inflated import ZeroInflated

RESPONSES: dict[str, type[Part]] = {
    response.kind: response
    for response in (
        Additive,
        Logarithm,
        PostNonlinear,
        LocationScale,
        Monotone,
        Cumulative,
        Count,
        Categorical,
        ZeroInflated,
    )
}
