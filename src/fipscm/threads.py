"""How many threads small operations may use."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from threadpoolctl import threadpool_limits


@contextmanager
def on_one_thread() -> Iterator[None]:
    """Limit NumPy and PyTorch to one thread, and put their own numbers back afterwards.

    Threads that share a small operation wait for each other busily: where other programs keep one of them from
    running, all others stand still with it.

    >>> with on_one_thread():
    ...     torch.get_num_threads()
    1
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with threadpool_limits(limits=1, user_api="blas"):
            yield
    finally:
        torch.set_num_threads(before)
