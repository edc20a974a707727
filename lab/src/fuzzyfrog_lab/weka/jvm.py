"""The process that holds the Java virtual machine; the only file that knows JPype.

A JVM cannot be started twice in a process, and a classifier can exhaust or crash it. It therefore
runs in a separate process, which `process` starts and, if necessary, replaces:

    python -P jvm.py JAR MEGABYTES

The current folder belongs to this process, which deletes it when it ends, even if its parent was
killed.

One JSON object a line on stdin, one on stdout: first ``{"ready": version}``, then for each request
``{"correct": [...]}``, or ``{"error": reason}`` at any time. A request that uses more CPU time than
its ``max_seconds`` ends the process with the status `LATE`.
"""

import json
import os
import shutil
import sys
import time
from dataclasses import dataclass
from math import inf
from pathlib import Path
from threading import Thread
from typing import Any, TextIO

# RBFNetwork needs the exact exponential and logarithm: the fast ones of newer JVMs differ in the
# last bit, and with them one or two predictions. The Weka of the paper ran on Java 8.
EXACT_MATH = ["-XX:+UnlockDiagnosticVMOptions", "-XX:-UseLibmIntrinsic"]
WATCH_SECONDS = 0.2
LATE = 3  # exit status
FOLDER_PREFIX = "fuzzyfrog-weka-"
QUIET = [
    "-Djava.awt.headless=true",
    "-XX:+IgnoreUnrecognizedVMOptions",  # some processors have no such fast functions to leave out
    "-XX:-CreateCoredumpOnCrash",
    f"-XX:ErrorFile={os.devnull}",
]


@dataclass
class Weka:
    """Weka's classes and the table that was read last."""

    jpype: Any
    path: str = ""
    table: Any = None

    def version(self) -> str:
        """Return the versions of Weka and Java."""
        java = self._class("java.lang.System").getProperty("java.version")
        return f"Weka {self._class('weka.core.Version').VERSION}, Java {java}"

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the number of correct predictions of a classifier on each fold."""
        if request["table"] != self.path:
            self.table, self.path = self._read(request["table"]), request["table"]
        model = self._class("weka.classifiers.Classifier").forName(
            f"weka.classifiers.{request['classifier']}", request["options"]
        )
        return {"correct": [self._correct(model, **fold) for fold in request["folds"]]}

    def _read(self, path: str) -> Any:
        """Read a table as in the paper: through ARFF text written by Weka, with six decimals."""
        instances, reader = self._class("weka.core.Instances"), self._class("java.io.StringReader")
        raw = instances(self._class("java.io.FileReader")(path))
        table = instances(reader(raw.toString()))
        table.setClassIndex(table.numAttributes() - 1)
        return table

    def _correct(self, model: Any, train: list[int], test: list[int]) -> int:
        learned = self._class("weka.classifiers.Classifier").makeCopy(model)
        learned.buildClassifier(self._rows(train))
        judge = self._class("weka.classifiers.Evaluation")(self.table)
        judge.evaluateModel(learned, self._rows(test))
        return int(judge.correct())

    def _rows(self, rows: list[int]) -> Any:
        taken = self._class("weka.core.Instances")(self.table, len(rows))
        for row in rows:
            taken.add(self.table.instance(row))
        return taken

    def _class(self, name: str) -> Any:
        return self.jpype.JClass(name)


def start(jar: Path, megabytes: int) -> Weka:
    """Start the virtual machine."""
    import jpype  # an extra

    options = [f"-Xmx{megabytes}m", *EXACT_MATH, *QUIET]
    jpype.startJVM(*options, classpath=[str(jar)], convertStrings=True)
    return Weka(jpype)


@dataclass
class Watch:
    """Ends this process, even in the middle of a classifier, if it is late or its parent is gone.

    The limit is one of CPU time, which depends less on what else the machine does.
    """

    parent: int
    folder: Path
    last: float = inf  # CPU seconds of this process at which a request is late

    def keep(self) -> None:
        """Look now and then, as long as all is well."""
        while os.getppid() == self.parent:
            if time.process_time() > self.last:
                os._exit(LATE)
            time.sleep(WATCH_SECONDS)
        remove(self.folder)
        os._exit(1)

    def limit(self, seconds: float | None) -> None:
        """Begin to count for a request."""
        self.last = inf if seconds is None else time.process_time() + seconds


def serve(weka: Weka, requests: TextIO, answers: TextIO, watch: Watch) -> None:
    """Answer requests until there are no more; an error of Weka is an answer."""
    for line in requests:
        request = json.loads(line)
        watch.limit(request.pop("max_seconds"))
        try:
            answer = weka.answer(request)
        except weka.jpype.JException as error:
            answer = {"error": " ".join(str(error).split())}
        watch.limit(None)
        tell(answers, answer)


def remove(folder: Path) -> None:
    """Delete the folder of this process, but no folder with another name."""
    if folder.name.startswith(FOLDER_PREFIX):
        shutil.rmtree(folder, ignore_errors=True)


def tell(answers: TextIO, answer: dict[str, Any]) -> None:
    """Write one line and flush it."""
    answers.write(json.dumps(answer) + "\n")
    answers.flush()


def main() -> None:
    """Serve on stdin and stdout."""
    # Weka's classifiers print to stdout now and then: from here on that is stderr.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    folder = Path.cwd()
    watch = Watch(os.getppid(), folder)
    Thread(target=watch.keep, daemon=True).start()
    try:
        weka = start(Path(sys.argv[1]), int(sys.argv[2]))
        version = weka.version()
    except Exception as error:  # whatever the reason, the parent must be told
        tell(answers, {"error": " ".join(str(error).split())})
        return
    tell(answers, {"ready": version})
    serve(weka, sys.stdin, answers, watch)
    remove(folder)


if __name__ == "__main__":
    main()
