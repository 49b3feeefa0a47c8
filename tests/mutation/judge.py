"""Which test notices a fault: what each test reaches, and the runs of one test with one fault each.

Nearly all time goes into running tests, so that each run is kept in a log (build/mutation/runs): a study that was stopped goes on where
it was, and after a change of some tests only these run again. A test is known by a digest of its program, its script and its golden
files, the planted source by a digest too. Of the tests that reach a fault the one comes first that has noticed the most for its time;
the first that fails ends it. A fault that has had --budget seconds of tests without being noticed gets no more tests, and a test that
takes longer than --longest is ended there. A fault that was not noticed until then is undecided: only one that passed every test that
reaches it has survived."""
import collections
import hashlib
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import tempfile
import threading
import time

# Tests of the manual's form and of rooms below those with faults, programs from archives, and what takes long for what it adds.
NEVER = ("house/", "fuzz/", "random/", "riscv/", "guest/", "schema/", "base/", "machine/", "simpoint/", "record/", "options/",
         "page/", "workloads/", "package/", "cli/slurm", "cli/demo", "cli/growth", "library/installed", "library/wheel")
# A shorter form of a long test.
SHORT = {"core/machines": ["-q", "-n", "4"]}
ROOM = 65536  # as in mutant.c


def digest(*parts):
    """Of texts, and of the contents of files and folders."""
    total = hashlib.sha256()
    for part in parts:
        if not isinstance(part, pathlib.Path):
            total.update(str(part).encode() + b"\0")
        elif part.is_file():
            total.update(part.name.encode() + b"\0" + part.read_bytes())
        else:
            total.update(digest(*sorted(part.iterdir())).encode() if part.is_dir() else b"none")
    return total.hexdigest()[:16]


def test_digest(name, command, tree, build):
    room, short = name.split("/", 1)
    parts = [" ".join(command)] + [pathlib.Path(w) for w in command if w.startswith(str(tree / "tests")) and os.path.isfile(w)]
    parts += [pathlib.Path(w) for w in command if w.startswith(str(build / "tests")) and os.path.isfile(w)]
    if room == "cli":
        parts.append(tree / "tests/cli/lib.sh")
    if room == "golden":
        rows = [row for row in (tree / "tests/golden/cases").read_text().split("\n") if row.split()[:1] == [short]]
        parts += rows + [tree / "tests/golden/expected" / short]
        if short in ("made", "pairs", "nets"):
            parts.append(build / ("tests/golden_" + short))
    return digest(*parts)


def list_tests(tree, build, wanted):
    out = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True, capture_output=True, text=True)
    tests = []
    for test in json.loads(out.stdout)["tests"]:
        properties = {p["name"]: p["value"] for p in test.get("properties", [])}
        name = test["name"]
        if name.startswith(NEVER) or "command" not in test or not re.search(wanted, name):
            continue
        command = test["command"] + SHORT.get(name, [])
        tests.append({"name": name, "command": command, "folder": properties.get("WORKING_DIRECTORY", str(build)),
                      "environment": dict(e.split("=", 1) for e in properties.get("ENVIRONMENT", [])),
                      "passes": properties.get("PASS_REGULAR_EXPRESSION", []), "digest": test_digest(name, command, tree, build)})
    return tests


def limited(seconds):
    """What a fault makes endless ends, however little of the processor it gets."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    return limit if seconds else None


def used(pid):
    """Processor seconds of a process and of its children that have ended; 0 when it has ended itself."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def end_late(child, wall, most, over):
    """End it, and what it has started, after so many seconds, or so many processor seconds."""
    start = time.monotonic()
    while not over.wait(0.2):
        if time.monotonic() - start > wall or used(child.pid) > most:
            os.killpg(child.pid, signal.SIGKILL)
            return


def run_test(test, environment, wall, most=float("inf"), processor=None):
    """"passed", "failed" or "timed out", and the processor seconds, which other work on the machine hardly changes. `most`: of those, for
    all of it; `processor`: for each of its processes."""
    over = threading.Event()
    with tempfile.TemporaryFile() as output:
        own = {**os.environ, "GOLDEN_FIRST": "1", **test["environment"], **environment}
        child = subprocess.Popen(test["command"], cwd=test["folder"], env=own,
                                 stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
                                 preexec_fn=limited(processor))
        late = threading.Thread(target=end_late, args=(child, wall, most, over))
        late.start()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        over.set()
        late.join()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read()
    if child.returncode == -signal.SIGKILL:
        verdict = "timed out"
    elif test["passes"]:
        verdict = "passed" if any(re.search(p.encode(), text) for p in test["passes"]) else "failed"
    else:
        verdict = "passed" if child.returncode in (0, 77) else "failed"
    return verdict, usage.ru_utime + usage.ru_stime


