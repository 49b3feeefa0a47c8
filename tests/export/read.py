#!/usr/bin/env python3
"""read.py RESULT.json FOLDER [READER...]: the exports in FOLDER say what the result says, to the cycle. Each is read by
rules written here from the format's documents, or from what protoc --decode printed; nothing of src/export is used."""
import csv
import json
import re
import sys
from collections import defaultdict

result = json.load(open(sys.argv[1]))
folder = sys.argv[2]
cycles = result["cycles"]
code = result.get("code", {})
causes = [c["label"] for c in code.get("causes", [])]
by_label = {c["label"]: result["causes"].get(c["name"], 0) for c in code.get("causes", [])}
failures = 0


def check(what, good):
    global failures
    if not good:
        failures += 1
        print("FAILED:", what)


def text(name):
    return open(f"{folder}/{name}", encoding="utf-8").read()


def folded():
    by_cause = defaultdict(int)
    total = 0
    for line in text("folded").splitlines():
        stack, count = line.rsplit(" ", 1)
        total += int(count)
        by_cause[stack.split(";")[-1]] += int(count)
    check("folded: cycles", total == cycles)
    stacks = [line.rsplit(" ", 1)[0] for line in text("folded").splitlines()]
    check("folded: a line for each stack", len(set(stacks)) == len(stacks))
    check("folded: inlined functions stand in those they are part of", ";twice;clamp;" in text("folded"))
    for label in causes:
        check(f"folded: {label}", by_cause[label] == by_label[label] or label == causes[-1])


def speedscope():
    s = json.loads(text("speedscope"))
    names = {}
    for p in s["profiles"]:
        check(f"speedscope: {p['name']}: lengths", len(p["samples"]) == len(p["weights"]))
        check(f"speedscope: {p['name']}: sum", sum(p["weights"]) == p["endValue"])
        check("speedscope: frames", all(0 <= f < len(s["shared"]["frames"]) for x in p["samples"] for f in x))
        names[p["name"]] = p["endValue"]
    check("speedscope: cycles", s["profiles"][0]["name"] == "Cycles" and names["Cycles"] == cycles)
    check("speedscope: a cause", names["long ops"] == by_label["long ops"] > 0)


def firefox():
    f = json.loads(text("firefox"))
    t = f["threads"][0]
    for name in ("samples", "stackTable", "frameTable", "funcTable", "markers", "resourceTable", "nativeSymbols"):
        table = t[name]
        check(f"firefox: {name}", all(len(v) == table["length"] for v in table.values() if isinstance(v, list)))
    stacks, frames, funcs = t["stackTable"], t["frameTable"], t["funcTable"]
    by_category = defaultdict(int)
    for stack, weight in zip(t["samples"]["stack"], t["samples"]["weight"]):
        by_category[f["meta"]["categories"][stacks["category"][stack]]["name"]] += weight
    check("firefox: cycles", sum(by_category.values()) == cycles)
    check("firefox: a cause", by_category["long ops"] == by_label["long ops"])
    check("firefox: prefixes stand before", all(p is None or p < i for i, p in enumerate(stacks["prefix"])))
    check("firefox: functions", all(i < funcs["length"] for i in frames["func"]))
    check("firefox: texts", all(i < len(t["stringArray"]) for i in funcs["name"]))
    check("firefox: a name", "horner.constprop.0" in [t["stringArray"][i] for i in funcs["name"]])


def tables():
    rows = list(csv.DictReader(open(f"{folder}/csv", newline="", encoding="utf-8")))
    flat = [(f["function"], n) for f in code["functions"] for n in f.get("instructions", [])]
    check("csv: rows", len(rows) == len(flat))
    check("csv: texts", [(r["functions.function"], r["text"]) for r in rows] == [(f, n["text"]) for f, n in flat])
    check("csv: cycles", sum(int(r["cycles"] or 0) for r in rows) + code.get("outside", 0) == cycles)


