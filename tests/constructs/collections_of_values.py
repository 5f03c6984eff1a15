"""Lists, dicts, sets and comprehensions that hold values of the state."""

from tests.constructs.construct import Construct

CONSTRUCTS: tuple[Construct, ...] = (
    Construct("dict-with-state-values", rule='node.out = {"a": node.left, "b": node.right}["b"]'),
    Construct("dict-with-state-keys", rule="node.out = {node.left: 4, 3: 5}.get(1, 6)"),
    Construct("dict-with-enum-key", rule="node.hit = {node.st: True}.get(S.A, False)"),
    Construct("dict-with-entity-key", rule="node.out = {node.friend: 1, node: 2}[node]"),
    Construct(
        "dict-with-plain-entity-key", rule="node.out = {x: x.left for x in self.nodes}[node]"
    ),
    Construct("dict-get-of-state", rule="node.out = {0: 3, 1: 4}.get(node.left, 5)"),
    Construct("dict-get-of-enum", rule="node.out = {S.A: 1}.get(node.st, 2)"),
    Construct("dict-setdefault", rule="d = {1: 5}\nnode.out = d.setdefault(node.left, 6)"),
    Construct("dict-pop", rule="d = {1: 5, 2: 6}\nnode.out = d.pop(node.left, 7)"),
    Construct("dict-update", rule="d = {}\nd.update(left=node.left)\nnode.out = d['left']"),
    Construct("dict-merge", rule="d = {'x': node.left} | {'y': 1}\nnode.out = d['x']"),
    Construct(
        "dict-items",
        rule="""
        for name, value in {"x": node.left, "y": node.right}.items():
            if value == 2:
                node.out += len(name)
        """,
    ),
    Construct("dict-length-of-state-keys", rule="node.out = len({node.left: 1, node.right: 2})"),
    Construct(
        "dict-comprehension-by-state", rule="node.out = len({x.left: x for x in self.nodes})"
    ),
    Construct("dict-fromkeys", rule="node.out = len(dict.fromkeys([node.left, 1]))"),
    Construct("dict-double-star", rule="node.rec = Note(**{'text': node.left})"),
    Construct(
        "defaultdict-count",
        prelude="from collections import defaultdict\n",
        rule="""
        found = defaultdict(int)
        for x in self.nodes:
            found[x.st] += 1
        node.out = found[S.A]
        """,
    ),
    Construct(
        "defaultdict-by-plain",
        prelude="from collections import defaultdict\n",
        rule="""
        found = defaultdict(int)
        for x in self.nodes:
            found[x.kind] += x.left
        node.out = found["source"]
        """,
    ),
    Construct(
        "counter-of-state",
        prelude="from collections import Counter\n",
        rule="node.out = Counter(x.st for x in self.nodes)[S.B]",
    ),
    Construct(
        "counter-of-array",
        prelude="from collections import Counter\n",
        rule="node.out = Counter(node.slots)[3]",
    ),
    Construct(
        "deque-of-state",
        prelude="from collections import deque\n",
        rule="""
        values = deque([node.left, node.right], maxlen=2)
        values.appendleft(1)
        node.out = values[1]
        """,
    ),
    Construct(
        "ordered-dict-move",
        prelude="from collections import OrderedDict\n",
        rule="""
        d = OrderedDict(a=node.left, b=node.right)
        d.move_to_end("a")
        node.out = next(iter(d.values()))
        """,
    ),
    Construct(
        "chain-map",
        prelude="from collections import ChainMap\n",
        rule="node.out = ChainMap({1: 4}, {2: 5}).get(node.left, 6)",
    ),
    Construct(
        "user-dict",
        prelude="from collections import UserDict\n",
        rule="node.out = UserDict({1: 4}).get(node.left, 6)",
    ),
    Construct("set-literal-of-state", rule="node.out = len({node.left, node.right})"),
    Construct("set-literal-of-constants", rule="node.hit = node.left in {0, 2}"),
    Construct("set-comprehension-of-state", rule="node.out = len({x.left for x in self.nodes})"),
    Construct("set-of-entities-of-state", rule="node.out = len({x.friend for x in self.nodes})"),
    Construct(
        "set-of-plain-entities",
        rule="node.hit = len({x.kind for x in self.nodes}) == 2 and node.flag",
    ),
    Construct("set-has-state-value", rule="node.hit = 1 in {node.left, 3}"),
    Construct("set-union-of-state", rule="node.out = len({node.left} | {1})"),
    Construct("set-minus-nodes", rule="node.hit = set(self.nodes) - {node.friend} == {node.other}"),
    Construct("set-isdisjoint", rule="node.hit = {0, 1}.isdisjoint([node.left])"),
    Construct("set-issubset-of-queue", rule="node.hit = {Note(text=2)}.issubset(node.box)"),
    Construct("set-of-field-issubset", rule="node.hit = node.seen.issubset({0, 1})"),
    Construct("set-of-field-union", rule="node.out = node.seen.union(node.other.seen).size"),
    Construct("set-of-field-minus", rule="node.hit = (node.seen - node.other.seen) == {1}"),
    Construct(
        "set-of-field-copy", rule="old = node.seen.copy()\nnode.seen.clear()\nnode.hit = old.has(1)"
    ),
    Construct("set-of-field-discard", rule="node.seen.discard(1)"),
    Construct("set-of-field-pop", rule="node.out = node.seen.pop()"),
    Construct("set-of-field-update", rule="node.seen.update({0, 2})"),
    Construct("set-of-field-remove-missing", rule="node.seen.remove(0)"),
    Construct("set-of-field-add-outside", rule="node.seen.add(3)"),
    Construct("set-of-field-add-state-outside", rule="node.seen.add(node.left + 1)"),
    Construct("set-of-field-remove-outside", rule="node.seen.remove(3)"),
    Construct("set-of-field-add-option", rule="node.seen.add(node.maybe)"),
    Construct("set-of-field-add-true", rule="node.seen.add(True)"),
    Construct("set-of-field-add-returns", rule="node.hit = node.seen.add(0) == None"),
    Construct(
        "set-alias-then-add", rule="same = node.seen\nsame.add(0)\nnode.hit = node.seen.has(0)"
    ),
    Construct("set-size-called", rule="node.out = node.seen.size()"),
    Construct(
        "list-of-state-append",
        rule="values = [node.left]\nvalues.append(node.right)\nnode.out = values[-1]",
    ),
    Construct("list-index-of-state", rule="node.out = [0, 1, 2].index(node.left)"),
    Construct("list-index-in-state", rule="node.out = [node.left, node.right].index(2)"),
    Construct("list-count", rule="node.out = [x.left for x in self.nodes].count(2)"),
    Construct(
        "list-remove-state",
        rule="values = [0, 1, 2]\nvalues.remove(node.left)\nnode.out = values[0]",
    ),
    Construct(
        "list-remove-entity-of-state",
        rule="""
        others = list(self.nodes)
        others.remove(node.friend)
        node.out = others[0].number
        """,
    ),
    Construct("list-pop-by-state", rule="values = [4, 5, 6]\nnode.out = values.pop(node.left)"),
    Construct(
        "list-insert-by-state",
        rule="values = [4, 5, 6]\nvalues.insert(node.left, 9)\nnode.out = values[1]",
    ),
    Construct(
        "list-extend-with-set", rule="values = []\nvalues.extend(node.seen)\nnode.out = len(values)"
    ),
    Construct("list-plus-array", rule="node.out = len([1] + list(node.slots))"),
    Construct("list-times-state", rule="node.out = len([1] * node.left)"),
    Construct(
        "list-copy-and-reverse",
        rule="values = [node.left, node.right]\nvalues.reverse()\nnode.out = values[0]",
    ),
    Construct(
        "list-slice-assignment",
        rule="values = [1, 2]\nvalues[1:] = [node.left, node.right]\nnode.out = values[2]",
    ),
    Construct(
        "list-equals-comprehension", rule="node.hit = [x.left for x in self.nodes] == [2, 2]"
    ),
    Construct("list-less-than", rule="node.hit = [node.left, 1] < [node.right, 0]"),
    Construct("list-truth-of-filtered", rule="node.hit = bool([x for x in self.nodes if x.flag])"),
    Construct(
        "list-truth-in-not", rule="if not [x for x in self.nodes if x.st == S.C]:\n    node.out = 3"
    ),
    Construct(
        "list-comprehension-two-fors",
        rule="node.out = sum([a.left for a in self.nodes for b in self.nodes if b.flag])",
    ),
    Construct(
        "list-comprehension-with-ternary",
        rule="node.out = sum([x.left if x.flag else 1 for x in self.nodes])",
    ),
    Construct(
        "generator-in-tuple", rule="node.hit = tuple(x.flag for x in self.nodes) == (True, False)"
    ),
    Construct("star-of-generator", rule="node.out = max(*(x.left for x in self.nodes))"),
    Construct("star-in-list", rule="node.out = sum([*node.slots, node.left])"),
    Construct("star-of-set", rule="node.out = len([*node.seen])"),
    Construct(
        "comprehension-over-own-iterator",
        prelude="""
        class Both:
            def __init__(self, node):
                self.node = node

            def __iter__(self):
                yield self.node.left
                yield self.node.right
        """,
        rule="node.out = sum(x for x in Both(node))",
    ),
    Construct("queue-at-past-end", rule="node.hit = node.box.at(1) == Nothing"),
    Construct("queue-at-out-of-bound", rule="node.hit = node.box.at(2) == Nothing"),
    Construct("queue-at-by-state", rule="node.hit = node.box.at(node.left) == Stop"),
    Construct("queue-index", rule="node.hit = node.box[0] == Note(text=2)"),
    Construct("queue-index-last", rule="node.hit = node.box[-1] == Stop(reason=1)"),
    Construct(
        "queue-take-returns", rule="record = node.box.take()\nnode.hit = record == Note(text=2)"
    ),
    Construct("queue-take-when-empty", rule="node.box.take()"),
    Construct("queue-put-when-full", rule="node.box.put(Note(text=0))"),
    Construct("queue-put-wrong-value", rule="require(node.box.has_space)\nnode.box.put(3)"),
    Construct("queue-put-class", rule="require(node.box.has_space)\nnode.box.put(Stop)"),
    Construct("queue-put-nothing", rule="require(node.box.has_space)\nnode.box.put(Nothing)"),
    Construct(
        "queue-put-head-of-other",
        rule="require(node.box.has_space)\nnode.box.put(node.other.box.head)",
    ),
    Construct("queue-length-called", rule="node.out = node.box.length()"),
    Construct("queue-append", rule="node.box.append(Note(text=0))"),
    Construct("queue-pop", rule="node.hit = node.box.pop() == Stop"),
    Construct("queue-empty-method-of-python", rule="node.hit = node.box.empty()"),
    Construct("queue-has-space-for-state", rule="node.hit = node.box.has_space_for(node.left)"),
    Construct(
        "queue-head-kept-over-take",
        rule="""
            head = node.box.head
            require(head != Nothing)
            node.box.take()
            node.hit = head == Note
            """,
    ),
    Construct(
        "queue-alias-then-put",
        rule="""
            same = node.box
            require(same.has_space)
            same.put(Note(text=0))
            node.out = node.box.length
            """,
    ),
    Construct("array-length-of-field", rule="node.out = len(node.slots) + node.slots[0]"),
    Construct("array-for", rule="for value in node.slots:\n    node.out += value"),
    Construct(
        "array-written-while-iterated",
        rule="""
        for value in node.slots:
            node.slots[1] = 1
            node.out += value
        """,
    ),
    Construct("array-index-by-entity", rule="node.out = node.slots[node.friend]"),
    Construct("array-index-by-flag", rule="node.out = node.slots[node.flag]"),
    Construct("array-index-by-plain", rule="node.out = node.slots[node.number - 1]"),
    Construct("array-index-by-plain-bool", rule="node.out = node.slots[node.number == 2]"),
    Construct("array-append", rule="node.slots.append(1)"),
    Construct("per-entity-in", rule="node.hit = node in self.marks"),
    Construct("per-entity-get", rule="node.out = self.marks.get(node, 3)"),
    Construct("per-entity-iterate", rule="for mark in self.marks:\n    node.out += 1"),
    Construct("per-entity-values", rule="node.out = sum(self.marks.values())"),
    Construct("per-entity-length", rule="node.out = len(self.marks)"),
    Construct("per-entity-index-by-number", rule="node.out = self.marks[0]"),
    Construct("per-entity-index-by-optional", rule="node.out = self.marks[node.peer]"),
)
