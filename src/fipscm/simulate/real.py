"""Real and realistic tables with known graphs: Sachs (proteins) and SynTReN (gene expression).

Read from a folder the user names, with `observations*.csv` and `graph*.csv` (row = cause) in it, or downloaded once
into a cache and verified by SHA-256. The hash is that of the numbers, however they are packed.
"""

import hashlib
import io
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pooch
from numpy.typing import ArrayLike

from fipscm.arrays import Adjacency, Array
from fipscm.errors import DataError
from fipscm.graph import as_adjacency
from fipscm.tables.validate import as_frame, require_finite


@dataclass(frozen=True)
class KnownTable:
    """Observations and the graph believed to have made them, columns in the same order."""

    observations: pd.DataFrame
    adjacency: Adjacency


def fingerprint(values: ArrayLike) -> str:
    """SHA-256 of a table of numbers, written to ten significant digits."""
    lines = (",".join(f"{value:.10g}" for value in row) for row in np.asarray(values, dtype=np.float64))
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


@dataclass(frozen=True)
class PublishedZip:
    """A published zip of NumPy arrays: where it is, and what the wanted arrays must hash to."""

    url: str
    observations_sha256: str
    graph_sha256: str
    number: int

    def load(self, names: Sequence[str]) -> KnownTable:
        """Download into the cache unless it is there, and return the verified table."""
        try:
            archive = Path(pooch.retrieve(self.url, known_hash=None, path=pooch.os_cache("fipscm"), progressbar=False))
        except (OSError, ValueError) as error:
            raise DataError(
                f"Could not download {self.url} ({error}): check the network, or pass folder= with the files in it."
            ) from error
        try:
            observations = self._array(archive, f"data{self.number}.npy", self.observations_sha256)
            graph = self._array(archive, f"DAG{self.number}.npy", self.graph_sha256)
        except (zipfile.BadZipFile, zlib.error) as error:
            # A network may send its login page in place of the file, and that page would stay in the cache.
            raise DataError(
                f"{archive}, downloaded from {self.url}, is not a whole zip archive ({error}): "
                "delete it to download it again, or pass folder= with the files in it."
            ) from None
        return KnownTable(pd.DataFrame(observations, columns=list(names)), as_adjacency(graph, names))

    def _array(self, archive: Path, name: str, sha256: str) -> Array:
        with zipfile.ZipFile(archive) as packed:
            for member in packed.namelist():
                if Path(member).name == name:
                    array: Array = np.load(io.BytesIO(packed.read(member)), allow_pickle=False)
                    if fingerprint(array) == sha256:
                        return array.astype(np.float64)
        raise DataError(
            f"No table '{name}' in {self.url} has the expected SHA-256 {sha256[:12]}...: the file was changed. "
            f"Delete {archive} to download it again, or pass folder= with files you trust."
        )


