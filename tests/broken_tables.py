"""CSV files that are not quite tables, and the sentence that refuses each."""

HEAD = "a,b,class\n"

BROKEN = [
    ("", "x.csv: the file must hold a header and samples, got an empty file."),
    ("\n\n", "got an empty file."),
    (HEAD, "at least 2 samples below the header, got none."),
    (HEAD + "1,2,x\n", "at least 2 samples below the header, got 1."),
    (HEAD + "1,2,x\n3,y\n", "x.csv: line 3 has 2 fields, expected 3."),
    (HEAD + "1,2,x\n3,4,y,\n", "x.csv: line 3 has 4 fields, expected 3."),
    (HEAD + '"1\n",2,x\n\n3,4,5,y\n', "x.csv: line 5 has 4 fields, expected 3."),
    (
        HEAD + '1,"2,x\n3,4,y\n',
        "line 3 cannot be split into fields, as a quote is never closed.",
    ),
    (HEAD + '1,"2"2,x\n3,4,y\n', "line 2 cannot be split into fields, as text follows a closing"),
    (HEAD + "1,2,x\r3,4,y\r", "x.csv: line 2 cannot be split into fields, as a carriage return"),
    (HEAD + "1," + "2" * 200_000 + ",x\n", "fields, as one has more than 131,072 characters."),
    (HEAD + "1,2,x\n3,4,\n5,6,?\n", "x.csv: at least 2 rows must stay, got 1 of 3."),
    (
        HEAD + "1,2,x\n3,1e999,y\n",
        "line 3 must hold finite numbers, got '1e999' in feature 'b'",
    ),
    (HEAD + "1,2,x\n-inf,2,y\n", "line 3 must hold finite numbers, got '-inf' in feature 'a'"),
    (HEAD + '1,"2,5",x\n3,"4,5",y\n', "feature 'b' must have numbers with a decimal point"),
    (HEAD + '1,"2,50.5",x\n3,4,y\n', "feature 'b' must have numbers with a decimal point"),
    ("a;b;class\n1;2;x\n3;y\n", "seems to be separated by ';': pass separator=';'."),
    ("a\tb\tclass\n1\t2\tx\n", "at least 2 samples below the header, got 1."),
    ("class\nx\ny\n", "line 1 must name at least 2 columns, got 1. A table needs"),
    ("1,2,3\n4,5,6\n", "line 1 must hold the names of the columns, got only numbers"),
    ("a,a,class\n1,2,x\n", "column names must be distinct, got more than once: 'a'."),
    ("a,,class\n0,1,x\n", "got none for column 2."),
]
