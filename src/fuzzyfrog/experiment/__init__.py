"""Run selectors x data sets x classifiers, compare them, and write tables."""
