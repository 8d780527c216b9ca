"""What the user knows for certain: constraints that hold by construction, in the order and in the mechanism.

Shapes: D variables.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from os import PathLike
from typing import Self

import numpy as np

from fipscm.arrays import Mask
from fipscm.errors import KnowledgeError, unknown_name
from fipscm.graph import descendants, find_cycle

Edge = tuple[Hashable, Hashable]


@dataclass(frozen=True)
class Knowledge:
    """Hard constraints on the causal graph; names are column names.

    Attributes:
        required_edges: (cause, effect) pairs that are in the graph.
        forbidden_edges: (cause, effect) pairs that are not; longer paths between them stay possible.
        tiers: groups of variables, earliest first; nothing in a later tier causes anything in an earlier one.
        roots: variables without causes.
        leaves: variables without effects.
        before: (earlier, later) pairs: the later one never causes the earlier one, nor does anything that follows it.
        randomised: variables that an experiment set by chance, in every row: without causes, which answers then say.

    >>> known = Knowledge(tiers=[["age"], ["dose", "pain"]], forbidden_edges=[("pain", "dose")])
    >>> known.allowed(["age", "dose", "pain"]).astype(int)  # row = effect, column = cause
    array([[0, 0, 0],
           [1, 0, 0],
           [1, 1, 0]])
    """

    required_edges: Iterable[Edge] = ()
    forbidden_edges: Iterable[Edge] = ()
    tiers: Sequence[Iterable[Hashable]] = ()
    roots: Iterable[Hashable] = ()
    leaves: Iterable[Hashable] = ()
    before: Iterable[Edge] = ()
    randomised: Iterable[Hashable] = ()

    def __post_init__(self) -> None:
        for field in ("required_edges", "forbidden_edges", "before"):
            object.__setattr__(self, field, tuple((cause, effect) for cause, effect in getattr(self, field)))
        for field in ("roots", "leaves", "randomised"):
            object.__setattr__(self, field, tuple(getattr(self, field)))
        object.__setattr__(self, "tiers", tuple(tuple(tier) for tier in self.tiers))
        self._check_tiers()

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """What a file such as knowledge.toml tells; see docs/knowledge.md."""
        from fipscm.knowledge.file import KnowledgeFile

        return cls(**vars(KnowledgeFile.read(path).knowledge()))

    def save(self, path: str | PathLike[str]) -> None:
        """Write a file that `load` reads."""
        from fipscm.knowledge.file import write_statements
        from fipscm.knowledge.statement import statements_of

        write_statements(statements_of(self), path)

    @property
    def columns(self) -> tuple[Hashable, ...]:
        """The variables that are spoken of, each once."""
        pairs = (*self.required_edges, *self.forbidden_edges, *self.before)
        return tuple(dict.fromkeys(chain.from_iterable((*pairs, *self.tiers, self._causeless, self.leaves))))

    def must_precede(self, names: Sequence[Hashable]) -> Mask:
        """(D, D), true at [i, j] where i stands before j in every order permitted; a contradiction is named.

        Roots and leaves need no place in the order: `allowed` rules out their edges, whatever the order is.
        """
        position = self._positions(names)
        before = np.zeros((len(names), len(names)), dtype=np.bool_)
        for earlier, later in (*self.required_edges, *self.before):
            before[position[earlier], position[later]] = True
        for early, late in pairwise(tier for tier in self.tiers if tier):
            before[np.ix_([position[name] for name in early], [position[name] for name in late])] = True
        cycle = find_cycle(before)
        if cycle is not None:
            path = " before ".join(str(names[node]) for node in cycle)
            raise KnowledgeError(f"The knowledge contradicts itself: {path}. Remove one of these constraints.")
        return before

    def precedence(self, names: Sequence[Hashable]) -> Mask:
        """(D, D), true at [i, j] where an inferred order puts i before j.

        These are the pairs of `must_precede`. Besides, roots come first and leaves last unless these pairs forbid it:
        what is known need not be inferred. A variable that is both has no edges and may stand anywhere.
        """
        self.allowed(names)  # raises where the knowledge contradicts itself
        before, position = self.must_precede(names), self._positions(names)
        roots, leaves = self._member(self._causeless, position), self._member(self.leaves, position)
        first, last = roots & ~leaves, leaves & ~roots
        before |= first[:, None] & ~first & ~descendants(before).T
        before |= ~last[:, None] & last & ~descendants(before).T
        return before

    def required(self, names: Sequence[Hashable]) -> Mask:
        """(D, D), true where the edge is certain; row = effect, column = cause."""
        return self._edge_mask(self.required_edges, names)

    def allowed(self, names: Sequence[Hashable]) -> Mask:
        """(D, D), true where an edge is possible; row = effect, column = cause."""
        position = self._positions(names)
        roots, leaves = self._member(self._causeless, position), self._member(self.leaves, position)
        possible = ~self.must_precede(names) & ~np.eye(len(names), dtype=np.bool_)
        possible &= ~self._tier_backward(position) & ~roots[:, None] & ~leaves[None, :]
        possible &= ~self._edge_mask(self.forbidden_edges, names)
        impossible = np.argwhere(self.required(names) & ~possible)
        if len(impossible):
            effect, cause = impossible[0]
            raise KnowledgeError(
                f"The edge '{names[cause]}' -> '{names[effect]}' is required, but other knowledge rules it out: "
                "remove one of the two."
            )
        return possible

    @property
    def _causeless(self) -> tuple[Hashable, ...]:
        return (*self.roots, *self.randomised)

    def _check_tiers(self) -> None:
        seen: set[Hashable] = set()
        for tier in self.tiers:
            for name in tier:
                if name in seen:
                    raise KnowledgeError(f"'{name}' stands in two tiers: keep it in one.")
                seen.add(name)

    def _tier_backward(self, position: dict[Hashable, int]) -> Mask:
        tier = np.full(len(position), np.nan)
        for number, names in enumerate(self.tiers):
            tier[[position[name] for name in names]] = number
        return np.asarray(tier[None, :] > tier[:, None], dtype=np.bool_)

    def _edge_mask(self, edges: Iterable[Edge], names: Sequence[Hashable]) -> Mask:
        position = self._positions(names)
        mask = np.zeros((len(names), len(names)), dtype=np.bool_)
        for cause, effect in edges:
            mask[position[effect], position[cause]] = True
        return mask

    def _positions(self, names: Sequence[Hashable]) -> dict[Hashable, int]:
        position = {name: column for column, name in enumerate(names)}
        for name in self.columns:
            if name not in position:
                raise unknown_name("variable in the knowledge", name, names)
        return position

    @staticmethod
    def _member(chosen: Iterable[Hashable], position: dict[Hashable, int]) -> Mask:
        mask = np.zeros(len(position), dtype=np.bool_)
        mask[[position[name] for name in chosen]] = True
        return mask
