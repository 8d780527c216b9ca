"""The entry point: runs a command, and turns what goes wrong into one sentence and an exit code.

Only the standard library is imported before `main` runs, so that Ctrl-C is answered from the first moment on.
"""

import os
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    import typer

MISTAKE = 2
FAULT = 70  # as sysexits.h calls an error inside of a program; `check` answers with 1
INTERRUPTED = 130  # as shells report a process that SIGINT ended
CLOSED_PIPE = 141  # and one that SIGPIPE ended


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line: whatever goes wrong ends in one sentence and an exit code that says what kind it was."""
    _replace_closed_streams()
    if sys.stdout is None:  # what opens a file later would get its number
        sys.exit(_fail("Standard output is closed, so that the answer would be lost: send it to a file or /dev/null."))
    try:
        os.environ["MPLBACKEND"] = "agg"  # pictures go to files, whatever windows the environment asks for
        code = _run(sys.argv[1:] if arguments is None else list(arguments))
        print(end="", flush=True)  # a full disk is found here, not after the exit code is decided
    except KeyboardInterrupt:
        code = _fail("interrupted.", INTERRUPTED)
    except BrokenPipeError:  # the reader, such as head, has seen enough
        _discard_output()
        code = CLOSED_PIPE
    except OSError as error:
        _discard_output()
        code = _fail(f"{error.strerror or error}: {_unusable(error)}.")
    except UnicodeEncodeError as error:
        _discard_output()
        code = _fail(
            f"The encoding of standard output, {error.encoding}, has no {error.object[error.start]!r}: set "
            "PYTHONIOENCODING=utf-8, or name a file with --out where the command has it."
        )
    except MemoryError as error:
        reason = f" ({error})" if str(error) else ""
        code = _fail(f"The memory of this machine does not suffice{reason}: use fewer rows or columns.")
    except Exception as error:
        code = _fail(_report_of(error), FAULT)
    sys.exit(code)


def _replace_closed_streams() -> None:
    """Let a closed standard input be empty, and discard what a closed standard error would say."""
    if sys.stdin is None:
        sys.stdin = open(os.devnull)  # noqa: SIM115 (open to the end)
    if sys.stderr is None:  # otherwise what is printed there would go to standard output
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115


def _report_of(error: Exception) -> str:
    """What to report about an error that nobody foresaw: its kind, its words, and its place in this package."""
    frames = traceback.extract_tb(error.__traceback__)
    places = [frame for frame in frames if f"{os.sep}fipscm{os.sep}" in frame.filename]
    place = f", {os.path.basename(places[-1].filename)} line {places[-1].lineno}" if places else ""
    words = " ".join(str(error).split())[:300]
    return (
        f"This is a fault of fipscm, not of yours ({type(error).__name__}: {words}{place}): report this sentence with "
        "the command and, if you may, the file."
    )


def _run(arguments: list[str]) -> int:
    import typer

    from fipscm.cli.app import app
    from fipscm.errors import FipscmError

    command = typer.main.get_command(app)
    try:
        with _warnings_as_sentences(), command.make_context("fipscm", arguments or ["--help"]) as context:
            command.invoke(context)
    except typer.Exit as ending:
        return ending.exit_code
    except FipscmError as error:
        return _fail(str(error))
    except typer.TyperException as error:
        sentence = " ".join(error.format_message().split()).removesuffix(".")
        return _fail(f"{sentence}. {_way_out(getattr(error, 'ctx', None))}")
    return 0


def _way_out(context: "typer.Context | None") -> str:
    """The example of the command that was called, and where there is more."""
    _, _, example = ((context and context.command.help) or "").partition("Example: ")
    more = f"{context.command_path if context else 'fipscm'} --help"
    return f"Example: {example.removesuffix('.')} (more: {more})" if example else f"More: {more}"


def _fail(sentence: str, code: int = MISTAKE) -> int:
    sys.unraisablehook = lambda _: None  # a half-written workbook, for one, complains when it is thrown away
    with suppress(OSError):  # nobody may listen any more: the exit code is told nevertheless
        print(f"fipscm: {sentence}", file=sys.stderr)
    return code


def _unusable(error: OSError) -> str:
    # Commands report the files they were given: what is left is most often the stream that the answer goes to.
    if error.filename is None:
        return "standard output, or another resource of this machine, cannot be used"
    return f"'{error.filename}' cannot be used, so name another place"


@contextmanager
def _warnings_as_sentences() -> Iterator[None]:
    """Print a warning once and as a sentence, without its place in the code."""
    told = set()

    def tell(message: Warning | str, *_: object, **__: object) -> None:
        if str(message) not in told:
            told.add(str(message))
            print(f"fipscm: {message}", file=sys.stderr)

    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = tell
        yield


def _discard_output() -> None:
    """Let the interpreter empty its buffer at the end without failing a second time."""
    with open(os.devnull, "w") as nothing:
        os.dup2(nothing.fileno(), sys.stdout.fileno())


if __name__ == "__main__":
    main()
