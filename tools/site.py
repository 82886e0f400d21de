#!/usr/bin/python3
"""Puts the documentation together for mkdocs. usage: tools/site.py DESTINATION

DESTINATION/pages gets copies of docs/, README.md and CONTRIBUTING.md whose links stay inside of the site,
DESTINATION/mkdocs.yml what mkdocs wants. `tools/site` builds it.
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
NAVIGATION = [
    ("Kardan", "index.md"),
    ("Tutorial", "tutorial.md"),
    ("Using it", [
        ("Model files", "model-files.md"),
        ("Equations of your own", "equations.md"),
        ("Running a model", "methods.md"),
        ("Guarantees and limits", "guarantees.md"),
        ("Trust", "trust.md"),
        ("Restart", "restart.md"),
        ("Performance", "performance.md"),
        ("What auto costs", "auto-table.md"),
        ("Results and reports", "results.md"),
    ]),
    ("Python", "python.md"),
    ("Reference", [
        ("Elements and fields", "elements.md"),
        ("Methods and options", "method-catalog.md"),
        ("Errors by code", "errors.md"),
        ("Data of a report", "report-format.md"),
    ]),
    ("Theory", "theory.md"),
    ("Contributing", "contributing.md"),
]
STYLE = """pre, code { white-space: pre; } .wy-nav-content { max-width: 60rem; } img { max-width: 100%; }
.wy-table-responsive table td, .wy-table-responsive table th { white-space: normal; }
"""
# Debian's theme asks for two scripts by names it does not ship.
SCRIPT = 'for (const table of document.querySelectorAll(".rst-content table")) table.classList.add("docutils");\n'
JQUERY = "/usr/share/javascript/jquery/jquery.min.js"
# Where the pages of the repository's root are in the site.
MOVED = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md"}


def pages():
    """(path in the repository, name in the site) of every page."""
    for name in sorted(os.listdir(os.path.join(ROOT, "docs"))):
        if name.endswith(".md") and name != "README.md":
            yield os.path.join("docs", name), name
    yield from MOVED.items()


def with_links_of_the_site(text, path, names):
    """Links between pages lead to their names in the site; those to other files become plain words."""

    def replaced(match):
        bang, words, target = match.groups()
        file, _, anchor = target.partition("#")
        if not file or re.match(r"[a-z]+:", file):
            return match.group(0)
        place = os.path.normpath(os.path.join(os.path.dirname(path), file))
        if place in names:
            return f"{bang}[{words}]({names[place]}{'#' + anchor if anchor else ''})"
        if place == "docs/README.md":
            return f"[{words}](index.md)"
        if place.startswith("docs/images/"):
            return f"{bang}[{words}]({place[5:]})"
        if not os.path.exists(os.path.join(ROOT, place)):
            raise SystemExit(f"{path}: links to {target}, which is not there")
        return words if "`" in words else f"`{words}`"

    parts = re.split(r"(^```.*?^```$)", text, flags=re.S | re.M)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)", replaced, parts[i])
    return "".join(parts)


def navigation(entries, missing, depth=1):
    """The pages that exist, as YAML; those named are taken out of `missing`."""
    lines = []
    for title, target in entries:
        if isinstance(target, str):
            if target in missing:
                missing.remove(target)
                lines.append(f"{'  ' * depth}- {title}: {target}\n")
        else:
            lines.append(f"{'  ' * depth}- {title}:\n" + navigation(target, missing, depth + 1))
    return "".join(lines)


def main(destination):
    folder = os.path.join(destination, "pages")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    names = dict(pages())
    for path, name in names.items():
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            text = with_links_of_the_site(file.read(), path, names)
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
        missing = sorted(names.values())
        nav = navigation(NAVIGATION, missing)
        # A page that is new has a place too.
        file.write(CONFIGURATION.format(nav=nav + "".join(f"  - {name}\n" for name in missing)))


main(*sys.argv[1:])
