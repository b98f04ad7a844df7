"""Export the published pay tables and limit sets, to be verified by anybody's tool."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from audit.manifest.files import NAME, manifest_text
from audit.manifest.terms import terms_entries


class Command(BaseCommand):
    help = f"Write every published pay table and limit set as canonical JSON, and {NAME} for: sha256sum -c {NAME}"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        folder: Path = options["folder"]
        digests = {}
        for entry in terms_entries():
            file = folder / entry.name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(entry.content)
            digests[entry.name] = entry.digest
        folder.mkdir(parents=True, exist_ok=True)
        (folder / NAME).write_text(manifest_text(digests))
        self.stdout.write(f"{len(digests)} pay tables and limit sets in {folder}")
