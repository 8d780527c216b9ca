"""Speed and memory of the mechanism model, as ratios within one run: python benchmarks/mechanism.py.

Times are processor seconds of one thread, so that whatever else the machine does matters little.
Shapes: B rows, D variables, H heads, K head width, W width.
"""

import multiprocessing
import resource
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import torch
import typer
from torch import Tensor, nn

from fipscm import FiP
from fipscm.arrays import Array
from fipscm.graph import allowed_from_order
from fipscm.mechanism import TransformerConfig
from fipscm.mechanism.network.train import chunked_backward
from fipscm.mechanism.network.transformer import CausalTransformer, Parents
from fipscm.mechanism.predictors.gaussian_process import LEVEL, loss_and_slope
from fipscm.simulate import metadataset
from fipscm.threads import on_one_thread

SIZES = TransformerConfig()


class PlainLayer(nn.Module):
    """The paper's layer as it is written down: every row's embedding is projected to queries, keys and values."""

    def __init__(self) -> None:
        super().__init__()
        inner = SIZES.heads * SIZES.head_width
        self.query, self.key, self.value = (nn.Linear(SIZES.width, inner, bias=False) for _ in range(3))
        self.output = nn.Linear(inner, SIZES.width, bias=False)
        self.first_norm, self.second_norm = nn.LayerNorm(SIZES.width), nn.LayerNorm(SIZES.width)
        self.mlp = nn.Sequential(nn.Linear(SIZES.width, SIZES.hidden), nn.ReLU(), nn.Linear(SIZES.hidden, SIZES.width))

    def forward(self, state: Tensor, embedded: Tensor, allowed: Tensor) -> Tensor:
        """(B, D, W), (B, D, W), (D, D) -> (B, D, W)."""
        query, key, value = (
            projection(tokens).unflatten(-1, (SIZES.heads, SIZES.head_width)).transpose(1, 2)
            for projection, tokens in ((self.query, state), (self.key, embedded), (self.value, embedded))
        )
        scores = (query @ key.transpose(-1, -2)) / SIZES.head_width**0.5
        scores = scores.masked_fill(~allowed, -torch.inf)
        top = scores.amax(dim=-1, keepdim=True).clamp(min=0).detach()
        weights = torch.exp(scores - top)
        weights = weights / torch.maximum(weights.sum(dim=-1, keepdim=True), torch.exp(-top))
        state = self.first_norm(self.output((weights @ value).transpose(1, 2).flatten(2)) + state)
        return self.second_norm(state + self.mlp(state))


class PlainTransformer(nn.Module):
    """T(x, 0) of plain layers."""

    def __init__(self, variables: int) -> None:
        super().__init__()
        self.slope, self.position, self.decoder = (nn.Parameter(torch.randn(variables, SIZES.width)) for _ in range(3))
        self.layers = nn.ModuleList(PlainLayer() for _ in range(SIZES.layers))

    def forward(self, x: Tensor, allowed: Tensor) -> Tensor:
        """(B, D) -> (B, D)."""
        embedded = x[..., None] * self.slope + self.position
        state = self.position.expand_as(embedded)
        for layer in self.layers:
            state = layer(state, embedded, allowed)
        return (state * self.decoder).sum(dim=-1)


def full_order(variables: int) -> np.ndarray:
    return allowed_from_order(np.arange(variables))


def plain_step(variables: int, rows: int) -> Callable[[], object]:
    network, x = PlainTransformer(variables), torch.randn(rows, variables)
    optimizer = torch.optim.AdamW(network.parameters())
    allowed = torch.from_numpy(full_order(variables))

    def step() -> None:
        optimizer.zero_grad()
        (network(x, allowed) - x).square().mean().backward()
        optimizer.step()

    return step


def fast_step(variables: int, rows: int) -> Callable[[], object]:
    network, x = CausalTransformer(variables, SIZES, torch.Generator()), torch.randn(rows, variables)
    optimizer = torch.optim.AdamW(network.parameters())
    parents = Parents.of(full_order(variables))

    def step() -> None:
        optimizer.zero_grad()
        chunked_backward(network, parents, x, x)
        optimizer.step()

    return step


def seconds(action: Callable[[], object], repeats: int = 1) -> float:
    """The fastest of several runs."""
    times = []
    for _ in range(repeats):
        started = time.process_time()
        action()
        times.append(time.process_time() - started)
    return min(times)


