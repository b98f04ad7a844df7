"""Statements that play and the counter send every time, written out once: building them by the ORM took a third of their time."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain, islice
from typing import Any, TypeVar

from django.db import connection
from django.db.models import Model
from django.db.models.expressions import DatabaseDefault

Row = TypeVar("Row", bound=Model)
BETWEEN = ";\n"
"""What stands between statements that are sent together, and nowhere else."""


@dataclass(slots=True)
class Statement:
    """A statement with its values; once it has been sent, ``rows`` are what it answered."""

    sql: str
    values: Sequence[Any] = ()
    rows: list[tuple[Any, ...]] = field(default_factory=list)


def together(*statements: Statement) -> None:
    """Send statements in one round trip, as one simple query; they are carried out in their order, up to the first that fails.

    **Rule** Each sees what is there when its turn comes, not when they were sent: what follows a lock reads under it. Values are
    bound here and not by the server, Django's default: the server takes no values for more than one statement.
    """
    if not statements:
        return
    with connection.cursor() as cursor:
        values = list(chain.from_iterable(each.values for each in statements))
        cursor.execute(BETWEEN.join([each.sql for each in statements]), values)
        for each in statements:
            if cursor.pgresult.nfields:
                each.rows = cursor.fetchall()
            cursor.nextset()


@dataclass(slots=True)
class Insertion(Statement):
    """The insertion of a row, which answers with what the database fills in or computes."""

    row: Model = field(kw_only=True)
    answered: tuple[str, ...] = field(kw_only=True)

    def fill(self) -> None:
        """Give the row what the database answered."""
        for name, value in zip(self.answered, self.rows[0] if self.answered else (), strict=True):
            setattr(self.row, name, value)
        self.row._state.adding, self.row._state.db = False, connection.alias


def row_insert(row: Model) -> None:
    """Insert a row, and give it what the database fills in."""
    inserted = insertion(row)
    together(inserted)
    inserted.fill()


def insertion(row: Model, computed: Mapping[str, Statement] | None = None) -> Insertion:
    """State the insertion of a row; ``computed`` columns get the value of an expression."""
    places: dict[str, str] = {}
    values: list[Any] = []
    answered = []
    for column in row._meta.concrete_fields:
        name = column.attname
        if computed and name in computed:
            places[name] = computed[name].sql
            values += computed[name].values
            answered.append(name)
        elif isinstance(given := getattr(row, name), DatabaseDefault) or (given is None and column.primary_key):
            answered.append(name)
        else:
            places[name] = "%s"
            values.append(column.get_db_prep_save(given, connection))
    sql = _insert_sql(type(row), tuple(places.items()), tuple(answered))
    return Insertion(sql, values, row=row, answered=tuple(answered))


def change(row: Model, *fields: str) -> Statement:
    """State the change of some fields of a row that this transaction holds."""
    prepared = [column.get_db_prep_save(getattr(row, column.attname), connection) for column in _changed(type(row), fields)]
    return Statement(_update_sql(type(row), fields), [*prepared, row.pk])


@cache
def _changed(model: type[Model], fields: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple(model._meta.get_field(name) for name in fields)


@cache
def _insert_sql(model: type[Model], places: tuple[tuple[str, str], ...], answered: tuple[str, ...]) -> str:
    names, values = ", ".join(f'"{name}"' for name, _ in places), ", ".join(place for _, place in places)
    answer = f" RETURNING {', '.join(answered)}" if answered else ""
    return f"INSERT INTO {model._meta.db_table} ({names}) VALUES ({values}){answer}"  # noqa: S608 made of the model's own columns


@cache
def _update_sql(model: type[Model], fields: tuple[str, ...]) -> str:
    changes, key = ", ".join(f'"{column.column}" = %s' for column in _changed(model, fields)), model._meta.pk.column
    return f'UPDATE {model._meta.db_table} SET {changes} WHERE "{key}" = %s'  # noqa: S608 made of the model's own columns


def columns(model: type[Model], *without: str) -> tuple[str, ...]:
    """Return the columns of a model in its own order."""
    return tuple(column.attname for column in model._meta.concrete_fields if column.name not in without)


def listed(table: str, names: Sequence[str]) -> str:
    """List columns of a table, or of its alias, to be selected."""
    return ", ".join(f'{table}."{name}"' for name in names)


def row_of(model: type[Row], names: Sequence[str], values: Iterator[Any]) -> Row:
    """Make a row of a model from as many of the values as it has names."""
    return model.from_db(connection.alias, names, list(islice(values, len(names))))
