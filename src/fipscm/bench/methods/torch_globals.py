"""For networks that read PyTorch's global state: seed it and set its precision for a while."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def borrowed_torch(seed: int, dtype: torch.dtype = torch.float32) -> Iterator[None]:
    """Seed the global generator and set the default precision; both are put back at the end."""
    before = torch.get_default_dtype()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        torch.set_default_dtype(dtype)
        try:
            yield
        finally:
            torch.set_default_dtype(before)
