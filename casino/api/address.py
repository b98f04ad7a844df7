"""Where a request came from."""

from typing import Any

from rest_framework.throttling import BaseThrottle


def client_address(request: Any) -> str:
    """Tell the address a request came from; the setting TRUSTED_PROXY_COUNT says how many proxies stand in front."""
    return BaseThrottle().get_ident(request) or "socket"
