"""Count the hostile cases that end neither in an answer nor in one sentence: python benchmarks/reliability.py 1000.

The cases are those of tests/fuzz; the package is the one that Python finds, so that PYTHONPATH chooses the revision.
"""

import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings

FOLDER = Path(__file__).resolve().parents[1] / "tests" / "fuzz"
sys.path.insert(0, str(FOLDER))

import test_archives  # noqa: E402
import test_frames  # noqa: E402
import test_routes  # noqa: E402
import test_table_files  # noqa: E402

import conftest  # noqa: E402


def counted(module: Any, name: str, apart: bool = False) -> Counter[str]:
    """Let the module's check count what fails instead of raising; in a process of its own if it may end that."""
    found: Counter[str] = Counter()
    check = getattr(module, name)

    def outcome(*case: Any) -> str:
        if not apart:
            return _outcome(check, case)
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.write(writer, _outcome(check, case).encode())
            os._exit(0)
        os.close(writer)
        os.waitpid(child, 0)
        with os.fdopen(reader) as told:
            return told.read() or "the process ended"

    def count(*case: Any) -> None:
        found[outcome(*case)] += 1

    setattr(module, name, count)
    return found


def _outcome(check: Callable[..., None], case: tuple[Any, ...]) -> str:
    try:
        check(*case)
    except Exception as error:
        return type(error).__name__
    return "held"


def main(cases: int) -> None:
    """Run every suite and print a line for each."""
    profile = settings(
        max_examples=cases, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck)
    )
    path = Path(tempfile.mkdtemp()) / "model.fip"
    client = test_routes.client.__wrapped__()
    suites: dict[str, tuple[Counter[str], list[tuple[Any, dict[str, Any]]]]] = {
        "table files": (
            counted(test_table_files, "is_a_table_or_one_sentence", apart=True),
            [
                (test_table_files.test_a_damaged_file_is_a_table_or_one_sentence, {"damaged": conftest._damaged}),
                (
                    test_table_files.test_a_workbook_with_a_damaged_part_is_a_table_or_one_sentence,
                    {"damaged_inside": conftest._damaged_inside},
                ),
                (
                    test_table_files.test_a_damaged_table_within_a_sound_archive_is_a_table_or_one_sentence,
                    {"damaged": conftest._damaged},
                ),
                (test_table_files.test_any_text_is_a_table_or_one_sentence, {}),
            ],
        ),
        "model files": (
            counted(test_archives, "answers_or_refuses"),
            [
                (test_archives.test_a_damaged_archive, {"damaged": conftest._damaged, "path": path}),
                (test_archives.test_an_archive_with_any_settings_and_the_right_digest, {"path": path}),
                (test_archives.test_an_archive_with_any_metadata, {"path": path}),
                (test_archives.test_an_archive_with_any_declared_arrays, {"path": path}),
            ],
        ),
        "frames": (
            counted(test_frames, "is_learned_from_or_refused"),
            [(test_frames.test_any_table_is_learned_from_or_refused, {})],
        ),
        "explorer requests": (
            counted(test_routes, "is_answered_or_refused"),
            [(test_routes.test_no_request_breaks_the_explorer, {"client": next(client)})],
        ),
    }
    for name, (found, tests) in suites.items():
        for test, given in tests:
            profile(test)(**given)
        failed = {kind: times for kind, times in found.most_common() if kind != "held"}
        print(f"{name}: {found.total()} cases, {sum(failed.values())} failed {failed or ''}", flush=True)
    next(client, None)  # lets a fit that still runs come to its end


if __name__ == "__main__":
    main(int(sys.argv[1]))
