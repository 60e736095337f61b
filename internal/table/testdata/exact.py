"""Holds answers about groups to exact fractions.

Standard input names a CSV file of keys and numbers and the answers about it, one JSON object
a line; each answer that differs from what fractions.Fraction says is printed.
"""
import csv
import json
import math
import re
import sys
from fractions import Fraction

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)")


def number(text):
    """The number that a text without an exponent is, or None."""
    text = text.strip(" \t")
    return Fraction(text if text[-1] != "." else text[:-1]) if NUMBER.fullmatch(text) else None


def figures(texts, aggregates, any_number):
    """The aggregates of one group, in order: a number, or None where there is none. In a column without any
    number, min and max are texts."""
    words = [t.encode() for t in texts if t != ""]
    values = sorted(n for n in map(number, texts) if n is not None)
    total = sum(values, Fraction(0))
    for name in aggregates:
        if name == "count":
            yield len(texts)
        elif name == "distinct":
            yield len({t for t in texts if t != ""})
        elif name in ("min", "max") and not any_number and words:
            yield (min if name == "min" else max)(words).decode()
        elif not values:
            yield None
        elif name == "sum":
            yield total
        elif name == "min":
            yield values[0]
        elif name == "max":
            yield values[-1]
        elif name == "mean":
            yield float(total / len(values))  # rounded once, ties to even
        else:
            rank = math.ceil(Fraction(name[1:]) * len(values) / 100)
            yield values[max(rank, 1) - 1]


NULL = "\x00(null)\x00"  # as the twin has it


def check(case):
    groups = {}
    with open(case["file"], newline="", encoding="utf-8") as f:
        for key, text in csv.reader(f):
            groups.setdefault(key, []).append(text)
    any_number = any(t.strip(" \t") and number(t) is not None for texts in groups.values() for t in texts)
    answers = 0
    for key, *cells in case["rows"]:
        wanted = figures(groups.pop("" if key == NULL else key), case["aggregates"], any_number)
        for name, cell, want in zip(case["aggregates"], cells, wanted, strict=True):
            answers += 1
            cell = "" if cell == NULL else cell
            if isinstance(want, str):
                got = cell
            elif name == "mean":
                got = float(cell) if cell else None
            else:
                got = Fraction(cell) if cell else None
            if got != want:
                print(f"{case['file']}: {name} of {key!r}: got {cell!r}, want {want}")
    for key in groups:
        print(f"{case['file']}: group {key!r} is missing")
    return answers


print(sum(check(json.loads(line)) for line in sys.stdin), "answers")
