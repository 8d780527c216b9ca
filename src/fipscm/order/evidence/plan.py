"""Which statistics are computed of a table, by name. Shapes: N rows, D variables.

Weights remember the plan they were trained with, so that a network is always shown what it knows.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import product

from fipscm.order.evidence.moments import WITH_LINEAR, Pairing

# (transform of j's column, transform of i's column)
AMONG_VALUES = (("tanh", "value"), ("square", "value"), ("square", "square"))
WITH_VALUES = (*AMONG_VALUES, ("value", "tanh"), ("value", "square"), ("size", "size"))
WITHIN = (("value", "value"), ("tanh", "value"), ("square", "square"))
# Of residuals with mean zero: where their median and their skewness move with a variable, the noise is not additive.
ASYMMETRY = (("sign", "value"), ("sign", "square"), ("cube", "value"), ("cube", "square"))
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
# Residuals on all other variables: of a line, of additive functions, with interactions; SCALED ones are divided by how
# their size depends on the other variables.
UNSCALED, SCALED = ("linear", "additive", "interaction"), "scaled"


@dataclass(frozen=True)
class ViewPlan:
    """What is computed of one view of the columns.

    Attributes:
        residuals: the kinds of residuals.
        asymmetric: those of them whose asymmetry is looked at.
    """

    residuals: tuple[str, ...] = UNSCALED
    asymmetric: tuple[str, ...] = ()

    @cached_property
    def pairings(self) -> tuple[Pairing, ...]:
        """Every correlation of transforms."""
        return (
            *(Pairing("values", f, g, "values") for f, g in AMONG_VALUES),
            *(Pairing(kind, f, g, "values") for kind, (f, g) in product(self.residuals, WITH_VALUES)),
            *(Pairing(kind, f, g, kind) for kind, (f, g) in product(self.residuals, WITHIN)),
            *(Pairing(kind, f, g, "values") for kind, (f, g) in product(self.asymmetric, ASYMMETRY)),
        )

    @cached_property
    def pair(self) -> tuple[str, ...]:
        """Names of the statistics of pairs."""
        return (
            *FITS,
            *(_named(pairing) for pairing in self.pairings),
            *(f"{kind}: {f}, {g} of the rest" for kind, (f, g) in product(self.residuals, WITH_LINEAR)),
        )

    @cached_property
    def node(self) -> tuple[str, ...]:
        """Names of the statistics of variables."""
        return (
            *(f"log variance of the {kind} residual" for kind in self.residuals),
            *(f"{kind}: {what}" for kind in ("values", *self.residuals) for what in ("kurtosis", "skewness", "size")),
            "log rows",
            "log variables",
        )

    @cached_property
    def scale(self) -> tuple[str, ...]:
        """Names of the statistics that compare units."""
        return (
            "log std",
            *(f"log std of the {kind} residual below the largest" for kind in UNSCALED),
            *(f"certainty of that for the {kind} residual" for kind in UNSCALED),
        )


def _named(pairing: Pairing) -> str:
    source, left, right, other = pairing
    if source == other == "values":
        return f"values: {left}, {right}"
    return f"{source}: {left}, {right} of {'values' if other == 'values' else 'residuals'}"


ONE_VIEW = ViewPlan()
WIDE_VIEW = ViewPlan((*UNSCALED, SCALED), ("interaction", SCALED))
