"""``python -m casino.embedded.prepare``: migrations and demo data, in one process to start the sooner."""

import django
from django.core.management import call_command


def main() -> None:
    django.setup()
    call_command("migrate", database="owner", verbosity=0)
    call_command("demo")


if __name__ == "__main__":
    main()
