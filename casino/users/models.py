"""Who can log in."""

import uuid
from typing import ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.db import models
from django.db.models.functions import Now

USERNAME_PATTERN = r"^[a-z0-9][a-z0-9._-]{2,31}$"


class UserManager(BaseUserManager["User"]):
    """Find users by the name they type, whatever its case."""

    def get_by_natural_key(self, username: str | None) -> "User":
        return self.get(username=(username or "").lower())


class User(AbstractBaseUser):
    """A person or a house bot.

    **Rule** Names are kept in lower case, so that no two differ by case alone; plain ASCII, so that no two look alike.
    """

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    username = models.CharField(max_length=32, unique=True)
    is_active = models.BooleanField(default=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    USERNAME_FIELD = "username"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    objects: ClassVar[UserManager] = UserManager()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(condition=models.Q(username__regex=USERNAME_PATTERN), name="user_username_plain"),
        ]
