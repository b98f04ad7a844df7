"""``make run`` from outside: it starts, serves, survives kill -9 of any part, leaves others alone and stops without a trace."""

import socket
import stat
import subprocess
import sys
from pathlib import Path

import httpx
import psutil
import pytest

from tests.e2e.stacks import PATIENCE_SECONDS, RunningStack, checkout_copied, cleaned, running, start, wait_until

BACK_SECONDS_MAX = 20


pytestmark = [pytest.mark.xdist_group("stack")]


def modes(path: Path) -> dict[Path, int]:
    return {folder: stat.S_IMODE(folder.stat().st_mode) for folder in (path, *path.parents)}


def test_a_stack_serves_keeps_its_folders_closed_and_stops_without_a_trace(checkout: Path) -> None:
    before = modes(checkout)
    with running(checkout) as stack:
        assert stack.healthy()
        assert httpx.get(f"{stack.address}/api/v1/schema", timeout=PATIENCE_SECONDS).status_code == httpx.codes.OK
        assert modes(checkout) == before
        assert stat.S_IMODE((checkout / "var" / "stack.env").stat().st_mode) == 0o600
        assert stack.stop() == 0
        assert stack.processes() == []
    assert modes(checkout) == before


def test_an_administrative_command_finds_the_running_stack(stack: RunningStack) -> None:
    shown = subprocess.run(
        [sys.executable, "manage.py", "showmigrations", "--plan"], cwd=stack.checkout, env={}, capture_output=True, text=True
    )
    assert shown.returncode == 0, shown.stderr
    assert "[X]  users.0001" in shown.stdout
    assert "[ ]" not in shown.stdout


def test_a_second_start_in_one_checkout_is_refused(stack: RunningStack) -> None:
    second = subprocess.run(
        [sys.executable, "-m", "casino.embedded", "run"],
        cwd=stack.checkout,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
    )
    assert second.returncode == 1
    assert f"already running (process {stack.process.pid})" in second.stderr
    assert stack.healthy()


@pytest.mark.slow
@pytest.mark.parametrize("part", ["bin/postgres", "valkey-server", "wsgi", "asgi", "--queues celery", "beat"])
def test_a_killed_part_comes_back_within_seconds(stack: RunningStack, part: str) -> None:
    victim = stack.part(part)
    family = [victim, *victim.children(recursive=True)]
    victim.kill()
    wait_until(lambda: not any(alive(process) for process in family), stack.said, within_seconds=BACK_SECONDS_MAX)
    wait_until(lambda: came_back(stack, part, victim), stack.said, within_seconds=BACK_SECONDS_MAX)
    wait_until(stack.healthy, stack.said, within_seconds=BACK_SECONDS_MAX)


def alive(process: psutil.Process) -> bool:
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:  # it ended between the two questions
        return False


def came_back(stack: RunningStack, part: str, victim: psutil.Process) -> bool:
    try:
        return stack.part(part) != victim
    except (ValueError, psutil.Error):
        return False


@pytest.mark.slow
def test_a_killed_web_worker_is_replaced(stack: RunningStack) -> None:
    for worker in stack.part("wsgi").children():
        worker.kill()
    wait_until(stack.healthy, stack.said, within_seconds=BACK_SECONDS_MAX)


@pytest.mark.slow
def test_a_killed_supervisor_takes_its_parts_along_and_the_next_start_clears_the_rest(
    tmp_path: Path,
) -> None:
    checkout = checkout_copied(tmp_path / "checkout")
    try:
        killed = start(checkout)
        before = killed.processes()
        killed.process.kill()
        killed.process.wait()
        with running(checkout) as again:
            assert again.healthy()
            wait_until(lambda: not any(alive(process) for process in before), again.said, within_seconds=BACK_SECONDS_MAX)
    finally:
        cleaned(checkout)


@pytest.mark.slow
def test_everything_killed_at_once_starts_again(tmp_path: Path) -> None:
    checkout = checkout_copied(tmp_path / "checkout")
    try:
        killed = start(checkout)
        everything = killed.processes()
        killed.process.kill()
        for process in everything:
            if alive(process):
                process.kill()
        killed.process.wait()
        with running(checkout) as again:
            assert again.healthy()
    finally:
        cleaned(checkout)


@pytest.mark.slow
def test_two_checkouts_side_by_side_take_two_ports_and_leave_each_other_alone(stack: RunningStack, tmp_path: Path) -> None:
    port = int(stack.address.rpartition(":")[2])
    other_checkout = checkout_copied(tmp_path / ("a-folder-with-a-long-name-" * 4) / "checkout")
    try:
        with running(other_checkout, port) as other:
            assert other.address != stack.address
            assert f"port {port} is taken by another program; using " in other.said()
            assert other.healthy()
            assert stack.healthy()
            assert other.stop() == 0
        assert stack.healthy()
    finally:
        cleaned(other_checkout)


@pytest.mark.slow
def test_a_taken_port_is_named_and_another_one_used(tmp_path: Path) -> None:
    checkout = checkout_copied(tmp_path / "checkout")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        try:
            with running(checkout, port) as stack:
                assert f"port {port} is taken by another program; using " in stack.said()
                assert stack.healthy()
        finally:
            cleaned(checkout)


@pytest.mark.slow
def test_nothing_is_lost_by_killing_the_database(stack: RunningStack) -> None:
    """A row that was committed before kill -9 is there afterwards: the stack's database syncs to disk."""
    write = "from casino.users.models import User; User.objects.create(username='durable', password='!')"
    read = "from casino.users.models import User; assert User.objects.filter(username='durable').exists()"
    shell(stack, write)
    victim = stack.part("bin/postgres")
    victim.kill()
    wait_until(lambda: came_back(stack, "bin/postgres", victim), stack.said, within_seconds=BACK_SECONDS_MAX)
    wait_until(stack.healthy, stack.said, within_seconds=BACK_SECONDS_MAX)
    shell(stack, read)


def test_the_services_role_gives_up_a_lock_and_is_ended_when_it_stands_still(stack: RunningStack) -> None:
    shell(
        stack,
        "from django.db import connection; cursor = connection.cursor(); "
        'cursor.execute("SELECT setting FROM pg_settings WHERE name IN '
        "('lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout') ORDER BY name\"); "
        "assert cursor.fetchall() == [('30000',), ('5000',), ('30000',)]",
    )


def shell(stack: RunningStack, code: str) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "shell", "--command", code], cwd=stack.checkout, env={}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
