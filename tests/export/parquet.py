#!/usr/bin/env python3
"""parquet.py [--with MODULE] CSV PARQUET...: pairs of files that hold the same table. A reader of Parquet by the format's own document:
what it does not know it refuses. Nothing of src/export is used. `--with pyarrow` or another module of pandas's reads it instead.
parquet.py --records ...: rows of record files, which have groups, packed pages, and types that the declaration in C gives them."""
import csv
import json
import re
import struct
import subprocess
import sys
from pathlib import Path

BOOLEAN, INT32, INT64, DOUBLE, TEXT = 0, 1, 2, 5, 6
PLAIN_CODEC, ZSTD = 0, 6


class Thrift:
    """The compact protocol: a struct as field -> value."""

    def __init__(self, data, at):
        self.data, self.at = data, at

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def varint(self):
        value = shift = 0
        while True:
            b = self.byte()
            value |= (b & 127) << shift
            shift += 7
            if b < 128:
                return value

    def value(self, kind):
        if kind in (4, 5, 6):
            n = self.varint()
            return n >> 1 ^ -(n & 1)
        if kind == 8:
            n = self.varint()
            self.at += n
            return self.data[self.at - n:self.at].decode()
        if kind == 9:
            head = self.byte()
            count = self.varint() if head >> 4 == 15 else head >> 4
            return [self.value(head & 15) for _ in range(count)]
        assert kind == 12, kind
        return self.struct()

    def struct(self):
        fields, last = {}, 0
        while head := self.byte():
            last = last + (head >> 4) if head >> 4 else self.value(4)
            assert last not in fields
            fields[last] = self.value(head & 15)
        return fields


def levels(data, rows):
    """Which rows have a value: runs of one bit; and how many bytes tell it."""
    size, = struct.unpack_from("<I", data)
    t, there = Thrift(data, 4), []
    while t.at < 4 + size:
        head = t.varint()
        assert head & 1 == 0, "bit-packed runs are not written"
        there += [t.byte()] * (head >> 1)
    assert len(there) == rows and t.at == 4 + size
    return there, 4 + size