def measured_step(make: Callable[[int, int], Callable[[], object]]) -> tuple[float, float]:
    """Seconds per step and peak memory in MB above the start, in a process of its own."""
    torch.set_num_threads(1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    fastest = seconds(make(50, 1_024), repeats=4)
    return fastest, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1_024


def in_own_process(make: Callable[[int, int], Callable[[], object]]) -> tuple[float, float]:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(measured_step, (make,))


def plain_likelihood(parameters: Array, z: Array, y: Array, straight: Array) -> tuple[float, Array]:
    """The marginal likelihood of a process and its derivatives, as they are written down."""
    relevance, (signal, noise) = np.exp(parameters[:-2]), np.exp(parameters[-2:])
    squared = np.square((z * relevance)[:, None] - z * relevance).transpose(2, 0, 1)
    smooth = signal * np.exp(-0.5 * squared.sum(axis=0))
    covariance = smooth + straight + noise * np.eye(len(y))
    inverse = np.linalg.inv(covariance)
    answer = inverse @ y
    loss = 0.5 * (y @ answer + np.linalg.slogdet(covariance)[1] + len(y) * np.log(2 * np.pi))
    pull = np.outer(answer, answer) - inverse
    by_relevance = [0.5 * (pull * smooth * own).sum() for own in squared]
    return float(loss), np.array([*by_relevance, -0.5 * (pull * smooth).sum(), -0.5 * noise * np.trace(pull)])


def likelihood_times() -> tuple[float, float]:
    """Milliseconds of one evaluation with 800 rows and 5 causes, plain and ours, which agree."""
    rng = np.random.default_rng(0)
    z = rng.standard_normal((800, 5))
    y = np.sin(2 * z[:, 0]) + z[:, 1] + 0.3 * rng.standard_normal(800)
    given = np.log([0.4] * 5 + [1.0, 0.2]), z, y, LEVEL + z @ z.T
    even = np.ones(800)
    plain, ours = plain_likelihood(*given), loss_and_slope(*given, even)
    np.testing.assert_allclose(ours[1], plain[1], rtol=1e-6)
    with on_one_thread():
        slow, fast = seconds(lambda: plain_likelihood(*given), 5), seconds(lambda: loss_and_slope(*given, even), 5)
    return 1e3 * slow, 1e3 * fast


def sampled(family: str, variables: int, rows: int, folder: Path) -> tuple[Path, list[int]]:
    """A file of rows, and their order: simulating a large table may take more memory than the fit."""
    case = next(iter(metadataset(family, dims=[variables], per_family=1)))
    path = folder / f"{family}-{variables}-{rows}.npy"
    np.save(path, case.sample(rows).to_numpy())
    return path, list(case.scm.order)


def measured_fit(path: Path, order: list[int], threads: int = 1) -> tuple[float, float, float]:
    """Processor seconds, seconds and peak memory in MB of a fit on a given order."""
    torch.set_num_threads(threads)
    frame = pd.DataFrame(np.load(path))
    warnings.simplefilter("ignore")
    started, began = time.process_time(), time.monotonic()
    FiP(order=order, random_state=0).fit(frame)
    used, took = time.process_time() - started, time.monotonic() - began
    return used, took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_024


def fit_alone(path: Path, order: list[int], threads: int = 1) -> tuple[float, float, float]:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(measured_fit, (path, order, threads))


def waste() -> None:
    """Keep a processor busy."""
    while True:
        pass


def seconds_on_a_busy_machine(path: Path, order: list[int]) -> tuple[float, float]:
    """Seconds of a fit with one thread and with two, while two other processes are busy."""
    others = [multiprocessing.get_context("spawn").Process(target=waste, daemon=True) for _ in range(2)]
    for other in others:
        other.start()
    try:
        return fit_alone(path, order)[1], fit_alone(path, order, threads=2)[1]
    finally:
        for other in others:
            other.terminate()


def print_fits(largest: bool) -> None:
    sizes = [("rff-in", 10, 10_000, "9 s"), ("lin-in", 10, 10_000, "2 s"), ("rff-in", 100, 3_000, "90 s")]
    sizes += [("rff-in", 10, 1_000_000, "180 s, 3,000 MB")] if largest else []
    with TemporaryDirectory() as folder:
        for family, variables, rows, limit in sizes:
            used, _, memory = fit_alone(*sampled(family, variables, rows, Path(folder)))
            what = f"fit, {family}, n = {rows:,}, d = {variables}"
            print(f"| {what} | | {used:.1f} s, {memory:.0f} MB | | <= {limit} |", flush=True)
        one, two = seconds_on_a_busy_machine(*sampled("rff-in", 10, 3_000, Path(folder)))
    what = "fit beside two busy processes, n = 3,000, d = 10"
    print(f"| {what} | one thread: {one:.1f} s | two: {two:.1f} s | {one / two:.1f} | >= 1 |", flush=True)


def print_network() -> None:
    plain, plain_memory = in_own_process(plain_step)
    fast, fast_memory = in_own_process(fast_step)
    print(f"| training step, d = 50, batch 1,024 | {plain:.2f} s | {fast:.2f} s | {plain / fast:.1f} | >= 2 |")
    ratio = plain_memory / fast_memory
    print(f"| its peak memory | {plain_memory:.0f} MB | {fast_memory:.0f} MB | {ratio:.1f} | >= 1 |")


def main(network: bool = True, fits: bool = True, largest: bool = True) -> None:
    """Measure training steps, fits, and the fit of a million rows on this machine."""
    torch.set_num_threads(1)
    print("| what | plain | ours | ratio | wanted |\n| --- | --- | --- | --- | --- |")
    plain, ours = likelihood_times()
    print(f"| likelihood of a process, 800 rows | {plain:.0f} ms | {ours:.0f} ms | {plain / ours:.1f} | >= 2 |")
    if network:
        print_network()
    if fits:
        print_fits(largest)


if __name__ == "__main__":
    typer.run(main)
