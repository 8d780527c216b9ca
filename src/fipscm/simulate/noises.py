"""Independent noises. Shapes: N rows, D variables."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from fipscm.arrays import Array
from fipscm.errors import DataError, unknown_name

Draw = Callable[[np.random.Generator, tuple[int, ...]], Array]


def _two_bumps(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """An even mixture of two normals, scaled to variance one."""
    side: Array = rng.choice([-1.0, 1.0], shape)
    return np.asarray((side + 0.5 * rng.standard_normal(shape)) / np.sqrt(1.25))


def _lognormal(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Skewed to the right: the exponential of a normal with standard deviation 0.5."""
    mean, variance = np.exp(0.125), np.expm1(0.25) * np.exp(0.25)
    return np.asarray((rng.lognormal(0.0, 0.5, shape) - mean) / np.sqrt(variance))


def _beta(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Bounded on both sides and skewed: Beta(1, 3)."""
    return np.asarray((rng.beta(1.0, 3.0, shape) - 0.25) / np.sqrt(3 / 80))


def _contaminated(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """A normal, one draw in ten of which is four times as wide."""
    width = np.where(rng.random(shape) < 0.1, 4.0, 1.0)
    return np.asarray(width * rng.standard_normal(shape) / np.sqrt(2.5))


# Mean zero and variance one, except "laplace", "t3" and "unit", which have their textbook scale.
NOISES: dict[str, Draw] = {
    "normal": lambda rng, shape: rng.standard_normal(shape),
    "laplace": lambda rng, shape: rng.laplace(size=shape),
    "t3": lambda rng, shape: rng.standard_t(3, shape),
    "unit": lambda rng, shape: rng.uniform(size=shape),
    "exponential": lambda rng, shape: rng.exponential(size=shape) - 1,
    "uniform": lambda rng, shape: rng.uniform(-np.sqrt(3), np.sqrt(3), shape),
    "t5": lambda rng, shape: rng.standard_t(5, shape) / np.sqrt(5 / 3),
    "gumbel": lambda rng, shape: (rng.gumbel(size=shape) - np.euler_gamma) / (np.pi / np.sqrt(6)),
    "two-bumps": _two_bumps,
    "lognormal": _lognormal,
    "beta": _beta,
    "contaminated": _contaminated,
}


@dataclass(frozen=True)
class Noise:
    """One named law per variable (or one for all), each times its scale."""

    laws: tuple[str, ...]
    scale: Array

    def __post_init__(self) -> None:
        for law in self.laws:
            if law not in NOISES:
                raise unknown_name("noise", law, NOISES)
        if len(self.laws) not in (1, len(self.scale)):
            raise DataError(f"There are {len(self.laws)} noise laws for {len(self.scale)} variables: name one or all.")
        if not (np.isfinite(self.scale) & (self.scale > 0)).all():
            raise DataError("A noise scale is zero, negative or not finite: every variable needs noise of its own.")

    @classmethod
    def of(cls, laws: str | Sequence[str], scale: Array) -> "Noise":
        """Build from one name for all variables, or one name each."""
        return cls((laws,) if isinstance(laws, str) else tuple(laws), np.asarray(scale, dtype=np.float64))

    def sample(self, rows: int, rng: np.random.Generator) -> Array:
        """Draw (N, D) noises."""
        if len(self.laws) == 1:
            return NOISES[self.laws[0]](rng, (rows, len(self.scale))) * self.scale
        return np.column_stack([NOISES[law](rng, (rows,)) for law in self.laws]) * self.scale
