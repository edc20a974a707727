"""The warnings of a run are in its record, in the words of the command line."""

from __future__ import annotations

from fuzzyfrog.result import Result


def test_warnings_of_reading_and_of_the_search_reach_the_record_and_the_page(fuzzyfrog, tmp_path):
    rows = [f"n{number},{number},{number % 2}" for number in range(30)]
    rows[7] = "n7,7O,1"
    table = tmp_path / "t.csv"
    table.write_text("\n".join(["id,size,class", *rows, ""]), encoding="utf-8")
    saved, page = tmp_path / "run.json", tmp_path / "page.html"
    options = ["--target", "class", "--search", "quickreduct", "--save", saved, "--report", page]
    done = fuzzyfrog("reducts", table, *options, "-q")
    assert done.returncode == 0
    notes = Result.load(saved).notes
    warned = [line.removeprefix("fuzzyfrog: warning: ") for line in done.stderr.splitlines()]
    assert set(notes) <= {*warned, *done.stdout.splitlines()}
    assert not set(warned) & set(done.stdout.splitlines())
    assert "holds numbers except '7O'" in notes[0]
    assert "feature 'id' has a different value in every sample, like an ID." in notes[1]
    assert "holds numbers except &#39;7O&#39;" in page.read_text(encoding="utf-8")
