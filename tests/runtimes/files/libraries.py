import collections, csv, datetime, decimal, fractions, hashlib, heapq, io, itertools, json, re, sqlite3, statistics
import struct, sys, textwrap, zlib
print(json.dumps(json.load(open("data.json")), sort_keys=True))
print(collections.Counter(open("words").read()).most_common(3))
print(decimal.Decimal(1) / 7, fractions.Fraction(3, 12), statistics.stdev([1, 2, 4]))
print(hashlib.sha3_256(b"x").hexdigest(), zlib.crc32(b"x"), len(zlib.compress(b"x" * 1000)))
print(re.sub(r"(\w+)o", r"<\1>", "hello world"), textwrap.fill("a b c d e f g", 5), struct.pack(">If", 7, 0.5))
db = sqlite3.connect(":memory:")
db.execute("create table t (a, b)")
db.executemany("insert into t values (?, ?)", [(i, i * i) for i in range(10)])
print(db.execute("select sum(b), avg(a) from t where a % 2").fetchone())
print(list(csv.DictReader(open("table.csv")))[1], datetime.date(2024, 2, 29).isocalendar())
print(heapq.nsmallest(2, [3, 1, 2]), list(itertools.permutations("abc", 2))[:3], file=sys.stderr)
sys.exit(7)
