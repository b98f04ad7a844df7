"""Paths of tables."""

from django.urls import path

from games.tables.views import tables
from games.tables.views.streams import TableStreamView

TABLE = "tables/<uuid:table_id>"

stream_urlpatterns = [
    path(f"{TABLE}/stream", TableStreamView.as_view(), name="table-stream"),
]
urlpatterns = [
    *stream_urlpatterns,
    path("tables", tables.TablesView.as_view(), name="tables"),
    path("tables/quick-seat", tables.QuickSeatView.as_view(), name="table-quick-seat"),
    path(TABLE, tables.TableDetailView.as_view(), name="table"),
    path(f"{TABLE}/events", tables.TableEventsView.as_view(), name="table-events"),
    path(f"{TABLE}/sit", tables.SitView.as_view(), name="table-sit"),
    path(f"{TABLE}/leave", tables.LeaveView.as_view(), name="table-leave"),
    path(f"{TABLE}/ready", tables.ReadyView.as_view(), name="table-ready"),
    path(f"{TABLE}/close", tables.TableCloseView.as_view(), name="table-close"),
]
