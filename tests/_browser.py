"""A real Chromium, driven over its DevTools protocol: opens a page without a network, listens to its console."""

import base64
import json
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-dev-shm-usage", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
    "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--remote-debugging-port=0", "--remote-allow-origins=*", "--window-size=1280,1000",
    "--hide-scrollbars",
)  # fmt: skip


class Browser:
    """Use as a context manager; `errors` collects exceptions and error messages of the page."""

    def __enter__(self):
        import websocket

        self.folder = tempfile.mkdtemp(prefix="spacar_browser")
        self.process = subprocess.Popen(
            [CHROMIUM, *FLAGS, f"--user-data-dir={self.folder}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        port = self._port()
        target = self._target(port)
        self.socket = websocket.create_connection(target, timeout=60)
        self.count, self.errors = 0, []
        for domain in ("Runtime", "Log", "Page", "Network"):
            self.call(f"{domain}.enable")
        cut = dict(offline=True, latency=0, downloadThroughput=-1, uploadThroughput=-1)
        self.call("Network.emulateNetworkConditions", **cut)
        return self

    def _port(self) -> int:
        file = Path(self.folder) / "DevToolsActivePort"
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if file.exists() and (text := file.read_text().split()):
                return int(text[0])
            time.sleep(0.1)
        raise RuntimeError("Chromium did not start")

    def _target(self, port: int) -> str:
        from urllib.request import urlopen

        with urlopen(f"http://127.0.0.1:{port}/json", timeout=30) as answer:
            return next(t["webSocketDebuggerUrl"] for t in json.load(answer) if t["type"] == "page")

    def __exit__(self, *_):
        self.socket.close()
        self.process.terminate()
        self.process.wait(20)
        shutil.rmtree(self.folder, ignore_errors=True)

    def call(self, method: str, **params) -> dict:
        """One command and its answer; events that come before it are looked through for errors."""
        self.count += 1
        self.socket.send(json.dumps(dict(id=self.count, method=method, params=params)))
        while True:
            message = json.loads(self.socket.recv())
            self._event(message)
            if message.get("id") == self.count:
                return message.get("result", message)

    def _event(self, message) -> None:
        kind, p = message.get("method"), message.get("params", {})
        if kind == "Runtime.exceptionThrown":
            self.errors.append(p["exceptionDetails"].get("exception", {}).get("description", "exception"))
        elif kind == "Runtime.consoleAPICalled" and p["type"] in ("error", "assert"):
            self.errors.append(str(p["args"]))
        elif kind == "Log.entryAdded" and p["entry"]["level"] == "error":
            self.errors.append(p["entry"]["text"])

    def run(self, script: str):
        """Value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        return answer.get("result", {}).get("value")

    def open(self, path, ready: str, seconds: float = 60.0) -> None:
        """Open a file and wait until an expression is true."""
        self.call("Page.navigate", url=Path(path).resolve().as_uri())
        self.until(ready, seconds)

    def until(self, expression: str, seconds: float = 60.0) -> None:
        end = time.monotonic() + seconds
        while not self.run(expression):
            if time.monotonic() > end:
                raise AssertionError(f"the page never came to {expression}; errors: {self.errors}")
            time.sleep(0.1)

    def picture(self, path, whole: bool = True) -> None:
        """A PNG of the page."""
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=whole, format="png")
        Path(path).write_bytes(base64.b64decode(shot["data"]))
