"""Runner of every benchmark, one after the other; `python -m benchmarks.NAME` runs one of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def main() -> int:
    names = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if not path.stem.startswith("__"))
    failed = [name for name in names if subprocess.call([sys.executable, "-m", f"benchmarks.{name}", *sys.argv[1:]])]
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
