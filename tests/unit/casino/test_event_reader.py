"""Server-sent events are put together as the HTML standard says; what is cut off is none."""

from casino.play.events import EventReader, ServerEvent

STREAM = "retry: 1000\n\n: alive\n\nevent: step\nid:4\ndata: {\ndata: }\n\ndata:  x\n\nevent: end\n\ndata: cut off"


def test_events_are_read_line_by_line() -> None:
    reader = EventReader()
    events = [event for line in STREAM.split("\n") if (event := reader.read(line))]
    assert events == [ServerEvent("step", "4", "{\n}"), ServerEvent("message", "", " x")]
