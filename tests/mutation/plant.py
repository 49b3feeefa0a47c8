"""Planting faults: every place of a source file where one small fault can be planted, and the file with chosen faults in it.

All faults go into one build. A planted expression is `MUTANT(n) ? faulty : right`; MUTANT (mutant.h) says whether fault n is the one that
this process is to suffer, and notes that the place was reached. Where both can be evaluated without consequences, only a place with
another value there counts as reached (MUTANT_IF): a test that never makes a and b equal cannot tell `a < b` from `a <= b`. clang's syntax
tree says where expressions begin and end and what type they have; code that comes out of macros and constants that a compiler has to know
are left alone."""
import dataclasses
import re

from clang.cindex import CursorKind as K
from clang.cindex import Index, TypeKind

SWAPPED = {
    "+": "-", "-": "+", "*": "+", "/": "*", "%": "/",
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==",
    "&&": "||", "||": "&&", "&": "|", "|": "&", "<<": ">>", ">>": "<<",
}
INTEGERS = {
    TypeKind.INT, TypeKind.UINT, TypeKind.LONG, TypeKind.ULONG, TypeKind.LONGLONG, TypeKind.ULONGLONG, TypeKind.SHORT,
    TypeKind.USHORT, TypeKind.UCHAR, TypeKind.SCHAR, TypeKind.CHAR_S, TypeKind.BOOL, TypeKind.ENUM,
}
NUMBERS = INTEGERS | {TypeKind.DOUBLE, TypeKind.FLOAT}
# A swap of these arguments changes nothing: how many and how large (their product is what counts), ...
PRODUCTS = {"calloc", "reallocarray"}
# ... and what functions get that are symmetric.
SYMMETRIC = {"fmin", "fmax", "least", "most", "earlier", "later", "latest", "stacks_older", "nearly"}
# Where the host has no memory: tests/cli/out-of-memory fails every allocation and asks for these three words alone.
NO_MEMORY = '"out of memory'
# What an expression stands below where it is a statement of its own, and its value is nobody's.
STATEMENTS = {K.COMPOUND_STMT, K.IF_STMT, K.FOR_STMT, K.WHILE_STMT, K.DO_STMT, K.LABEL_STMT, K.CASE_STMT, K.DEFAULT_STMT}
# An operand with one of these is not evaluated twice.
EFFECTS = {"=", "++", "--", "&&", "||"}
# Below these the compiler wants constants, or nothing is evaluated.
CONSTANT = {K.ENUM_CONSTANT_DECL, K.FIELD_DECL, K.STATIC_ASSERT, K.CXX_UNARY_EXPR, K.StmtExpr}


@dataclasses.dataclass(frozen=True)
class Fault:
    """Replace bytes [start, end) of `file` by `text`, in which {n} is the fault's number; `what` is for people."""
    file: str
    line: int
    start: int
    end: int
    text: str
    kind: str
    what: str


def is_array(cursor):
    """A local array: its size is a child beside its values, and one element more is room that nothing uses."""
    return cursor.type.get_canonical().kind == TypeKind.CONSTANTARRAY


def is_plain(cursor):
    """Evaluated twice it is the same, and nothing else is: no call, no assignment. And no `?:`, && or ||, behind which an operand may be
    one that must not be evaluated where the fault is not active."""
    if cursor.kind in (K.CALL_EXPR, K.COMPOUND_ASSIGNMENT_OPERATOR, K.CONDITIONAL_OPERATOR, K.StmtExpr):
        return False
    if cursor.kind == K.UNARY_OPERATOR and any(t.spelling in ("++", "--") for t in cursor.get_tokens()):
        return False
    children = list(cursor.get_children())
    if cursor.kind == K.BINARY_OPERATOR and any(t.spelling in EFFECTS for t in cursor.get_tokens()):
        return False
    return all(is_plain(child) for child in children)


