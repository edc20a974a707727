"""``fuzzyfrog doctor``: what is there, what is missing, and how to get it."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from fuzzyfrog.cli import options
from fuzzyfrog.cli.consoles import write_json, write_result
from fuzzyfrog.cli.progress import shown_progress
from fuzzyfrog.cli.text import safe

if TYPE_CHECKING:
    from fuzzyfrog.cli.examination import Finding

__all__ = ["doctor"]


def doctor(as_json: options.Json = False, quiet: options.Quiet = False) -> None:
    """Tell what fuzzyfrog finds on this machine, what is missing, and how to get it."""
    with shown_progress("looking at what is installed", quiet=quiet):
        from fuzzyfrog.cli.examination import examined

        findings = examined()
    if as_json:
        write_json(json.dumps([asdict(one) for one in findings], indent=2))
        return
    write_result(*_lines(findings))


def _lines(findings: list[Finding]) -> list[str]:
    width = max(len(one.name) for one in findings)
    lines = []
    for one in findings:
        mark = "ok" if one.is_there else "--"
        lines.append(f"{mark}  {one.name:<{width}}  {safe(one.found)}")
        if not one.is_there:
            lines.append(f"    {'':<{width}}  for {one.purpose}: {one.remedy}")
    missing = [one for one in findings if not one.is_there]
    n_needed = sum(not one.is_optional for one in missing)
    if n_needed:
        return [*lines, "", f"{n_needed} missing, without which nothing works."]
    if missing:
        noun = "optional thing is" if len(missing) == 1 else "optional things are"
        return [*lines, "", f"All that is needed is there; {len(missing)} {noun} not."]
    return [*lines, "", "Nothing is missing."]
