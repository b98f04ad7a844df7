"""``make bench``: how fast the service is, each figure beside a yardstick of the same run. Not part of the service."""
