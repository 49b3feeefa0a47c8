#!/bin/bash
# python3
python3 -I -B -c '
import multiprocessing as m, os, signal, subprocess
print(subprocess.check_output(["echo", "x"]), subprocess.run("exit 4", shell=True).returncode)
p = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
print(p.communicate(b"to and fro"), p.returncode)
p = subprocess.Popen(["sleep", "100"]); p.terminate(); print(p.wait())
def square(x): return x * x
m.set_start_method("fork")
with m.Pool(3) as pool: print(pool.map(square, range(10)))
q = m.Queue(); p = m.Process(target=q.put, args=(5,)); p.start(); print(q.get()); p.join()
v = m.Value("i", 0)
def count():
    for i in range(100):
        with v.get_lock(): v.value += 1
ps = [m.Process(target=count) for i in range(3)]; [p.start() for p in ps]; [p.join() for p in ps]; print(v.value)
'
