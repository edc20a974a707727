"""A result -> an HTML page, a short version of it, and plots; nothing is computed."""

from fuzzyfrog.report.figures import plot_columns as plot_columns
from fuzzyfrog.report.figures import plot_front as plot_front
from fuzzyfrog.report.figures import plot_reducts as plot_reducts
from fuzzyfrog.report.render import render_report as render_report
from fuzzyfrog.report.render import summary_html as summary_html
from fuzzyfrog.report.render import write_report as write_report
