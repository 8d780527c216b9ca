import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from fipscm.mechanism.network.attention import causal_attention


def random_case(seed, rows=5, slots=4, spread=3.0):
    generator = torch.Generator().manual_seed(seed)
    scores = spread * torch.randn(rows, slots, generator=generator, dtype=torch.float64)
    return scores, torch.rand(rows, slots, generator=generator) < 0.6


def plain_attention(scores, allowed):
    exponentials = scores.exp() * allowed
    return exponentials / exponentials.sum(-1, keepdim=True).clamp(min=1)


@given(seed=st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_it_equals_the_paper_formula(seed):
    scores, allowed = random_case(seed)
    torch.testing.assert_close(causal_attention(scores, allowed), plain_attention(scores, allowed))


@given(seed=st.integers(0, 10_000), spread=st.sampled_from([0.1, 10.0, 1e4]))
@settings(max_examples=30, deadline=None)
def test_rows_sum_to_at_most_one_and_forbidden_slots_get_nothing(seed, spread):
    scores, allowed = random_case(seed, spread=spread)
    weights = causal_attention(scores, allowed)
    assert (weights.sum(-1) <= 1 + 1e-12).all()
    assert (weights[~allowed] == 0).all()


def test_a_root_attends_to_nothing_and_has_finite_gradients():
    scores = torch.tensor([[1e4, -1e4], [0.0, 5.0]], requires_grad=True)
    weights = causal_attention(scores, torch.zeros(2, 2, dtype=torch.bool))
    assert (weights == 0).all()
    weights.sum().backward()
    assert (scores.grad == 0).all()


def test_gradients_are_exact():
    scores, allowed = random_case(3)
    assert torch.autograd.gradcheck(lambda s: causal_attention(s, allowed), scores.requires_grad_())


@pytest.mark.filterwarnings("ignore:delta_grad")
def test_it_solves_the_entropic_transport_problem_with_bounded_rows():
    scores, _ = random_case(11, rows=4, slots=3, spread=1.5)
    weights = causal_attention(scores, torch.ones(4, 3, dtype=torch.bool))
    for row, found in zip(scores.numpy(), weights.numpy(), strict=True):

        def cost(plan, row=row):
            return plan @ -row + (plan * (torch.tensor(plan).clamp(min=1e-300).log().numpy() - 1)).sum()

        bounded = {"type": "ineq", "fun": lambda plan: 1 - plan.sum()}
        solved = minimize(
            cost, [0.1] * 3, method="trust-constr", bounds=[(1e-9, None)] * 3, constraints=bounded, tol=1e-10
        )
        assert abs(solved.x - found).max() < 1e-4
        assert cost(found) <= solved.fun + 1e-9
