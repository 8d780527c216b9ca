import functools
import http.server
import io
import threading
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from fipscm.errors import DataError
from fipscm.graph import find_cycle
from fipscm.simulate import load_sachs, load_syntren
from fipscm.simulate.real import SACHS, SACHS_NAMES, SYNTREN, fingerprint


def test_sachs_from_a_folder(published_data):
    table = load_sachs(published_data / "sachs")
    assert table.observations.shape == (853, 11)
    assert table.adjacency.sum() == 17
    assert tuple(table.observations.columns) == SACHS_NAMES
    assert fingerprint(table.observations) == SACHS.observations_sha256
    assert fingerprint(table.adjacency) == SACHS.graph_sha256


@pytest.mark.parametrize("number", SYNTREN)
def test_syntren_from_a_folder(published_data, number):
    table = load_syntren(number, published_data / "syntren")
    assert table.observations.shape == (500, 20)
    assert 19 <= table.adjacency.sum() <= 34
    assert find_cycle(table.adjacency) is None
    assert fingerprint(table.observations) == SYNTREN[number].observations_sha256
    assert fingerprint(table.adjacency) == SYNTREN[number].graph_sha256


@pytest.fixture
def published_archive(published_data, tmp_path, monkeypatch):
    """Serve the Sachs table as its authors packed it, and cache downloads in a folder of this test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    table = load_sachs(published_data / "sachs")
    site = tmp_path / "site"
    site.mkdir()

    def publish(observations):
        with zipfile.ZipFile(site / "sachs.zip", "w") as packed:
            for name, array in (("data1.npy", observations), ("DAG1.npy", table.adjacency)):
                buffer = io.BytesIO()
                np.save(buffer, array)
                packed.writestr(f"sachs/continue/{name}", buffer.getvalue())

    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=site)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        source = replace(SACHS, url=f"http://127.0.0.1:{server.server_port}/sachs.zip")
        yield source, publish, table
        server.shutdown()


def test_a_download_is_verified_and_cached(published_archive):
    source, publish, table = published_archive
    publish(table.observations.to_numpy())
    downloaded = source.load(SACHS_NAMES)
    assert downloaded.observations.equals(table.observations)
    publish(np.zeros((3, 11)))  # what is published now does not matter: the cache answers
    assert source.load(SACHS_NAMES).observations.equals(table.observations)


def test_an_altered_download_is_refused(published_archive):
    source, publish, table = published_archive
    altered = table.observations.to_numpy().copy()
    altered[7, 3] += 0.01
    publish(altered)
    with pytest.raises(DataError, match=r"SHA-256.*Delete .* download it again"):
        source.load(SACHS_NAMES)


def test_a_download_that_is_no_archive_is_said_plainly(tmp_path, monkeypatch):
    page = tmp_path / "sachs.zip"
    page.write_text("<html>Log in first</html>")
    monkeypatch.setattr("pooch.retrieve", lambda *_, **__: str(page))
    with pytest.raises(DataError, match=r"sachs\.zip.* not a whole zip archive .*delete it to download it again"):
        SACHS.load(SACHS_NAMES)


def test_no_network_is_said_plainly(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(DataError, match=r"Could not download .* folder="):
        replace(SACHS, url="http://127.0.0.1:9/sachs.zip").load(SACHS_NAMES)


def test_a_folder_without_the_files_is_said_plainly(tmp_path):
    with pytest.raises(DataError, match=r"no file .*observations\.csv"):
        load_sachs(tmp_path)


def test_an_unknown_number_is_refused():
    with pytest.raises(DataError, match="no SynTReN table 11"):
        load_syntren(11)