_PUBLISHED = "https://raw.githubusercontent.com/kurowasan/GraN-DAG/{commit}/data/{name}.zip"
SACHS_NAMES = ("Raf", "Mek", "Plcg", "PIP2", "PIP3", "Erk", "Akt", "PKA", "PKC", "P38", "Jnk")
SACHS = PublishedZip(
    _PUBLISHED.format(commit="964b698d49f507eb5d505e4511ed289f9a8ec01b", name="sachs"),
    "09b2aa03ac9f01384c12a91664e39c9b26815305a1329049093561ae31b46f59",
    "acbde853cbb6b92a650091d3a853e3470012403379c553eb5eb1fc902da9fc04",
    number=1,
)
_SYNTREN_SHA256 = (
    (
        "2aa186029f190074a66759d48466f7350fcacfa0f5936b7ae24542f2e38e4cae",
        "3b4b686a909233bd3077f280746335033e7c0bc87e1e0de6606f21a0a2247f4d",
    ),
    (
        "9f436ff2001b7f99d4497c55b9cd44a7ec807458b5e10dcc94b40a7a425d637f",
        "8ff832f5361a32030c5a785009fa8d347b517da397f4adeb40345852d7e272fc",
    ),
    (
        "8e8f463ee799a778de1e6afc41c95932c536c23e53567e68d1f56f17c9b4d204",
        "6a9c01d9f0a23d3a4c125e9d8d683d7ad03b4f01f5d37db1e71d062492eac988",
    ),
    (
        "018683e8318e4a3d8b1a3e67a5b4149b72e94faaefed6dc9bcbabd768785d4c9",
        "a548cee0afeb22eced05b7532eb72db1bb067d3137e02a923f003f1706faa893",
    ),
    (
        "c27941edecb726cb8c37632257517015a3e2ed7e707e0d05f59d962d09df6eb9",
        "9edac2aac8f74a2568905603bb1611d44f1a411be659ff5188d620d81f4a9f1e",
    ),
    (
        "3c47ba9796dae62812221793fbc8a5ac7b988c9c5803aad49fd22c25a8cd1fd3",
        "4e7582bd3d6eaa8e1fd97a4c7a3e141cff76172d4257d830adbdf8e2990e6cfc",
    ),
    (
        "39c36fcd78b1863c72c89368271b98a13db3152534568adc713d3348cedfb07b",
        "4998c16612de58febd529bd900ff04ec8af8509e54b5eaf053f60f4e90baec06",
    ),
    (
        "272624dc7e84c80cf0b48471fa395589832f0ed8ad9c8c517c8fd405287b4e8e",
        "6c1f093f9e44c4b894f633baee4da71c449b68137e3a438a834e7aa17564d297",
    ),
    (
        "1ddf8986eecd406cf89f7e43f62342394cc12021de58b298cf2755e7a261310f",
        "198ad7adc71189139d4f82615af2097c49e16305ae20bf99d74ea0e1efea8932",
    ),
    (
        "50586ba30a4f481fb81fd52f329faac91b62410eac51f537d9d374c92bd9be4e",
        "5b7b1dce3ffb6c3d052a62f169bc88de2e6fc0c2c37a78861dbaf10c8afde59b",
    ),
)
SYNTREN = {
    number: PublishedZip(
        _PUBLISHED.format(commit="65636268e361583d8491958937931d7250d7a302", name="syntren_p20"),
        *_SYNTREN_SHA256[number - 1],
        number,
    )
    for number in range(1, len(_SYNTREN_SHA256) + 1)
}


def load_sachs(folder: str | Path | None = None) -> KnownTable:
    """Return 853 protein measurements of 11 variables and the consensus graph of 17 edges."""
    return _from_folder(folder, "") if folder is not None else SACHS.load(SACHS_NAMES)


def load_syntren(number: int, folder: str | Path | None = None) -> KnownTable:
    """Return one of ten simulated gene-expression tables, 500 rows of 20 variables, and its graph."""
    if number not in SYNTREN:
        raise DataError(f"There is no SynTReN table {number}: choose one of 1 to {len(SYNTREN)}.")
    if folder is not None:
        return _from_folder(folder, f"_{number:02d}")
    return SYNTREN[number].load([f"g{gene}" for gene in range(20)])


def _from_folder(folder: str | Path, suffix: str) -> KnownTable:
    paths = [Path(folder) / f"{part}{suffix}.csv" for part in ("observations", "graph")]
    for path in paths:
        if not path.is_file():
            raise DataError(
                f"There is no file {path}: name the folder that holds {' and '.join(p.name for p in paths)}."
            )
    observations = as_frame(pd.read_csv(paths[0]))
    require_finite(observations)
    graph = pd.read_csv(paths[1], index_col=0)
    names = list(observations.columns)
    if list(graph.columns) != names or list(graph.index) != names:
        raise DataError(f"{paths[1]} does not list the columns of {paths[0].name} in rows and columns, in that order.")
    return KnownTable(observations, as_adjacency(graph.to_numpy(), names))
