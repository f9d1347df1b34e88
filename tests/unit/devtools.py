"""A headless Chromium that a test moves the pointer in and types into, over its pipe for developer tools.

Source: Chrome DevTools Protocol, domains Target, Page, Runtime and Input; messages end with a zero byte.
"""

import json
import os
import select
import subprocess
import time
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any, Self

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-extensions", "--window-size=1200,900",
)  # fmt: skip
PIPES = 3, 4  # of the browser: it reads the first, and writes the second
LONGEST_S = 120.0


class Browser:
    """One page. Use as a context manager."""

    def __init__(self, program: str, folder: Path, page: Path) -> None:
        inward, self._out = os.pipe()
        self._in, outward = os.pipe()
        words = [program, *FLAGS, f"--user-data-dir={folder}/profile", "--remote-debugging-pipe"]
        script = f'exec "$@" {PIPES[0]}<&{inward} {PIPES[1]}>&{outward}'
        self._process = subprocess.Popen(
            ["bash", "-c", script, "bash", *words], pass_fds=(inward, outward), stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(inward)
        os.close(outward)
        self._numbers, self._left, self._session = count(1), b"", ""
        target = self._ask("Target.createTarget", url=page.as_uri())["targetId"]
        self._session = self._ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.wait(f"location.href === {json.dumps(page.as_uri())} && document.readyState === 'complete'")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _k: type[BaseException] | None, _e: BaseException | None, _t: TracebackType | None) -> None:
        os.close(self._out)
        os.close(self._in)
        self._process.terminate()
        self._process.wait()

    def value(self, script: str) -> Any:
        """Return what an expression is in the page."""
        found = self._ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def wait(self, script: str) -> None:
        """Return when an expression is true."""
        until = time.monotonic() + LONGEST_S
        while not self.value(script):
            assert time.monotonic() < until, script
            time.sleep(0.05)

    def hover(self, selector: str) -> None:
        """Move the pointer over the first element."""
        self._mouse("mouseMoved", self._middle(selector))

    def click(self, selector: str) -> None:
        """Press and release the left button over it."""
        place = self._middle(selector)
        for kind in ("mousePressed", "mouseReleased"):
            self._mouse(kind, place, button="left", clickCount=1)

    def type(self, text: str) -> None:
        """Type into what has the focus."""
        self._ask("Input.insertText", text=text)

    def _middle(self, selector: str) -> dict[str, float]:
        look = f"const one = document.querySelector({json.dumps(selector)}); "
        look += "one.scrollIntoView({behavior: 'instant', block: 'center'}); const box = one.getBoundingClientRect(); "
        look += "return {x: box.x + box.width / 2, y: box.y + box.height / 2};"
        return dict(self.value(f"(() => {{ {look} }})()"))

    def _mouse(self, kind: str, place: dict[str, float], **more: object) -> None:
        self._ask("Input.dispatchMouseEvent", type=kind, **place, **more)

    def _ask(self, method: str, **words: object) -> dict[str, Any]:
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": words}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + LONGEST_S
        while True:
            answer = self._read(until)
            if answer.get("id") == number:
                assert "error" not in answer, answer
                return dict(answer["result"])

    def _read(self, until: float) -> dict[str, Any]:
        while b"\0" not in self._left:
            ready, _, _ = select.select([self._in], [], [], max(0.0, until - time.monotonic()))
            assert ready, "the browser is silent"
            part = os.read(self._in, 1 << 16)
            assert part, "the browser ended"
            self._left += part
        text, _, self._left = self._left.partition(b"\0")
        return dict(json.loads(text))
