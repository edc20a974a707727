"""The record of a run -> a page, a short version of it, and figures; nothing is computed here."""

from fuzzyfrog.report.figures import save_figures
from fuzzyfrog.report.render import render_report, summary_html, write_report

__all__ = ["render_report", "save_figures", "summary_html", "write_report"]
