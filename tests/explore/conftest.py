"""What tests of the explorer share: a table with a model of it, sessions, and servers."""

from threading import Event, Thread

import numpy as np
import pandas as pd
import pytest

from fipscm.errors import DataError
from fipscm.estimator import FiP
from fipscm.explore.session import Data, Session
from fipscm.explore.web.guard import Access
from fipscm.explore.web.server import address, listen, make_server

MARKUP = "<b>pain</b> & $x$"  # a name that is markup, a formula and a trap for URLs


@pytest.fixture(scope="session")
def table():
    """age -> dose -> pain, age -> pain, and sleep, which pain lowers."""
    rng = np.random.default_rng(0)
    age = rng.normal(50, 10, 400)
    dose = 0.2 * age + rng.laplace(0, 1, 400)
    pain = 0.1 * age - 0.8 * dose + rng.laplace(0, 0.5, 400)
    sleep = 8 - 0.6 * pain + rng.normal(0, 0.4, 400)
    return pd.DataFrame({"age": age, "dose": dose, MARKUP: pain, "sleep": sleep})


@pytest.fixture(scope="session")
def folder(tmp_path_factory, table):
    """The table and a model of it, as files."""
    place = tmp_path_factory.mktemp("explore")
    table.to_csv(place / "data.csv", index=False)
    FiP(order=list(table.columns), random_state=0).fit(table).save(place / "m.fip")
    return place


@pytest.fixture(scope="session")
def session(folder):
    """A session with its model on the screen, for all tests that only ask."""
    return opened(folder)


@pytest.fixture
def fresh(folder):
    """A session of one's own, to edit and refit."""
    return opened(folder)


def opened(folder):
    data = Data(pd.read_csv(folder / "data.csv"), str(folder / "data.csv"), str(folder / "m.fip"))
    started = Session(data, lambda report: FiP.load(folder / "m.fip")).start()
    started.wait(60)
    return started


@pytest.fixture
def waiting(table):
    """A session whose first model does not come while the test runs."""
    ended = Event()

    def late(_):
        ended.wait(300)
        raise DataError("There is no model in this test.")

    session = Session(Data(table, "data.csv"), late).start()
    yield session
    ended.set()
    session.wait(60)


@pytest.fixture
def running():
    """Serve a session at a free port of this machine and return the address."""
    servers = []

    def start(session, access=None):
        access = access or Access()
        listener = listen(None, 0)
        server = make_server(session, access)
        thread = Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        servers.append((server, thread, listener))
        return address(listener, access)

    yield start
    for server, thread, listener in servers:
        server.should_exit = True
        thread.join(20)
        listener.close()
