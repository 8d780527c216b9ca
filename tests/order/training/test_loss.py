import numpy as np
import pytest
import torch
from torch.autograd.graph import saved_tensors_hooks

from fipscm.order.evidence.observations import Observations
from fipscm.order.network.encoder import Logits
from fipscm.order.network.reader import EvidenceReader
from fipscm.order.paper.axial import AxialConfig, AxialEncoder
from fipscm.order.paper.chunks import RowsReader
from fipscm.order.paper.ordering_error import leaf_error, ordering_error, single_step_error
from fipscm.order.training.loss import task_loss

CHAIN = np.diag(np.ones(4, dtype=np.int8), 1)  # 0 -> 1 -> ... -> 4: one leaf at every step
FORK = np.array([[0, 1, 1, 1], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]], dtype=np.int8)


@pytest.fixture(scope="module")
def axial():
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return AxialEncoder(AxialConfig(width=8, heads=2, layers=1)).eval()


@pytest.fixture(params=["evidence", "paper"])
def view_of(request, tiny_encoder, axial):
    """Both encoders behind one interface: (B, N, D) rows -> a view."""
    if request.param == "evidence":
        return lambda tables: EvidenceReader.of(tiny_encoder, [Observations.of(rows) for rows in tables], raw=False)
    return lambda rows: RowsReader(axial, torch.from_numpy(rows).float())


def rows_of(variables, tables=1):
    return np.random.default_rng(0).normal(size=(tables, 50, variables))


def test_one_step_is_the_sum_of_cross_entropies():
    logits, answers = torch.tensor([[0.0, 2.0]]), torch.tensor([[0.0, 1.0]])
    expected = np.log(2) + np.log1p(np.exp(-2))
    assert leaf_error(logits, answers).item() == pytest.approx(expected)


def test_all_steps_add_up_along_the_only_path_of_a_chain(view_of, rng):
    """On a chain both forms remove the same leaf, so single steps average to d-TOE over its steps."""
    rows = rows_of(5)
    whole = ordering_error(view_of(rows), [CHAIN], rng)
    singles = {}
    for seed in range(40):
        generator = np.random.default_rng(seed)
        removals = int(np.random.default_rng(seed).integers(4))
        singles[removals] = single_step_error(view_of(rows), [CHAIN], generator).item()
    assert sorted(singles) == [0, 1, 2, 3]
    assert sum(singles.values()) == pytest.approx(whole.item(), rel=1e-4)


def test_a_sample_of_steps_agrees_with_all_of_them_in_expectation(view_of):
    rows = rows_of(5)
    whole = ordering_error(view_of(rows), [CHAIN], np.random.default_rng(0)).item()
    sampled = [ordering_error(view_of(rows), [CHAIN], np.random.default_rng(s), most_steps=2).item() for s in range(40)]
    error = np.std(sampled) / np.sqrt(len(sampled))
    assert abs(np.mean(sampled) * 4 / 2 - whole) < 4 * 2 * error


class Scripted:
    """A view whose network likes columns by a fixed preference; `gone` is what was removed."""

    def __init__(self, columns, preference, gone):
        self.columns, self.preference, self.gone = columns, preference, gone

    @property
    def shape(self):
        return 1, len(self.columns)

    def logits(self):
        return Logits(torch.tensor([[float(self.preference[column]) for column in self.columns]]), None)

    def without(self, leaf):
        self.gone.append(self.columns[int(leaf)])
        rest = [column for place, column in enumerate(self.columns) if place != int(leaf)]
        return Scripted(rest, self.preference, self.gone)


def removed(preference, seed):
    gone = []
    ordering_error(Scripted([0, 1, 2, 3], preference, gone), [FORK], np.random.default_rng(seed))
    return gone


def test_the_models_own_leaf_is_removed_when_it_is_right():
    assert removed(preference=[0, 1, 2, 3], seed=0) == [3, 2, 1]


def test_a_wrong_guess_is_replaced_by_a_random_leaf():
    paths = {tuple(removed(preference=[9, 1, 2, 3], seed=seed)) for seed in range(30)}
    assert all(0 not in path for path in paths)
    assert len({path[0] for path in paths}) == 3


def saved_bytes(axial, most_steps):
    known = {parameter.data_ptr() for parameter in axial.parameters()}
    total = 0

    def pack(tensor):
        nonlocal total
        if tensor.data_ptr() not in known:
            total += tensor.numel() * tensor.element_size()
        return tensor

    adjacency = np.diag(np.ones(11, dtype=np.int8), 1)
    with saved_tensors_hooks(pack, lambda tensor: tensor):
        ordering_error(RowsReader(axial, torch.randn(1, 40, 12)), [adjacency], np.random.default_rng(3), most_steps)
    return total


def test_memory_grows_linearly_in_the_number_of_counted_steps(axial):
    """The paper's Table 1: two, half and all of the steps."""
    few, half, every = (saved_bytes(axial, steps) for steps in (2, 5, 11))
    assert 1.5 < half / few < 4.5
    assert 3.0 < every / few < 9.0


def test_perfect_logits_cost_nothing():
    leaf = torch.tensor([[0.0, 1.0]])
    parent = torch.tensor([[[0.0, 0.0], [1.0, 0.0]]])
    perfect = task_loss(Logits(40 * leaf - 20, 40 * parent - 20), leaf, parent)
    assert perfect.leaf < 1e-6
    assert perfect.parent < 1e-6
    assert task_loss(Logits(20 - 40 * leaf, 20 - 40 * parent), leaf, parent).parent > 1
