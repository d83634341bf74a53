# SPDX-License-Identifier: Apache-2.0
"""The vinea command, which comes with the package."""
import os
import sys


def main():
    folder = os.path.dirname(os.path.abspath(__file__))
    command = next((p for p in (os.path.join(folder, "bin", "vinea"), os.path.join(folder, "..", "..", "vinea")) if os.access(p, os.X_OK)), None)
    if not command:
        sys.exit("vinea: this installation has no command")
    os.environ.setdefault("VINEA_PYTHON", sys.executable)
    os.execv(command, ["vinea", *sys.argv[1:]])


if __name__ == "__main__":
    main()
