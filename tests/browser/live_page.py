"""live_page.py VINEA FOLDER: the page of `vinea train --live` in a browser: it follows the training, shows its report without a blank moment and where it was
scrolled to, answers no other host, and ends with it."""
import http.client, pathlib, re, signal, subprocess, sys, time

from driver import Browser

vinea, folder = sys.argv[1], pathlib.Path(sys.argv[2])


def begin(*options):
    run = subprocess.Popen([vinea, "train", "mlp", "digits", "--live", "--batch", "16", "--force", *options], cwd=folder, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    for line in run.stderr:
        found = re.search(r"^live (http://127\.0\.0\.1:(\d+)/)$", line)
        if found:
            return run, found[1], int(found[2])
    raise AssertionError("no address was printed")


def ask(port, host, path="/state", method="GET"):
    c = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    c.putrequest(method, path, skip_host=True)
    c.putheader("Host", host)
    c.endheaders()
    answer = c.getresponse()
    return answer.status, answer.read().decode()


def until(done, what, seconds=60):
    end = time.time() + seconds
    while not done():
        assert time.time() < end, what
        time.sleep(0.1)


def epoch(browser):
    """The epoch on the page, 0 before there is one."""
    found = re.match(r"epoch (\d+) of 100000", browser.text("#now") or "")
    return int(found[1]) if found else 0


def in_report(browser, script):
    """What the script finds in the report's document, 0 while the report is being loaded again and its frame is empty."""
    return browser.js(f"const page = document.getElementById('report').contentDocument; return page && page.querySelector('.curve') ? {script} : 0;")


# Scrolls the report, and looks at it whenever the browser draws: its frame must show curves, at the same place; counts the frames that it had.
WATCH = """
const place = 200, frames = new Set();
document.getElementById('report').contentWindow.scrollTo(0, place);
window.looks = window.blank = window.moved = window.frames_seen = 0;
(function look() {
    const frame = document.getElementById('report'), page = frame && frame.contentDocument;
    window.looks++;
    if (!page || !page.querySelector('.curve') || getComputedStyle(frame).visibility !== 'visible') window.blank++;
    else if (Math.abs(frame.contentWindow.scrollY - place) > 1) window.moved++;
    frames.add(frame);
    window.frames_seen = frames.size;
    requestAnimationFrame(look);
})();
"""

run, address, port = begin("--epochs", "100000")
for dark, width in ((False, 1280), (True, 360)):
    print(f"-- {'dark' if dark else 'light'}, {width} wide")
    with Browser(width, 800, dark) as b:
        b.open(address)
        until(lambda: epoch(b) > 0, "the state is not shown")
        first = epoch(b)
        until(lambda: epoch(b) >= first + 3, "the state is not updated")
        until(lambda: in_report(b, "page.querySelectorAll('.chart path').length") >= 4, "the report has no curves")
        points = "page.querySelector('.curve').getAttribute('d').match(/[ML]/g).length"
        until(lambda: in_report(b, "page.querySelector('.cards').innerText.includes('(under way)')"), "the report does not say that the training is under way")
        before = in_report(b, points)
        b.js(WATCH)
        until(lambda: in_report(b, points) > before, "the report is not loaded again")
        until(lambda: b.js("return window.frames_seen") >= 4, "the report is not loaded again and again")
        same = b.js("return [window.looks > 10, window.blank, window.moved]")
        assert same == [True, 0, 0], f"looks, blank frames, moved frames: {same}"
        assert b.js("return document.documentElement.scrollWidth <= innerWidth"), "the page is wider than the screen"
        assert all(u.startswith((address, "about:", "data:")) for u in b.requests()), b.requests()
        bad = [c for c in b.complaints() if "favicon" not in str(c)]
        assert not bad, bad
        b.screenshot(folder / f"live-{'dark' if dark else 'light'}.png")
        if dark:
            print("-- it ends with the training")
            run.send_signal(signal.SIGINT)
            assert run.wait(60) == 130, run.returncode
            until(lambda: "The training has ended" in (b.text("#now") or ""), "the end is not shown")
    if not dark:
        print("-- who may ask")
        for host in (f"127.0.0.1:{port}", f"localhost:{port}"):
            assert ask(port, host)[0] == 200, host
        for host in ("example.org", f"example.org:{port}", f"127.0.0.1:{port}.example.org", ""):
            assert ask(port, host)[0] == 403, host
        assert ask(port, f"127.0.0.1:{port}", "/../etc/passwd")[0] == 404
        assert ask(port, f"127.0.0.1:{port}", "/", "POST")[0] == 404
        listening = [line.split()[1] for line in open("/proc/net/tcp").readlines()[1:] if line.split()[3] == "0A"]
        assert f"0100007F:{port:04X}" in listening and f"00000000:{port:04X}" not in listening, listening
assert not list(pathlib.Path(folder / "tmp").glob("vinea-live-*")), "a file was left"
print("-- a port that is taken")
run, address, port = begin("--epochs", "100000", "--report", "page.html")
other = subprocess.run([vinea, "train", "mlp", "digits", "--live", "--port", str(port), "--checkpoint", "other.st"], cwd=folder, capture_output=True, text=True)
assert other.returncode == 1 and f"port {port} of 127.0.0.1 cannot be used" in other.stderr, other.stderr
run.send_signal(signal.SIGINT)
assert run.wait(60) == 130 and (folder / "page.html").exists()
