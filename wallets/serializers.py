"""The API's words for accounts and transfers."""

from typing import Any

from rest_framework import serializers

from casino.api.fields import CurrencyField, MinorAmountField, StrictSerializer, StrictUUIDField, TextField
from wallets.models import Account, Direction, StatementLine
from wallets.selectors import reads_every_account


class CounterBody(StrictSerializer):
    """Money over a hall's counter, for the player named by ``player_id`` or by ``username``."""

    hall_id = StrictUUIDField()
    player_id = StrictUUIDField(required=False)
    username = TextField(max_length=32, required=False)
    amount_minor = MinorAmountField()
    currency = CurrencyField()
    reference = TextField(max_length=100, required=False, allow_blank=True, help_text="A receipt's number or the like.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse a player named twice or not at all."""
        if ("player_id" in attrs) == ("username" in attrs):
            message = "Name the player by player_id or by username, one of them."
            raise serializers.ValidationError({"player_id": [message]}, code="player")
        return attrs


class AccountSerializer(serializers.Serializer[Account]):
    """A player's account: what is free, and what open rounds hold."""

    id = serializers.UUIDField(source="public_id")
    currency = serializers.CharField()
    available_minor = serializers.IntegerField(source="balance_minor")
    held_minor = serializers.IntegerField()
    opened_at = serializers.DateTimeField()


class TransferSerializer(serializers.Serializer[StatementLine]):
    """A transfer as the player's account sees it."""

    id = serializers.UUIDField(source="transfer.public_id")
    account_id = serializers.UUIDField(source="account.public_id")
    player_id = serializers.UUIDField(source="account.user.public_id")
    sequence = serializers.IntegerField(help_text="Counts the account's transfers from 1, without gaps.")
    at = serializers.DateTimeField(source="transfer.at")
    code = serializers.CharField(source="transfer.code", help_text="What for: `deposit`, or a game's own word such as `ante`.")
    direction = serializers.ChoiceField(choices=Direction.choices)
    amount_minor = serializers.IntegerField()
    currency = serializers.CharField(source="transfer.currency")
    balance_before_minor = serializers.IntegerField()
    balance_after_minor = serializers.IntegerField()
    round_id = serializers.UUIDField(source="counterpart.round_reference", allow_null=True)
    hall_id = serializers.UUIDField(
        source="counterpart.hall.public_id", default=None, allow_null=True, help_text="The counter's hall."
    )
    reference = serializers.CharField(source="transfer.reference")
    reversal_of = serializers.UUIDField(source="transfer.reversal_of.public_id", default=None, allow_null=True)
    handled_by = serializers.SerializerMethodField(help_text="Who served it at the counter; staff see it.")

    def get_handled_by(self, line: StatementLine) -> str | None:
        """Who served it at the counter; staff see it."""
        handler = line.transfer.created_by
        return handler.username if handler is not None and reads_every_account(self.context["request"].user) else None
