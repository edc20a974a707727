"""The verdict on the claims of the paper, in words chosen by the figures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt

from fuzzyfrog_lab.config import Experiment
from fuzzyfrog_lab.pages.markdown import GAP, Rows, joined, table
from fuzzyfrog_lab.pages.summary_page import leak_of, shown_leak
from fuzzyfrog_lab.published import PublishedFigures
from fuzzyfrog_lab.results import Lineup, Results
from paper.pages.claims import Claim, Finding, claims_of
from paper.pages.no_selection import no_selection_lines
from paper.pages.standing import (
    N_CLASSIFIERS,
    Case,
    Standing,
    accuracy_rows,
    impossible_cells,
    paper_standings,
    rank_rows,
    standing_of_lineup,
    standing_of_paper,
)

__all__ = ["Verdict"]

OWN = ("weka", "paper")  # panel and protocol of the paper
MIN_DATASETS = 10  # with fewer, ranks of five methods say nothing
WHY = "docs/paper/verdict.md of the repository says why it comes out like this."
ACCURACIES = (
    "Mean accuracy in percent and mean number of features, ours and the paper's on the same data "
    "sets; on how many data sets ours is higher (fewer features) and lower; Wilcoxon's signed-rank "
    f"test of the accuracies, ours against the paper's. With the panel `{OWN[0]}` only: accuracies "
    "of other classifiers do not compare."
)
RANKS = (
    "Mean rank and place of {subject}; who is first; Friedman without and with correction for "
    "ties; who is significantly behind (+) and before (-) {subject}, at 0.05, by each procedure. "
    "After a Friedman test that does not reject (p above 0.05), they are a hint "
    "at most. Every single test, with effect sizes, is on the page of its panel and protocol."
)
LEAK = (
    "Points of mean accuracy that a selector gains when it may select on the test samples "
    "(protocol `paper` minus `nested`, same classifiers, and the same seeds: {seeds}): the mean "
    "over the data sets ± its standard error; in brackets on how many data sets it gains, and "
    "Wilcoxon's p. With so few seeds and data sets a mean that is not two standard errors away "
    "from 0 may well be chance, and so may the smallest of {n_selectors} p-values that are not "
    "adjusted for their number."
)


@dataclass(frozen=True, eq=False)
class Verdict:
    """The page that tests every claim of the paper with our figures."""

    experiment: Experiment
    paper: PublishedFigures
    lineups: Mapping[tuple[str, str], Sequence[Lineup]]
    results: Mapping[tuple[str, str], Results]

    def page(self) -> str:
        """Return the Markdown page."""
        title = f"# {self.experiment.title}: verdict"
        few = _too_few_lines({case: self._members[case] for case in self._standings})
        enough = {
            case: one for case, one in self._standings.items() if len(one.datasets) >= MIN_DATASETS
        }
        cases = {case: one for case, one in enough.items() if one.subject == self.paper.first}
        stand_ins = {case: one for case, one in enough.items() if case not in cases}
        if not cases:
            nothing = f"Too few data sets are done to judge: no case has {MIN_DATASETS}."
            return "\n".join([title, "", nothing, "", *few])
        return "\n".join(
            [
                title,
                "",
                *self._scope(cases, stand_ins),
                *self._summary(cases),
                *self._no_selection(),
                *few,
                *self._claims(cases),
                *self._accuracies(cases),
                *self._tests(cases),
                *self._stand_ins(stand_ins),
                *self._leaks(),
                *_left_out_lines({case: self._members[case] for case in enough}),
            ]
        )

    @cached_property
    def _members(self) -> dict[Case, Lineup]:
        """All lineups, those of the paper's own setting first."""
        every = {
            Case(lineup.name, *place): lineup
            for place, lineups in self.lineups.items()
            for lineup in lineups
        }
        order = sorted(every, key=lambda case: (case.panel, case.protocol) != OWN)
        return {case: every[case] for case in order}

    @cached_property
    def _standings(self) -> dict[Case, Standing]:
        """The figures of the lineups that have the methods of the paper."""
        found = {
            case: standing_of_lineup(lineup, self.paper) for case, lineup in self._members.items()
        }
        return {case: one for case, one in found.items() if one is not None}

    def _scope(
        self, cases: Mapping[Case, Standing], stand_ins: Mapping[Case, Standing]
    ) -> list[str]:
        subject = self.paper.first
        done = {data for one in cases.values() for data in one.datasets}
        missing = [one.name for one in self.experiment.data if one.name not in done]
        rest = f" Nothing is said about {joined(missing)}: they are not done." if missing else ""
        names = list(dict.fromkeys(one.subject for one in stand_ins.values()))
        apart = (
            f" Line-ups in which our own {joined(f'`{name}`' for name in names)} take the place "
            f"of {subject} are judged separately, further down."
        ) * bool(names)
        return [
            f"The claims of the paper about {subject}, tested on {len(done)} of its "
            f"{len(self.experiment.data)} data sets.{rest} Every figure is computed from the "
            f"cells. {WHY}",
            "",
            f"A case is a line-up with a panel of classifiers under a protocol. Judged are those "
            f"with the paper's algorithm and at least {MIN_DATASETS} data sets: "
            f"{'; '.join(f'{case} ({len(one.datasets)})' for case, one in cases.items())}.{apart} "
            f"The paper's own setting is panel `{OWN[0]}` under protocol `{OWN[1]}`. Only with "
            f"this panel are mean accuracies held against the paper's; sizes and times, which no "
            "panel changes, are counted there once. Where classifiers failed, and means are over "
            "fewer, is told at the end.",
            "",
        ]

    def _summary(self, cases: Mapping[Case, Standing]) -> list[str]:
        groups: dict[str, list[str]] = {"What holds": [], "What holds in part": [],
                                        "What does not hold": []}  # fmt: skip
        for claim in claims_of(self.paper):
            findings = {case: _finding(claim, case.panel, one) for case, one in cases.items()}
            told = {case: one for case, one in findings.items() if one is not None}
            agreeing = [case for case, one in told.items() if one.holds]
            title = _group(len(agreeing), len(told))
            if title:
                groups[title].append(f"- {claim.sentence} {_where(agreeing, told)}")
        lines: list[str] = []
        for title, sentences in groups.items():
            lines += [f"## {title}", "", *(sentences or ["- Nothing."]), ""]
        return lines

    def _no_selection(self) -> list[str]:
        lineups = {
            protocol: some for (panel, protocol), some in self.lineups.items() if panel == OWN[0]
        }
        return no_selection_lines(self.experiment, lineups, OWN[0], MIN_DATASETS)

    def _claims(self, cases: Mapping[Case, Standing]) -> list[str]:
        """Return the table of all claims, for our figures and for the paper's own."""
        claims = claims_of(self.paper)
        theirs = [(label, OWN[0], standing)
                  for label, standing in paper_standings(self.paper, cases.values())]  # fmt: skip
        ours = [(str(case), case.panel, standing) for case, standing in cases.items()]
        key = [f"- *{claim.name}*: {claim.sentence}" for claim in claims]
        rows = _claim_rows([*theirs, *ours], claims)
        return ["## Claim by claim", "", *key, "", *table(rows), "", *self._impossible()]

    def _impossible(self) -> list[str]:
        """Return a paragraph about impossible cells of the paper, which some rows leave out."""
        cells = impossible_cells(self.paper)
        if not cells:
            return []
        told = [
            f"{cell.method} on {cell.data} (best {cell.best:.2f}, at most {cell.limit:.2f})"
            for cell in cells
        ]
        return [
            f"Why the paper is also judged without {joined(dict.fromkeys(c.data for c in cells))}: "
            f"the best of {N_CLASSIFIERS} classifiers cannot be more than "
            f"{N_CLASSIFIERS - 1}/{sqrt(N_CLASSIFIERS):g} standard deviations (n - 1) above their "
            f"mean, and in {len(cells)} cells of its table it is: {joined(told)}. {self._twins()}"
            "Why it is also judged with complete rows only: in its tests a gap counts as an "
            "accuracy of 0.",
            "",
        ]

    def _twins(self) -> str:
        """Return a sentence about data sets with the means of the impossible cells."""
        means = self.paper.tables["accuracy_mean"]
        cells = impossible_cells(self.paper)
        twins = [
            data
            for data, row in means.items()
            if all(data != c.data and row[c.method] == means[c.data][c.method] for c in cells)
        ]
        return f"Their means are also those of {joined(twins)}. " if twins else ""

    def _accuracies(self, cases: Mapping[Case, Standing]) -> list[str]:
        subject, n_all = self.paper.first, len(self.experiment.data)
        same = next(iter(cases.values())).datasets
        mean = standing_of_paper(self.paper, same).mean("accuracies", subject)
        printed = self.paper.overall("mean_accuracy", subject)
        rows = [(str(case), case.panel, one) for case, one in cases.items()]
        is_open = f" Whether ours reaches {printed} over all {n_all} is open." * (len(same) < n_all)
        return [
            f"## {subject} next to the paper's, data set by data set",
            "",
            f"The paper has {printed} over all its data sets, and {mean:.2f} over the {len(same)} "
            f"that are done here.{is_open}",
            "",
            ACCURACIES,
            "",
            *table(accuracy_rows(_with_own_panel(rows), self.paper)),
            "",
        ]

    def _tests(self, cases: Mapping[Case, Standing]) -> list[str]:
        theirs = paper_standings(self.paper, cases.values())
        ours = [(str(case), one) for case, one in cases.items()]
        return [
            f"## Is {self.paper.first} first, and is that more than chance?",
            "",
            RANKS.format(subject=self.paper.first),
            "",
            *table(rank_rows([*theirs, *ours])),
            "",
        ]

    def _stand_ins(self, cases: Mapping[Case, Standing]) -> list[str]:
        """Return the same tables for our own algorithms in the place of the paper's."""
        if not cases:
            return []
        labels = {case: f"{one.subject}: {case}" for case, one in cases.items()}
        rows = [(labels[case], case.panel, one) for case, one in cases.items()]
        names = joined(f"`{name}`" for name in dict.fromkeys(s.subject for s in cases.values()))
        return [
            f"## Our own frogs in the place of {self.paper.first}",
            "",
            f"The same questions, asked about {names}: the default search of this library, which "
            f"is not the paper's algorithm. Nothing here speaks for or against {self.paper.first}.",
            "",
            *table(_claim_rows(rows, claims_of(self.paper))),
            "",
            ACCURACIES,
            "",
            *table(accuracy_rows(_with_own_panel(rows), self.paper)),
            "",
            RANKS.format(subject="the frogs"),
            "",
            *table(rank_rows([(labels[case], one) for case, one in cases.items()])),
            "",
        ]

    def _leaks(self) -> list[str]:
        """Return the section about the gain from selecting on the test samples."""
        seeds = {one.name: one.seeds for one in self.experiment.protocols}
        if len(seeds) < 2:
            return []
        panels = list(dict.fromkeys(panel for panel, _ in self.results))
        rows: Rows = [["selector", *panels]]
        for one in self.experiment.selectors:
            rows.append([one.name, *(self._leak(one.name, panel) for panel in panels)])
        shared = joined(str(seed) for seed in seeds["paper"] if seed in seeds["nested"])
        text = LEAK.format(seeds=shared or "there are none", n_selectors=len(rows) - 1)
        return ["## What the leak is worth", "", text, "", *table(rows), ""]

    def _leak(self, name: str, panel: str) -> str:
        both = [self.results.get((panel, protocol), {}) for protocol in ("paper", "nested")]
        lineup = self.lineups[panel, self.experiment.protocols[0].name][0]
        return shown_leak(leak_of(name, both[0], both[1], lineup.classifiers))


