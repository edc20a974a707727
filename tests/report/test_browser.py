"""Reports in a real browser: offline, silent, quick to sort and filter, unharmed by names."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path

import pytest
from msgspec.structs import replace

from fuzzyfrog import ReductSelector, SoftSelector, load_dataset, read_table
from fuzzyfrog.report import write_report
from fuzzyfrog.result import Certificate
from report.made import HOSTILE, a_check, changed, soft_result

CHROMIUM = Path(os.environ.get("FUZZYFROG_CHROMIUM", "/usr/bin/chromium"))
SWITCHES = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
MEGABYTE = 1_000_000


@pytest.fixture(scope="module")
def browser():
    """One browser for all tests, with a profile of its own that goes with it."""
    driver = pytest.importorskip("playwright.sync_api", reason="the package playwright is missing")
    if not CHROMIUM.is_file():
        pytest.skip(f"no browser at {CHROMIUM}; run scripts/install_chromium.sh")
    with driver.sync_playwright() as playwright:
        opened = playwright.chromium.launch(
            executable_path=CHROMIUM, args=SWITCHES, timeout=300_000
        )
        yield opened
        opened.close()


class Watched:
    """A page that notes whatever a report must not do."""

    def __init__(self, page, url):
        self.page = page
        self.url = url
        self.complaints = []
        page.on("console", lambda message: self.complaints.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        page.on("request", self._hear)
        page.on("dialog", self._dismiss)
        page.on("popup", lambda _: self.complaints.append("popup"))

    def _hear(self, request):
        if request.url != self.url and not request.url.startswith("data:"):
            self.complaints.append(f"request: {request.url}")

    def _dismiss(self, dialog):
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def has_sideways_scroll(self):
        return self.page.evaluate("document.documentElement.scrollWidth > innerWidth")


@pytest.fixture
def opened(browser, tmp_path):
    """Yield a function that opens a report; at the end nothing may have been noted."""
    pages = []

    def open_report(result, width=1200, colors="light"):
        file = tmp_path / f"report{len(pages)}.html"
        write_report(result, file)
        assert file.stat().st_size < 3 * MEGABYTE
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=colors, offline=True
        )
        watched = Watched(context.new_page(), file.as_uri())
        watched.page.set_default_timeout(100_000)
        watched.page.goto(watched.url)
        pages.append(watched)
        return watched

    yield open_report
    for watched in pages:
        assert watched.complaints == []
        watched.page.context.close()


def columns(page):
    """Return, for each reduct that is drawn, the number of its features that are drawn."""
    return page.eval_on_selector_all(
        "#matrix g", "gs => gs.map(g => g.querySelectorAll('.member, .chosen-member').length)"
    )


def open_all(page):
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")


def names_of_rows(page):
    return page.locator("#rows .name").all_inner_texts()


def test_wine_answers_in_order(opened, wine_result):
    page = opened(wine_result).page
    assert page.locator("h1").inner_text() == (
        "5 of 13 features separate these samples as well as all columns do."
    )
    sections = page.eval_on_selector_all("main > section", "all => all.map(one => one.id)")
    assert sections == [
        "answer", "models", "features", "columns", "front", "reducts", "run",
    ]  # fmt: skip
    assert sorted(page.locator("#answer .chips .name").all_inner_texts()) == sorted(
        wine_result.names(wine_result.selected)
    )


def test_every_section_picture_and_control_has_a_name(opened, wine_result):
    page = opened(wine_result).page
    unnamed = page.evaluate("""() => [
        ...[...document.querySelectorAll('section, nav')].filter(one =>
            !one.getAttribute('aria-label') &&
            !document.getElementById(one.getAttribute('aria-labelledby'))),
        ...[...document.querySelectorAll('[role=img]')].filter(one => !one.ariaLabel),
        ...[...document.querySelectorAll('button')].filter(one =>
            !one.ariaLabel && !one.textContent.trim()),
        ...[...document.querySelectorAll('input, select')].filter(one =>
            !one.ariaLabel && !one.labels.length),
    ].map(one => one.outerHTML)""")
    assert unnamed == []
    levels = page.eval_on_selector_all("h1, h2, h3", "all => all.map(one => +one.tagName[1])")
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_filter_by_feature(opened, wine_result):
    page = opened(wine_result).page
    assert "of 343 that match" in page.locator("#status").inner_text()
    proline = [one for one in wine_result.reducts if "proline" in wine_result.names(one.features)]
    button = page.locator("#rows button", has_text="proline")
    button.click()
    assert f"of {len(proline)} that match (343 in all)" in page.locator("#status").inner_text()
    assert button.get_attribute("aria-pressed") == "true"
    page.locator("#rows button", has_text="proline").click()
    without = len(wine_result.reducts) - len(proline)
    assert f"of {without} that match" in page.locator("#status").inner_text()
    assert names_of_rows(page)[0] == "proline"  # what is filtered by stays in sight
    page.locator("#clear").click()
    assert "of 343 that match" in page.locator("#status").inner_text()


def test_sort_features_and_find_one(opened, wine_result):
    page = opened(wine_result).page
    page.select_option("#sort-features", "name")
    assert names_of_rows(page) == sorted(names_of_rows(page))
    page.select_option("#sort-features", "table")
    assert names_of_rows(page) == [feature.name for feature in wine_result.table.features]
    page.fill("#find", "PHENOLS")
    assert names_of_rows(page) == ["total_phenols", "nonflavanoid_phenols"]


def test_hover_and_arrow_keys_read_a_reduct(opened, wine_result):
    page = opened(wine_result).page
    readout = page.locator("#readout")
    assert "Point at a column" in readout.inner_text()
    page.locator("#matrix").hover(position={"x": 10, "y": 30})
    text = readout.inner_text()
    assert text.startswith("Chosen subset, 5 features")
    assert all(name in text for name in wine_result.names(wine_result.selected))
    page.locator("#matrix").focus()
    page.keyboard.press("ArrowRight")
    assert readout.inner_text().startswith("Subset 2, 5 features")
    assert page.locator("#matrix .column.here").count() == 1


def test_tip_of_a_point_of_the_front(opened, wine_result):
    page = opened(wine_result).page
    page.locator(".dot.chosen").hover()
    tip = page.locator("#tip")
    assert tip.is_visible()
    assert tip.inner_text().startswith("5 features, dependency 1.000: ")
    page.mouse.move(0, 0)
    assert tip.is_hidden()


def test_tables_sort(opened, wine_result):
    page = opened(wine_result).page
    first = page.locator("#all-columns tbody tr").first
    head = page.locator("#all-columns th button", has_text="Share")
    head.click()
    rarest = min(range(13), key=lambda feature: wine_result.answer.feature_frequency[feature])
    assert first.inner_text().startswith(wine_result.table.features[rarest].name)
    head.click()
    assert first.inner_text().startswith("alcohol")
    assert page.locator("#all-columns th[aria-sort=descending]").count() == 1


def test_columns_are_found_by_name_and_role(opened):
    result = SoftSelector().fit(load_dataset("breast_cancer")).record()
    page = opened(result).page
    rows = page.locator("#all-columns tbody tr")
    assert rows.count() == 30
    for text, n_left in (("texture", 3), ("selected", 3), ("nowhere", 0), ("", 30)):
        page.fill("input[data-filters]", text)
        assert sum(row.is_visible() for row in rows.all()) == n_left


def test_a_click_on_a_column_shows_the_answers_with_an_exchange(opened):
    result = SoftSelector().fit(load_dataset("breast_cancer")).record()
    for width in (1280, 390):
        page = opened(result, width=width).page
        page.fill("input[data-filters]", "texture")
        page.locator(".tree a", has_text="worst area").click()
        row = page.locator("#all-columns tr:target")
        assert row.locator("td").first.inner_text() == "worst area"
        chips = row.locator(".chips li").all_inner_texts()
        assert sorted(chips) == ["worst area", "worst concave points", "worst texture"]
        assert row.locator(".new").inner_text() == "worst area"
        assert (
            "the soft dependency is 0.872, before 0.877" in row.locator(".exchange p").inner_text()
        )
        assert row.locator(".exchange p").is_visible()


def test_theme_follows_the_system_until_it_is_switched(opened, wine_result):
    background = "getComputedStyle(document.body).backgroundColor"
    light, dark = opened(wine_result).page, opened(wine_result, colors="dark").page
    colors = light.evaluate(background), dark.evaluate(background)
    assert colors[0] != colors[1]
    light.get_by_role("button", name="Switch to dark colors").click()
    dark.get_by_role("button", name="Switch to light colors").click()
    assert (light.evaluate(background), dark.evaluate(background)) == colors[::-1]


def test_print_shows_everything_but_controls(opened, wine_result):
    page = opened(wine_result, colors="dark").page
    page.emulate_media(media="print")
    assert page.locator(".tools").is_hidden()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not([open])").count() == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("details[open]").count() == 0


def test_a_phone_needs_no_sideways_scroll(opened, wine_result, many_samples_result):
    for result in (wine_result, many_samples_result):
        assert not opened(result, width=390).has_sideways_scroll()
        assert not opened(result, width=320).has_sideways_scroll()


def test_hostile_names_are_text(opened, hostile_result):
    watched = opened(hostile_result)
    page = watched.page
    assert not watched.has_sideways_scroll()
    assert page.locator("script").count() == 2  # the data and the page's own
    assert page.locator("img, iframe, object, b[onmouseover]").count() == 0
    shown = set(names_of_rows(page))
    plain = [name for name in HOSTILE if name.isprintable() and name.strip() and len(name) < 400]
    assert set(plain) <= shown
    text = page.content()
    for character in "\u202e\u202c\u200b\u2028":
        assert character not in text
        assert f"\u27e8U+{ord(character):04X}\u27e9" in text
    page.locator("#rows button", has_text="<script>").click()
    open_all(page)
    page.locator("#matrix").hover(position={"x": 30, "y": 30})
    assert "<script>alert(1)</script>" in page.locator("#readout").inner_text()
    assert not watched.has_sideways_scroll()


def test_hostile_names_on_a_phone(opened, hostile_result):
    watched = opened(hostile_result, width=390)
    open_all(watched.page)
    assert not watched.has_sideways_scroll()


def test_thousands_of_reducts_are_drawn_as_a_window(opened, crowded_result):
    page = opened(crowded_result).page
    assert "2,000 more were found" in page.locator("#reducts .lead").inner_text()
    assert 0 < len(columns(page)) <= 60
    assert page.locator("#rows li").count() == 12
    status = page.locator("#status").inner_text()
    assert "of 5,000 that match" in status
    assert "rarer features not shown" in status
    page.locator("#more-rows").click()
    assert page.locator("#rows li").count() == 24
    page.select_option("#size", "24")
    n_of_24 = sum(one.size == 24 for one in crowded_result.reducts)
    assert f"of {n_of_24:,} that match (5,000 in all)" in page.locator("#status").inner_text()
    page.locator("#clear").click()
    page.select_option("#sort-reducts", "size")
    page.locator("#reducts details summary").first.click()
    sizes = page.locator("#listed td:nth-child(2)").all_inner_texts()
    assert sizes[:2] == ["5", "18"]
    page.locator("#on").click()
    assert page.locator("#status").inner_text().startswith(f"Subsets {len(sizes) + 1}–")


def test_samples_that_stay_ambiguous(opened, many_samples_result):
    page = opened(many_samples_result).page
    page.locator("#samples summary").first.click()
    rows = page.locator(".ambiguous li")
    assert rows.count() == len(many_samples_result.ambiguous) == 20
    worst = many_samples_result.ambiguous[0]
    rows.first.locator("summary").click()
    text = rows.first.inner_text()
    assert f"sample {worst.sample}" in text
    assert f"sample {worst.other}" in text
    assert f"{worst.sample_values[0]:.6g}" in text


def test_a_table_of_856_features(opened, paper_data_folder):
    table = read_table(paper_data_folder / "cnae_9.csv.gz", target="class")
    selector = ReductSelector("quickreduct", n_features_to_select=6, random_state=0)
    result = selector.fit(table).record(name="cnae_9")
    watched = opened(result)
    assert (
        watched.page.locator("h1")
        .inner_text()
        .startswith("6 of 686 features (170 more are left out) separate")
    )
    assert not watched.has_sideways_scroll()
    assert not opened(result, width=390).has_sideways_scroll()


def test_scores_of_models_are_dots_with_error_bars(opened, wine_result):
    result = replace(wine_result, check=a_check(soft=tuple(HOSTILE)))
    page = opened(result).page
    assert "separate these samples" in page.locator("h1").inner_text()
    assert ": a loss of 0.080." in page.locator(".doubts p").first.inner_text()
    rows = page.locator("#models li")
    names = page.locator("#models .what").all_inner_texts()
    assert [one.split("\n")[0].strip() for one in names] == [
        "All columns", "Selected", "Soft selection"
    ]  # fmt: skip
    assert page.locator("#models .error").count() == 2  # all columns differ by nothing

    def middle(one):
        box = one.bounding_box()
        return box["x"] + box["width"] / 2

    dots = [middle(rows.nth(at).locator(".range b")) for at in range(3)]
    assert dots[1] < dots[2] < dots[0]  # 0.87, 0.94 and 0.95
    for at in (1, 2):
        assert abs(middle(rows.nth(at).locator(".error")) - dots[at]) < 1.5
    widths = [rows.nth(at).locator(".error").bounding_box()["width"] for at in (1, 2)]
    assert widths[1] == pytest.approx(2 * widths[0], rel=0.1)  # 0.01 and 0.02
    assert middle(rows.nth(1).locator(".reference")) == pytest.approx(dots[0], abs=1.5)


def test_scores_of_models_on_a_phone_and_in_the_dark(opened, wine_result):
    result = replace(wine_result, check=a_check(soft=tuple(HOSTILE)))
    page = opened(result, width=360)
    assert not page.has_sideways_scroll()
    page.page.evaluate("document.querySelector('#models details').open = true")
    table = page.page.locator("#models .scroll")
    assert table.evaluate("one => one.scrollWidth - one.clientWidth") == 0
    assert not opened(result, width=1280).has_sideways_scroll()
    color = "one => getComputedStyle(one).stroke"
    light = opened(result).page.locator("#models .error").first.evaluate(color)
    dark = opened(result, colors="dark").page.locator("#models .error").first.evaluate(color)
    assert light != dark


def test_a_proof_has_no_color_of_success(opened, wine_result):
    page = opened(changed(wine_result, certificate=Certificate(True, 5, 5, 343, True))).page
    background = "one => getComputedStyle(one).backgroundColor"
    notes = opened(replace(wine_result, notes=("odd",))).page.locator(".notes").evaluate(background)
    assert page.locator(".proof.proven").evaluate(background) == notes


BROKEN = """() => {
    const broken = [];
    const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const text = walker.currentNode.textContent.trim();
        if (text.length < 3 || !walker.currentNode.parentElement.checkVisibility()) continue;
        const range = document.createRange();
        range.selectNodeContents(walker.currentNode);
        const lines = new Set([...range.getClientRects()].map((one) => Math.round(one.top)));
        if (lines.size > 2 && text.length / lines.size < 4) broken.push(text);
    }
    return broken;
}"""


@pytest.mark.parametrize("width", [320, 390])
def test_no_value_breaks_into_single_characters(opened, hostile_result, many_samples_result, width):
    for result in (hostile_result, many_samples_result, replace(hostile_result, check=a_check())):
        watched = opened(result, width=width)
        open_all(watched.page)
        assert watched.page.evaluate(BROKEN) == []
        assert not watched.has_sideways_scroll()


OVERLAPS = """() => [...document.querySelectorAll(".plot")].flatMap((plot) => {
  const boxes = [...plot.querySelectorAll(".tick span, .x-title, .y-title, .full span, .dot")]
    .map((one) => [one, one.getBoundingClientRect()]).filter(([, box]) => box.width > 0);
  return boxes.flatMap(([one, a], at) => boxes.slice(at + 1).filter(([other, b]) =>
    !(one.matches(".dot") && other.matches(".dot")) &&
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > 0 &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > -1
  ).map(([other]) => `${one.className} ${one.textContent}, ${other.className}`));
})"""


@pytest.mark.parametrize("width", [1280, 390])
def test_labels_of_axes_do_not_overlap(opened, wine_result, width):
    for result in (wine_result, soft_result()):
        watched = opened(result, width=width)
        open_all(watched.page)
        assert watched.page.evaluate(OVERLAPS) == []


def test_the_page_is_short_until_it_is_opened(opened, wine_result):
    page = opened(replace(wine_result, check=a_check()), width=1280).page
    height = "document.documentElement.scrollHeight"
    folded = page.evaluate(height)
    open_all(page)
    assert folded < 5_400 < page.evaluate(height)


def test_classes_differ_by_color_and_shape_in_both_themes(opened, wine_result):
    fill = "all => all.map(one => getComputedStyle(one).fill)"
    for colors in ("light", "dark"):
        page = opened(wine_result, colors=colors).page
        shapes = page.eval_on_selector_all(
            ".scatter .legend path", "all => all.map(one => one.getAttribute('d'))"
        )
        seen = page.eval_on_selector_all(".scatter .legend svg", fill)
        assert len(set(shapes)) == len(set(seen)) == 3
