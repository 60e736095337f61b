"""Answers questions about tables and columns of values, with Python's standard library only.

Reads a list of cases as JSON and writes a list of answers. Numbers are exact: fractions are
written as "numerator/denominator".
"""
import csv
import json
import math
import re
import struct
import sys
from fractions import Fraction

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)\Z")


def number(text):
    """The number in a field, None if the field is not a number."""
    text = text.strip(" \t")
    return Fraction(text) if NUMBER.match(text) else None


def rank(ordered, share, of):
    """The number at rank ceil(n*share/of), counted from 1."""
    return ordered[max(-(-len(ordered) * share // of), 1) - 1]


def figures(numbers):
    if not numbers:
        return None
    ordered = sorted(numbers)
    return [str(f) for f in (sum(numbers), ordered[0], ordered[-1], rank(ordered, 50, 100), rank(ordered, 999, 1000))]


def table(case):
    quoting = {"quotechar": case["quote"]} if case["quote"] else {"quoting": csv.QUOTE_NONE}
    with open(case["file"], newline="", encoding="latin-1") as f:
        rows = [row for row in csv.reader(f, delimiter=case["delim"], **quoting) if row]
    groups = {}
    for row in rows[1:] if case["header"] else rows:
        groups.setdefault(row[0], []).append(row)
    answer = []
    for key in sorted(groups):
        group = groups[key]
        columns = [[n for n in (number(row[i]) for row in group) if n is not None] for i in (1, 2)]
        answer.append({"key": key.encode("latin-1").decode("utf-8"), "count": len(group),
                       "distinct": len({row[1] for row in group if row[1]}), "columns": [figures(c) for c in columns]})
    return answer


CODES = {"i8": "b", "u8": "B", "i16": "h", "u16": "H", "i32": "i", "u32": "I", "i64": "q", "u64": "Q", "f32": "f", "f64": "d"}
CODES["f16"] = "e"
# Types that struct does not know: their width, and how their bytes, the highest first, are read.
NARROW = {
    "bf16": (2, lambda b: struct.unpack(">f", b + bytes(2))[0]),
    "f8e5m2": (1, lambda b: struct.unpack(">e", b + bytes(1))[0]),
    "f8e4m3": (1, lambda b: e4m3(b[0])),
}


def e4m3(b):
    """The value of a byte of four bits of exponent, biased by 7, and three of mantissa."""
    sign = -1.0 if b >= 128 else 1.0
    exponent, mantissa = b >> 3 & 15, b & 7
    if exponent == 15 and mantissa == 7:
        return math.nan
    return sign * (mantissa / 8 * 2**-6 if exponent == 0 else (1 + mantissa / 8) * 2.0 ** (exponent - 7))


def values(case):
    big, name = case["type"].endswith("be"), case["type"].removesuffix("be").removesuffix("le")
    if name in NARROW:
        width, value = NARROW[name]
    else:
        code = ">" + CODES[name]
        width, value = struct.calcsize(code), lambda b: struct.unpack(code, b)[0]
    with open(case["file"], "rb") as f:
        data = f.read()
    starts = range(0, len(data) - width + 1, case["stride"] or width)
    found = [value(data[at : at + width] if big else data[at : at + width][::-1]) for at in starts]
    real = [v for v in found if v == v]
    finite = [Fraction(v) for v in real if not (isinstance(v, float) and math.isinf(v))]
    return {"n": len(found), "nan": len(found) - len(real), "infinite": len(real) - len(finite), "sum": str(sum(finite, Fraction(0))),
            "min": str(Fraction(min(finite))) if finite else "", "max": str(Fraction(max(finite))) if finite else ""}


answers = [table(case) if case["kind"] == "table" else values(case) for case in json.load(sys.stdin)]
json.dump(answers, sys.stdout)