class Planter:
    def __init__(self, file, source):
        self.file, self.source, self.faults = file, source, []

    def text(self, cursor):
        return self.source[cursor.extent.start.offset:cursor.extent.end.offset].decode()

    def add(self, cursor, kind, faulty, what, differs=None):
        right = self.text(cursor)
        start, end = cursor.extent.start, cursor.extent.end
        asked = f"MUTANT_IF({{n}}, {differs})" if differs else "MUTANT({n})"
        text = f"({asked} ? ({faulty}) : ({right}))"
        self.faults.append(Fault(self.file, start.line, start.offset, end.offset, text, kind, what))

    def own(self, cursor):
        """Is it written here as it stands, and by nobody's macro?"""
        start, end = cursor.extent.start, cursor.extent.end
        if not start.file or start.file.name != self.file or end.offset <= start.offset:
            return False
        tokens = [t.spelling for t in cursor.get_tokens()]
        text = self.text(cursor)
        # a macro's expansion is one place: its extent then does not hold the tokens of the expression
        return bool(tokens) and text.startswith(tokens[0]) and text.endswith(tokens[-1]) and "\n#" not in text

    def operator(self, cursor):
        children = list(cursor.get_children())
        if len(children) != 2:
            return
        left, right = children
        between = self.source[left.extent.end.offset:right.extent.start.offset].decode().strip()
        other = SWAPPED.get(between)
        types = {c.type.get_canonical().kind for c in children}
        if not other or not types <= NUMBERS:
            return
        if between in "& | << >> %".split() and not types <= INTEGERS:
            return
        a, b = self.text(left), self.text(right)
        if other in ("/", "%"):
            b = f"(({b}) ? ({b}) : 1)"
        faulty, differs = f"({a}) {other} ({b})", None
        if is_plain(cursor) and between not in ("&&", "||"):
            differs = f"({faulty}) != ({self.text(cursor)})"
        self.add(cursor, "operator", faulty, f"{between} became {other}", differs)

    def literal(self, cursor):
        text = self.text(cursor)
        if re.fullmatch(r"\d+[uUlL]*|0x[0-9a-fA-F]+[uUlL]*", text):
            self.add(cursor, "constant", f"{text} + 1", f"{text} became {text} + 1")

    def string(self, cursor):
        """A key or a word that is written: one letter more."""
        text = self.text(cursor)
        if re.fullmatch(r'"[A-Za-z][A-Za-z0-9_ ]*"', text) and not text.startswith(NO_MEMORY):
            self.add(cursor, "text", text[:-1] + '_"', f"{text} got another letter")

    def arguments(self, cursor):
        """Two neighbouring arguments of the same type, swapped: columns that change places."""
        if cursor.spelling in PRODUCTS | SYMMETRIC:
            return
        arguments = [a for a in cursor.get_arguments() if a]
        for a, b in zip(arguments, arguments[1:]):
            kinds = {a.type.get_canonical().spelling, b.type.get_canonical().spelling}
            x, y = self.text(a), self.text(b)
            if len(kinds) > 1 or x == y or not (self.own(a) and self.own(b)):
                continue
            if a.type.get_canonical().kind not in NUMBERS or a.kind == K.INTEGER_LITERAL:
                continue
            start, end = a.extent.start, b.extent.end
            gap = self.source[a.extent.end.offset:b.extent.start.offset].decode()
            asked = f"MUTANT_IF({{n}}, ({x}) != ({y}))" if is_plain(a) and is_plain(b) else "MUTANT({n})"
            text = f"({asked} ? ({y}) : ({x})){gap}({asked} ? ({x}) : ({y}))"
            self.faults.append(Fault(self.file, start.line, start.offset, end.offset, text, "arguments",
                                     f"{x} and {y} changed places"))

    def condition(self, cursor):
        test = next(cursor.get_children(), None)
        if test and self.own(test) and test.type.get_canonical().kind in NUMBERS:
            self.add(test, "condition", f"!({self.text(test)})", f"if ({self.text(test)}) became its opposite")

    def update(self, cursor):
        """`a += b;` or `a++;` as a statement: left out."""
        text = self.text(cursor)
        end = cursor.extent.end.offset
        if self.source[end:end + 1] == b";":
            start = cursor.extent.start
            self.faults.append(Fault(self.file, start.line, start.offset, end, f"(MUTANT({{n}}) ? (void)0 : (void)({text}))",
                                     "update", f"{text} was left out"))

    def visit(self, cursor, inside, parent=None):
        if cursor.kind == K.FUNCTION_DECL:
            inside = cursor.is_definition()
        if cursor.kind in CONSTANT or (cursor.kind == K.VAR_DECL and cursor.storage_class.name == "STATIC"):
            return
        if cursor.kind == K.CASE_STMT:
            # the label is for the compiler; what it leads to is code like any other
            self.visit(list(cursor.get_children())[-1], inside, cursor)
            return
        if cursor.kind == K.CALL_EXPR and cursor.spelling.startswith("__builtin_c"):
            return
        if cursor.kind == K.CALL_EXPR and cursor.spelling == "__builtin_expect":
            # what the compiler is to expect makes it faster or slower and nothing else: only the value is visited
            self.visit(next(cursor.get_arguments()), inside)
            return
        if inside and cursor.location.file and cursor.location.file.name == self.file:
            self.look(cursor, parent)
        for child in cursor.get_children():
            if not (cursor.kind == K.VAR_DECL and child.kind == K.INTEGER_LITERAL and is_array(cursor)):
                self.visit(child, inside, cursor)

    def look(self, cursor, parent):
        if cursor.kind == K.IF_STMT:
            self.condition(cursor)
            return
        if not self.own(cursor):
            return
        if cursor.kind == K.BINARY_OPERATOR:
            self.operator(cursor)
        elif cursor.kind == K.INTEGER_LITERAL:
            self.literal(cursor)
        elif cursor.kind == K.STRING_LITERAL:
            self.string(cursor)
        elif cursor.kind == K.CALL_EXPR:
            self.arguments(cursor)
        elif cursor.kind in (K.COMPOUND_ASSIGNMENT_OPERATOR, K.UNARY_OPERATOR) and parent and parent.kind in STATEMENTS:
            if cursor.kind == K.COMPOUND_ASSIGNMENT_OPERATOR or self.text(cursor).endswith(("++", "--")):
                self.update(cursor)


def faults_of(file, through, arguments):
    """Every fault of `file` (a path as the compiler has it), read as a part of the translation unit `through`."""
    unit = Index.create().parse(through, args=arguments)
    with open(file, "rb") as f:
        planter = Planter(file, f.read())
    for cursor in unit.cursor.get_children():
        if cursor.location.file and cursor.location.file.name == file:
            planter.visit(cursor, False)
    return sorted(set(planter.faults), key=lambda f: (f.start, f.end, f.kind, f.text))


def planted(source, faults):
    """The source with these numbered faults, [(n, fault)], which do not overlap."""
    for n, fault in sorted(faults, key=lambda x: -x[1].start):
        source = source[:fault.start] + fault.text.replace("{n}", str(n)).encode() + source[fault.end:]
    return source
