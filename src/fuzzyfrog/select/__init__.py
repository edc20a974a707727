"""The scikit-learn estimators, where the measure and the searches meet.

The path of a selection, from the estimators to the result, and the modules that each step uses::

    SoftSelector, ReductSelector, FeatureSelector               estimators.py
      |   their fit, and what can be done with its result
      |   they read any table                                   table_selector.py
      |   what is asked for, checked once                       settings.py
      |   all in which one measure differs from another         kind.py
      |     the measure of the paper, the soft one, any other   strict.py  soft.py  kind.py
      |   samples that share an ID                              row_groups.py
      |
    select                 a table and settings in, a result out  selection.py
      |-- before the search
      |     constants, IDs, dates and copies are left out       left_out.py
      |       what says the same, what looks like an ID         copies.py  identifiers.py
      |     columns that predict too well are named             leaks.py
      |-- what the search sees
      |     several columns as one, and what columns cost       groups.py
      |     scores after a loss, or without a few samples       losses.py
      |-- after the search
            how many features (soft.py), less redundant ones    redundant.py
            reducts, front and core; what was proved            outcome.py
      |
    with_columns           a role for every column, their tree  roles.py
    chance_doubts          a quick test of a fit                held_out.py
    explained              the reason for each feature          explain.py

    check                  selects again in each fold           cross_validation.py  choosers.py
      |   models and folds, and doubts about them              models.py  row_groups.py
      |   whether predictions beat chance                       held_out.py
    compared               several selectors, the same folds    choosers.py
    stability              selects again on halves              halves.py
    verify                 new rows, what repairs it or changed verify.py
    swap                   another column in place of one       swap.py

The package imports them on first use: scikit-learn is slow to import, and not all modules need it.
"""
