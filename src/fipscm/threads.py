"""How many threads small operations may use."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from threadpoolctl import threadpool_limits


@contextmanager
def on_one_thread() -> Iterator[None]:
    """Limit NumPy and PyTorch to one thread, and put their own numbers back afterwards.

    Threads that share a small operation wait for each other busily: where other programs keep one of them from
    running, all others stand still with it.

    >>> import torch
    >>> with on_one_thread():
    ...     torch.get_num_threads()
    1
    """
    with ExitStack() as afterwards:
        if (torch := sys.modules.get("torch")) is not None:  # who has not imported it does not use its threads
            afterwards.callback(torch.set_num_threads, torch.get_num_threads())
            torch.set_num_threads(1)
        afterwards.enter_context(threadpool_limits(limits=1, user_api="blas"))
        yield
