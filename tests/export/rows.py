#!/usr/bin/env python3
"""rows.py RESULT.json ROWS.csv: the rows of a record file add up to what the run of the same region says: its cycles and counts, and of
each instruction its function and object, its line, its text and how often it ran."""
import csv
import json
import os
import sys
from collections import Counter

result = json.load(open(sys.argv[1]))
rows = list(csv.DictReader(open(sys.argv[2], newline="", encoding="utf-8")))
failures = 0


def check(what, is_, should_be):
    global failures
    if is_ != should_be:
        failures += 1
        print(f"FAILED: {what}: {is_}, expected {should_be}")


def many(flag):
    return sum(row[flag] == "1" for row in rows)


def the_run():
    check("instructions", [int(row["seq"]) for row in rows], list(range(result["instructions"])))
    check("the last commit is in the last cycle", int(rows[-1]["commit"]) + 1, result["cycles"])
    for count, flag in (("loads", "load"), ("stores", "store"), ("forwarded", "forwarded"), ("serialising", "serialising"),
                        ("violations", "violated")):
        check(count, many(flag), result["counts"][count])
    for kind, n in result["branches"].items():
        these = [row for row in rows if row["branch"] == kind]
        check(kind, len(these), n["committed"])
        check(f"{kind}: mispredicted", sum(row["mispredicted"] == "1" for row in these), n["mispredicted"])
        check(f"{kind}: somebody predicted", all(row["predictor"] for row in these), True)


def each_address():
    code = result["code"]
    ran = Counter(int(row["pc"], 16) for row in rows)
    missed = Counter(int(row["pc"], 16) for row in rows if row["mispredicted"] == "1")
    first = {}
    for row in rows:
        first.setdefault(int(row["pc"], 16), row)
    for function in code["functions"]:
        for insn in function["instructions"]:
            pc, n = insn["pc"], insn.get("executions", 0)
            check(f"{pc:#x}: executions", ran.pop(pc, 0), n)
            check(f"{pc:#x}: mispredictions", missed[pc], insn.get("mispredictions", 0))
            if not n:
                continue
            file = code["files"][insn["file"]]["path"] if insn.get("line") else ""
            check(f"{pc:#x}: line", first[pc]["line"], f"{os.path.basename(file)}:{insn['line']}" if file else "")
            check(f"{pc:#x}: text", insn["text"].startswith(first[pc]["instruction"]), True)
            check(f"{pc:#x}: function", first[pc]["function"], function["function"] if function.get("symbol") else "")
            check(f"{pc:#x}: object", first[pc]["object"], function["object"])
    check("addresses that the run does not have", dict(ran), {})


the_run()
each_address()
sys.exit(failures > 0)
