"""Reads files with Python's csv module, as internal/table/tabletest asks for.

Standard input is a JSON list of {file, delim, quote}; the answer is a list of {rows, error},
where rows are those of the lax reading and error is what the strict one says.
"""
import csv
import json
import sys

csv.field_size_limit(1 << 30)


def read(case, strict):
    quoting = {"quotechar": case["quote"]} if case["quote"] else {"quoting": csv.QUOTE_NONE, "quotechar": None}
    with open(case["file"], newline="", encoding="latin-1") as f:
        lines = f.read().split("\n")
    # A last line that is nothing is none. What ends a line is put back.
    lines = [line + "\n" for line in lines[:-1]] + lines[-1:] if lines[-1] else [line + "\n" for line in lines[:-1]]
    return list(csv.reader(lines, delimiter=case["delim"], strict=strict, **quoting))


answers = []
for case in json.load(sys.stdin):
    answer = {"rows": read(case, False), "error": ""}
    try:
        read(case, True)
    except csv.Error as e:
        answer["error"] = str(e)
    answers.append(answer)
json.dump(answers, sys.stdout)
