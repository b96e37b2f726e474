#!/usr/bin/env python3
"""check.py FOLDER: checks a built site. Nothing is loaded from another place, every link inside of the site has a target, and the
search has an index. Prints each problem; the exit status is 1 if there is one. Links to other sites are counted, not followed."""

import html.parser
import pathlib
import re
import sys
import urllib.parse

# Attributes that make a browser load something. An <a href> only leads somewhere.
LOADS = {"src", "srcset", "poster", "data", "background", "manifest", "formaction", "action"}
OUTSIDE = re.compile(r"^\s*(?:[a-z][a-z0-9+.-]*:)?//", re.IGNORECASE)
CSS_LOADS = re.compile(r"""(?:url\(\s*|@import\s+(?:url\(\s*)?)["']?\s*((?:[a-z][a-z0-9+.-]*:)?//[^"')\s]+)""", re.IGNORECASE)
# Scripts of the site that name an address to load something from it.
SCRIPT_LOADS = re.compile(r"""(?:fetch|import|importScripts|XMLHttpRequest|WebSocket|EventSource|sendBeacon)\s*\(\s*["'`](?:https?:|wss?:)?//""")


class Page(html.parser.HTMLParser):
    """What a page loads, where it leads, and its anchors."""

    def __init__(self, text):
        super().__init__()
        self.loads, self.links, self.anchors, self.styles = [], [], set(), []
        self.in_style = False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.in_style = tag == "style"
        for name in ("id", "name"):
            if values.get(name):
                self.anchors.add(values[name])
        for name, value in values.items():
            if name == "style" and value:
                self.styles.append(value)
            elif name in LOADS and value:
                # `srcset` is a list; each part begins with an address.
                self.loads += value.split(",") if name == "srcset" else [value]
            elif name in ("href", "xlink:href") and value:
                (self.links if tag in ("a", "area") else self.loads).append(value)

    def handle_data(self, data):
        if self.in_style:
            self.styles.append(data)

    def handle_endtag(self, tag):
        self.in_style = False


def problems_of(folder):
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.html"))}
    found, outside = [], set()
    if not pages:
        found.append("there is no page")
    for path, page in pages.items():
        name = path.relative_to(folder)
        found += [f"{name}: loads {load.strip()}" for load in page.loads if OUTSIDE.match(load)]
        found += [f"{name}: a style loads {load}" for style in page.styles for load in CSS_LOADS.findall(style)]
        for link in page.links + [load.strip().split(" ")[0] for load in page.loads if not OUTSIDE.match(load)]:
            address = urllib.parse.urlsplit(link)
            if address.scheme or address.netloc:
                if address.scheme in ("http", "https"):
                    outside.add(link)
                continue
            target = path if not address.path else (path.parent / urllib.parse.unquote(address.path)).resolve()
            if target.is_dir():
                target = target / "index.html"
            if not target.exists():
                found.append(f"{name}: leads to {link}, which does not exist")
            elif address.fragment and target in pages:
                if urllib.parse.unquote(address.fragment) not in pages[target].anchors:
                    found.append(f"{name}: leads to {link}, which has no such place")
    for path in sorted(folder.rglob("*.css")):
        found += [f"{path.relative_to(folder)}: loads {load}" for load in CSS_LOADS.findall(path.read_text(encoding="utf-8"))]
    for path in sorted(folder.rglob("*.js")):
        if SCRIPT_LOADS.search(path.read_text(encoding="utf-8")):
            found.append(f"{path.relative_to(folder)}: a script loads from another place")
    index = folder / "searchindex.js"
    if not index.exists() or index.stat().st_size < 100:
        found.append("the search has no index")
    return found, len(pages), len(outside)


def main():
    found, pages, outside = problems_of(pathlib.Path(sys.argv[1]).resolve())
    for problem in found:
        print(problem)
    print(f"{pages} pages, {len(found)} problems; {outside} links to other sites were not followed")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
