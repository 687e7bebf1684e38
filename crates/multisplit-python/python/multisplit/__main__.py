"""`python -m multisplit` is the program."""

import signal
import sys

from . import _multisplit


def main() -> int:
    # The program works without Python, which would not see a Ctrl-C.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    code = _multisplit.__file__
    return _multisplit.program(sys.argv[1:], code, [sys.executable, "-m", "multisplit"])


if __name__ == "__main__":
    sys.exit(main())
