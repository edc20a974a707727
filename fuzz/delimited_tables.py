"""CSV files: ``python fuzz SECONDS delimited_tables``."""

import atheris

with atheris.instrument_imports(include=["fuzzyfrog"]):
    from harness import run
    from tables import reader

    from fuzzyfrog.errors import DataError

SEEDS = (
    b"a,b,class\n1,2,x\n3,4,y\n",
    b'a,class\n"1\n",x\n\n?,y\nNA,"x"\n',
    b"\xef\xbb\xbfa;class\r\n1,5;x\r\n2;y\r\n",
    "größe,class\n1e3,ä\n-inf,ö\n".encode(),
    b"a,class\n007,x\nseven,y\n" + b"1,x\n" * 30,
    b"a,t\n1,0.5\n2,1.5\n3,NaN\n",
)

if __name__ == "__main__":
    run(reader("x.csv"), SEEDS, (DataError,))