def calls():
    """Calls against what instructions have by themselves, which other code counts: a function that is entered by calls alone was called as
    often as its first instruction ran; one that calls nothing, and is called from one place, costs there what its instructions have."""
    insns = {n["pc"]: n for f in code["functions"] for n in f.get("instructions", [])}
    into, from_ = defaultdict(list), defaultdict(list)
    for c in code["calls"]:
        check("calls: the site is a call", re.search("jal|c.j", insns[c["site"]]["text"]))
        into[c["target"]].append(c)
        from_[c["site"]].append(c)
    for site, some in from_.items():
        made = sum(c["count"] for c in some)
        check(f"calls: {site} as often as it ran", made in (insns[site]["executions"], insns[site]["executions"] - 1))
    leaves = same = 0
    for f in code["functions"]:
        mine = [n for n in f.get("instructions", []) if n.get("executions")]
        if not mine or mine[0]["pc"] not in into:
            continue
        jumps = [n["text"] for n in mine if re.match(r"(c\.)?(j|jal)r? ", n["text"])]
        if any(n["pc"] in from_ for n in mine) or jumps != ["c.jr ra"] * len(jumps):
            continue
        entered = into[mine[0]["pc"]]
        if sum(c["count"] for c in entered) != mine[0]["executions"]:
            continue
        leaves += 1
        for key in ("cycles", "executions", "mispredictions", "l1d_misses"):
            same += sum(c.get(key, 0) for c in entered) == sum(n.get(key, 0) for n in mine)
        for cause in by_label:
            name = next(c["name"] for c in code["causes"] if c["label"] == cause)
            check(f"calls: {f['function']}: {cause}", sum(c.get("causes", {}).get(name, 0) for c in entered) ==
                  sum(n.get("causes", {}).get(name, 0) for n in mine))
    check(f"calls: leaves cost what their instructions have: {same} of {4 * leaves}", leaves >= 3 and same == 4 * leaves)


def pprof():
    decoded = text("pprof.text")
    strings = [""] + re.findall(r'^string_table: "(.*)"$', decoded, re.M)[1:]
    types = re.findall(r"^sample_type \{\n  type: (\d+)", decoded, re.M)
    sums = [0] * len(types)
    samples = re.findall(r"^sample \{\n(.*?)^\}", decoded, re.M | re.S)
    for s in samples:
        for i, v in enumerate(re.findall(r"  value: (\d+)", s)):
            sums[i] += int(v)
    by_type = {strings[int(t)]: v for t, v in zip(types, sums)}
    check("pprof: cycles", by_type.get("Cycles") == cycles)
    check("pprof: executions", by_type.get("Executions") == result["instructions"])
    check("pprof: a cause", by_type.get("CLongOp") == by_label["long ops"])
    check("pprof: a location has the inlined calls", len(re.findall(r"  line \{", decoded)) > len(samples))
    ids = re.findall(r"^location \{\n  id: (\d+)", decoded, re.M)
    check("pprof: locations", ids == [str(i + 1) for i in range(len(samples))])


def window():
    p = result["pipeline"]
    rows = p["instructions"]
    count, squashed = len(rows["code"]), len(p["squashed"]["until"])
    fetch, at, commits = [], 0, []
    for i in range(count):
        at += rows["fetch"][i] if i else 0
        fetch.append(at)
        commits.append(at + sum(rows[s][i] for s in ("dispatch", "ready", "issue", "complete", "commit")))
    return count, squashed, fetch, commits