def _with_own_panel(rows: Sequence[tuple[str, str, Standing]]) -> list[tuple[str, Standing]]:
    return [(label, standing) for label, panel, standing in rows if panel == OWN[0]]


def _finding(claim: Claim, panel: str, standing: Standing) -> Finding | None:
    """Return the finding of a claim; None if the figures cannot decide it."""
    return claim.judge(standing) if claim.any_panel or panel == OWN[0] else None


def _group(n_agreeing: int, n_told: int) -> str | None:
    if n_told == 0:
        return None
    if n_agreeing == n_told:
        return "What holds"
    return "What holds in part" if n_agreeing else "What does not hold"


def _where(agreeing: Sequence[Case], told: Mapping[Case, Finding]) -> str:
    """Return in how many cases a claim holds, and in which unless it is all or none."""
    own = {case: one for case, one in told.items() if (case.panel, case.protocol) == OWN}
    inside = "; ".join(
        f"{case.lineup}: {one.figure}, {'yes' if one.holds else 'no'}" for case, one in own.items()
    )
    text = f"{len(agreeing)} of {len(told)} cases."
    if 0 < len(agreeing) < len(told):
        text = f"{len(agreeing)} of {len(told)} cases ({_by(agreeing, told)})."
    return f"{text} In the paper's own setting: {inside}." if inside else text


