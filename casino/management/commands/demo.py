"""``manage.py demo``: halls, users and money to try the service with. Embedded stack only."""

from typing import Any

from django.core.management.base import BaseCommand

from casino.permissions import Role
from casino.play.house import HOUSE_BOTS, PASSWORD
from casino.users.demo import DEMO_USERS, DemoUser, demo_users_create
from casino.users.models import User
from games.engines import current_engines
from games.halls.defaults import default_halls_create
from games.halls.models import Hall
from wallets.models import Account
from wallets.services import deposit_create

CURRENCY = "EUR"
DEPOSIT_MINOR = 100_000


class Command(BaseCommand):
    """Create what is missing of the demo; what is there stays as it is."""

    help = "Create the three halls, a user for each role, and 1000.00 EUR for each player, and print the logins."

    def handle(self, *args: Any, **options: Any) -> None:
        demo_users_create(halls=[])
        admin = User.objects.get(username=_named(Role.ADMIN))
        halls = default_halls_create(engines=current_engines(), author=admin, currency=CURRENCY)
        bots = [DemoUser(name, PASSWORD, Role.PLAYER, is_house_bot=True) for name in HOUSE_BOTS.values()]
        for demo in demo_users_create(halls=halls, bots=bots):
            if demo.role == Role.PLAYER:
                self._pay_in(demo.username, halls[0])
            if not demo.is_house_bot:
                self.stdout.write(f"{demo.role.value:<11} {demo.username} / {demo.password}")

    def _pay_in(self, username: str, hall: Hall) -> None:
        player = User.objects.get(username=username)
        if Account.objects.filter(user=player).exists():
            return
        cashier = User.objects.get(username=_named(Role.CASHIER))
        deposit_create(
            actor=cashier,
            hall_id=hall.public_id,
            username=username,
            amount_minor=DEPOSIT_MINOR,
            currency=CURRENCY,
            reference="demo",
        )


def _named(role: Role) -> str:
    return next(demo.username for demo in DEMO_USERS if demo.role == role)
