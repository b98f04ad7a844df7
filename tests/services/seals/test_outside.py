"""Heads on their way out: the anchor file, and the webhook."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

from audit.models import AuditFinding
from audit.seals import anchor, delivery
from audit.seals.anchor import anchor_catch_up
from audit.seals.delivery import heads_send, signature
from audit.seals.heads import head_text
from audit.seals.inspection import seals_check
from audit.seals.lines import anchor_read
from audit.seals.models import Seal, SealDelivery
from audit.seals.services import head_of, seal_make
from audit.seals.tasks import seals_make
from casino.db import now
from tests.architecture.source import ROOT
from tests.concurrency.racing import race
from tests.services.seals.conftest import Sealed
from tests.wallet_builders import account as account_of
from tests.wallet_builders import pay_in, player

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


def new_row(name: str = "carla") -> None:
    pay_in(account_of(player(name)), 5)


def lines_of(path: Path) -> list[str]:
    return path.read_text().splitlines(keepends=True)


def heads() -> list[str]:
    return [head_text(head_of(seal)) + "\n" for seal in Seal.objects.order_by("number")]


def test_each_head_is_a_line_once(sealed: Sealed) -> None:
    assert lines_of(sealed.anchor) == heads()
    new_row()
    assert seals_make() == 1
    assert seals_make() == 0
    assert lines_of(sealed.anchor) == heads()
    assert len(heads()) == 4


def test_heads_that_a_crash_kept_from_the_file_are_added_by_the_next_run(sealed: Sealed) -> None:
    """Ended between the commit of a seal and its line: the next run has nothing to seal and adds the line."""
    new_row()
    assert seal_make() is not None
    assert lines_of(sealed.anchor) == heads()[:3]
    assert seals_make() == 0
    assert lines_of(sealed.anchor) == heads()


@pytest.mark.parametrize("lost", ["the file", "all of it", "its newest head"])
def test_a_file_that_lost_heads_is_filled_again_but_not_in_silence(sealed: Sealed, lost: str) -> None:
    if lost == "the file":
        sealed.anchor.unlink()
    else:
        sealed.anchor.write_text("".join(heads()[:2]) if lost == "its newest head" else "")
    assert seals_make() == 0
    assert lines_of(sealed.anchor) == heads()
    finding = AuditFinding.objects.get()
    assert (finding.check_name, finding.severity, finding.subject_id) == (
        "anchor_keeps_its_heads",
        "critical",
        str(sealed.anchor),
    )
    found_up_to = 2 if lost == "its newest head" else 0
    assert finding.evidence == {"written_up_to": 3, "found_up_to": found_up_to, "file": str(sealed.anchor)}
    new_row()
    assert seals_make() == 1
    assert AuditFinding.objects.get().times_seen == 1


def test_another_file_begins_with_the_first_head(sealed: Sealed, settings: Any, tmp_path: Path) -> None:
    settings.SEAL_ANCHOR_FILE = str(tmp_path / "another.jsonl")
    assert seals_make() == 0
    assert lines_of(tmp_path / "another.jsonl") == heads()
    assert not AuditFinding.objects.exists()


@pytest.mark.parametrize("share", [1, 100, 10_000])
def test_a_line_that_a_crash_cut_off_is_written_again(sealed: Sealed, share: int) -> None:
    new_row()
    assert seal_make() is not None
    with sealed.anchor.open("a") as file:
        file.write(heads()[3][:-1][:share])
    assert anchor_read(lines_of(sealed.anchor))[1] == []
    seals_make()
    read, wrong = anchor_read(lines_of(sealed.anchor))
    assert ([head_text(head) + "\n" for head in read], wrong) == (heads(), []) or share == 10_000
    assert sealed.both(anchored=True) == set()


def test_a_line_that_is_no_head_is_found(sealed: Sealed) -> None:
    lines = lines_of(sealed.anchor)
    forged = json.dumps(json.loads(lines[1]) | {"root": "0" * 64})
    sealed.anchor.write_text("".join([lines[0], forged + "\n", lines[2]]))
    assert sealed.both(anchored=True) == {("anchor_line_is_a_head", "anchor", "2"), ("anchor_has_every_head", "seal", "2")}


def test_of_several_workers_at_once_each_head_is_added_once(sealed: Sealed) -> None:
    for name in ("carla", "dora"):
        new_row(name)
        assert seal_make() is not None
    assert sorted(race([anchor_catch_up] * 4)) == [0, 0, 0, 2]
    assert lines_of(sealed.anchor) == heads()


def test_control_without_the_files_lock_they_would_be_added_again(sealed: Sealed, monkeypatch: pytest.MonkeyPatch) -> None:
    meeting = threading.Barrier(2)
    tail = anchor.anchor_tail

    def together(path: Path) -> Any:
        found = tail(path)
        meeting.wait(timeout=60)
        return found

    monkeypatch.setattr(anchor.fcntl, "flock", lambda file, operation: None)
    monkeypatch.setattr(anchor, "anchor_tail", together)
    new_row()
    assert seal_make() is not None
    assert race([anchor_catch_up] * 2) == [1, 1]
    assert len(lines_of(sealed.anchor)) == 5


def test_a_seal_that_stays_without_its_line_is_noticed(sealed: Sealed) -> None:
    new_row()
    assert seal_make() is not None
    assert seals_check(is_full=False) == []
    (found,) = seals_check(is_full=False, now=now() + timedelta(minutes=6))
    assert (found.check, found.key) == ("anchor_has_every_head", "4")
    assert AuditFinding.objects.get().severity == "warning"


def test_a_signature_is_that_of_standard_webhooks() -> None:
    """The specification's own example."""
    told = {"message_id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "timestamp": 1614265330, "body": b'{"test": 2432232314}'}
    assert signature(**told, secret=SECRET) == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


class Receiver(BaseHTTPRequestHandler):
    """Takes heads, or answers whatever the server's ``answer`` says."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.taken.append((self.path, dict(self.headers), body))
        self.send_response(self.server.answer)
        if self.server.answer == 307:
            self.send_header("location", "/elsewhere")
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture
def receiver(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setattr(delivery, "ATTEMPT_SECONDS", 120)  # it runs beside the sender, and waits for it
    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    server.taken, server.answer = [], 204
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    settings.SEAL_WEBHOOK_URL, settings.SEAL_WEBHOOK_SECRET = f"http://127.0.0.1:{server.server_port}/heads", SECRET
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def two_due(sealed: Sealed, receiver: Any) -> None:
    for name in ("carla", "dora"):
        new_row(name)
        assert seal_make() is not None


@pytest.mark.usefixtures("two_due")
def test_heads_are_sent_in_order_signed_and_once(receiver: Any) -> None:
    assert heads_send() == 2
    assert heads_send(now=now() + timedelta(days=1)) == 0
    assert [body.decode() + "\n" for _, _, body in receiver.taken] == heads()[3:]
    for number, (path, headers, body) in zip((4, 5), receiver.taken, strict=True):
        sent = {name.lower(): value for name, value in headers.items()}
        told = {"message_id": f"seal_{number}", "timestamp": int(sent["webhook-timestamp"]), "body": body}
        assert (path, sent["webhook-id"]) == ("/heads", f"seal_{number}")
        assert sent["webhook-signature"] == signature(**told, secret=SECRET)
    assert set(SealDelivery.objects.values_list("attempts", "answer")) == {(1, "204")}


@pytest.mark.usefixtures("two_due")
def test_a_head_that_is_not_taken_is_sent_again_ever_later(receiver: Any) -> None:
    receiver.answer = 500
    moment, pauses = now(), []
    for _ in range(12):
        assert heads_send(now=moment) == 0
        first = SealDelivery.objects.get(seal_id=4)
        pauses.append(int((first.due_at - moment).total_seconds()))
        SealDelivery.objects.filter(seal_id=5).update(due_at=first.due_at)
        moment = first.due_at
    assert pauses == [10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600, 3600]
    assert (first.attempts, first.answer) == (12, "500")
    assert SealDelivery.objects.get(seal_id=5).attempts == 0, "whoever does not take one takes no other"
    late = {(found.check, found.key) for found in seals_check(is_full=False, now=now() + timedelta(minutes=61))}
    assert ("seal_is_delivered", "4") in late
    receiver.answer = 204
    assert heads_send(now=moment) == 2


@pytest.mark.usefixtures("two_due")
def test_where_an_answer_points_to_nobody_goes(receiver: Any) -> None:
    receiver.answer = 307
    assert heads_send() == 0
    assert [path for path, _, _ in receiver.taken] == ["/heads"]
    assert SealDelivery.objects.get(seal_id=4).answer == "307"


@pytest.mark.usefixtures("two_due")
def test_control_a_client_that_follows_would_go_there(receiver: Any) -> None:
    receiver.answer = 307
    heads_send(client=httpx.Client(follow_redirects=True, trust_env=False))
    assert "/elsewhere" in [path for path, _, _ in receiver.taken]


@pytest.mark.usefixtures("two_due")
def test_a_receiver_that_is_not_there_is_noted(receiver: Any, settings: Any) -> None:
    settings.SEAL_WEBHOOK_URL = "http://127.0.0.1:1/heads"
    assert heads_send() == 0
    assert SealDelivery.objects.get(seal_id=4).answer == "ConnectError"


@pytest.mark.usefixtures("two_due")
def test_of_several_at_once_each_head_is_sent_once(receiver: Any) -> None:
    assert sum(race([heads_send] * 4)) == 2
    assert len(receiver.taken) == 2


@pytest.mark.usefixtures("two_due")
def test_a_sender_that_died_leaves_its_head_to_the_next(receiver: Any) -> None:
    """It had noted its attempt: the head is due again after a minute."""
    moment = now()
    SealDelivery.objects.update(due_at=moment + timedelta(minutes=1), attempts=1)
    assert heads_send(now=moment) == 0
    assert heads_send(now=moment + timedelta(minutes=1)) == 2


KILLED = """
import os, signal, django
django.setup()
from audit.seals.services import seal_make
assert seal_make() is not None
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_worker_killed_between_commit_and_file_loses_no_head(sealed: Sealed, committed_db: str) -> None:
    new_row()
    environment = os.environ | {"DATABASE_URL": committed_db, "SEAL_ANCHOR_FILE": str(sealed.anchor)}
    done = subprocess.run([sys.executable, "-c", KILLED], cwd=ROOT, env=environment)
    assert done.returncode == -signal.SIGKILL
    assert (len(heads()), lines_of(sealed.anchor)) == (4, heads()[:3])
    assert seals_make() == 0
    assert lines_of(sealed.anchor) == heads()
