"""Which statistics are computed of a view of a table, by name; weights remember those they were trained with."""

from itertools import product

from fipscm.order.evidence.moments import WITH_LINEAR, Pairing

# (transform of j's column, transform of i's column)
AMONG_VALUES = (("tanh", "value"), ("square", "value"), ("square", "square"))
WITH_VALUES = (*AMONG_VALUES, ("value", "tanh"), ("value", "square"), ("size", "size"))
WITHIN = (("value", "value"), ("tanh", "value"), ("square", "square"))
# "need" is how much of the fit of j is lost without i, over its residual variance; "likelihood ratio" compares the two
# causal directions of the pair alone (Hyvarinen and Smith, 2013).
FITS = (
    "correlation",
    "squared correlation",
    "partial correlation",
    "certainty of the partial correlation",
    "share of j that i explains",
    "need of j for i",
    "size of i in the fit of j",
    "likelihood ratio",
)
# Residuals on all other variables: of a line, of additive functions, with interactions.
RESIDUALS = ("linear", "additive", "interaction")
# Every correlation of transforms.
PAIRINGS = (
    *(Pairing("values", f, g, "values") for f, g in AMONG_VALUES),
    *(Pairing(kind, f, g, "values") for kind, (f, g) in product(RESIDUALS, WITH_VALUES)),
    *(Pairing(kind, f, g, kind) for kind, (f, g) in product(RESIDUALS, WITHIN)),
)


def _named(pairing: Pairing) -> str:
    source, left, right, other = pairing
    if source == other == "values":
        return f"values: {left}, {right}"
    return f"{source}: {left}, {right} of {'values' if other == 'values' else 'residuals'}"


PAIR_STATISTICS = (
    *FITS,
    *map(_named, PAIRINGS),
    *(f"{kind}: {f}, {g} of the rest" for kind, (f, g) in product(RESIDUALS, WITH_LINEAR)),
)
NODE_STATISTICS = (
    *(f"log variance of the {kind} residual" for kind in RESIDUALS),
    *(f"{kind}: {what}" for kind in ("values", *RESIDUALS) for what in ("kurtosis", "skewness", "size")),
)
# Statistics that compare units.
SCALE_STATISTICS = (
    "log std",
    *(f"log std of the {kind} residual below the largest" for kind in RESIDUALS),
    *(f"certainty of that for the {kind} residual" for kind in RESIDUALS),
)
