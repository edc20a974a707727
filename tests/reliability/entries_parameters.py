"""Parameters and calls that make no sense, in addition to tests/select/test_settings.py."""

import os
import pickle

import numpy as np
from sklearn.exceptions import NotFittedError

from fuzzyfrog import ReductSelector, enumerate_reducts, load_dataset, read_table
from fuzzyfrog.common.files import FileLock
from fuzzyfrog.errors import CheckpointError
from reliability.entries_values import Y, column, selected
from reliability.promises import Entry, Given, Refused, Warned

GOOD = column(0.0, 1.0, 0.0, 1.0)
CSV = "a,class\n1,x\n2,y\n"


def fitted():
    return ReductSelector("quickreduct", n_jobs=1).fit(GOOD, Y)


def reading(**options):
    def deed(folder):
        (folder / "x.csv").write_text(CSV)
        return read_table(folder / "x.csv", **{"target": "class", **options})

    return deed


def reducts(**options):
    return [reduct.features for reduct in enumerate_reducts(GOOD, Y, n_jobs=1, **options)]


def failing_callback(folder):
    """Raise in a callback; return whether the checkpoint can be used again at once."""
    path = folder / "scores"

    def fail(moment):
        raise ZeroDivisionError

    try:
        selected(GOOD, checkpoint=path, callbacks=[fail])
    except ZeroDivisionError:
        return selected(GOOD, checkpoint=path), sorted(os.listdir(folder))
    return None


def at_checkpoint(prepare):
    """Return a function that fits with a checkpoint at a prepared path."""

    def deed(folder):
        path = folder / "scores"
        prepare(path)
        return selected(GOOD, checkpoint=path)

    return deed


def held_by_another(folder):
    lock = FileLock(folder / "scores.lock")
    try:
        return selected(GOOD, checkpoint=folder / "scores")
    finally:
        lock.release()


def through_a_planted_link(folder):
    """Plant links where temporary files might be made; return the contents of their target."""
    (folder / "precious").write_text("mine")
    for ending in (".tmp", ".lock"):
        (folder / f"scores{ending}").symlink_to(folder / "precious")
    found = selected(GOOD, checkpoint=folder / "scores")
    return found, (folder / "precious").read_text()


ENTRIES = [
    Entry("a budget of NumPy", lambda _: selected(GOOD, max_evaluations=np.int8(9)),
          Given(([0], 1.0))),
    Entry("a million threads", lambda _: ReductSelector("quickreduct", n_jobs=10**6)
          .fit(GOOD, Y).dependency_, Given(1.0)),
    Entry("a budget of one evaluation", lambda _: selected(GOOD, max_evaluations=1),
          Given(([0], 1.0))),
    Entry("a budget that is not a number", lambda _: selected(GOOD, max_seconds=float("nan")),
          Refused("max_seconds must be a number above 0, got nan", ValueError)),
    Entry("a parameter that is misspelled", lambda _: ReductSelector().set_params(tnrom="x"),
          Refused("Invalid parameter 'tnrom' for estimator", ValueError)),
    Entry("transform before fit", lambda _: ReductSelector().transform(GOOD),
          Refused("is not fitted yet", NotFittedError)),
    Entry("transform of another table", lambda _: fitted().transform(np.eye(4)),
          Refused("X has 4 features, but ReductSelector is expecting 1", ValueError)),
    Entry("an explanation of nothing", lambda _: fitted().explain(None),
          Refused("feature must be the name or the index of a selected feature", ValueError)),
    Entry("a reduct that does not exist", lambda _: fitted().select_reduct(99),
          Refused("i must be a position in reducts_", ValueError)),
    Entry("reducts of size 0", lambda _: reducts(size=0),
          Refused("size must be an integer of at least 1, got 0", ValueError)),
    Entry("reducts with more features than the table", lambda _: reducts(size=9), Given([])),
    Entry("a data set that is a path", lambda _: load_dataset("../../etc/passwd"),
          Refused("name must be that of a known data set")),
    Entry("a data set that is not a name", lambda _: load_dataset(None),
          Refused("name must be that of a known data set, got None")),
    Entry("a target that is not a name", reading(target=1), Refused("got 1. Known: 'a', 'class'")),
    Entry("an encoding that is a number", reading(encoding=5),
          Refused("encoding must be", ValueError)),
    Entry("an encoding with a NUL", reading(encoding="a\0"),
          Refused("encoding must be", ValueError)),
    Entry("an encoding that never encodes", reading(encoding="undefined"),
          Refused("encoding must be", ValueError)),
    Entry("a separator that is a letter of a name", reading(separator="s"),
          Refused("every column must have a name")),
    Entry("a callback that fails", failing_callback, Given((([0], 1.0), ["scores"]))),
    Entry("a checkpoint without a name", lambda _: selected(GOOD, checkpoint=""),
          Refused("checkpoint must be", ValueError)),
    Entry("a checkpoint with a NUL", lambda _: selected(GOOD, checkpoint="a\0"),
          Refused("checkpoint must be", ValueError)),
    Entry("a checkpoint that is a folder", at_checkpoint(os.mkdir),
          Refused("must be a regular file", CheckpointError)),
    Entry("a checkpoint that is a pipe", at_checkpoint(os.mkfifo),
          Refused("must be a regular file", CheckpointError)),
    Entry("a checkpoint that is a device", at_checkpoint(lambda path: path.symlink_to("/dev/zero")),
          Refused("must be a regular file", CheckpointError)),
    Entry("a checkpoint that is a link to nothing",
          at_checkpoint(lambda path: path.symlink_to(path.with_name("real"))), Given(([0], 1.0))),
    Entry("a checkpoint that is a pickle",
          at_checkpoint(lambda path: path.write_bytes(pickle.dumps({"seed": 0}))),
          Refused("got a damaged or foreign file", CheckpointError)),
    Entry("a checkpoint that is empty", at_checkpoint(lambda path: path.touch()),
          Refused("got a damaged or foreign file", CheckpointError)),
    Entry("a checkpoint that is held by another", held_by_another,
          Refused(f"process {os.getpid()} holds it", CheckpointError)),
    Entry("links planted next to a checkpoint", through_a_planted_link,
          Warned("cannot be written", (([0], 1.0), "mine"))),
]  # fmt: skip
