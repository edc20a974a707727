"""``fuzzyfrog doctor``: what is installed, what is missing, and how to get it."""

import importlib
import json
import os
import platform
import shlex
import sys
import time
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit
from urllib.request import url2pathname

import typer

from fuzzyfrog.cli import options
from fuzzyfrog.cli.console import safe, write_found
from fuzzyfrog.cli.outputs import why_not_writable
from fuzzyfrog.cli.progress import shown_progress
from fuzzyfrog.common.jit import compiling_all, compiling_heard
from fuzzyfrog.common.messages import count

# Package, module to import, purpose, and the extra that installs it.
REQUIRED = (
    ("numpy", "numpy"),
    ("scipy", "scipy"),
    ("numba", "numba"),
    ("scikit-learn", "sklearn"),
    ("pyarrow", "pyarrow"),
)
OPTIONAL = (
    ("matplotlib", "matplotlib", "figures as SVG and PNG", "report"),
    ("distributed", "distributed", "fits on a Dask cluster", "dask"),
)


def doctor(
    warm: Annotated[
        bool,
        typer.Option(
            "--warm",
            metavar="",
            help="Compile and cache all kernels (for container images); takes about a minute.",
        ),
    ] = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Check the installation: what is installed, what is missing, and how to get it."""
    with shown_progress("checking the installation", quiet=quiet) as course:
        if warm:
            course.phase("compiling all kernels")
            _compile_all()
            course.phase("checking the installation")
        findings = _examined()
    write_found(findings, _lines(findings), as_json=as_json)


@dataclass(frozen=True)
class Finding:
    """A component that was looked for; the fields are the JSON document."""

    name: str
    is_there: bool
    found: str  # its version or place, or what is wrong with it
    purpose: str = ""
    remedy: str = ""  # how to get it
    is_optional: bool = True


def _lines(findings: list[Finding]) -> list[str]:
    width = max(len(one.name) for one in findings)
    lines = []
    for one in findings:
        mark = "ok" if one.is_there else "--"
        lines.append(f"{mark}  {one.name:<{width}}  {safe(one.found)}")
        if not one.is_there:
            lines.append(f"    {'':<{width}}  for {one.purpose}: {one.remedy}")
    return [*lines, "", _verdict([one for one in findings if not one.is_there])]


def _verdict(missing: list[Finding]) -> str:
    if n_required := sum(not one.is_optional for one in missing):
        are = count(n_required, "required package is", "required packages are")
        return f"{are} missing; fuzzyfrog cannot run."
    if missing:
        are = count(len(missing), "optional component is", "optional components are")
        return f"All required packages are installed; {are} missing."
    return "Everything is installed."


def _examined() -> list[Finding]:
    """Return a finding for everything that fuzzyfrog can use."""
    again = _install("--force-reinstall ", "")
    required = [
        replace(_package(name, module, "everything", again), is_optional=False)
        for name, module in REQUIRED
    ]
    findings = [
        Finding("fuzzyfrog", True, version("fuzzyfrog")),
        Finding("python", True, f"{platform.python_version()} ({platform.platform()})"),
        *required,
    ]
    if all(one.is_there for one in required):
        from fuzzyfrog.measure.threads import effective_threads

        threads = f"{effective_threads(None)} (the machine has {os.cpu_count()} CPUs)"
        findings += [Finding("threads", True, threads), _kernels()]
    findings += [
        _package(name, module, purpose, _install("", f"[{extra}]"))
        for name, module, purpose, extra in OPTIONAL
    ]
    frames = _package("pandas", "pandas", "data frames in the examples", _pip("pandas"))
    return [*findings, frames]


def _install(options: str, extra: str) -> str:
    """Return the command that installs fuzzyfrog from where it came from."""
    origin = distribution("fuzzyfrog").read_text("direct_url.json")
    url = urlsplit(json.loads(origin)["url"] if origin else "")
    source = url2pathname(url.path) if url.scheme == "file" else "fuzzyfrog"
    return _pip(f"{options}{shlex.quote(source + extra)}")


def _pip(what: str) -> str:
    return f"{shlex.quote(sys.executable)} -m pip install {what}"


def _package(name: str, module: str, purpose: str, remedy: str) -> Finding:
    """Import a package: one that is installed may still lack a library."""
    try:
        found = version(name)
    except PackageNotFoundError:
        return Finding(name, False, "not installed", purpose, remedy)
    try:
        importlib.import_module(module)
    except Exception as error:  # a broken package can raise anything
        reason = " ".join(str(error).split())[:200]
        return Finding(name, False, f"{found} cannot be imported ({reason})", purpose, remedy)
    return Finding(name, True, found, purpose, remedy)


def _kernels() -> Finding:
    """Measure a small table, and note whether kernels had to be compiled."""
    from fuzzyfrog import dependency
    from fuzzyfrog.measure import _kernel_scan

    compiled: list[int] = []
    start = time.monotonic()
    with compiling_heard(compiled.append), compiling_all():
        dependency([[0.0, 1.0], [1.0, 2.0], [0.5, 0.0]], ["a", "b", "a"])
    took = time.monotonic() - start
    stats = getattr(_kernel_scan.scan_batch, "stats", None)
    is_there, remedy = False, "set NUMBA_CACHE_DIR to a folder that you can write to"
    if stats is None:
        found, remedy = "switched off", "unset NUMBA_DISABLE_JIT"
    else:
        folder = Path(stats.cache_path) if stats.cache_path else None
        is_there = folder is not None and why_not_writable(folder / "any") is None
        state = f"compiled now in {took:.0f} s, cached in" if compiled else "cached in"
        found = f"{state} {folder}" if is_there else f"{folder} cannot be written"
    return Finding("compiled kernels", is_there, found, "a quick start", remedy)


def _compile_all() -> None:
    """Run every kernel once; Numba caches what it compiles."""
    import numpy as np

    from fuzzyfrog.measure import Dependency, SampledDependency, SoftDependency
    from fuzzyfrog.search.covering.search import CheapestSearch, CoverSearch
    from fuzzyfrog.search.protocol import Rows

    rng = np.random.default_rng(0)
    X, classes = rng.normal(size=(800, 6)), np.arange(800) % 2  # more pairs than a small table has
    # Each subset adds a feature to the first one, as in the steps of a greedy search.
    masks, everything = np.eye(6, dtype=np.bool_)[:0:-1] | (np.arange(6) < 1), np.ones(6, np.bool_)
    with compiling_all():
        for n_samples in (60, 800):
            for y in (classes[:n_samples], X[:n_samples, 0] ** 2):
                for engine in ("auto", "plain", "scan", "tree"):
                    measure = Dependency(X[:n_samples], y, engine=engine)
                    measure.score(masks[:2]), measure.best(masks), measure.best(masks[:, ::-1])
                    measure.nearest_enemies(everything)
                    SampledDependency(measure, 30).score(masks[:2])
        for y in (classes[:60], X[:60, 0]):
            soft = SoftDependency(X[:60], y)
            soft.score(masks), soft.best(masks), soft.left_out_losses([0, 1])
        rows = Rows(0.3 + rng.random((80, 6)), np.full(80, 1.5))
        nothing = ~everything
        search = CoverSearch(rows, 4, fixed=nothing, allowed=everything)
        search.advance(3)  # to where rows that are added concern several levels
        search.add(rows)
        search.advance(10_000, 8)
        costs = np.arange(1, 7)
        CheapestSearch(rows, costs, 12, fixed=nothing, allowed=everything).advance(100)