def plain(kind, data, count):
    if kind == BOOLEAN:
        assert len(data) == (count + 7) // 8
        return [bool(data[i // 8] >> i % 8 & 1) for i in range(count)]
    if kind != TEXT:
        letter = {INT32: "i", INT64: "q", DOUBLE: "d"}[kind]
        return list(struct.unpack(f"<{count}{letter}", data))
    values, at = [], 0
    for _ in range(count):
        n, = struct.unpack_from("<I", data, at)
        values.append(data[at + 4:at + 4 + n].decode())
        at += 4 + n
    assert at == len(data)
    return values


def page(data, schema, chunk, rows, codec):
    """Its bytes as they are in the file, and their number unpacked."""
    meta = chunk[3]
    assert meta[3] == [schema[4]] and meta[1] == schema[1] and meta[4] == codec and meta[5] == rows and 0 in meta[2]
    t = Thrift(data, meta[9])
    head = t.struct()
    assert head[1] == 0 and head[5] == {1: rows, 2: 0, 3: 3, 4: 3} and (codec == ZSTD or head[2] == head[3])
    assert t.at + head[3] == meta[9] + meta[7] and meta[6] - meta[7] == head[2] - head[3]
    return data[t.at:t.at + head[3]], head[2]


def column(data, schema, rows):
    there, used = levels(data, rows) if schema[3] == 1 else ([1] * rows, 0)
    values = iter(plain(schema[1], data[used:], sum(there)))
    return [next(values) if x else None for x in there]


def unpacked(pages, codec):
    """All at once: frames one behind the other are what they hold, one behind the other."""
    whole = b"".join(bytes_ for bytes_, _ in pages)
    if codec == ZSTD:
        whole = subprocess.run(["zstd", "-dc"], input=whole, stdout=subprocess.PIPE, check=True).stdout
    at = 0
    for _, size in pages:
        yield whole[at:at + size]
        at += size
    assert at == len(whole)


def read(path, codec):
    """Names, and of each column type and values."""
    data = open(path, "rb").read()
    assert data[:4] == data[-4:] == b"PAR1"
    size, = struct.unpack_from("<I", data, len(data) - 8)
    t = Thrift(data, len(data) - 8 - size)
    f = t.struct()
    assert t.at == len(data) - 8 and f[1] == 1 and f[6].startswith("culprit version ")
    root, schema, rows, groups = f[2][0], f[2][1:], f[3], f[4]
    assert root[5] == len(schema) and sum(g[3] for g in groups) == rows
    at, pages = 4, []
    for g in groups:
        assert len(g[1]) == len(schema) and g[2] == sum(c[3][6] for c in g[1])
        for s, c in zip(schema, g[1]):
            assert c[3][9] == at and (s[1] == TEXT) == (s.get(6) == 0)
            pages.append(page(data, s, c, g[3], codec))
            at += c[3][7]
    assert at == len(data) - 8 - size
    columns = {s[4]: (s[1], []) for s in schema}
    contents = unpacked(pages, codec)
    for g in groups:
        for s in schema:
            columns[s[4]][1].extend(column(next(contents), s, g[3]))
    return columns, [g[3] for g in groups]


def read_with(module, path):
    if module == "pyarrow":
        import pyarrow.parquet
        return {n: (None, v) for n, v in pyarrow.parquet.read_table(path).to_pydict().items()}
    raise SystemExit(f"no such reader: {module}")


def same(value, text):
    if value is None:
        return text == ""
    if isinstance(value, bool):
        return text == str(value).lower()
    if isinstance(value, int):
        return int(text) == value
    return float(text) == value if isinstance(value, float) else text == value


def narrow(values):
    """The type that a column must have for these cells of CSV; None: only the result tells texts from numbers."""
    try:
        numbers = [json.loads(v) for v in values if v]
    except ValueError:
        return TEXT
    if not numbers or any(isinstance(n, (str, list, dict)) for n in numbers):
        return TEXT
    if all(isinstance(n, bool) for n in numbers):
        return BOOLEAN
    return INT64 if all(isinstance(n, int) for n in numbers) else DOUBLE


def compare(text_path, path, module):
    rows = list(csv.reader(open(text_path, newline="", encoding="utf-8")))
    table, groups = (read_with(module, path), [0]) if module else read(path, PLAIN_CODEC)
    assert list(table) == rows[0] and len(groups) == 1, path
    for i, (name, (kind, values)) in enumerate(table.items()):
        cells = [r[i] for r in rows[1:]]
        assert len(values) == len(cells), name
        assert all(map(same, values, cells)), (path, name)
        assert kind is None or kind == narrow(cells), (path, name, kind)


# --- record files ---

NAMES = "op_class branch predictor ilevel itlb_level istray window contended dlevel dtlb_level dstray commit_stop write_level prefetch_level prefetch_below"
PLACES = ["instruction", "function", "object", "line"]


def declared():
    """Columns in their order, and their types, from the header and the table of members: all there can be."""
    include = Path(__file__).parent.parent.parent / "include/culprit"
    header = re.sub(r"/\*.*?\*/", "", (include / "record.h").read_text(), flags=re.S)
    flags = re.findall(r"CULPRIT_(\w+) =", header[header.index("enum culprit_record_flag"):header.index("};")])
    body = header[header.index("struct culprit_record {"):]
    kinds = dict((name, kind) for kind, name in re.findall(r"(\w+_t)\s+(\w+)", body[:body.index("};")]))
    types = {"seq": INT64, "pc": INT64, **{name: TEXT for name in PLACES}}
    for name in re.findall(r"^MEMBER\((\S+)\)", (include / "record_member.def").read_text(), flags=re.M):
        narrow_ = kinds[name.split("[")[0]] in ("uint8_t", "uint16_t", "int32_t")
        if name == "flags":
            types.update({flag.lower(): BOOLEAN for flag in flags})
        else:
            types[name.replace("[", "").replace("]", "")] = INT32 if narrow_ else INT64
    types.update({name: TEXT for name in NAMES.split()}, write_merged=BOOLEAN)
    return types


def as_text(name, value):
    if value is None:
        return ""
    if name in ("pc", "mem_addr"):
        return hex(value % 2**64)
    return str(int(value)) if isinstance(value, bool) else str(value)


def compare_records(text_path, path, module):
    rows = list(csv.reader(open(text_path, newline="", encoding="utf-8")))
    table, groups = (read_with(module, path), [len(rows) - 1]) if module else read(path, ZSTD)
    types = declared()
    assert list(table) == rows[0] == [name for name in types if name in table], path
    assert all(65536 <= n < 65536 + 256 for n in groups[:-1]) and sum(groups) == len(rows) - 1, groups
    cells = list(zip(*rows[1:]))
    for i, (name, (kind, values)) in enumerate(table.items()):
        assert kind is None or kind == types[name], (path, name, kind)
        assert [as_text(name, v) for v in values] == list(cells[i]), (path, name)


words = sys.argv[1:]
judge = compare
if words[:1] == ["--records"]:
    judge, words = compare_records, words[1:]
reader = words[1] if words[:1] == ["--with"] else None
words = words[2:] if reader else words
assert words and len(words) % 2 == 0
for text_file, parquet_file in zip(words[::2], words[1::2]):
    judge(text_file, parquet_file, reader)
