# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""The loops of the depth-first search for covers.

A node of the tree is a level of the `Stack`: the features chosen on the way, the features that
still may be chosen, and the rows that are still open with what each lacks.  With r features to
choose, every completion has a feature of the row's *clause*: the one with the largest weight w in
that row, whose window (w and the r - 1 weights that follow it) reaches what the row lacks.  A node
branches on the smallest clause it finds, and a branch excludes the branches before it, so that
every cover is found once.  Pruning errs on the side of looking: only the last test decides, and it
uses the weights themselves.
"""

import numpy as np

from fuzzyfrog.common.jit import kernel

# Rounding must not prune. A window is a sum of weights, none above what its row needs; each feature
# is added to it and taken from it at most once: two roundings for each feature, doubled, of a value
# of at most the window's features times the need.
ROUNDING = 4.0 * 2.0**-53
MORE, COVER, END = 0, 1, 2  # why a slice within a budget ends
N_HOT = 64  # open rows that a node with two features to choose looks at first


@kernel
def _count(word):
    """Return the number of bits that are set."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    pairs = np.uint64(0x3333333333333333)
    word = (word & pairs) + ((word >> np.uint64(2)) & pairs)
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@kernel
def _has(allowed, level, feature):
    """Return whether a feature is allowed on a level."""
    bit = np.uint64(1) << np.uint64(feature & 63)
    return allowed[level, feature >> 6] & bit != np.uint64(0)


@kernel
def _remove(allowed, level, feature):
    """Remove a feature from those allowed on a level."""
    allowed[level, feature >> 6] &= ~(np.uint64(1) << np.uint64(feature & 63))


@kernel
def narrow(table, stack, level, size):
    """List rows that are open on a level, out of those listed on the level above.

    The lists get shorter from level to level: the deeper a node, the less it is worth to look at
    many rows. Only the list of level 0 has all rows.
    """
    most = min(N_HOT << (2 * min(size - level - 2, 8)), stack.rows.shape[1])
    chosen, n_above, n_open = stack.chosen[level], stack.n_open[level - 1], 0
    rows, lacks, columns = stack.rows, stack.lacks, table.columns
    for i in range(n_above):
        row = rows[level - 1, i]
        lack = lacks[level - 1, i] - columns[chosen, row]
        if lack > 0.0:
            rows[level, n_open] = row
            lacks[level, n_open] = lack
            n_open += 1
            if n_open == most:
                break
    stack.n_open[level] = n_open


@kernel
def _lack(table, stack, row, level):
    """Return what a row lacks on a level."""
    lack = table.needed[row]
    for above in range(1, level + 1):
        lack -= table.weights[row, stack.chosen[above]]
    return lack


@kernel
def _list_more(table, stack, level, size):
    """List open rows out of all rows, where the level above had none left; return how many."""
    most = min(N_HOT << (2 * min(size - level - 2, 8)), stack.rows.shape[1])
    n_open = 0
    for i in range(stack.n_open[0]):
        row = stack.rows[0, i]
        lack = _lack(table, stack, row, level)
        if lack > 0.0:
            stack.rows[level, n_open] = row
            stack.lacks[level, n_open] = lack
            n_open += 1
            if n_open == most:
                break
    stack.n_open[level] = n_open
    return n_open


@kernel
def _clause(table, row, lack, n_left, allowed, level, most, clause):
    """Fill in a row's clause; return its length, `most` if it is not shorter."""
    order, weights, n_features = table.order, table.weights, table.order.shape[1]
    lack -= ROUNDING * n_features * n_left * table.needed[row]
    n_listed, place, window = 0, 0, 0.0
    for start in range(most):
        # The window of this start: n_left allowed features in the order of their weights.
        while n_listed < start + n_left and place < n_features:
            feature = order[row, place]
            place += 1
            weight = weights[row, feature]
            if weight <= 0.0:
                place = n_features
            elif _has(allowed, level, feature):
                clause[n_listed] = feature
                n_listed += 1
                window += weight
        if window < lack or start >= n_listed:
            return start
        window -= weights[row, clause[start]]
    return most


