"""Writes informerd's API reference in Markdown, from the signatures and docstrings of its public names.

    python -m tools.informerd_reference FOLDER

It reads the source, because that has what Python forgets: docstrings of attributes and the words of annotations.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import informerd

MODULES = ("informerd", "informerd.metrics", "informerd.testing")
FILE = "informerd.md"

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Entry(NamedTuple):
    """One public name, or a member of one."""

    name: str
    """With its module or class: ``informerd.Client``, ``Client.get``."""
    signature: str
    docstring: str
    members: tuple[Entry, ...] = ()


def entries_of(module: str) -> list[Entry]:
    """The public names of a module, in the order of its `__all__`. Submodules are left out."""
    loaded = importlib.import_module(module)
    names: list[str] = loaded.__all__
    return [_entry(module, name) for name in names if not inspect.ismodule(getattr(loaded, name))]


def as_markdown() -> str:
    """The reference: a heading for each name, its signature, its docstring and its members, which have anchors."""
    parts = [
        "# informerd: API reference",
        "Made from the docstrings; informerd.md explains how things belong together.",
    ]
    for module in MODULES:
        parts.append(f"## {module}")
        for entry in entries_of(module):
            parts += [f"### {entry.name}", *_text(entry)]
            for member in entry.members:
                parts += [f'<a id="{member.name}"></a>**{member.name}**', *_text(member)]
    return "\n\n".join(parts) + "\n"


def _text(entry: Entry) -> Iterator[str]:
    yield f"```python\n{entry.signature}\n```"
    if entry.docstring:
        yield entry.docstring


def _entry(module: str, name: str) -> Entry:
    source, node = _definition(module, name)
    if isinstance(node, ast.ClassDef):
        return Entry(name, _class_line(node), _docstring(node), tuple(_members(name, source, node)))
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return Entry(name, _function_line(node), _docstring(node))
    return Entry(name, ast.unparse(node), _following_docstring(_tree(source).body, node))


def _definition(module: str, name: str) -> tuple[str, ast.stmt]:
    """The statement that defines a name, and the module in which it stands, through imports. Raises LookupError."""
    for node in _tree(module).body:
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                if (alias.asname or alias.name) == name and node.module.startswith("informerd"):
                    return _definition(node.module, alias.name)
        elif name in _defined_names(node):
            return module, node
    raise LookupError(f"{module} does not define {name}")


def _defined_names(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return [] if _is_overload(node) else [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _members(owner: str, module: str, node: ast.ClassDef) -> Iterator[Entry]:
    """Public members, its own and those of bases of informerd that are not public themselves."""
    seen: set[str] = set()
    for source, each in _with_bases(module, node):
        for statement in each.body:
            if (member := _member(owner, source, each, statement)) and member.name not in seen:
                seen.add(member.name)
                yield member


def _with_bases(module: str, node: ast.ClassDef) -> Iterator[tuple[str, ast.ClassDef]]:
    yield module, node
    for base in node.bases:
        named = base.value if isinstance(base, ast.Subscript) else base
        try:
            source, found = _definition(module, ast.unparse(named))
        except LookupError:
            continue
        if isinstance(found, ast.ClassDef) and found.name not in informerd.__all__:
            yield from _with_bases(source, found)


def _member(owner: str, module: str, node: ast.ClassDef, statement: ast.stmt) -> Entry | None:
    for name in _defined_names(statement):
        if name.startswith("_"):
            continue
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            line = _function_line(statement)
            return Entry(f"{owner}.{name}", line, _docstring(statement) or _inherited(module, node, name))
        return Entry(f"{owner}.{name}", ast.unparse(statement), _following_docstring(node.body, statement))
    if isinstance(statement, ast.FunctionDef) and statement.name == "__init__" and (text := _docstring(statement)):
        return Entry(f"{owner}()", _function_line(statement), text)
    return None


def _inherited(module: str, node: ast.ClassDef, name: str) -> str:
    """What a base says of a method that has no docstring of its own."""
    for _, base in [*_with_bases(module, node)][1:]:
        for statement in base.body:
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef) and statement.name == name:
                return _docstring(statement)
    return ""


def _is_overload(statement: ast.stmt) -> bool:
    decorators = statement.decorator_list if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef) else []
    return any(ast.unparse(each) in ("overload", "typing.overload") for each in decorators)


def _class_line(node: ast.ClassDef) -> str:
    bases = ", ".join(ast.unparse(each) for each in [*node.bases, *node.keywords])
    init = next((each for each in node.body if isinstance(each, ast.FunctionDef) and each.name == "__init__"), None)
    line = f"class {node.name}({bases})" if bases else f"class {node.name}"
    return line if init is None else f"{line}\n{node.name}{_parameters(init)}"


def _function_line(node: Function) -> str:
    decorators = [f"@{text}\n" for each in node.decorator_list if "property" in (text := ast.unparse(each))]
    returns = f" -> {ast.unparse(node.returns)}" if node.returns is not None else ""
    kind = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    return f"{''.join(decorators)}{kind} {node.name}{_parameters(node)}{returns}"


def _parameters(node: Function) -> str:
    text = ast.unparse(node.args)
    return f"({text.removeprefix('self, ').removeprefix('cls, ') if text not in ('self', 'cls') else ''})"


def _docstring(node: ast.ClassDef | Function) -> str:
    return ast.get_docstring(node) or ""


def _following_docstring(body: list[ast.stmt], node: ast.stmt) -> str:
    """The text that stands after an assignment."""
    following = body[body.index(node) + 1 : body.index(node) + 2]
    match following:
        case [ast.Expr(value=ast.Constant(value=str(text)))]:
            return inspect.cleandoc(text)
    return ""


@cache
def _tree(module: str) -> ast.Module:
    return ast.parse(inspect.getsource(importlib.import_module(module)))


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / FILE).write_text(as_markdown())
