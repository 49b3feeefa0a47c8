"""Culprit's library from Python: machines, analyses by name, records, record files; and running `culprit` itself.

    import culprit
    machine = culprit.Machine("eyerman2009-4w")
    graph = culprit.Analysis("graph", machine)
    graph.push(records)                      # a culprit.Records, or what culprit.records([...]) makes
    print(graph.finish()["breakdown"])

The declarations are the library's own: sizes, members and their places are asked for when the package is imported, and a
library of another version is refused. Nothing beside the standard library is needed; numpy takes a Records as it is
(numpy.frombuffer(records, dtype=culprit.dtype())).

The library is found by the loader's rules, beside this package's prefix, or at CULPRIT_LIBRARY.
"""
import ctypes
import ctypes.util
import json
import operator
import os
import subprocess
import tempfile

VERSION = (0, 1)  # the series that these declarations are for


class Error(Exception):
    """What the library or the program says is wrong, in one line."""


def _candidates():
    name = "libculprit.so.%d.%d" % VERSION
    if os.environ.get("CULPRIT_LIBRARY"):
        yield os.environ["CULPRIT_LIBRARY"]
        return
    here = os.path.dirname(os.path.abspath(__file__))
    prefix = os.path.join(here, "..", "..", "..", "..")
    yield os.path.join(here, name)  # of a wheel
    yield os.path.join(prefix, "lib", name)
    yield os.path.join(prefix, "lib", os.uname().machine + "-linux-gnu", name)
    yield name


def _load():
    why = None
    for path in _candidates():
        try:
            return ctypes.CDLL(path)
        except OSError as error:
            why = why or error
    raise ImportError("libculprit is not to be found; set CULPRIT_LIBRARY (%s)" % why)


_library = _load()


class _Error(ctypes.Structure):
    _fields_ = [("text", ctypes.c_char * 512)]


class _Member(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("offset", ctypes.c_uint32), ("size", ctypes.c_uint32)]


class _FieldInfo(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("members", ctypes.c_char_p), ("without", ctypes.c_char_p),
                ("required", ctypes.c_bool), ("lost", ctypes.c_uint32), ("guessed", ctypes.c_uint32)]


def _declare(name, result, *arguments):
    function = getattr(_library, name)
    function.restype, function.argtypes = result, arguments
    return function


_pointer, _error, _text = ctypes.c_void_p, ctypes.POINTER(_Error), ctypes.c_char_p
_version = _declare("culprit_version", ctypes.c_uint32)
_size = _declare("culprit_abi_size", ctypes.c_uint32, _text)
_member = _declare("culprit_record_member", ctypes.c_bool, ctypes.c_size_t, ctypes.POINTER(_Member))
_free = _declare("culprit_free", None, _pointer)
_machine_load = _declare("culprit_machine_load", _pointer, _text, _error)
_machine_parse = _declare("culprit_machine_parse", _pointer, _text, ctypes.c_size_t, _error)
_machine_destroy = _declare("culprit_machine_destroy", None, _pointer)
_machine_set = _declare("culprit_machine_set", ctypes.c_bool, _pointer, _text, _error)
_machine_text = _declare("culprit_machine_text", _pointer, _pointer)
_analysis_name = _declare("culprit_analysis_name", _text, ctypes.c_size_t)
_analysis_create = _declare("culprit_analysis_create", _pointer, _text, _pointer, ctypes.c_uint32, _error)
_analysis_destroy = _declare("culprit_analysis_destroy", None, _pointer)
_analysis_push = _declare("culprit_analysis_push", ctypes.c_bool, _pointer, _pointer, ctypes.c_size_t)
_analysis_error = _declare("culprit_analysis_error", _text, _pointer)
_analysis_finish = _declare("culprit_analysis_finish", ctypes.c_bool, _pointer, ctypes.c_uint64, _error)
_analysis_json = _declare("culprit_analysis_json", _pointer, _pointer)
_field_info = _declare("culprit_field_info", ctypes.c_bool, ctypes.c_uint, ctypes.POINTER(_FieldInfo))
_field_parse = _declare("culprit_field_set_parse", ctypes.c_bool, _text, ctypes.POINTER(ctypes.c_uint32),
                        ctypes.POINTER(_text))

if (_version() >> 16, _version() >> 8 & 255) != VERSION:
    raise ImportError("libculprit has version %x, and this package is for %d.%d" % ((_version(),) + VERSION))


def version():
    """(major, minor, patch) of the library."""
    return _version() >> 16, _version() >> 8 & 255, _version() & 255


def _members():
    member, index = _Member(), 0
    while _member(index, ctypes.byref(member)):
        yield member.name.decode().replace("[", "").replace("]", ""), member.offset, member.size
        index += 1


def _record():
    """struct culprit_record as the library has it; producer[0] is called producer0."""
    kinds = {1: ctypes.c_uint8, 2: ctypes.c_uint16, 4: ctypes.c_uint32, 8: ctypes.c_uint64}
    fields, at = [], 0
    for name, offset, size in sorted(_members(), key=lambda row: row[1]):
        if offset > at:
            fields.append(("_gap%d" % at, ctypes.c_uint8 * (offset - at)))
        fields.append((name, kinds[size]))
        at = offset + size
    structure = type("Record", (ctypes.Structure,), {"_fields_": fields, "__slots__": ()})
    if ctypes.sizeof(structure) != _size(b"culprit_record"):
        raise ImportError("struct culprit_record is not what its members add up to")
    return structure


