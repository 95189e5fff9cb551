"""The command `spacar`."""

from __future__ import annotations

import os
import sys
from importlib import import_module


def main(argv: list[str] | None = None) -> int:
    """Run a command; returns the exit code: 0 done, 1 input or run failed, 2 wrong usage, 130 stopped by Ctrl-C."""
    from ..errors import SpacarError
    from .interrupt import listening
    from .parser import COMMANDS, make_parser
    from .screen import Screen

    try:
        args = make_parser().parse_args(argv)
        args.words = sys.argv[1:] if argv is None else argv
    except SystemExit as stop:  # argparse has said why
        return int(stop.code or 0)
    screen = Screen(args.quiet, args.json)
    try:
        with listening():
            command = getattr(import_module(f".{COMMANDS[args.command][0]}", __name__), args.command)
            return command(args, screen) or 0
    except SpacarError as error:
        print(f"spacar {args.command}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt as stop:
        print(f"\nspacar {args.command}: stopped{f'; {stop}' if str(stop) else ''}", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(f"spacar {args.command}: {where}{error.strerror or error}; check path and disk", file=sys.stderr)
        return 1
    except MemoryError:
        print(f"spacar {args.command}: out of memory; take fewer points or a smaller model", file=sys.stderr)
        return 1
    except Exception as error:
        if os.environ.get("SPACAR_DEBUG"):
            raise
        print(f"spacar {args.command}: {_unexpected(error)}", file=sys.stderr)
        return 1


def _unexpected(error: Exception) -> str:
    """What can be said of an error that nobody has thought of."""
    from traceback import extract_tb

    at = [f for f in extract_tb(error.__traceback__) if "spacar_py" in f.filename][-1]
    place = f"{os.path.basename(at.filename)}, line {at.lineno}"
    what = f"{type(error).__name__}: {error}".splitlines()[0]
    return f"unexpected {what} ({place}); check the model's numbers and please report it; SPACAR_DEBUG=1 shows more"
