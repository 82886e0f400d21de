"""Type stubs of the package, from its own signatures and the catalogs: python -m kardan.stubs DIR."""

from __future__ import annotations

import sys


def main(folder: str) -> None:
    pass


if __name__ == "__main__":
    main(sys.argv[1])
