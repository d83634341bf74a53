"""training_pictures.py VINEA FOLDER: takes the pictures of trainings in docs/pictures from real ones: a terminal, the report, several runs compared, and the live
page; light and dark, on a desktop and on a phone."""
import fcntl, html, os, pathlib, pty, re, signal, struct, subprocess, sys, tempfile, termios, textwrap

from driver import Browser

vinea, folder = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
work = pathlib.Path(tempfile.mkdtemp())
COLUMNS, CHARACTER, LINE = 100, 8.43, 20
PAINTS = {"1": "b", "2": "f", "32": "g", "36": "c"}


def typed(command):
    """What a terminal shows at last after a command: lines with their colours."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, COLUMNS, 0, 0))
    child = subprocess.Popen([vinea, *command.split()[1:]], cwd=work, env={**os.environ, "TERM": "xterm"}, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    text = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:
            break
        if not part:
            break
        text += part
    assert child.wait() == 0, text.decode()
    return [line.rstrip("\r").split("\r")[-1].rstrip() for line in text.decode().rstrip("\n").split("\n")]


def spans(line):
    """A line as tspans of SVG."""
    paint, parts = "", []
    for piece in re.split(r"(\x1b\[[0-9;]*m)", line):
        found = re.fullmatch(r"\x1b\[([0-9;]*)m", piece)
        if found:
            paint = PAINTS.get(found[1], "")
        elif piece:
            parts.append(f'<tspan class="{paint}">{html.escape(piece)}</tspan>' if paint else html.escape(piece))
    return "".join(parts)


def picture_terminal(name, about, commands):
    lines = []
    for command in commands:
        prompt = textwrap.wrap(command, COLUMNS - 6, break_on_hyphens=False, subsequent_indent="    ")
        lines += [f"\x1b[32m{' ' if i else '$'}\x1b[0m \x1b[1m{part}{' ' + chr(92) if i + 1 < len(prompt) else ''}\x1b[0m" for i, part in enumerate(prompt)]
        lines += [*typed(command), ""]
    lines.pop()
    width, height = int(COLUMNS * CHARACTER) + 40, len(lines) * LINE + 60
    body = "\n".join(f'<text x="20" y="{56 + i * LINE}">{spans(line)}</text>' for i, line in enumerate(lines) if line)
    (folder / name).write_text(f'''<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" aria-label="{about}">
<style>rect{{fill:#f6f8fa;stroke:#d0d7de}}text{{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#1f2328;white-space:pre}}.b{{font-weight:600}}.f{{fill:#59636e}}.g{{fill:#1a7f37}}.c{{fill:#0b7285}}
@media (prefers-color-scheme: dark){{rect{{fill:#0d1117;stroke:#30363d}}text{{fill:#c9d1d9}}.f{{fill:#9aa4af}}.g{{fill:#7ee787}}.c{{fill:#66d9e8}}}}</style>
<rect x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="10"/>
<circle cx="22" cy="20" r="6" fill="#ff5f57"/><circle cx="42" cy="20" r="6" fill="#febc2e"/><circle cx="62" cy="20" r="6" fill="#28c840"/>
{body}
</svg>
''')


def take(name, address, width, height, dark=False, before="", ready="return true"):
    with Browser(width, height, dark) as b:
        b.open(address)
        b.wait_until(lambda: b.js(ready), f"{name}: the page is not ready", 60)
        if before:
            b.js(before)
        b.screenshot(folder / f"{name}.png")


def picture_live():
    command = [vinea, "train", "convnet", "digits", "--live", "--epochs", "60", "--batch", "64", "--checkpoint", "live.safetensors", "--validation", "360"]
    run = subprocess.Popen(command, cwd=work, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    try:
        address = next(m[1] for m in (re.match(r"live (\S+)", line) for line in run.stderr) if m)
        some = "const p = document.getElementById('report').contentDocument; return p && p.querySelectorAll('.dot').length > 20;"
        take("live-light", address, 1200, 900, ready=some)
        take("live-phone-dark", address, 390, 844, dark=True, ready=some)
    finally:
        run.send_signal(signal.SIGINT)
        run.wait()


picture_terminal("train.svg", "A terminal: vinea train shows data and model, then a line for each epoch; vinea evaluate measures the checkpoint", [
    "vinea train convnet digits --epochs 12 --batch 64 --lr 0.003 --schedule one_cycle --validation 360 --report digits.html",
    "vinea evaluate convnet.safetensors digits"])
report = (work / "digits.html").as_uri()
take("training-report", report, 1400, 1000)
take("training-report-dark", report, 1400, 1000, dark=True, before="document.querySelector('.beside').scrollIntoView()")
take("training-report-phone", report, 390, 844)
for name, lr in (("slow", 0.0003), ("usual", 0.001), ("fast", 0.01)):
    typed(f"vinea train mlp digits --epochs 15 --lr {lr} --batch 64 --checkpoint {name}.safetensors --quiet")
typed("vinea report slow.safetensors usual.safetensors fast.safetensors --title Rates")
take("runs", (work / "runs.html").as_uri(), 1400, 900)
take("runs-phone-dark", (work / "runs.html").as_uri(), 390, 844, dark=True)
typed("vinea train mlp houses --columns -date,-id --missing fill --epochs 60 --lr 0.003 --checkpoint h.safetensors --report houses.html --quiet")
take("residuals", (work / "houses.html").as_uri(), 1400, 950, before="document.querySelector('.beside').scrollIntoView()")
picture_live()