@kernel
def _branch(table, stack, level, size, clause):
    """Find the row with the shortest clause, and branch on it; -1 when no row is open."""
    n_left = size - level
    allowed, bits, scale = stack.allowed, table.bits, table.scale
    rows, lacks, branches = stack.rows, stack.lacks, stack.branches
    n_open = stack.n_open[level]
    if n_open == 0 and (level == 0 or _list_more(table, stack, level, size) == 0):
        return -1
    n_open = stack.n_open[level]
    best, winner = table.columns.shape[0] + 1, rows[level, 0]
    slack = ROUNDING * table.columns.shape[0] * n_left
    for i in range(n_open):
        row, lack = rows[level, i], lacks[level, i]
        least = max(0.0, lack - slack * table.needed[row]) / n_left
        grade = min(int(least * scale[row]), bits.shape[1] - 1)
        n_able = 0
        for word in range(allowed.shape[1]):
            n_able += _count(bits[row, grade, word] & allowed[level, word])
        if n_able < best:
            length = _clause(table, row, lack, n_left, allowed, level, best, clause)
            if length < best:
                best, winner = length, row
                for j in range(best):
                    branches[level, j] = clause[j]
                if best == 0:
                    break
    stack.kills[winner] += 1
    return best


@kernel
def _all_allowed(stack, level):
    """Branch on every feature that is allowed."""
    n_branches = 0
    for feature in range(stack.branches.shape[1]):
        if _has(stack.allowed, level, feature):
            stack.branches[level, n_branches] = feature
            n_branches += 1
    return n_branches


@kernel
def _pass_hopeless(table, stack, level, left):
    """Skip branches after which the listed rows leave no last feature; return their number."""
    rows, lacks, allowed, branches = stack.rows, stack.lacks, stack.allowed, stack.branches
    weights, bits, scale, kills = table.weights, table.bits, table.scale, stack.kills
    n_open, n_branches, n_words = stack.n_open[level], stack.n_branches[level], left.size
    first = stack.n_taken[level]
    for taken in range(first, n_branches):
        feature = branches[level, taken]
        is_hopeless = False
        _remove(allowed, level, feature)
        for word in range(n_words):
            left[word] = allowed[level, word]
        for i in range(n_open):
            row = rows[level, i]
            lack = lacks[level, i] - weights[row, feature]
            if lack > 0.0:
                grade = min(int(lack * scale[row]), bits.shape[1] - 1)
                some = np.uint64(0)
                for word in range(n_words):
                    left[word] &= bits[row, grade, word]
                    some |= left[word]
                if some == np.uint64(0):
                    is_hopeless = True
                    kills[row] += 1
                    # A row that ended this branch may end the next.
                    rows[level, i], rows[level, i >> 1] = rows[level, i >> 1], row
                    lacks[level, i], lacks[level, i >> 1] = lacks[level, i >> 1], lacks[level, i]
                    break
        if not is_hopeless:
            stack.n_taken[level] = taken
            return taken - first
    stack.n_taken[level] = n_branches
    return n_branches - first


@kernel
def _promote(table, stack, listed, place, level):
    """List a row, found late in the list of one level, on the levels below on which it is open."""
    rows, lacks, n_open = stack.rows, stack.lacks, stack.n_open
    row, lack = rows[listed, place], lacks[listed, place]
    stack.kills[row] += 1
    rows[listed, place], lacks[listed, place] = rows[listed, place >> 1], lacks[listed, place >> 1]
    rows[listed, place >> 1], lacks[listed, place >> 1] = row, lack
    for below in range(listed + 1, level):
        lack -= table.weights[row, stack.chosen[below]]
        if lack <= 0.0 or n_open[below] == rows.shape[1]:
            return
        rows[below, n_open[below]] = row
        lacks[below, n_open[below]] = lack
        n_open[below] += 1


@kernel
def _filter_by_list(table, stack, listed, level, left):
    """Keep last features that pass the rows listed on a level above; whether any is left."""
    bits, scale, weights, chosen = table.bits, table.scale, table.weights, stack.chosen
    rows, lacks = stack.rows, stack.lacks
    for i in range(stack.n_open[listed]):
        row, lack = rows[listed, i], lacks[listed, i]
        for below in range(listed + 1, level + 1):
            lack -= weights[row, chosen[below]]
        if lack > 0.0:
            grade = min(int(lack * scale[row]), bits.shape[1] - 1)
            some = np.uint64(0)
            for word in range(left.size):
                left[word] &= bits[row, grade, word]
                some |= left[word]
            if some == np.uint64(0):
                _promote(table, stack, listed, i, level)
                return False
    return True


@kernel
def _filter_by_all(table, stack, level, left):
    """Keep the last features that pass all rows, as far as bits can show; whether any is left."""
    for word in range(left.size):
        left[word] = stack.allowed[level, word]
    for listed in range(max(level - 2, 0), -1, -1):  # from the shortest list to that of all rows
        if not _filter_by_list(table, stack, listed, level, left):
            return False
    return True


