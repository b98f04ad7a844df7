"""A real browser, spoken to through its driver: Debian's packages chromium and chromium-driver."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from tests.e2e.stacks import wait_until

BROWSER = shutil.which("chromium")
DRIVER = shutil.which("chromedriver")
MISSING = None if BROWSER and DRIVER else "no chromium and chromedriver on this machine"
_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1300,1800",
)
STARTED = re.compile(r"started successfully on port (\d+)")


@dataclass
class Browser:
    """One window."""

    session: httpx.Client

    def _ask(self, path: str, **body: Any) -> Any:
        answer = self.session.post(path, json=body)
        assert answer.status_code == httpx.codes.OK, answer.text
        return answer.json()["value"]

    def open(self, url: str) -> None:
        self._ask("url", url=url)

    def run(self, script: str, *arguments: Any) -> Any:
        """Run a function body in the page."""
        return self._ask("execute/sync", script=script, args=arguments)

    def find(self, selector: str) -> list[str]:
        found = self._ask("elements", using="css selector", value=selector)
        return [element[_ELEMENT] for element in found]

    def _one(self, selector: str) -> str:
        wait_until(lambda: bool(self.find(selector)), lambda: f"{selector} does not appear")
        return self.find(selector)[0]

    def click(self, selector: str) -> None:
        element = self._one(selector)
        self.run("arguments[0].scrollIntoView({block: 'center'})", {_ELEMENT: element})
        self._ask(f"element/{element}/click")

    def type(self, selector: str, text: str) -> None:
        self._ask(f"element/{self._one(selector)}/value", text=text)

    def text(self, selector: str) -> str:
        return str(self.session.get(f"element/{self._one(selector)}/text").json()["value"])

    def complaints(self) -> list[str]:
        """What the page wrote to the console: errors of scripts, and what its policy blocked."""
        return [line["message"] for line in self._ask("se/log", type="browser")]


@contextmanager
def browser(folder: Path) -> Iterator[Browser]:
    """Start a browser with nothing in it."""
    output = folder / "driver.out"
    with output.open("w") as file:
        driver = subprocess.Popen([str(DRIVER), "--port=0"], stdout=file, stderr=subprocess.STDOUT)
    options = {"binary": BROWSER, "args": [*_FLAGS, f"--user-data-dir={folder / 'profile'}"]}
    wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
    try:
        wait_until(lambda: STARTED.search(output.read_text()) is not None, output.read_text)
        url = f"http://127.0.0.1:{STARTED.findall(output.read_text())[0]}"
        made = httpx.post(f"{url}/session", json={"capabilities": {"alwaysMatch": wanted}}, timeout=60).json()["value"]
        with httpx.Client(base_url=f"{url}/session/{made['sessionId']}/", timeout=60) as session:
            yield Browser(session)
            session.delete("")
    finally:
        driver.terminate()
        driver.wait()
