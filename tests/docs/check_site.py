"""Every link, anchor and picture of a built site leads somewhere inside of it; nothing is loaded from elsewhere."""

import os
import sys
from html.parser import HTMLParser
from urllib.parse import unquote


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.loads, self.anchors = [], [], {""}
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        for key in ("id", "name"):
            if values.get(key):
                self.anchors.add(values[key])
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        for wanted, key in (("img", "src"), ("script", "src"), ("link", "href")):
            if tag == wanted and values.get(key):
                self.loads.append(values[key])


def main(site):
    pages, faults, links = {}, [], 0
    for folder, _, files in os.walk(site):
        for name in files:
            if name.endswith(".html") and name not in ("404.html", "search.html"):
                path = os.path.join(folder, name)
                pages[os.path.normpath(path)] = Page(path)
    for path, page in pages.items():
        for target in page.loads:
            if "//" in target or not os.path.exists(os.path.join(os.path.dirname(path), unquote(target).split("?")[0])):
                faults.append(f"{path} loads {target}")
        for target in page.links:
            if target.split(":")[0] in ("http", "https", "mailto"):
                continue
            links += 1
            file, _, anchor = unquote(target).partition("#")
            place = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
            if not os.path.exists(place):
                faults.append(f"{path} links to {target}")
            elif place in pages and anchor not in pages[place].anchors:
                faults.append(f"{path} links to {target}: no such anchor")
    print(f"{len(pages)} pages, {links} links, {len(faults)} faults")
    for fault in faults:
        print(fault)
    return 1 if faults or len(pages) < 10 else 0


sys.exit(main(sys.argv[1]))
