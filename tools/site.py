#!/usr/bin/python3
"""Puts the documentation together for mkdocs. usage: tools/site.py DESTINATION

DESTINATION/pages gets copies of docs/, README.md and CONTRIBUTING.md whose links stay inside of the site,
DESTINATION/mkdocs.yml what mkdocs wants. Its navigation is docs/README.md: shelves, and the pages on each.
`tools/site` builds it.
"""

import os
import re
import shutil
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CONFIGURATION = """site_name: Kardan
site_description: Multibody dynamics with a guarantee
docs_dir: pages
site_dir: site
use_directory_urls: false
theme:
  name: readthedocs
  navigation_depth: 3
  highlightjs: false
plugins: [search]
markdown_extensions:
  - toc: {{permalink: "#"}}
  - tables
extra_css: [site.css]
nav:
{nav}"""
STYLE = """pre, code { white-space: pre; } .wy-nav-content { max-width: 60rem; } img { max-width: 100%; }
.wy-table-responsive table td, .wy-table-responsive table th { white-space: normal; }
"""
# Debian's theme asks for two scripts by names it does not ship.
SCRIPT = 'for (const table of document.querySelectorAll(".rst-content table")) table.classList.add("docutils");\n'
JQUERY = "/usr/share/javascript/jquery/jquery.min.js"
# Where the pages of the repository's root are in the site.
INDEX = "docs/README.md"
MOVED = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", INDEX: "documentation.md"}


def pages():
    """(path in the repository, name in the site) of every page."""
    docs = os.path.join(ROOT, "docs")
    for folder, _, files in sorted(os.walk(docs)):
        for name in sorted(files):
            place = os.path.normpath(os.path.join(os.path.relpath(folder, docs), name))
            if name.endswith(".md") and os.path.join("docs", place) != INDEX:
                yield os.path.join("docs", place), place
    yield from MOVED.items()


def with_links_of_the_site(text, path, names):
    """Links between pages lead to their names in the site; those to other files become plain words."""
    own = os.path.dirname(names[path]) or "."

    def replaced(match):
        bang, words, target = match.groups()
        file, _, anchor = target.partition("#")
        if not file or re.match(r"[a-z]+:", file):
            return match.group(0)
        place = os.path.normpath(os.path.join(os.path.dirname(path), file))
        if place in names:
            return f"{bang}[{words}]({os.path.relpath(names[place], own)}{'#' + anchor if anchor else ''})"
        if place.startswith("docs/images/"):
            return f"{bang}[{words}]({os.path.relpath(place[5:], own)})"
        if not os.path.exists(os.path.join(ROOT, place)):
            raise SystemExit(f"{path}: links to {target}, which is not there")
        return words if "`" in words else f"`{words}`"

    parts = re.split(r"(^```.*?^```$)", text, flags=re.S | re.M)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)", replaced, parts[i])
    return "".join(parts)


def navigation():
    """The shelves of the index and the pages on them, as YAML."""
    lines = ["  - Kardan: index.md\n", "  - Documentation: documentation.md\n"]
    with open(os.path.join(ROOT, INDEX), encoding="utf-8") as file:
        for line in file:
            if shelf := re.match(r"## (.+)", line):
                lines.append(f"  - {shelf[1]}:\n")
            elif page := re.match(r"\| \[(.+?)\]\((.+?)\)", line):
                lines.append(f"    - {page[1]}: {page[2]}\n")
    return "".join(lines) + "  - Contributing: contributing.md\n"


def main(destination):
    folder = os.path.join(destination, "pages")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    names = dict(pages())
    for path, name in names.items():
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            text = with_links_of_the_site(file.read(), path, names)
        os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    images = os.path.join(ROOT, "docs", "images")
    if os.path.isdir(images):
        shutil.copytree(images, os.path.join(folder, "images"))
    os.makedirs(os.path.join(folder, "js"))
    if os.path.exists(JQUERY):
        shutil.copy(JQUERY, os.path.join(folder, "js", "jquery-3.6.0.min.js"))
    with open(os.path.join(folder, "js", "theme_extra.js"), "w", encoding="utf-8") as file:
        file.write(SCRIPT)
    with open(os.path.join(folder, "site.css"), "w", encoding="utf-8") as file:
        file.write(STYLE)
    with open(os.path.join(destination, "mkdocs.yml"), "w", encoding="utf-8") as file:
        file.write(CONFIGURATION.format(nav=navigation()))


main(*sys.argv[1:])
