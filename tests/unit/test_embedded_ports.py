"""A stack's port is its own from the moment it is chosen."""

import socket

from casino.embedded.stack import HOST, port_reserved


def test_stacks_that_start_at_once_take_different_ports() -> None:
    first, first_guard = port_reserved(20_000)
    second, second_guard = port_reserved(20_000)
    with first_guard, second_guard:
        assert second > first
    again, guard = port_reserved(20_000)
    guard.close()
    assert again == first


def test_a_port_that_another_program_listens_on_is_passed_over() -> None:
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        taken.listen()
        port = taken.getsockname()[1]
        found, guard = port_reserved(port)
        guard.close()
        assert found != port
