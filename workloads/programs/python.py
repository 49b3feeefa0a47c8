"""An interpreter's usual mix: objects, dictionaries, lists, generators, strings, big integers."""
import sys


class Node:
    __slots__ = ("key", "left", "right", "size")

    def __init__(self, key):
        self.key, self.left, self.right, self.size = key, None, None, 1


def insert(root, key):
    node, parent = root, None
    while node is not None:
        if key == node.key:
            return root
        parent, node = node, node.left if key < node.key else node.right
    if parent is None:
        return Node(key)
    if key < parent.key:
        parent.left = Node(key)
    else:
        parent.right = Node(key)
    return root


def walk(node):
    stack = []
    while stack or node:
        while node:
            stack.append(node)
            node = node.left
        node = stack.pop()
        yield node.key
        node = node.right


def numbers(seed, count):
    for _ in range(count):
        seed = (seed * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        yield seed >> 33


def queens(n, row=0, columns=0, left=0, right=0):
    if row == n:
        return 1
    found, free = 0, ~(columns | left | right) & ((1 << n) - 1)
    while free:
        bit = free & -free
        free -= bit
        found += queens(n, row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1)
    return found


def words(stream):
    count = {}
    for line in stream:
        for word in line.lower().split():
            word = word.strip(".,")
            count[word] = count.get(word, 0) + 1
    return sorted(count.items(), key=lambda item: (-item[1], item[0]))


root = None
for number in numbers(1, 12000):
    root = insert(root, number)
keys = list(walk(root))
print("tree", len(keys), keys[0], keys[-1], keys == sorted(keys))
print("queens", queens(8))
print("words", words(sys.stdin)[:10])
factorial = 1
for i in range(1, 800):
    factorial *= i
print("digits", sum(int(digit) for digit in str(factorial)))