Record = _record()
_MOST = {name: (1 << 8 * size) - 1 for name, _, size in _members()}
MEMBERS = [name for name, _ in Record._fields_ if not name.startswith("_")]


def dtype():
    """The record as numpy's structured type."""
    import numpy

    places = sorted(_members(), key=lambda row: row[1])
    return numpy.dtype({"names": [row[0] for row in places], "offsets": [row[1] for row in places],
                        "formats": ["<u%d" % row[2] for row in places], "itemsize": ctypes.sizeof(Record)})


def _fitting(name, value, row):
    """The value as the record's member takes it: a whole number that it has room for."""
    try:
        number = operator.index(value)
    except TypeError:
        raise Error("row %d: %s: %r is no whole number" % (row, name, value)) from None
    if not 0 <= number <= _MOST[name]:
        raise Error("row %d: %s: %d is not within 0 to %d" % (row, name, number, _MOST[name]))
    return number


def records(rows):
    """An array of records from dictionaries of their members; what is not named is 0, and `seq` counts. A value that its
    member has no room for is an Error with its row and its name."""
    rows = list(rows)
    array = (Record * len(rows))()
    for seq, (record, row) in enumerate(zip(array, rows)):
        record.seq = seq
        for name, value in row.items():
            if name not in _MOST:
                raise Error("row %d: a record has no member %s" % (seq, name))
            setattr(record, name, _fitting(name, value, seq))
    return array


def columns(some, *names):
    """Members of an array of records as lists, for data frames; all of them, if none is named."""
    for name in names:
        if name not in MEMBERS:
            raise Error("a record has no member %s" % name)
    return {name: [getattr(record, name) for record in some] for name in names or MEMBERS}


def fields():
    """What a source may not know (culprit/field.h): {name: {"members", "without", "required"}}."""
    info, index, all_of_them = _FieldInfo(), 0, {}
    while _field_info(index, ctypes.byref(info)):
        all_of_them[info.name.decode()] = {"members": info.members.decode(), "without": info.without.decode(),
                                           "required": info.required}
        index += 1
    return all_of_them


def analyses():
    """Names that Analysis takes."""
    names = []
    while _analysis_name(len(names)):
        names.append(_analysis_name(len(names)).decode())
    return names


def _take(pointer):
    if not pointer:
        raise Error("out of memory")
    text = ctypes.string_at(pointer).decode()
    _free(pointer)
    return text


class Machine:
    """A machine by name or by path, or Machine(yaml=TEXT)."""

    def __init__(self, name=None, yaml=None):
        why = _Error()
        self._at = None
        if yaml is not None:
            self._at = _machine_parse(yaml.encode(), len(yaml.encode()), ctypes.byref(why))
        else:
            self._at = _machine_load(os.fsencode(name), ctypes.byref(why))
            own = os.path.join(os.path.dirname(os.path.abspath(__file__)), "machines", "%s.yaml" % os.fspath(name))
            if not self._at and os.path.basename(name) == name and os.path.exists(own):
                self._at = _machine_load(os.fsencode(own), ctypes.byref(why))  # of a wheel
        if not self._at:
            raise Error(why.text.decode())

    def __del__(self):
        if getattr(self, "_at", None):
            _machine_destroy(self._at)

    def set(self, key, value):
        """machine.set("window.rob", 192)"""
        why = _Error()
        if not _machine_set(self._at, ("%s=%s" % (key, value)).encode(), ctypes.byref(why)):
            raise Error(why.text.decode())

    def text(self):
        """All of it as a machine file."""
        return _take(_machine_text(self._at))


class Analysis:
    """One of analyses(). `unknown`: names of fields() that the records' source does not tell."""

    def __init__(self, name, machine, unknown=()):
        why, mask, at = _Error(), ctypes.c_uint32(), _text()
        if not _field_parse(",".join(unknown).encode(), ctypes.byref(mask), ctypes.byref(at)):
            raise Error("no field is called %s" % at.value.decode().split(",")[0])
        self._at = _analysis_create(name.encode(), machine._at, mask, ctypes.byref(why))
        if not self._at:
            raise Error(why.text.decode())

    def __del__(self):
        if getattr(self, "_at", None):
            _analysis_destroy(self._at)

    def push(self, some):
        """Records in commit order: a ctypes array of Record, or anything with their bytes (numpy, mmap)."""
        view = memoryview(some).cast("B")
        count, rest = divmod(view.nbytes, ctypes.sizeof(Record))
        if rest:
            raise Error("%d bytes are no whole number of records" % view.nbytes)
        raw = view.obj if isinstance(view.obj, ctypes.Array) else (ctypes.c_char * view.nbytes).from_buffer_copy(view)
        if not _analysis_push(self._at, ctypes.addressof(raw), count):
            raise Error(_analysis_error(self._at).decode())

    def finish(self, cycles=0):
        """The result as `culprit run --json` has it. `cycles`: of the simulation, at least that of
        the last commit + 1; 0 = just these."""
        why = _Error()
        if not _analysis_finish(self._at, cycles, ctypes.byref(why)):
            raise Error(why.text.decode())
        return json.loads(_take(_analysis_json(self._at)))


def load(path):
    """A JSON result of the program."""
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def run(*arguments, program="culprit"):
    """`culprit run --json FILE ARGUMENT...`, and its result: run("-m", "boom-large", "--", "./a.out")."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "result.json")
        done = subprocess.run([program, "run", "-q", "--json", path, *arguments], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, check=False)
        if not os.path.exists(path):
            raise Error(done.stderr.decode(errors="replace").strip().split("\n")[-1])
        return load(path)
