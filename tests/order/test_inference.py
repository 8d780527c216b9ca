import numpy as np
import pytest
import torch
from joblib import cpu_count

from fipscm.errors import OrderError
from fipscm.order.inference import MANY_VARIABLES, drawn_orders, precedence_shares, processor_cores, zero_shot_order
from fipscm.order.model import OrderModel


@pytest.mark.parametrize(("n_jobs", "cores"), [(None, 1), (1, 1), (3, 3), (-1, cpu_count())])
def test_n_jobs_is_a_number_of_processor_cores(n_jobs, cores):
    assert processor_cores(n_jobs) == cores


def test_no_cores_are_an_error_in_one_sentence(table):
    for infer in (zero_shot_order, lambda rows, **how: drawn_orders(rows, np.random.default_rng(0), **how)):
        with pytest.raises(OrderError, match="0 processor cores: pass a number of them, or -1 for all"):
            infer(table.to_numpy(), n_jobs=0)


class Watchful(torch.nn.Module):
    """A network that notes the number of threads it is called with."""

    def __init__(self, network):
        super().__init__()
        self.network, self.config, self.threads = network, network.config, set()

    def forward(self, *evidence):
        self.threads.add(torch.get_num_threads())
        return self.network(*evidence)


def test_one_order_of_many_variables_uses_threads_and_puts_their_number_back(table, tiny_encoder, rng):
    before = torch.get_num_threads()
    for values, threads in ((table.to_numpy(), 1), (rng.normal(size=(60, MANY_VARIABLES)), before + 1)):
        watchful = Watchful(tiny_encoder)
        zero_shot_order(values, model=OrderModel(watchful), n_jobs=before + 1)
        assert watchful.threads == {threads}
        assert torch.get_num_threads() == before


def test_the_number_of_processes_changes_no_draw(table, tiny_encoder):
    values = table.to_numpy()
    one, two = (
        drawn_orders(values, np.random.default_rng(0), model=OrderModel(tiny_encoder), n_jobs=n_jobs, draws=4)
        for n_jobs in (None, 2)
    )
    np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(values, table.to_numpy())


def test_shares_count_orders():
    shares = precedence_shares([np.array([0, 1, 2]), np.array([1, 0, 2])])
    np.testing.assert_array_equal(shares, [[0, 0.5, 1], [0.5, 0, 1], [0, 0, 0]])


def test_progress_counts_the_leaves(table, tiny_encoder):
    told, steps = [], table.shape[1] - 1
    zero_shot_order(
        table.to_numpy(), model=OrderModel(tiny_encoder), on_step=lambda done, steps: told.append((done, steps))
    )
    assert told == [(done, steps) for done in range(steps)]
