"""The daily check of the manifest on one of the workers' hosts; web processes check their own."""

from celery import shared_task

from audit.manifest.models import ManifestCheck
from audit.manifest.services import manifest_check


@shared_task
def manifest_verify() -> bool:
    """Check the manifest; tell whether all is as it says. Safe to repeat: a second finding about one file is not raised."""
    return manifest_check(occasion=ManifestCheck.Occasion.DAILY, part=ManifestCheck.Part.WORKER).passed
