"""How passwords are kept."""

from django.contrib.auth.hashers import Argon2PasswordHasher


class PasswordHasher(Argon2PasswordHasher):
    """Argon2id at OWASP's cost for servers: Django's own takes 100 MiB and eight threads, with which logins could starve play."""

    time_cost = 2
    memory_cost = 19 * 1024
    parallelism = 1
