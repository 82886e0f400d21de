"""The HTML replay of a result."""

from __future__ import annotations

import html
import tempfile
import webbrowser
from os import PathLike
from pathlib import Path

from .errors import Error


def viewer_page() -> str:
    """The page HTML reports are made from."""
    path = Path(__file__).with_name("viewer.html")
    if not path.exists():
        raise Error("this build of Kardan has no viewer: it needs Node.js and npm when it is built")
    return path.read_text(encoding="utf-8")


def in_notebook() -> bool:
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    shell = get_ipython()
    return shell is not None and shell.__class__.__name__ == "ZMQInteractiveShell"


class Replay:
    """The page of a result: shown by a notebook, or opened in a browser. `path` is its file."""

    def __init__(self, result, path: str | PathLike | None, height: int, force: bool = False):
        if path is None:
            path = Path(tempfile.mkdtemp(prefix="kardan_")) / "replay.html"
        self.path, self.height = Path(path), height
        result.write(self.path, force=force)

    def open(self) -> None:
        """Opens the page in the browser."""
        webbrowser.open(self.path.resolve().as_uri())

    def _repr_html_(self) -> str:
        page = html.escape(self.path.read_text(encoding="utf-8"))
        return (f'<iframe srcdoc="{page}" style="width: 100%; height: {self.height}px; border: 0" '
                'allowfullscreen></iframe>')

    def __repr__(self) -> str:
        return f"replay in {self.path}"
