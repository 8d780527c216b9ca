"""How sure the directions of edges are, in words."""

from typing import TYPE_CHECKING

from fipscm.errors import counted

if TYPE_CHECKING:
    import networkx as nx


def doubt(graph: "nx.DiGraph") -> str:
    """Which directions of an assessed graph are open, and what helps; empty if none is.

    Columns without an edge between them may stand either way round, so that nothing is said of them.

    >>> import networkx as nx
    >>> graph = nx.DiGraph()
    >>> graph.add_edge("dose", "pain", confidence=0.62, directed=False)
    >>> print(doubt(graph))
    Direction open for 1 of 1 edge: dose - pain (62% for dose first). If you know it, say so with --tiers or --roots.
    """
    from fipscm.directions import in_words, open_edges

    unsure = open_edges(graph)
    if not unsure:
        return ""
    return (
        f"Direction open for {len(unsure)} of {counted(graph.number_of_edges(), 'edge')}: {in_words(unsure)}. "
        "If you know it, say so with --tiers or --roots."
    )
