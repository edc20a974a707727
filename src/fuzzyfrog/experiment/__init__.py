"""Selectors x data sets x classifiers: runs, statistics and tables."""
