"""terminal.py VINEA: runs trainings on a pseudo-terminal and looks at what they print there."""
import fcntl, os, pty, re, struct, subprocess, sys, termios

vinea = sys.argv[1]
PAINT = re.compile(r"\x1b\[[0-9;]*[mK]")


def run(columns, *options, **environment):
    """All that a training prints on a terminal of this width."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TERM")}
    command = [vinea, "train", "mlp", "iris", "--epochs", "12", "--checkpoint", "t.safetensors", "--force", "--validation", "30", *options]
    child = subprocess.Popen(command, env={**kept, "TERM": "xterm", **environment}, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    text = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the end, on Linux
            break
        if not part:
            break
        text += part
    os.close(ours)
    assert child.wait() == 0, text.decode()
    return text.decode()


def lines_of(text):
    """Lines as they stand at last: what a later part of a line overwrites is gone."""
    return [PAINT.sub("", line.rstrip("\r").split("\r")[-1]) for line in text.split("\n")]


for columns in (40, 60, 80, 120, 200):
    text = run(columns)
    for line in text.split("\n"):
        for part in line.split("\r"):
            assert len(PAINT.sub("", part)) <= columns, (columns, part)
    lines = lines_of(text)
    words = " ".join(lines)
    for what in ("data iris.csv: 150 rows of 4, 3 classes;", "setosa, versicolor, virginica", "rows 120 to train on, 30 held out", "model mlp: 9099 parameters"):
        assert what.replace(" ", "") in words.replace(" ", ""), (columns, what, lines)
    assert any(re.fullmatch(r"  Linear +64 +8256", line) for line in lines), lines
    epochs = [line for line in lines if line.startswith("epoch ")]
    assert len(epochs) == 12, lines
    for part in (" loss ", "epoch "):
        assert len({line.index(part) for line in epochs}) == 1, ("columns that are not steady", epochs)
    best = {line.index("best") for line in epochs if "best" in line}
    assert len(best) == 1, ("best is not steady", epochs)
    assert ("val_accuracy" in epochs[0]) == (columns >= 120), epochs[0]

for painted, environment in ((True, {}), (True, {"NO_COLOR": ""}), (False, {"NO_COLOR": "1"}), (False, {"TERM": "dumb"})):
    found = "\x1b[32m  best\x1b[0m" in run(80, **environment), bool(PAINT.search(run(80, **environment)))
    assert found == (painted, painted), (environment, found)
plain = subprocess.run([vinea, "train", "mlp", "iris", "--epochs", "2", "--checkpoint", "t.safetensors", "--force"], env={**os.environ, "TERM": "xterm"}, capture_output=True, text=True)
assert plain.returncode == 0 and "\x1b" not in plain.stderr + plain.stdout and "\r" not in plain.stderr, plain.stderr
quiet = run(80, "--quiet")
assert "model" not in quiet and "epoch" not in quiet and "accuracy" in quiet, quiet
