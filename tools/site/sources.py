"""Pages of the site as Sphinx reads them: those of docs/, some of elsewhere, and informerd's reference.

The pages are written for a code host. Here their links to other files of the repository become links to pages or
downloads, and the lists of docs/index.md become the navigation.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from tools.informerd_reference import as_markdown

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
INDEX = "index.md"
REFERENCE = "informerd-api.md"
PUBLIC_NAMES = "informerd/__init__.py"
"""What a code host shows in the reference's place."""
ELSEWHERE = {
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security-policy.md",
    "deploy/helm/deltaboard/README.md": "chart-values.md",
}
"""Pages that are not in docs/, and their names on the site."""
LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)\s#]+)")
FENCE = re.compile(r"^ *```.*?^ *```", re.DOTALL | re.MULTILINE)


class WrongLink(Exception):
    """A link to something that the site cannot have."""


def write_sources(folder: Path) -> None:
    """Writes all pages and what they link to. Raises WrongLink."""
    shutil.copytree(DOCS, folder)
    (folder / REFERENCE).write_text(as_markdown())
    for page in sorted(DOCS.glob("*.md")):
        text = _with_links_of_the_site(page, folder)
        (folder / page.name).write_text(with_navigation(text) if page.name == INDEX else text)
    for path, name in ELSEWHERE.items():
        (folder / name).write_text(_with_links_of_the_site(ROOT / path, folder))


def with_navigation(index: str) -> str:
    """The index with a table of contents that nobody sees, for each of its lists: the navigation at the side."""
    trees = []
    for section in re.split(r"^## ", index, flags=re.MULTILINE)[1:]:
        caption, _, text = section.partition("\n")
        pages = [f"{title} <{path}>" for title, path in re.findall(r"^\* \[(.*?)\]\((.*?)\)", text, re.MULTILINE)]
        trees.append(f"```{{toctree}}\n:hidden:\n:titlesonly:\n:caption: {caption}\n\n" + "\n".join(pages) + "\n```\n")
    return "\n".join([index, *trees])


def _with_links_of_the_site(page: Path, folder: Path) -> str:
    text = page.read_text()
    fences = [match.span() for match in FENCE.finditer(text)]

    def changed(match: re.Match[str]) -> str:
        if any(start <= match.start() < end for start, end in fences):
            return match[0]
        target = Path(os.path.normpath(page.parent / match[0]))
        name = _on_the_site(target, f"{page.relative_to(ROOT)} has a link to {match[0]}")
        if name.startswith("files/"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(target, folder / name)
        return name

    return LINK.sub(changed, text)


def _on_the_site(target: Path, subject: str) -> str:
    """Where a file of the repository is on the site."""
    if target.parent == DOCS:
        return target.name  # Sphinx says whether it is there
    path = str(target.relative_to(ROOT))
    if path in ELSEWHERE:
        return ELSEWHERE[path]
    if path == PUBLIC_NAMES:
        return REFERENCE
    if path == "README.md" or not target.is_file():
        raise WrongLink(f"{subject}, which is no page of the site and no file that it can offer")
    return f"files/{path}"
