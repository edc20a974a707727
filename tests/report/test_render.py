"""What a page says, and what it is made of; how it behaves is for test_browser."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re

import pytest
from msgspec.structs import replace

from fuzzyfrog.common.messages import gamma, percent
from fuzzyfrog.report import render_report, summary_html, write_report
from fuzzyfrog.report.plot_data import Scale, models, nice_ticks
from fuzzyfrog.report.render import MAX_MEMBERS, collect
from fuzzyfrog.report.text import cell, short, visible
from fuzzyfrog.result import (
    AmbiguousSample,
    Certificate,
    ClassCount,
    FeatureSummary,
    Leak,
    Sampling,
    Subset,
    Versions,
)
from fuzzyfrog.select.leaks import leak_sentences
from fuzzyfrog.words import words_of
from report.made import a_check, changed, soft_result


def points(*dependencies):
    return tuple(
        Subset(tuple(range(size)), dependency, None)
        for size, dependency in enumerate(dependencies, start=1)
    )


def data_of(page):
    text = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    return json.loads(text[1])


def test_policy_allows_the_one_script_and_nothing_else(hostile_result):
    page = render_report(hostile_result)
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)[1]
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; ")
    assert f"script-src 'sha256-{digest}'; img-src data:;" in policy
    assert page.count("<script") == 2


def test_page_asks_for_nothing(hostile_result):
    page = render_report(hostile_result)
    assert not re.search(r"(?:src|href|action)=[\"']?(?:https?:|//|/|\.)", page)
    assert "@import" not in page
    assert "url(" not in page


def test_data_cannot_leave_its_element(hostile_result):
    page = render_report(hostile_result)
    start = page.index('id="data">') + len('id="data">')
    text = page[start : page.index("</script>", start)]
    assert not set("<>&\u2028\u2029") & set(text)
    assert text.isascii()
    assert len(data_of(page)["reducts"]) == len(hostile_result.reducts)


def test_a_page_can_be_written_with_any_text(wine_result, tmp_path):
    odd = "\ud800 lone surrogate \0"
    write_report(
        replace(wine_result, table=replace(wine_result.table, name=odd)), tmp_path / "odd.html"
    )
    assert "⟨U+D800⟩ lone surrogate ⟨U+0000⟩" in (tmp_path / "odd.html").read_text("utf-8")


def test_the_same_run_gives_the_same_page(wine_result):
    assert render_report(wine_result) == render_report(wine_result)


@pytest.mark.parametrize(
    ("certificate", "state", "title"),
    [
        (Certificate(True, 5, 5, 343, True), "proven", "Proven for these samples: 5 features"),
        (Certificate(False, 4, 5, 343, False), "open", "Not proven: the fewest are between 4 and"),
        (None, "checked", "None of them can be left out."),
    ],
)
def test_says_how_sure_it_is(wine_result, certificate, state, title):
    result = changed(wine_result, certificate=certificate)
    proof = words_of(result).standing()
    assert proof.state == state
    assert proof.title.startswith(title)
    assert html.escape(proof.title) in render_report(result)


def test_does_not_claim_what_was_not_checked(wine_result):
    unchecked = tuple(replace(one, minimal=False) for one in wine_result.reducts)
    proof = words_of(changed(wine_result, reducts=unchecked)).standing()
    assert (proof.state, proof.title) == ("open", "Not proven.")


def test_core_alone_is_called_proven(wine_result):
    alone = changed(wine_result, core=wine_result.selected, command=None)
    for result in (alone, changed(alone, certificate=Certificate(False, 4, 5, 1, False))):
        proof = words_of(result).standing()
        assert proof.state == "proven"
        title = "Proven for these samples: 5 features are the fewest, and"
        assert proof.title.startswith(title)
        assert "not about how well models predict" in proof.text
        assert any("There is no other reduct" in one for one in words_of(result).reasons())


@pytest.mark.parametrize("minimal", [True, False])
def test_way_to_a_proof_is_that_of_the_run(wine_result, minimal):
    reducts = tuple(replace(one, minimal=minimal) for one in wine_result.reducts)
    typed = words_of(changed(wine_result, reducts=reducts)).standing().text
    called = words_of(changed(wine_result, reducts=reducts, command=None)).standing().text
    assert ("--certify" in typed, "certify=True" in typed) == (True, False)
    assert ("--certify" in called, "certify=True" in called) == (False, True)


def test_warnings_are_shown_before_the_facts(wine_result):
    note = "feature '<b>id</b>' has another value in every sample."
    result = replace(wine_result, notes=(note, *[f"note {number}" for number in range(9)]))
    for page in (render_report(result), summary_html(result)):
        assert "Feature &#39;&lt;b&gt;id&lt;/b&gt;&#39; has another value" in page
        assert page.count("Please note") >= 1
        assert "Note 6" in page
        assert "Note 7" not in page
        assert "and 2 more" in page
    page = render_report(result)
    assert page.index("Please note") < page.index('class="facts"')
    notes = ("the target holds 47 different numbers.", "--size-rule is not used.", "size_rule is.")
    shown = collect(replace(wine_result, notes=notes))["answer"]["notes"]
    assert shown == ["The target holds 47 different numbers.", *notes[1:]]
    silent = replace(wine_result, notes=())
    assert "Please note" not in render_report(silent) + summary_html(silent)


def test_a_leak_is_said_once():
    leaks = (Leak((0,), "its values stand for classes"), Leak((1,), "alone"))
    result = replace(soft_result(), suspected_leaks=leaks)
    names = [one.name for one in result.table.features]
    notes = ("a note", *map(str, leak_sentences(leaks, names)))
    answer = collect(replace(result, notes=notes))["answer"]
    assert answer["notes"] == ["A note"]
    assert "almost perfectly" in answer["doubts"][0]


def test_a_table_without_a_name_is_not_called_table(wine_result):
    unnamed = replace(wine_result, table=replace(wine_result.table, name="table"))
    for page in (render_report(unnamed), summary_html(unnamed)):
        assert ">table<" not in page
        assert "for table" not in page
    assert "<title>Selected features</title>" in render_report(unnamed)
    assert ">wine<" in summary_html(wine_result)


def test_headline_of_less_than_all(hostile_result, many_samples_result):
    assert re.fullmatch(
        r"4 of 18 features separate these samples \d\d\.\d% as well as all columns do\.",
        collect(replace(hostile_result, dependency=0.9))["answer"]["headline"],
    )
    assert collect(many_samples_result)["answer"]["headline"].startswith("3 of 8 features separate")


def test_models_are_not_called_estimates_of_the_dependency(wine_result):
    part = Sampling(n_sampled=90, low=0.9, high=0.95, confidence=0.95)
    assert (
        "as all columns do, estimated from 90 of 178 samples"
        in (collect(replace(wine_result, sampling=part))["answer"]["headline"])
    )
    soft = collect(replace(soft_result(), check=a_check(lost=0), sampling=part))["answer"]
    assert "the best model scores" in soft["headline"]
    assert "estimated" not in soft["headline"]


def test_no_dependency_is_no_success(wine_result):
    useless = replace(wine_result.explanations[0], dependency=0.0, dependency_without=0.0)
    nothing = replace(wine_result, dependency=0.0, full_dependency=0.0, explanations=(useless,),
                      selected=(useless.feature,))  # fmt: skip
    page = summary_html(nothing)
    assert "No feature separates samples of different classes" in page
    assert "1 selected feature could be left out without any loss" in page
    assert "as well as all" not in page
    assert "all the work" not in page


NASTY = "\u202eabc\u2066\0\x1b[31m\u200b\x85"


def all_nasty(result):
    """Return a result in which every text that comes from outside has characters unseen."""
    pairs = tuple(
        replace(
            pair, sample_target=NASTY, other_target=NASTY, sample_value=NASTY, other_value=NASTY
        )
        for pair in result.explanations[0].examples
    )
    n_values = len(result.selected)
    unsure = AmbiguousSample(0, 1, NASTY, NASTY, 0.5, (NASTY,) * n_values, (NASTY,) * n_values)
    target = replace(result.table.target, name=NASTY, classes=(ClassCount(NASTY, 178),))
    features = tuple(replace(one, name=NASTY) for one in result.table.features)
    return replace(
        result,
        table=replace(result.table, name=NASTY, sha256=NASTY, target=target, features=features),
        settings={NASTY: NASTY, "search": NASTY},
        versions=Versions(*[NASTY] * 5),
        command=NASTY,
        stop_reason=NASTY,
        notes=(NASTY,),
        explanations=tuple(replace(one, name=NASTY, examples=pairs) for one in result.explanations),
        ambiguous=(unsure,),
    )


def test_no_text_of_a_page_has_characters_unseen(wine_result):
    result = all_nasty(wine_result)
    ours = set(render_report(wine_result))
    for page in (render_report(result), summary_html(result)):
        assert not set(NASTY) - set("abc[31m") & set(page)
        assert {one for one in set(page) - ours if not one.isprintable()} == set()
        assert "⟨U+202E⟩abc" in page


def test_values_cannot_turn_the_text_around_them(wine_result):
    page = render_report(all_nasty(wine_result))
    shown = visible(NASTY)
    sentences = (f'content="fuzzyfrog {shown}', f"fuzzyfrog {shown}. This",
                 f">{shown}: selected features</title>", f"digest\">{shown}<")  # fmt: skip
    for known in sentences:
        assert known in page
        page = page.replace(known, "")
    assert not re.search(rf"<(?!bdi)[^>]*>{re.escape(shown[:11])}", page)  # values are cut


@pytest.mark.parametrize("letter", ["n", "漢", '"'])
def test_long_names_do_not_fill_the_disk(wine_result, letter):
    names = [f"{at} " + letter * 500 for at in range(856)]
    wide = tuple(range(300))
    unsure = AmbiguousSample(0, 1, "a", "b", 0.5, (letter * 900,) * 300, (letter * 900,) * 300)
    result = changed(
        wine_result,
        table=replace(
            wine_result.table, features=tuple(FeatureSummary(n, "numeric", 0) for n in names)
        ),
        selected=wide,
        core=wide,
        feature_frequency=(0.5,) * 856,
        reducts=tuple(Subset((*wide, 300 + at), 1.0, True) for at in range(500)),
        front=tuple(Subset(tuple(range(size)), size / 300, None) for size in range(1, 301)),
        explanations=tuple(
            replace(wine_result.explanations[0], feature=at, name=names[at]) for at in wide
        ),
        ambiguous=(unsure,) * 20,
    )
    page = render_report(result)
    assert len(page.encode()) < 3_000_000
    assert f"299 {letter}" in html.unescape(page)


def test_points_of_the_front_can_be_reached_by_keyboard(wine_result):
    dots = re.findall(r'<b class="dot[^>]*>', render_report(wine_result))
    assert len(dots) == len(wine_result.front)
    for dot, point in zip(dots, wine_result.front, strict=True):
        assert 'tabindex="0"' in dot
        assert f'aria-label="{point.size} feature' in dot


def test_page_holds_what_it_can_afford_and_says_so(wine_result):
    wide = Subset(tuple(range(13)), 1.0, True)
    many = changed(
        wine_result, reducts=(wine_result.reducts[0], *[wide] * 20_000), n_reducts=20_001
    )
    found = collect(many)["reducts"]
    assert sum(map(len, found["page"]["reducts"])) <= MAX_MEMBERS
    assert found["n_kept"] + found["n_left_out"] == 20_001
    assert f"{found['n_left_out']:,} more were found" in render_report(many)


def test_a_short_history_has_no_table(wine_result):
    assert collect(replace(wine_result, history=wine_result.history[:1]))["course"] is None
    assert "The course of the search" in render_report(wine_result)
    assert "The course of the search" not in render_report(replace(wine_result, history=()))


def test_summary_is_html_without_scripts(hostile_result):
    short_page = summary_html(hostile_result)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in short_page
    assert "<script" not in short_page
    assert "<img" not in short_page


@pytest.mark.parametrize(
    ("front", "size"),
    [((0.2, 0.6, 0.96, 0.97, 1.0), 3), ((0.2, 0.6, 0.94, 1.0), None), ((0.96, 1.0), 1)],
)
def test_the_elbow_is_the_fewest_features_that_keep_95_percent(wine_result, front, size):
    made = replace(wine_result, front=points(*front), selected=tuple(range(len(front))))
    found = words_of(made).elbow
    assert (found and found.size) == size


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text", "plain text"),
        ("", "(empty)"),
        (" a ", "␣a␣"),
        ("a\u202eb", "a⟨U+202E⟩b"),
        ("a\u200db", "a⟨U+200D⟩b"),
        ("a\u00a0b\ufeff", "a⟨U+00A0⟩b⟨U+FEFF⟩"),
        ("👨\u200d👩\u200d👧", "👨\u200d👩\u200d👧"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("é ü 漢字 <b>", "é ü 漢字 <b>"),
        ("x" * 2_500, "x" * 2_000 + "… (500 more characters)"),
    ],
)
def test_every_character_can_be_seen(text, shown):
    assert visible(text) == shown


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1.000"), (0.0, "0.000"), (0.9344, "0.934"), (0.99951, "0.9995"),
        (0.99999, "0.99999"), (1 - 1e-15, "0.999999999999"), (0.00004, "0.00004"),
    ],
)  # fmt: skip
def test_dependencies_are_never_rounded_to_certainty(value, text):
    assert gamma(value) == text


def test_shares_are_never_rounded_to_all_or_none():
    assert [percent(one) for one in (1.0, 0.99999, 0.5, 1e-6, 0.0)] == [
        "100%", "99.9%", "50.0%", "0.1%", "0%",
    ]  # fmt: skip


def test_other_texts():
    assert [cell(None), cell(0.30000000000000004), cell("a\nb")] == ["missing", "0.3", "a⟨U+000A⟩b"]
    assert short("abcdef", 4) == "abc…"


def test_ticks_are_round_numbers_inside_the_axis():
    assert nice_ticks(Scale(0.5, 5.5), 12, finest=1.0) == [1, 2, 3, 4, 5]
    assert nice_ticks(Scale(0.0, 1.0), 4) == [0.0, 0.5, 1.0]
    assert nice_ticks(Scale(3, 3)) == [3]


def test_places():
    assert Scale(0, 4).at(1) == 25
    assert Scale(0, 4).at(9) == 100


def test_a_negative_r2_has_its_place_in_the_chart(wine_result):
    check = a_check(metric="R²", lost=1.2, soft=("hue",), soft_lost=1.4)
    result = replace(wine_result, check=check)
    everything, selected, soft = models(words_of(result))["rows"]
    assert selected["score"] == "\N{MINUS SIGN}0.250"
    assert 0 < soft["at"] < selected["at"] < everything["at"] < 100
    assert '<td class="number">\N{MINUS SIGN}0.350</td>' in render_report(result)


def test_many_features_of_models_are_whole_numbers(wine_result):
    check = a_check(size=1234.5)
    scores = tuple(
        replace(one, n_features=3000.0) if one.name == "all" else one for one in check.scores
    )
    page = render_report(replace(wine_result, check=replace(check, scores=scores)))
    assert "features: 3,000<" in page
    assert "features: 1,234.5 on average<" in page
