"""The scikit-learn estimators, where the measure and the searches meet.

The package imports them on first use: scikit-learn is slow to import, and not all modules need it.
"""
