"""The model for other libraries and for the eye: graphs, pictures, notebooks."""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import networkx as nx

from fipscm.display import card, graph_card, paragraph
from fipscm.dowhy import to_dowhy
from fipscm.fip.state import State, generator_of
from fipscm.scm.fixed_point import FixedPointSCM

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Showing(State):
    """Hands the fitted model on, and shows it."""

    def to_networkx(self, *, standardized: bool = False) -> nx.DiGraph:
        """A copy of the graph, with `weight` and `score` on every edge; weights in standard deviations if asked."""
        scm, graph = self._fitted, self.graph_.copy()
        if standardized:
            members = self.blocks_.members
            spread = {n: float(scm.scale[list(m)].max()) for n, m in zip(self.blocks_.outer, members, strict=True)}
            for cause, effect, data in graph.edges(data=True):
                data["weight"] *= spread[cause] / spread[effect]
        return graph

    def to_fixed_point(self) -> FixedPointSCM:
        """The same model as the paper defines it: an order, independent noises, a triangular map, and no graph."""
        return self._fitted.to_fixed_point()

    def to_dowhy(self, random_state: Any = None) -> Any:
        """The same model as a `dowhy.gcm.InvertibleStructuralCausalModel`; needs the extra `baselines`."""
        return to_dowhy(self._fitted, generator_of(random_state))

    def plot(self, axes: "Axes | None" = None, *, numbers: bool = False, target: Hashable | None = None) -> "Axes":
        """Draw the graph: causes to the left, edge width by strength in standard deviations, colour by sign.

        After `assess`, edges whose direction is open are dashed lines without an arrow head. `numbers` writes the
        strengths beside the others; with a `target`, only its causes and effects are drawn.
        """
        from fipscm.plotting import plot_graph  # drawing libraries are imported where they are used

        return plot_graph(self.to_networkx(standardized=True), axes, numbers=numbers, target=target)

    def _repr_html_(self) -> str:
        if not hasattr(self, "scm_"):
            return card("FiP", paragraph(f"{self!r}: not fitted yet."))
        return graph_card("FiP", self.to_networkx(standardized=True), self.causal_order_)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        # scikit-learn would show the parameters only.
        return {"text/plain": repr(self), "text/html": self._repr_html_()}
