"""The reference page in a real browser: every byte from us, log in, try an operation."""

from pathlib import Path

import httpx
import pytest

from casino.users.demo import DEMO_USERS
from tests.contract import operations
from tests.e2e.browser import MISSING, browser
from tests.e2e.stacks import RunningStack, wait_until

pytestmark = [
    pytest.mark.xdist_group("stack"),
    pytest.mark.slow,
    pytest.mark.skipif(MISSING is not None, reason=str(MISSING)),
]
ME = "#operations-users-me_get"
LOADED = "return performance.getEntriesByType('resource').map(each => each.name)"


def test_the_page_is_ours_alone_and_tries_operations(stack: RunningStack, tmp_path: Path) -> None:
    demo = DEMO_USERS[0]
    body = {"username": demo.username, "password": demo.password}
    token = httpx.post(f"{stack.address}/api/v1/auth/login", json=body).json()["token"]
    with browser(tmp_path) as page:
        page.open(f"{stack.address}/api/v1/reference")
        wait_until(lambda: len(page.find(".opblock")) == len(operations()))
        page.click(".btn.authorize")
        page.type(".modal-ux input", token)
        page.click(".modal-ux .auth.authorize")
        page.click(".modal-ux .btn-done")
        page.click(f"{ME} .opblock-summary-control")
        page.click(f"{ME} .try-out__btn")
        page.click(f"{ME} .execute")
        wait_until(lambda: page.text(f"{ME} .live-responses-table tbody .response-col_status").startswith("200"))
        assert f'"username": "{demo.username}"' in page.text(f"{ME} .live-responses-table .highlight-code")
        loaded = [name for name in page.run(LOADED) if not name.startswith("data:")]
        assert loaded and all(name.startswith(f"{stack.address}/") for name in loaded)
        assert page.complaints() == []
