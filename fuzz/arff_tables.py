"""ARFF files: ``python fuzz SECONDS arff_tables``."""

import atheris

with atheris.instrument_imports(include=["fuzzyfrog", "arff"]):
    import arff  # noqa: F401 - imported here to be followed
    from harness import run
    from tables import reader

    from fuzzyfrog.errors import DataError

HEAD = b"@relation r\n@attribute a numeric\n@attribute 'b c' {u,'v w'}\n@attribute class {x,y}\n"
SEEDS = (
    HEAD + b"@data\n1,u,x\n?,'v w',y\n",
    HEAD + b"@data\n{0 5, 2 y}\n{1 'v w'}\n{}\n",
    b"% note\n@RELATION 'r s'\n@ATTRIBUTE a STRING\n@ATTRIBUTE class {x,y}\n@DATA\n'\\t',x\nb,y\n",
    b"@relation r\n@attribute a integer\n@attribute class real\n@data\n1.7,0.5\n2,1.5\n",
)

if __name__ == "__main__":
    run(reader("x.arff"), SEEDS, (DataError,))
