"""What commands share: how their arguments are read, where they write, and that a refusal names the argument that it is about."""

import sys
from argparse import ArgumentTypeError
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date, datetime
from pathlib import Path
from typing import BinaryIO, Literal
from uuid import UUID

from django.core.management.base import CommandError
from rest_framework.serializers import ValidationError

from casino.api.fields import MomentField
from casino.api.problems import faults_of
from casino.errors import DomainError


def day(text: str) -> date:
    """Read a date."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no day, such as 2026-03-29") from None


def moment(text: str) -> datetime:
    """Read an instant as the API does."""
    try:
        return MomentField().to_internal_value(text)
    except ValidationError:
        raise ArgumentTypeError(f"{text!r} is no instant with its offset from UTC, such as 2026-03-29T21:00:00Z") from None


def identifier(text: str) -> UUID:
    """Read the id of something."""
    try:
        return UUID(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no id, such as 7d444840-9dc0-11d1-b245-5ffdce74fad2") from None


def whole(least: int) -> Callable[[str], int]:
    """Read a whole number that is not less than another."""

    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 16 and int(text) >= least):
            raise ArgumentTypeError(f"{text!r} is no whole number of at least {least}")
        return int(text)

    return read


def chance(text: str) -> float:
    """Read a chance, neither never nor always."""
    try:
        read = float(text)
    except ValueError:
        read = 0.0
    if not 0 < read < 1:
        raise ArgumentTypeError(f"{text!r} is no chance between 0 and 1")
    return read


@contextmanager
def refusals_told(options: Mapping[str, str] | None = None) -> Iterator[None]:
    """Turn a refusal into words about the command's arguments.

    **Shapes** ``options``: what a field is called on the command line, where that is not its own name.
    **Errors** CommandError.
    """

    def option(field: str) -> str:
        return (options or {}).get(field, f"--{field.replace('_', '-')}")

    try:
        yield
    except ValidationError as error:
        faults = faults_of(error)
        raise CommandError("\n".join(f"{option(fault['field'])}: {fault['message']}" for fault in faults)) from error
    except DomainError as error:
        field = error.details.get("field") if error.code == "invalid_input" else None
        raise CommandError(f"{option(field) if field else error.code}: {error}") from error


@contextmanager
def output(path: Path | None) -> Iterator[BinaryIO]:
    """Open the file of ``--output``, or standard output where there is none. **Errors** CommandError."""
    if path is None:
        yield sys.stdout.buffer
        return
    with _opened(path, "wb") as file:
        yield file


def output_check(path: Path | None) -> None:
    """Say before anything begins that the file of ``--output`` cannot be written; its content stays. **Errors** CommandError."""
    if path is not None:
        _opened(path, "ab").close()


def _opened(path: Path, mode: Literal["ab", "wb"]) -> BinaryIO:
    try:
        return path.open(mode)
    except OSError as error:
        raise CommandError(f"--output: {error}") from error
