"""Pages by cursor: stable while rows are added, in an order that ends in the key."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from django.db.models import QuerySet
from rest_framework.exceptions import NotFound
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.request import Request

from casino.errors import InvalidInput

MAX_PAGE_SIZE = 200
Item = TypeVar("Item")
_PAGE_SIZE = re.compile(r"[1-9][0-9]{0,2}")
_POSITION = re.compile(r"0|[1-9][0-9]{0,17}")  # a key, which a bigint holds
_CURSOR = re.compile(r"[A-Za-z0-9+/]{1,200}={0,2}")


class KeyPagination(CursorPagination):
    """Newest first, by the key alone, so that no two rows share a position."""

    ordering = "-pk"
    page_size = 50
    max_page_size = MAX_PAGE_SIZE
    page_size_query_param = "page_size"

    def get_ordering(self, request: Request, queryset: QuerySet[Any], view: Any) -> tuple[str, ...]:
        return (self.ordering,)

    def get_page_size(self, request: Request) -> int:
        text = request.query_params.get("page_size")
        if text is None:
            return self.page_size
        if not _PAGE_SIZE.fullmatch(text) or int(text) > self.max_page_size:
            raise InvalidInput("invalid_input", f"A page has 1 to {self.max_page_size} rows.", field="page_size")
        return int(text)

    def decode_cursor(self, request: Request) -> Cursor | None:
        nowhere = InvalidInput("invalid_input", "This cursor leads nowhere.", field="cursor")
        if not _CURSOR.fullmatch(request.query_params.get(self.cursor_query_param, "none")):
            raise nowhere
        try:
            cursor = super().decode_cursor(request)
        except NotFound as error:
            raise nowhere from error
        if cursor is not None and cursor.position is not None and not _POSITION.fullmatch(str(cursor.position)):
            raise nowhere
        return cursor


class NumberPagination(KeyPagination):
    """Pages, oldest first, of a list that has been made already: its items are numbered ascending, not always without gaps."""

    def page_of(self, items: Sequence[Item], request: Request, *, number: Callable[[Item], int]) -> Sequence[Item]:
        """Return the items of the page that is asked for."""
        self.base_url, self.numbers = request.build_absolute_uri(), [number(item) for item in items]
        size, cursor = self.get_page_size(request), self.decode_cursor(request)
        if cursor is None or cursor.position is None:
            self.start = 0
        elif cursor.reverse:
            self.start = max(0, bisect_left(self.numbers, int(cursor.position)) - size)
        else:
            self.start = bisect_right(self.numbers, int(cursor.position))
        self.end = min(self.start + size, len(items))
        return items[self.start : self.end]

    def get_next_link(self) -> str | None:
        if self.end == len(self.numbers):
            return None
        return self.encode_cursor(Cursor(0, False, self.numbers[self.end - 1]))

    def get_previous_link(self) -> str | None:
        if self.start == 0:
            return None
        return self.encode_cursor(Cursor(0, True, self.numbers[self.start - 1] + 1))