def kanata():
    """As the format's document says: ids, lanes that are closed, time that never goes back."""
    count, squashed, _, commits = window()
    lines = text("kanata").splitlines()
    check("kanata: first line", lines[0] == "Kanata\t0004")
    now, first, live, ended, committed = 0, None, {}, 0, []
    for line in lines[1:]:
        f = line.split("\t")
        if f[0] == "C=":
            first = int(f[1])
        elif f[0] == "C":
            check("kanata: time goes on", int(f[1]) > 0)
            now += int(f[1])
        elif f[0] == "I":
            check("kanata: ids count", int(f[1]) == ended + len(live))
            live[f[1]] = None
        elif f[0] == "S":
            check("kanata: a stage begins when none is open", live[f[1]] is None)
            live[f[1]] = f[3]
        elif f[0] == "E":
            check("kanata: the open stage ends", live[f[1]] == f[3])
            live[f[1]] = None
        elif f[0] == "W":
            check("kanata: a consumer lives, its producer stands before it", f[1] in live and int(f[2]) < int(f[1]))
        elif f[0] == "R":
            check("kanata: all stages closed", live.pop(f[1]) is None)
            ended += 1
            if f[3] == "0":
                check("kanata: retired in order", int(f[2]) == len(committed))
                committed.append(now)
        else:
            check("kanata: label", f[0] == "L" and len(f) == 4 and f[1] in live)
    check("kanata: cycle", first == result["pipeline"]["first_cycle"])
    check("kanata: all", not live and len(committed) == count and ended == count + squashed)
    check("kanata: commits", committed == commits)
    check("kanata: wrong paths", squashed > 100)


def o3pipeview():
    count, squashed, fetch, commits = window()
    lines = text("o3pipeview").splitlines()
    check("o3pipeview: seven lines each", len(lines) == 7 * (count + squashed))
    kinds = ["fetch", "decode", "rename", "dispatch", "issue", "complete", "retire"]
    check("o3pipeview: kinds", all(l.split(":")[1] == kinds[i % 7] for i, l in enumerate(lines)))
    ticks = [[int(l.split(":")[2]) for l in lines[i:i + 7]] for i in range(0, len(lines), 7)]
    done = [t for t in ticks if t[6]]
    check("o3pipeview: committed", [t[6] // 1000 - 1 for t in done] == commits)
    check("o3pipeview: fetched", [t[0] // 1000 - 1 for t in done] == fetch)
    check("o3pipeview: in order", all(t == sorted(t) for t in done))


def perfetto():
    count, squashed, _, commits = window()
    decoded = text("perfetto.text")
    first = result["pipeline"]["first_cycle"]
    tracks, stack, ends, flows, lasts = set(), defaultdict(list), defaultdict(int), set(), []
    kinds = defaultdict(int)
    for packet in decoded.split("packet {\n")[1:]:
        name = re.search(r'^    name: "(.*)"', packet, re.M)
        if "track_descriptor" in packet:
            tracks.add(re.search(r"uuid: (\d+)", packet)[1])
            continue
        time = int(re.search(r"^  timestamp: (\d+)", packet, re.M)[1])
        track = re.search(r"track_uuid: (\d+)", packet)[1]
        check("perfetto: the track is known", track in tracks)
        if "TYPE_SLICE_BEGIN" in packet:
            check("perfetto: slices nest", not stack[track] or stack[track][-1][0] <= time)
            kind = re.search(r'categories: "(.*)"', packet)[1]
            kinds[kind] += 1
            stack[track].append((time, kind))
            flows.update(re.findall(r"^    flow_ids: (\d+)", packet, re.M))
            lasts += re.findall(r"terminating_flow_ids: (\d+)", packet)
        else:
            began, kind = stack[track].pop()
            check("perfetto: time goes on", time >= began)
            if kind == "committed":
                ends[time - first] += 1
    check("perfetto: all", kinds["committed"] == count and kinds["squashed"] == squashed)
    check("perfetto: all closed", not any(stack.values()))
    check("perfetto: commits", sorted(t for t, n in ends.items() for _ in range(n)) == commits)
    check("perfetto: flows arrive", len(lasts) > count / 2 and flows == set(lasts))


def callgrind():
    """callgrind_annotate's own totals, and those of a function."""
    shown = text("callgrind.text").replace(",", "")
    check("callgrind: cycles", re.search(r"^\s*(\d+).*PROGRAM TOTALS", shown, re.M)[1] == str(cycles))
    horner = next(f for f in code["functions"] if f["function"] == "horner.constprop.0")
    got = re.search(r"^\s*(\d+) .*:horner\.constprop\.0 ", shown, re.M)
    check("callgrind: a function", got and got[1] == str(horner["cycles"]))


for reader in sys.argv[3:] or ["folded", "speedscope", "firefox", "tables", "kanata", "o3pipeview"]:
    globals()[reader]()
sys.exit(failures != 0)