class Judge:
    """`planted`: the digest of the source with its faults. `runs`: the log, {(test, its digest, fault): verdict}."""
    def __init__(self, work, planted, tests, longest):
        self.work, self.planted, self.tests, self.longest = work, planted, tests, longest
        self.runs, self.reached, self.file = {}, {}, work / "runs"
        self.tried, self.noticed, self.lock = collections.Counter(), collections.Counter(), threading.Lock()
        for line in self.file.read_text().splitlines() if self.file.exists() else []:
            self.take(json.loads(line))

    def take(self, run):
        if run["planted"] != self.planted:
            return
        key = run["test"], run["digest"]
        if "reached" in run:
            self.reached[key] = run
            return
        self.runs[key + (run["fault"],)] = run["verdict"]
        self.tried[run["test"]] += 1
        self.noticed[run["test"]] += run["verdict"] not in ("passed", "cut")

    def note(self, test, **what):
        run = {"planted": self.planted, "test": test["name"], "digest": test["digest"], **what}
        with self.lock, open(self.file, "a", encoding="utf-8") as f:
            f.write(json.dumps(run) + "\n")
            self.take(run)

    def reach(self, test, end):
        """Without a fault: how long it takes and which faults' places it reaches. Nothing when the time is over."""
        key = test["name"], test["digest"]
        if key not in self.reached and time.monotonic() > end:
            return
        if key not in self.reached:
            reached = self.work / ("reached-" + test["name"].replace("/", "-"))
            reached.write_bytes(bytes(ROOM))
            start = time.monotonic()
            verdict, processor = run_test(test, {"CULPRIT_MUTANTS_REACHED": str(reached)}, 20 * self.longest, self.longest)
            self.note(test, verdict=verdict, processor=processor, seconds=time.monotonic() - start,
                      reached=[n for n, byte in enumerate(reached.read_bytes()) if byte])
            reached.unlink()
        test.update({k: self.reached[key][k] for k in ("verdict", "processor", "seconds")})
        test["cut"] = test["verdict"] == "timed out"
        if test["cut"]:
            test["processor"] = self.longest
        test["reached"] = set(self.reached[key]["reached"]) if test["verdict"] != "failed" else set()

    def worth(self, test):
        """Seconds for each fault that it is likely to notice: as it has done so far, and one of ten before it has done anything."""
        return (test["processor"] + 0.05) * (self.tried[test["name"]] + 10) / (self.noticed[test["name"]] + 1)

    def run(self, n, test):
        key = test["name"], test["digest"], n
        if key not in self.runs:
            if test["cut"]:
                verdict, _ = run_test(test, {"CULPRIT_MUTANT": str(n)}, 20 * self.longest, self.longest)
                verdict = "cut" if verdict == "timed out" else verdict
            else:
                most = 10 + int(5 * test["processor"])
                verdict, _ = run_test(test, {"CULPRIT_MUTANT": str(n)}, 60 + 10 * test["seconds"], processor=most)
            self.note(test, fault=n, verdict=verdict)
        return self.runs[key]

    def judge(self, n, budget, end):
        """The test that notices fault n, or None; how many reach it; of these, how many had no place in the budget or were ended, so that
        they might still notice it. Nothing at all when the time is over."""
        reaching = sorted((t for t in self.tests if n in t["reached"]), key=self.worth)
        known = [t for t in reaching if self.runs.get((t["name"], t["digest"], n), "passed") not in ("passed", "cut")]
        unasked = 0
        for test in known[:1] or reaching:
            done = (test["name"], test["digest"], n) in self.runs
            if not done and budget < test["processor"]:
                unasked += 1
                continue
            budget -= 0 if done else test["processor"]
            if not done and time.monotonic() > end:
                return None
            verdict = self.run(n, test)
            unasked += verdict == "cut"
            if verdict not in ("passed", "cut"):
                return test["name"] + (" (time)" if verdict == "timed out" else ""), len(reaching), 0
        return None, len(reaching), unasked
