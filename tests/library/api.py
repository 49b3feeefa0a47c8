"""The Python package against the installed library: api.py MACHINE [PROGRAM GUEST]."""
import sys

import culprit


def refused(text, call, *arguments, **named):
    try:
        call(*arguments, **named)
    except culprit.Error as error:
        assert text in str(error), error
        return
    raise AssertionError("%s was taken" % (arguments,))


def chain(count):
    """Additions, each of the one before: one a cycle."""
    for i in range(count):
        yield {"pc": 0x1000 + 4 * (i % 8), "length": 4, "dest": 5, "fetch": i, "dispatch": i + 5, "ready": i + 6,
               "issue": i + 6, "complete": i + 7, "commit": i + 8, "exec_latency": 1, "wakeup": 1,
               "producer0": 1 if i else 0}


assert culprit.version()[:2] == culprit.VERSION
assert {"graph", "critical", "stalls", "stacks", "check"} <= set(culprit.analyses())
assert culprit.fields()["times"]["required"] and not culprit.fields()["address"]["required"]
assert "fetch" in culprit.MEMBERS and "producer2" in culprit.MEMBERS

machine = culprit.Machine(sys.argv[1])
machine.set("commit.delay", 1)
machine.set("frontend.stages", 5)
machine.set("issue.dispatch_to_issue", 1)
refused("unknown key", machine.set, "window.robb", 3)
refused("window.rob", machine.set, "window.rob", 0)
refused("nothing.yaml", culprit.Machine, "./nothing.yaml")
again = culprit.Machine(yaml=machine.text())
assert again.text() == machine.text()

stream = culprit.records(chain(5000))
graph = culprit.Analysis("graph", machine)
graph.push(stream)
result = graph.finish()
assert abs(result["graph_cycles"] - 5008) <= 2, result["graph_cycles"]
costs = {row["term"]: row["percent"] for row in result["breakdown"]}
assert costs["shalu"] > 50, costs
assert result["not_known"] is None

# Weights: each addition takes all commit slots of a cycle, which it had anyway; more than a cycle has is refused.
widths = culprit.Analysis("graph", machine)
for record in stream:
    record.commit_slots = 4
widths.push(stream)
assert widths.finish()["graph_cycles"] == result["graph_cycles"]
stream[7].commit_slots = 65
refused("record 7: a weight of 65: at most 64, or 255 for none", culprit.Analysis("graph", machine).push, stream)
for record in stream:
    record.commit_slots = 0

# The same bytes without the array; in two parts.
raw = bytes(stream)
other = culprit.Analysis("graph", machine, unknown=["operands"])
other.push(raw[: len(raw) // 2])
other.push(raw[len(raw) // 2:])
result = other.finish()
assert "shalu" in result["not_known"]["withheld"], result["not_known"]
assert {row["term"]: row["percent"] for row in result["breakdown"]}["shalu"] is None

check = culprit.Analysis("check", machine)
stream[3000].issue += 0
stream[3000].producer0 = 1
stream[3000].ready = stream[3000].issue = stream[3000].dispatch + 1 - 1
check.push(stream)
rows = check.finish()["contradicted"]
assert any("instruction 3000 " in row["first"] and row["step"] == "issue" and row["fill"] for row in rows), rows

columns = culprit.columns(stream, "seq", "fetch")
assert columns == {"seq": list(range(5000)), "fetch": list(range(5000))}
assert set(culprit.columns(stream)) == set(culprit.MEMBERS)
refused("no member", culprit.columns, stream, "colour")
refused("no whole number", culprit.Analysis("graph", machine).push, b"abc")
refused("no analysis", culprit.Analysis, "grahp", machine)
refused("no field", culprit.Analysis, "graph", machine, unknown=["colour"])
refused("required", culprit.Analysis, "graph", machine, unknown=["times"])
refused("has no member", culprit.records, [{"colour": 1}])

# What a member has no room for is refused, with its place; the largest that it has room for is taken.
for name, value in (("fetch", -1), ("fetch", 2**64), ("dmiss", 2**32), ("flags", 2**16), ("dest", 256), ("producer2", -1)):
    refused("row 1: %s: %d is not within 0 to " % (name, value), culprit.records, [{}, {name: value}])
refused("row 0: pc: 4096.0 is no whole number", culprit.records, [{"pc": 4096.0}])
refused("row 0: pc: '4096' is no whole number", culprit.records, [{"pc": "4096"}])
widest = culprit.records([{"fetch": 2**64 - 1, "dmiss": 2**32 - 1, "flags": 2**16 - 1, "dest": True}])[0]
assert (widest.fetch, widest.dmiss, widest.flags, widest.dest) == (2**64 - 1, 2**32 - 1, 2**16 - 1, 1)

# numpy, where there is one: the same places, by bytes that ctypes wrote; and what numpy made is pushed as it is.
try:
    import numpy
except ImportError:
    numpy = None
    print("no numpy: its dtype is not tested")
if numpy:
    kinds = culprit.dtype()
    marked = culprit.records([{name: row + column for column, name in enumerate(culprit.MEMBERS)} for row in range(3)])
    table = numpy.frombuffer(marked, dtype=kinds)
    assert kinds.itemsize * 3 == len(bytes(marked)) and len(table) == 3
    assert set(kinds.names) == set(culprit.MEMBERS), kinds.names
    for column, name in enumerate(culprit.MEMBERS):
        assert [int(value) for value in table[name]] == [row + column for row in range(3)], name
    made = numpy.zeros(5000, dtype=kinds)
    for name in ("seq", "pc", "length", "dest", "fetch", "dispatch", "ready", "issue", "complete", "commit",
                 "exec_latency", "wakeup", "producer0"):
        made[name] = culprit.columns(stream, name)[name]
    assert made.tobytes() == raw
    from_numpy = culprit.Analysis("graph", machine)
    from_numpy.push(made)
    assert from_numpy.finish()["graph_cycles"] == graph.finish()["graph_cycles"]
    refused("row 0: dmiss: -1 is not within", culprit.records, [{"dmiss": numpy.int64(-1)}])
backwards = culprit.records(chain(3))
backwards[2].commit = 0
refused("record 2", culprit.Analysis("graph", machine).push, backwards)
if len(sys.argv) > 3:
    result = culprit.run("--functional", "--", sys.argv[3], program=sys.argv[2])
    assert result["instructions"] > 0
    refused("no such", culprit.run, "--functional", "--", "./nothing", program=sys.argv[2])
print("python: good")
