"""The laboratory of fuzzyfrog: selectors x data sets x classifiers, compared in tables."""
