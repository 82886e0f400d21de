"""The tutorial: its programs run one after the other and print what is shown."""

import contextlib
import io
import os
import re
import sys
from pathlib import Path

page = Path(os.environ["KARDAN_SOURCE_DIR"]) / "docs/learn/python.md"


def parts() -> list[tuple[str, str, str]]:
    """Program, what it prints, and what the page shows."""
    text = page.read_text()
    space: dict = {"__name__": "tutorial"}
    out = []
    found = list(re.finditer(r"```(python|text)\n(.*?)```", text, re.S))
    for i, block in enumerate(found):
        if block[1] != "python":
            continue
        line = text[:block.start()].count("\n") + 1
        program = compile("\n" * line + block[2], str(page), "exec")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(program, space)
        follows = i + 1 < len(found) and found[i + 1][1] == "text"
        out.append((block[2], printed.getvalue(), found[i + 1][2] if follows else ""))
    return out


def settled(text: str) -> str:
    """Without counts of steps, rounding errors and lines of the page: they change with every edit."""
    text = re.sub(r"^\d+ (?=\w+\.\w+ )", "N ", text, flags=re.M)
    text = re.sub(r"\d+ steps, \d+ rejected", "N steps, N rejected", text)
    return re.sub(r"\d\.\de-\d\d", "N", text).strip()


def test_the_tutorial_prints_what_it_shows():
    for program, printed, shown in parts():
        assert settled(printed) == settled(shown), program


if __name__ == "__main__":
    # Writes what is printed into the page: python3 tests/python/test_docs.py
    text = page.read_text()
    for program, printed, shown in parts():
        if shown:
            old, new = f"{program}```\n\n```text\n{shown}```", f"{program}```\n\n```text\n{printed.strip()}\n```"
            assert old in text, program
            text = text.replace(old, new)
    page.write_text(text)
    sys.exit()