@kernel
def _is_cover(table, stack, level, last):
    """Return whether the chosen features and a last one cover all rows."""
    for i in range(stack.n_open[0]):
        row = stack.rows[0, i]
        if _lack(table, stack, row, level) > table.weights[row, last]:
            return False
    return True


@kernel
def _note(stack, level, covers, sizes, place):
    """Put the features chosen so far among the covers."""
    for above in range(level):  # one by one: copying a slice drags text into the code, 2 s more
        covers[place, above] = stack.chosen[above + 1]
    sizes[place] = level


@kernel
def _complete(table, stack, level, left, covers, sizes, n_covers):
    """Append each last feature that makes a cover; stop when there is no room."""
    if not _filter_by_all(table, stack, level, left):
        return n_covers
    for feature in range(table.columns.shape[0]):
        if (left[feature >> 6] >> np.uint64(feature & 63)) & np.uint64(1) == np.uint64(0):
            continue
        if _is_cover(table, stack, level, feature):
            if n_covers == sizes.size:
                return n_covers
            _note(stack, level, covers, sizes, n_covers)
            covers[n_covers, level] = feature
            sizes[n_covers] = level + 1
            n_covers += 1
        _remove(stack.allowed, level, feature)
    return n_covers


@kernel
def _descend(table, stack, level, size):
    """Take the next branch of a level."""
    feature = stack.branches[level, stack.n_taken[level]]
    stack.n_taken[level] += 1
    _remove(stack.allowed, level, feature)
    below = level + 1
    stack.chosen[below] = feature
    for word in range(stack.allowed.shape[1]):
        stack.allowed[below, word] = stack.allowed[level, word]
    stack.n_branches[below] = -1
    stack.is_told[below] = stack.is_told[level]
    if size - below >= 2:
        narrow(table, stack, below, size)


@kernel
def advance(table, stack, n_nodes, covers, sizes, clause, left):
    """Continue a search for some nodes.

    Parameters
    ----------
    table : Table
        The rows.
    stack : Stack
        The state of the search; changed in place.
    n_nodes : int
        Approximate number of nodes to visit.
    covers : int64[n_covers, size]
        Room for the features of covers; the search stops when it is full.
    sizes : int64[n_covers]
        Room for their sizes. A smaller cover than asked for ends the slice, so that the caller can
        add rows that it breaks; otherwise all that extend it follow.
    clause, left : int32[n_features], uint64[n_words]
        Work space.

    Returns
    -------
    int, int
        Number of covers and of nodes visited.
    """
    size = covers.shape[1]
    level, n_covers, n_visited = stack.level[0], 0, 0
    while level >= 0 and n_visited < n_nodes and n_covers < sizes.size:
        if size - level == 1:
            n_visited += 1
            n_covers = _complete(table, stack, level, left, covers, sizes, n_covers)
            if n_covers < sizes.size:
                level -= 1
            continue
        if stack.n_branches[level] < 0:
            n_visited += 1
            n_branches = _branch(table, stack, level, size, clause)
            if n_branches < 0 and not stack.is_told[level]:
                stack.is_told[level] = True
                _note(stack, level, covers, sizes, n_covers)
                n_covers += 1
                break
            stack.is_told[level] = n_branches < 0
            if n_branches < 0:
                n_branches = _all_allowed(stack, level)
            stack.n_branches[level] = n_branches
            stack.n_taken[level] = 0
        if size - level == 2:
            n_visited += _pass_hopeless(table, stack, level, left)
        if stack.n_taken[level] < stack.n_branches[level]:
            _descend(table, stack, level, size)
            level += 1
        else:
            level -= 1
    stack.level[0] = level
    return n_covers, n_visited


# The search for covers within a budget. With a budget of B for the features still to choose, a row
# that lacks some weight has a clause: the first features in the order of weight per cost without
# which the others, even if parts of features could be bought, cannot supply what it lacks. Every
# cover within the budget has one of them, and branches are as above.


@kernel
def _clause_within(table, stack, row, lack, budget, most, clause):
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
def _branch_within(table, stack, n_rows, level, budget, clause):
    """List the branches of a node by its shortest clause; return -1 if all rows are covered."""
    best, n_open = table.order.shape[1] + 1, 0
    for i in range(n_rows):
        row = stack.rows[i]
        lack = stack.lacks[level, row]
        if lack <= 0.0:
            continue
        n_open += 1
        length = _clause_within(table, stack, row, lack, budget, best, clause)
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
def advance_within(table, stack, n_rows, budget, n_nodes, clause):
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
            stack.n_branches[level] = _branch_within(table, stack, n_rows, level, left, clause)
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
