"""The record of a run -> an HTML page, a short version of it, and figures; nothing is computed."""

from fuzzyfrog.report.figures import plot_front, plot_reducts, save_figures
from fuzzyfrog.report.render import render_report, summary_html, write_report

__all__ = [
    "plot_front",
    "plot_reducts",
    "render_report",
    "save_figures",
    "summary_html",
    "write_report",
]