def _by(agreeing: Sequence[Case], told: Mapping[Case, Finding]) -> str:
    """Count the cases by protocol and panel."""
    places = list(dict.fromkeys((case.panel, case.protocol) for case in told))
    counts = []
    for place in places:
        every = [case for case in told if (case.panel, case.protocol) == place]
        n_yes = sum(case in agreeing for case in every)
        counts.append(f"{place[0]} {place[1]} {n_yes} of {len(every)}")
    return ", ".join(counts)


def _claim_rows(standings: Sequence[tuple[str, str, Standing]], claims: Sequence[Claim]) -> Rows:
    """Return a row of findings for each label, panel and standing, with a header."""
    rows: Rows = [["figures of", "data sets", *(claim.name for claim in claims)]]
    for label, panel, standing in standings:
        found = [_finding(claim, panel, standing) for claim in claims]
        cells = [f"{'yes' if one.holds else 'no'}, {one.figure}" if one else GAP for one in found]
        rows.append([label, str(len(standing.datasets)), *cells])
    return rows


def _too_few_lines(cases: Mapping[Case, Lineup]) -> list[str]:
    """Return the section about cases with too few data sets."""
    told = {
        case: f"{len(lineup.done)} data sets"
        for case, lineup in cases.items()
        if len(lineup.done) < MIN_DATASETS
    }
    if not told:
        return []
    return [
        "## Too few to judge",
        "",
        f"A case with fewer than {MIN_DATASETS} data sets is not judged, whatever its figures say:",
        "",
        *_by_place(told),
        "",
    ]


def _left_out_lines(cases: Mapping[Case, Lineup]) -> list[str]:
    """Return the section about means over fewer classifiers than the panel has."""
    told = {case: text for case, lineup in cases.items() if (text := _left_out(lineup))}
    if not told:
        return []
    return [
        "## Classifiers left out",
        "",
        "A classifier that failed for one member of a line-up is left out for all its members on "
        "that data set, so that their means compare; they are not over the paper's classifiers "
        "then.",
        "",
        *_by_place(told),
        "",
    ]


def _left_out(lineup: Lineup) -> str:
    gone = {
        data: [name for name in lineup.classifiers if name not in lineup.common(data)]
        for data in lineup.done
    }
    return "; ".join(f"{data} without {joined(names)}" for data, names in gone.items() if names)


def _by_place(told: Mapping[Case, str]) -> list[str]:
    """Return an item for each panel, protocol and text, with the lineups that share it."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for case, text in told.items():
        groups.setdefault((case.panel, case.protocol, text), []).append(case.lineup)
    return [
        f"- {panel}, {protocol}: {text} ({'; '.join(lineups)})."
        for (panel, protocol, text), lineups in groups.items()
    ]
