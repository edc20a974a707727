# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""The loops of the depth-first search for covers within a budget.

With a budget of B for the features still to choose, a row that lacks some weight has a *clause*:
the first features in the order of weight per cost without which the others, even if parts of
features could be bought, cannot supply what it lacks.  Every cover within the budget has one of
them.  A node branches on the shortest clause, and a branch excludes the branches before it, so that
every cover is found once.  Pruning errs on the side of looking, as in `_kernel_cover`.
"""

from fuzzyfrog.common.jit import kernel

ROUNDING = 4.0 * 2.0**-53
MORE, COVER, END = 0, 1, 2  # why a slice ends


@kernel
def _clause(table, stack, row, lack, budget, most, clause):
    """Fill in a row's clause; return its length, `most` if it is not shorter."""
    order, weights, costs = table.order, table.weights, table.costs
    n_features = order.shape[1]
    lack -= ROUNDING * n_features * n_features * table.needed[row]
    n_listed, n_bought, place, spent, supply = 0, 0, 0, 0, 0.0
    start = 0
    while start < most:
        # Buy whole features in their order as long as the budget lasts.
        is_full = False
        while not is_full:
            if n_bought == n_listed:
                while place < n_features:
                    feature = order[row, place]
                    place += 1
                    if weights[row, feature] <= 0.0:
                        place = n_features
                    elif stack.is_open[feature] and costs[feature] <= budget:
                        clause[n_listed] = feature
                        n_listed += 1
                        break
            if n_bought == n_listed:
                is_full = True
            elif spent + costs[clause[n_bought]] <= budget:
                spent += costs[clause[n_bought]]
                supply += weights[row, clause[n_bought]]
                n_bought += 1
            else:
                is_full = True
        part = 0.0
        if n_bought < n_listed:
            following = clause[n_bought]
            part = weights[row, following] * ((budget - spent) / costs[following])
        if supply + part < lack or start >= n_listed:
            return start
        spent -= costs[clause[start]]  # it was bought: alone it is within the budget
        supply -= weights[row, clause[start]]
        start += 1
    return most


@kernel
def _branch(table, stack, n_rows, level, budget, clause):
    """List the branches of a node by its shortest clause; return -1 if all rows are covered."""
    best, n_open = table.order.shape[1] + 1, 0
    for i in range(n_rows):
        row = stack.rows[i]
        lack = stack.lacks[level, row]
        if lack <= 0.0:
            continue
        n_open += 1
        length = _clause(table, stack, row, lack, budget, best, clause)
        if length < best:
            best = length
            for j in range(best):
                stack.branches[level, j] = clause[j]
            # A row that ended this node may end the next.
            stack.rows[i], stack.rows[i >> 1] = stack.rows[i >> 1], row
            if best == 0:
                break
    return best if n_open else -1


@kernel
def advance(table, stack, n_rows, budget, n_nodes, clause):
    """Continue for some nodes, until a cover is found, or to the end.

    Parameters
    ----------
    table : CostTable
        The rows.
    stack : CostStack
        The state of the search; changed in place.
    n_rows : int
        Number of rows in use.
    budget : int
        What the features to choose may cost.
    n_nodes : int
        Number of nodes to visit.
    clause : int32[n_features]
        Work space.

    Returns
    -------
    int
        `MORE`, `COVER` (the features chosen down to the current level) or `END`.
    """
    level = stack.level[0]
    while level >= 0:
        left = budget - stack.spent[level]
        if stack.n_branches[level] < 0 and left >= 0:
            if n_nodes == 0:
                stack.level[0] = level
                return MORE
            n_nodes -= 1
            stack.n_taken[level] = 0
            stack.n_branches[level] = _branch(table, stack, n_rows, level, left, clause)
            if stack.n_branches[level] < 0:
                stack.n_branches[level] = 0  # nothing that extends a cover is as cheap
                stack.level[0] = level
                return COVER
        if left >= 0 and stack.n_taken[level] < stack.n_branches[level]:
            feature = stack.branches[level, stack.n_taken[level]]
            stack.n_taken[level] += 1
            stack.is_open[feature] = False
            stack.chosen[level + 1] = feature
            stack.spent[level + 1] = stack.spent[level] + table.costs[feature]
            stack.n_branches[level + 1] = -1
            stack.n_taken[level + 1] = 0
            for row in range(n_rows):
                lack = stack.lacks[level, row] - table.weights[row, feature]
                stack.lacks[level + 1, row] = lack
            level += 1
        else:
            for taken in range(stack.n_taken[level]):
                stack.is_open[stack.branches[level, taken]] = True
            level -= 1
    stack.level[0] = level
    return END
