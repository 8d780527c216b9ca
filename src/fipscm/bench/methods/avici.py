"""The amortised rival AVICI (Lorch et al., 2022). Shapes: N rows, D variables."""

import os
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from fipscm.bench.data.problem import Problem
from fipscm.bench.methods.method import Answer, Method
from fipscm.errors import NotInstalledError

WEIGHTS = "FIPSCM_AVICI_WEIGHTS"
_MOST_ROWS = 1000  # its attention over rows takes memory with their square


class Avici(Method):
    """AVICI's general model, an edge being a probability above one half."""

    name = "avici"
    title = "AVICI, pretrained model scm-v0, on at most 1,000 rows (avici)"

    def require(self) -> None:
        """Raise a NotInstalledError unless the user installed the package and named the folder of its weights."""
        if find_spec("avici") is None or not Path(os.environ.get(WEIGHTS, "no folder")).is_dir():
            raise NotInstalledError(
                "The method 'avici' needs the package avici, which no extra of fipscm installs because their "
                f"dependencies conflict, and the environment variable {WEIGHTS} set to the folder that "
                'avici.load_pretrained(download="scm-v0", cache_path=folder) filled with its weights.'
            )

    def solve(self, problem: Problem, rng: np.random.Generator) -> Answer:
        """Infer edge probabilities from rows drawn at random where there are too many."""
        from avici import load_pretrained

        rows = rng.permutation(problem.table.to_numpy(np.float64))[:_MOST_ROWS]
        model = load_pretrained(download="scm-v0", cache_path=os.environ[WEIGHTS], verbose=False)
        probabilities = np.asarray(model(x=rows, return_probs=True), dtype=np.float64)
        return Answer(adjacency=(probabilities > 0.5).astype(np.int8), edge_scores=probabilities)
