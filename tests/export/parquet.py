#!/usr/bin/env python3
"""parquet.py CSV PARQUET...: pairs of files that hold the same table. A reader of Parquet by the format's own document: what it does not
know it refuses. Nothing of src/export is used. `--with MODULE`: pyarrow or another module of pandas's reads it instead."""
import csv
import json
import struct
import sys

BOOLEAN, INT64, DOUBLE, TEXT = 0, 2, 5, 6


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
    if kind in (INT64, DOUBLE):
        assert len(data) == 8 * count
        return list(struct.unpack(f"<{count}{'q' if kind == INT64 else 'd'}", data))
    values, at = [], 0
    for _ in range(count):
        n, = struct.unpack_from("<I", data, at)
        values.append(data[at + 4:at + 4 + n].decode())
        at += 4 + n
    assert at == len(data)
    return values


def column(data, schema, chunk, rows):
    meta = chunk[3]
    assert meta[3] == [schema[4]] and meta[1] == schema[1] and meta[4] == 0 and meta[5] == rows and 0 in meta[2]
    t = Thrift(data, meta[9])
    head = t.struct()
    assert head[1] == 0 and head[2] == head[3] and head[5] == {1: rows, 2: 0, 3: 3, 4: 3}
    assert t.at + head[3] == meta[9] + meta[7] and meta[6] == meta[7]
    page = data[t.at:t.at + head[3]]
    there, used = levels(page, rows) if schema[3] == 1 else ([1] * rows, 0)
    values = iter(plain(schema[1], page[used:], sum(there)))
    return [next(values) if x else None for x in there]


def read(path):
    """Names, and of each column type and values."""
    data = open(path, "rb").read()
    assert data[:4] == data[-4:] == b"PAR1"
    size, = struct.unpack_from("<I", data, len(data) - 8)
    t = Thrift(data, len(data) - 8 - size)
    f = t.struct()
    assert t.at == len(data) - 8 and f[1] == 1 and f[6].startswith("culprit version ")
    root, schema, rows, group = f[2][0], f[2][1:], f[3], f[4]
    assert root[5] == len(schema) and len(group) == 1 and group[0][3] == rows and len(group[0][1]) == len(schema)
    at = 4
    for s, c in zip(schema, group[0][1]):
        assert c[3][9] == at and (s[1] == TEXT) == (s.get(6) == 0)
        at += c[3][7]
    assert at == len(data) - 8 - size and group[0][2] == at - 4
    return {s[4]: (s[1], column(data, s, c, rows)) for s, c in zip(schema, group[0][1])}


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
    table = read_with(module, path) if module else read(path)
    assert list(table) == rows[0], path
    for i, (name, (kind, values)) in enumerate(table.items()):
        cells = [r[i] for r in rows[1:]]
        assert len(values) == len(cells), name
        assert all(map(same, values, cells)), (path, name)
        assert kind is None or kind == narrow(cells), (path, name, kind)


words = sys.argv[1:]
reader = words[1] if words[:1] == ["--with"] else None
words = words[2:] if reader else words
assert words and len(words) % 2 == 0
for text_file, parquet_file in zip(words[::2], words[1::2]):
    compare(text_file, parquet_file, reader)
