"""Programs that play: they speak the public API and know nothing else of the service."""
