"""A part of a page that a tool writes, between two comments; what stands around it is written by hand.

<!-- tools/NAME writes from here -->
...
<!-- to here -->
"""

import re


def _pattern(tool):
    return re.compile(rf"(?<=<!-- {tool} writes from here -->\n).*?(?=<!-- to here -->\n)", re.S)


def read(page, tool):
    with open(page, encoding="utf-8") as file:
        found = _pattern(tool).search(file.read())
    if not found:
        raise SystemExit(f"{page}: no line '<!-- {tool} writes from here -->'")
    return found.group(0)


def write(page, tool, text):
    with open(page, encoding="utf-8") as file:
        whole = file.read()
    with open(page, "w", encoding="utf-8") as file:
        file.write(_pattern(tool).sub(lambda _: text, whole))


def check(page, tool, text):
    """Ends the program with 1 where the page has another text."""
    if read(page, tool) != text:
        raise SystemExit(f"{page}: its numbers do not add up to what it says: {tool} none")
