"""``python -m casino.embedded run | clean``: the commands behind the Makefile."""

import argparse
import shutil
import sys
from pathlib import Path

from casino.embedded.folders import EmbeddedError, Folders
from casino.embedded.postgres import Postgres
from casino.embedded.processes import orphans_end
from casino.embedded.stack import Stack

CHECKOUT = Path(__file__).resolve().parent.parent.parent


def clean() -> None:
    """Remove this checkout's databases, sockets and logs; refused while its stack runs."""
    stack = Stack(CHECKOUT)
    stack.folders.prepare()
    with stack.only_one():
        for name in ("stack", "tests", "bench"):
            folders = Folders(CHECKOUT, name)
            Postgres(folders).stop()
            orphans_end(folders)
            for folder in (folders.home, folders.sockets):
                shutil.rmtree(folder, ignore_errors=True)
        shutil.rmtree(stack.folders.var)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m casino.embedded", description=__doc__)
    parser.add_argument("command", choices=("run", "clean"))
    parser.add_argument("--port", type=int, default=8000, help="where the API listens; the next free one if it is taken")
    parser.add_argument("--bots", action="store_true", help="also seat a house bot at a table of each game among players")
    arguments = parser.parse_args()
    try:
        if arguments.command == "run":
            Stack(CHECKOUT).run(arguments.port, bots=arguments.bots)
        else:
            clean()
    except EmbeddedError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
