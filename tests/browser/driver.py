"""driver.py: headless Chromium through the WebDriver protocol, which is JSON over HTTP: needs only Debian's chromium and chromium-driver.
The browser cannot reach any host, and every address it requests is recorded."""
import base64, json, shutil, socket, subprocess, time, urllib.error, urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"left": "\ue012", "up": "\ue013", "right": "\ue014", "down": "\ue015", "enter": "\ue007", "escape": "\ue00c", "home": "\ue011", "end": "\ue010"}


class Browser:
    def __init__(self, width=1280, height=900, dark=False):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        self.process = subprocess.Popen([shutil.which("chromedriver"), f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.root, self.session = f"http://127.0.0.1:{port}", ""
        # No sandbox: Chromium has none for root and in many containers, and only pages of our own are opened.
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--disable-background-networking",
                     "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", f"--window-size={width},{height}"]
        options = {"args": arguments, "binary": shutil.which("chromium")}
        try:
            self.wait_until(self.is_ready, "chromedriver does not start")
            wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"performance": "ALL", "browser": "ALL"}}
            self.session = "/session/" + self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]
            self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)
            self.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        try:
            if self.session:
                self.call("DELETE", self.session)
        finally:
            self.process.terminate()
            self.process.wait()

    def call(self, method, path, body=None):
        request = urllib.request.Request(self.root + path, method=method, headers={"Content-Type": "application/json"},
                                         data=None if body is None else json.dumps(body).encode())
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(json.load(error)["value"]["message"]) from None

    def is_ready(self):
        try:
            return self.call("GET", "/status")["ready"]
        except OSError:
            return False

    def wait_until(self, done, otherwise, seconds=30):
        end = time.monotonic() + seconds
        while not done():
            assert time.monotonic() < end, otherwise
            time.sleep(0.05)

    def post(self, path, **body):
        return self.call("POST", self.session + path, body)

    def cdp(self, command, **parameters):
        return self.post("/goog/cdp/execute", cmd=command, params=parameters)

    def open(self, address):
        self.post("/url", url="about:blank")  # a new fragment alone would not load the page again
        self.post("/url", url=address)

    def js(self, text, *arguments):
        return self.post("/execute/sync", script=text, args=list(arguments))

    def find(self, selector):
        return self.post("/element", using="css selector", value=selector)[ELEMENT]

    def click(self, selector):
        self.post(f"/element/{self.find(selector)}/click")

    def type(self, selector, text):
        self.post(f"/element/{self.find(selector)}/value", text=text)

    def press(self, *names):
        """Keys that go where the focus is."""
        actions = [{"type": kind, "value": KEYS.get(name, name)} for name in names for kind in ("keyDown", "keyUp")]
        self.post("/actions", actions=[{"type": "key", "id": "keyboard", "actions": actions}])

    def text(self, selector):
        return self.js("const e = document.querySelector(arguments[0]); return e && e.innerText;", selector)

    def count(self, selector):
        return self.js("return document.querySelectorAll(arguments[0]).length", selector)

    def screenshot(self, path):
        with open(path, "wb") as f:
            f.write(base64.b64decode(self.call("GET", self.session + "/screenshot")))

    def complaints(self):
        """What the console says: errors of scripts, refused requests."""
        return [entry["message"] for entry in self.post("/se/log", type="browser") if entry["level"] == "SEVERE"]

    def requests(self):
        """Addresses asked for since the last call."""
        events = (json.loads(entry["message"])["message"] for entry in self.post("/se/log", type="performance"))
        return [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
