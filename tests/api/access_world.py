"""A small casino in which everybody exists once: whose objects they are is what access is about."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from rest_framework.test import APIClient

from audit.fairness.services import fairness_run
from audit.findings import Severity, finding_raise
from audit.history.models import Export
from audit.reports.services import report_store
from audit.seals.services import seal_make
from casino.db import now
from casino.permissions import Role
from casino.users.models import RoleGrant, User
from games.halls.models import Hall
from games.halls.services import hall_close, limit_set_publish, pay_table_publish
from games.rounds.services import round_void
from games.tables.services import table_sit
from tests import playing, table_builders
from tests.hall_builders import ENGINE, GAME, hall_in_preparation
from tests.report_builders import yesterday
from tests.user_builders import PASSWORD, bearer, client, token, user
from wallets.models import Transfer

NOBODY, PLAYER, OTHER_PLAYER = "nobody", "player", "other player"
HALL_STAFF = ("operator", "operator elsewhere", "cashier", "cashier elsewhere")
CALLERS = (NOBODY, PLAYER, OTHER_PLAYER, *HALL_STAFF, "supervisor", "auditor", "admin")


@dataclass(frozen=True)
class World:
    """Objects of ``player`` and of the halls that ``operator`` and ``cashier`` serve; the others have nothing to do with them."""

    users: Mapping[str, User]
    clients: Mapping[str, APIClient]
    hall: Hall
    closed_hall: Hall
    hidden_hall: Hall
    """A hall that has never opened; it is no one's but its operator's."""
    elsewhere: Hall
    ids: Mapping[str, UUID]
    """Ids of one object of each kind, by the name that paths use, and a few more."""
    turn: int
    action: Mapping[str, Any]
    commitments: Mapping[str, UUID]
    table_round: UUID | None
    """The round that the table has committed to."""


def world_build() -> World:
    """Build it with the services that build it in the product."""
    halls = playing.halls()
    hall, elsewhere, closed = halls["first"], halls["second"], halls["vip"]
    hidden = hall_in_preparation("hidden")
    users = {PLAYER: playing.player(hall), OTHER_PLAYER: playing.player(elsewhere)}
    for role in (Role.OPERATOR, Role.CASHIER):
        users[role.value] = user(role.value, role, hall=hall)
        users[f"{role} elsewhere"] = user(f"{role}-elsewhere", role, hall=elsewhere)
        RoleGrant.objects.create(user=users[role.value], role=role, hall=closed)
    RoleGrant.objects.create(user=users["operator"], role=Role.OPERATOR, hall=hidden)
    users |= {role.value: user(role.value, role) for role in (Role.SUPERVISOR, Role.AUDITOR, Role.ADMIN)}
    hall_close(actor=users["admin"], hall_id=closed.public_id, version=closed.version, reason="test")
    player = users[PLAYER]
    closed_round = playing.open_round(player, hall).round_id
    round_void(actor=users["supervisor"], round_id=closed_round, reason="test")
    open_round = playing.open_round(player, hall).round_id
    account = playing.fund(player, hall, 10)
    seal_make()
    table = table_builders.make(hall, 6).table
    table_builders.make(hall, 6)
    for sitting in (player, users[OTHER_PLAYER]):
        standing = table_sit(user=sitting, table_id=table.public_id)
    ids = {
        "user_id": player.public_id,
        "player_id": player.public_id,
        "account_id": account.public_id,
        "transfer_id": Transfer.objects.get(credit_account=account, code="deposit", amount_minor=10).public_id,
        "hall_id": hall.public_id,
        "round_id": open_round,
        "closed_round": closed_round,
        "table_id": table.public_id,
        **_audited(users["auditor"]),
        "disabled_user": user("disabled", Role.PLAYER, is_active=False).public_id,
        **_scheduled_terms(users["admin"], hall),
    }
    User.objects.update(password=users["admin"].password)
    return World(
        users={name: User.objects.get(pk=each.pk) for name, each in users.items()},
        clients={NOBODY: client()} | {name: bearer(token(each)) for name, each in users.items()},
        hall=Hall.objects.get(pk=hall.pk),
        closed_hall=Hall.objects.get(pk=closed.pk),
        hidden_hall=hidden,
        elsewhere=elsewhere,
        ids=ids,
        turn=playing.look(player, open_round)["turn"],
        action=playing.choose(playing.legal(player, open_round), random.Random(1)),
        commitments={name: playing.commit(users[name], elsewhere) for name in (PLAYER, OTHER_PLAYER)},
        table_round=standing.commitment.round_id if standing.commitment else None,
    )


def _audited(auditor: User) -> dict[str, UUID]:
    """What the audit keeps: an export that somebody once began, a finding, a report, a run of the fairness statistics."""
    export = Export.objects.create(author=auditor, format="csv", filters={}, snapshot="", rounds_total=1, status="stopped")
    return {
        "export_id": export.public_id,
        "finding_id": finding_raise(check="test", severity=Severity.NOTICE, subject=("test", 1), evidence={}).public_id,
        "stored_report_id": report_store(name="liability", hall=None, period=yesterday(), reason="test").public_id,
        "run_id": fairness_run(pack="seats-3", count=31, seed="test")[0].run.public_id,
    }


def _scheduled_terms(admin: User, hall: Hall) -> dict[str, UUID]:
    """Limits and a pay table that are still to take effect, and so can be withdrawn."""
    ids = {}
    kinds = {
        "limit_set_id": (limit_set_publish, ENGINE.default_limits["first"]),
        "pay_table_id": (pay_table_publish, ENGINE.default_pay_table),
    }
    for name, (publish, data) in kinds.items():
        hall.refresh_from_db()
        row = publish(
            actor=admin,
            hall_id=hall.public_id,
            version=hall.version,
            game=ENGINE.code,
            data=dict(data),
            reason="test",
            effective_at=now() + timedelta(days=1),
        )
        ids[name] = row.public_id
    return ids


WHY = {"reason": "test"}
ANTE = {"boxes": [{"box": 1, "ante_minor": 100}]}


def body_for(operation: str, world: World, caller: str) -> Mapping[str, Any] | None:
    """A body that the operation accepts from whoever may call it; None where there is none to send."""
    counter = {"hall_id": world.hall.public_id, "player_id": world.ids["player_id"], "amount_minor": 5, "currency": "EUR"}
    commitment = world.commitments.get(caller, world.commitments[PLAYER])
    opening = {"game": GAME, "hall_id": world.elsewhere.public_id, "round_id": commitment, "client_seed": "", **ANTE}
    bodies: dict[str, Mapping[str, Any]] = {
        "POST /api/v1/auth/login": {"username": "admin", "password": PASSWORD},
        "POST /api/v1/auth/logout": {},
        "POST /api/v1/auth/logout-all": {},
        "POST /api/v1/me/password": {"current_password": PASSWORD, "new_password": "another-horse-battery"},
        "POST /api/v1/users": {"username": "newcomer", "password": PASSWORD, "role": "player"},
        "POST /api/v1/users/{user_id}/grant-role": WHY | {"role": "auditor"},
        "POST /api/v1/users/{user_id}/revoke-role": WHY | {"role": "player"},
        "POST /api/v1/deposits": counter,
        "POST /api/v1/withdrawals": counter,
        "POST /api/v1/halls": WHY | {"code": "new", "name": "New", "currency": "EUR", "time_zone": "UTC"},
        "PATCH /api/v1/halls/{hall_id}": WHY | {"name": "Renamed"},
        "POST /api/v1/halls/{hall_id}/games/{game}/limit-sets": WHY | {"data": ENGINE.default_limits["first"]},
        "POST /api/v1/halls/{hall_id}/games/{game}/pay-tables": WHY | {"data": ENGINE.default_pay_table},
        "POST /api/v1/tables": {
            "game": table_builders.GAME,
            "hall_id": world.hall.public_id,
            "seats": 2,
            "convention": table_builders.convention(),
        },
        "POST /api/v1/tables/quick-seat": {"hall_id": world.hall.public_id, "game": table_builders.GAME},
        "POST /api/v1/tables/{table_id}/sit": {},
        "POST /api/v1/tables/{table_id}/leave": {},
        "POST /api/v1/tables/{table_id}/ready": {"round_id": world.table_round},
        "POST /api/v1/audit/manifest/checks": {},
        "POST /api/v1/commitments": {"hall_id": world.elsewhere.public_id, "game": GAME},
        "POST /api/v1/rounds": opening,
        "POST /api/v1/rounds/{round_id}/actions": {"turn": world.turn, "action": world.action},
        "POST /api/v1/audit/rounds/{round_id}/what-if": {"from_seq": 1, "actions": [], "finish": True},
        "POST /api/v1/audit/findings/{finding_id}/own": {},
        "POST /api/v1/audit/findings/{finding_id}/resolve": {"resolution": "test"},
        "POST /api/v1/sandbox": {"game": GAME, "setup": ANTE, "server_seed": "00" * 32, "client_seeds": [""], "actions": []},
    }
    return bodies.get(operation, WHY if operation.startswith("POST") else None)


def object_for(operation: str, name: str, world: World) -> object:
    """What stands in a path for one of its names."""
    special: dict[tuple[str, str], object] = {
        ("POST /api/v1/users/{user_id}/enable", "user_id"): world.ids["disabled_user"],
        ("POST /api/v1/halls/{hall_id}/open", "hall_id"): world.closed_hall.public_id,
        ("POST /api/v1/commitments/{round_id}/discard", "round_id"): world.commitments[PLAYER],
        ("GET /api/v1/rounds/{round_id}/record", "round_id"): world.ids["closed_round"],
        ("GET /api/v1/audit/rounds/{round_id}/replay", "round_id"): world.ids["closed_round"],
        ("POST /api/v1/audit/rounds/{round_id}/what-if", "round_id"): world.ids["closed_round"],
        ("GET /api/v1/audit/rounds/{round_id}/inclusion", "round_id"): world.ids["closed_round"],
    }
    named = {"game": GAME, "report": "game_performance"}
    return named.get(name) or special.get((operation, name), world.ids.get(name))


def query_for(operation: str, world: World) -> str:
    """The query string without which an operation refuses."""
    queries = {
        "GET /api/v1/rounds/last-opening": f"?hall_id={world.hall.public_id}&game={GAME}",
        "GET /api/v1/audit/rounds/export": "?format=csv",
        "GET /api/v1/reports/{report}": f"?hall_id={world.hall.public_id}",
        "GET /api/v1/reports/{report}/csv": f"?hall_id={world.hall.public_id}",
    }
    return queries.get(operation, "")


def version_for(operation: str, world: World) -> int:
    """The version of the hall that an operation is about."""
    return (world.closed_hall if operation.endswith("/open") else world.hall).version
