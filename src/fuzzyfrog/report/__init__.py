"""A result -> an HTML page, a short version of it, and plots; nothing is computed."""

from fuzzyfrog.report.figures import plot_columns, plot_front, plot_reducts
from fuzzyfrog.report.render import render_report, summary_html, write_report

__all__ = [
    "plot_columns",
    "plot_front",
    "plot_reducts",
    "render_report",
    "summary_html",
    "write_report",
]
