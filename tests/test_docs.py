"""What the documentation says is true: examples, anchors, links and the demo."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest
import typer

import fuzzyfrog
from fuzzyfrog.cli.commands.reducts import reducts
from fuzzyfrog.cli.commands.select import select
from fuzzyfrog.cli.options import flattened

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted(
    page
    for pattern in ("*.md", "docs/**/*.md", "benchmarks/*.md", "lab/**/*.md", "paper/**/*.md")
    for page in ROOT.glob(pattern)
    if "_build" not in page.parts
)
MODULES = [m.name for m in pkgutil.walk_packages(fuzzyfrog.__path__, "fuzzyfrog.")]
PYTHON_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
ANCHOR = re.compile(r'<a id="([^"]+)"></a>')
REFERENCE = re.compile(r"docs/theory\.md#([\w-]+)")


def _name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def _anchors(page: Path) -> set[str]:
    """Return what links into a page can point to: its own anchors and those of its headings."""
    text = page.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    slugs = {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings}
    return {*ANCHOR.findall(text), *slugs}


@pytest.mark.parametrize("page", [page for page in PAGES if "```python" in page.read_text("utf-8")],
                         ids=_name)  # fmt: skip
def test_python_blocks_run_and_print_what_they_say(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    blocks = PYTHON_BLOCK.findall(text)
    assert len(blocks) == text.count("```python")
    assert all(">>> " in block for block in blocks), "a block without a prompt is not checked"
    examples = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page.name, str(page), 0)
    report: list[str] = []
    results = doctest.DocTestRunner().run(examples, out=report.append)
    assert results.attempted > 0
    assert results.failed == 0, "".join(report)


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_are_true(name):
    module = importlib.import_module(name)
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_links_point_to_what_exists(page):
    for link in LINK.findall(page.read_text(encoding="utf-8")):
        if link.startswith(("http://", "https://")):
            continue
        file, _, anchor = link.partition("#")
        linked = (page.parent / file).resolve() if file else page
        assert linked.exists(), f"{_name(page)} links to {link}"
        assert not anchor or anchor in _anchors(linked), f"{_name(page)} links to {link}"


def test_anchors_named_in_the_source_exist():
    sources = (ROOT / "src").rglob("*.py")
    found = {
        anchor for source in sources for anchor in REFERENCE.findall(source.read_text("utf-8"))
    }
    assert "filter" in found  # the pattern still finds them
    assert found <= _anchors(ROOT / "docs/theory.md")


def test_no_page_names_a_place_on_this_machine():
    for page in PAGES:
        assert str(ROOT) not in page.read_text(encoding="utf-8"), _name(page)


@pytest.mark.parametrize("command", [select, reducts])
def test_the_page_of_the_command_line_has_every_option(command):
    app = typer.Typer(add_completion=False)
    app.command()(flattened(command))
    options = [name for one in typer.main.get_command(app).params for name in one.opts]
    page = (ROOT / "docs/command-line.md").read_text(encoding="utf-8")
    named = set(re.findall(r"(?<![\w-])--[a-z-]+", page))
    assert {name for name in options if name.startswith("--")} <= named


def test_the_documentation_stays_short():
    pages = [page for page in PAGES if page.is_relative_to(ROOT / "docs")]
    n_words = sum(len(page.read_text(encoding="utf-8").split()) for page in pages)
    assert len(pages) <= 26
    assert n_words <= 30_000, "say it once: cut as much as you add"
