"""Simulated batches on disk, so that each can be trained on several times without being simulated again."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from safetensors.torch import load_file, save

from fipscm.order.training.examples import Slab
from fipscm.tables.write import write_whole


@dataclass(frozen=True)
class BatchPool:
    """Batches by their number, one file each."""

    folder: Path

    def batch(self, index: int, simulate: Callable[[], list[Slab]]) -> list[Slab]:
        """The batch of a number; simulated if no file has it."""
        file = self._file(index)
        if file.exists():
            tensors = load_file(file)
            count = len({name.split("/")[0] for name in tensors})
            fields = [name.split("/")[1] for name in tensors if name.startswith("0/")]
            return [Slab(**{field: tensors[f"{place}/{field}"] for field in fields}) for place in range(count)]
        batch = simulate()
        parts = {f"{place}/{field}": x for place, slab in enumerate(batch) for field, x in asdict(slab).items()}
        self.folder.mkdir(parents=True, exist_ok=True)
        write_whole(file, lambda out: out.write(save(parts)))
        return batch

    def forget(self, index: int) -> None:
        """Delete the batch of a number, if it is there."""
        self._file(index).unlink(missing_ok=True)

    def _file(self, index: int) -> Path:
        return self.folder / f"{index}.safetensors"


def in_the_other_scale(batch: list[Slab]) -> list[Slab]:
    """The same tables, standardized where they were raw and raw where they were standardized."""
    return [replace(slab, raw=1 - slab.raw) for slab in batch]
