"""The experiment of the paper (arXiv:1808.00068): config, published figures, results and pages."""
