"""Rules as the reference describes them: each must be accepted, and mean what Python means."""

from tests.constructs.construct import Construct

CONSTRUCTS: tuple[Construct, ...] = (
    Construct("ordinary-flag-copied", rule="node.hit = node.flag"),
    Construct("ordinary-flag-negated", rule="node.hit = not node.flag"),
    Construct(
        "ordinary-flag-in-if", rule="if node.flag:\n    node.out = 1\nelse:\n    node.out = 2"
    ),
    Construct("ordinary-flag-equals-flag", rule="node.hit = node.flag == node.other.flag"),
    Construct("ordinary-flag-differs", rule="node.hit = node.flag != node.other.flag"),
    Construct("ordinary-flag-equals-constant", rule="node.hit = node.flag == False"),
    Construct(
        "ordinary-and-or-not", rule="node.hit = node.flag and not node.other.flag or node.left == 2"
    ),
    Construct(
        "ordinary-and-of-three",
        rule="node.hit = node.left == 2 and node.right == 2 and node.st == S.B",
    ),
    Construct(
        "ordinary-or-of-three", rule="node.hit = node.flag or node.left == 0 or node.st == S.B"
    ),
    Construct("ordinary-exclusive-or", rule="node.hit = (node.left == 2) != (node.right == 2)"),
    Construct("ordinary-implication", rule="node.hit = not node.flag or node.left == 2"),
    Construct("ordinary-number-plus", rule="node.out = node.left + 1"),
    Construct("ordinary-number-plus-number", rule="node.out = node.left + node.right"),
    Construct("ordinary-number-minus", rule="node.out = 5 - node.left"),
    Construct("ordinary-number-minus-number", rule="node.out = 3 + node.left - node.right"),
    Construct("ordinary-number-equals", rule="node.hit = node.left == node.right"),
    Construct("ordinary-number-less", rule="node.hit = node.left < node.right"),
    Construct("ordinary-number-at-least", rule="node.hit = node.left >= node.other.left"),
    Construct("ordinary-number-chained", rule="node.hit = 0 < node.left <= node.right"),
    Construct("ordinary-number-increment", rule="node.out += 1"),
    Construct("ordinary-number-decrement", rule="require(node.right > 0)\nnode.right -= 1"),
    Construct("ordinary-number-guarded-increment", rule="require(node.left < 3)\nnode.left += 1"),
    Construct("ordinary-number-plus-plain", rule="node.out = node.left + node.number"),
    Construct("ordinary-number-compared-with-plain", rule="node.hit = node.left == node.number"),
    Construct("ordinary-number-compared-with-limit", rule="node.hit = node.left < self.limit"),
    Construct(
        "ordinary-number-compared-with-bound", rule="node.hit = node.left < self.bounds.notes"
    ),
    Construct("ordinary-wrap-around", rule="node.left = 0 if node.left == 3 else node.left + 1"),
    Construct(
        "ordinary-maximum-by-ternary",
        rule="node.out = node.left if node.left > node.right else node.right",
    ),
    Construct(
        "ordinary-nested-ternary",
        rule="node.out = 1 if node.st == S.A else 2 if node.st == S.B else 3",
    ),
    Construct("ordinary-enum-copied", rule="node.st = node.other.st"),
    Construct("ordinary-enum-equals", rule="node.hit = node.st == S.B"),
    Construct("ordinary-enum-equals-enum", rule="node.hit = node.st == node.other.st"),
    Construct("ordinary-enum-differs", rule="node.hit = node.st != S.A"),
    Construct("ordinary-enum-in-tuple", rule="node.hit = node.st in (S.A, S.C)"),
    Construct("ordinary-enum-not-in-tuple", rule="node.hit = node.st not in (S.A, S.C)"),
    Construct("ordinary-enum-by-ternary", rule="node.st = S.A if node.flag else S.C"),
    Construct("ordinary-option-is-nothing", rule="node.hit = node.maybe == Nothing"),
    Construct("ordinary-option-differs-from-nothing", rule="node.hit = node.maybe != Nothing"),
    Construct(
        "ordinary-option-guarded-and", rule="node.hit = node.maybe != Nothing and node.maybe > 0"
    ),
    Construct(
        "ordinary-option-guarded-or", rule="node.hit = node.maybe == Nothing or node.maybe < 2"
    ),
    Construct(
        "ordinary-option-guarded-ternary",
        rule="node.out = 7 if node.maybe == Nothing else node.maybe",
    ),
    Construct(
        "ordinary-option-guarded-if",
        rule="if node.maybe != Nothing:\n    node.out = node.maybe + 1",
    ),
    Construct(
        "ordinary-option-guarded-require",
        rule="require(node.maybe != Nothing)\nnode.out = node.maybe",
    ),
    Construct("ordinary-option-equals-value", rule="node.hit = node.maybe == 2"),
    Construct("ordinary-option-written", rule="node.maybe = node.left"),
    Construct("ordinary-option-cleared", rule="node.maybe = Nothing"),
    Construct("ordinary-option-copied", rule="node.maybe = node.other.maybe"),
    Construct("ordinary-option-of-entity", rule="node.hit = node.peer == node"),
    Construct("ordinary-option-of-entity-nothing", rule="node.hit = node.peer == Nothing"),
    Construct("ordinary-option-of-entity-written", rule="node.peer = node.other"),
    Construct(
        "ordinary-option-of-entity-followed",
        rule="if node.peer != Nothing:\n    node.out = node.peer.left",
    ),
    Construct("ordinary-last-of-protocol", rule="node.hit = self.last == node"),
    Construct("ordinary-last-written", rule="self.last = node"),
    Construct("ordinary-entity-equals", rule="node.hit = node.friend == node"),
    Construct("ordinary-entity-differs", rule="node.hit = node.friend != self.turn"),
    Construct("ordinary-entity-less", rule="node.hit = node.friend < self.turn"),
    Construct("ordinary-entity-followed", rule="node.out = node.friend.left"),
    Construct("ordinary-entity-followed-twice", rule="node.hit = self.turn.other.flag"),
    Construct("ordinary-entity-plain-attribute", rule="node.out = node.other.number + node.left"),
    Construct("ordinary-entity-written-through", rule="self.turn.hit = True"),
    Construct("ordinary-entity-stored", rule="node.friend = self.turn"),
    Construct("ordinary-entity-by-ternary", rule="self.turn = node if node.flag else node.other"),
    Construct("ordinary-set-has", rule="node.hit = node.seen.has(1)"),
    Construct("ordinary-set-in", rule="node.hit = 1 in node.seen"),
    Construct("ordinary-set-not-in", rule="node.hit = 0 not in node.seen"),
    Construct("ordinary-set-has-state", rule="node.hit = node.seen.has(node.rec.text)"),
    Construct("ordinary-set-add", rule="node.seen.add(2)"),
    Construct("ordinary-set-add-state", rule="node.seen.add(node.rec.text)"),
    Construct(
        "ordinary-set-add-twice",
        rule="node.seen.add(1)\nnode.seen.add(1)\nnode.out = node.seen.size",
    ),
    Construct("ordinary-set-remove-guarded", rule="if node.seen.has(1):\n    node.seen.remove(1)"),
    Construct("ordinary-set-clear", rule="node.seen.clear()\nnode.hit = node.seen.is_empty"),
    Construct("ordinary-set-size", rule="node.out = node.seen.size"),
    Construct("ordinary-set-is-empty", rule="node.hit = node.seen.is_empty"),
    Construct("ordinary-set-of-nodes-has", rule="node.hit = node.friends.has(node.other)"),
    Construct(
        "ordinary-set-of-nodes-add",
        rule="node.friends.add(node.friend)\nnode.out = node.friends.size",
    ),
    Construct("ordinary-record-equals-class", rule="node.hit = node.mail == Stop"),
    Construct("ordinary-record-equals-value", rule="node.hit = node.mail == Note(text=1)"),
    Construct("ordinary-record-part", rule="node.out = node.rec.text"),
    Construct(
        "ordinary-record-part-guarded",
        rule="node.hit = node.mail == Stop and node.mail.reason == 1",
    ),
    Construct("ordinary-record-built", rule="node.rec = Note(text=node.rec.text)"),
    Construct(
        "ordinary-record-built-of-state",
        rule="require(node.left <= 2)\nnode.mail = Note(text=node.left)",
    ),
    Construct("ordinary-record-isinstance", rule="node.hit = isinstance(node.mail, Stop)"),
    Construct(
        "ordinary-record-isinstance-of-two",
        rule="node.hit = isinstance(node.box.head, (Stop, Note))",
    ),
    Construct(
        "ordinary-queue-put", rule="require(node.box.has_space)\nnode.box.put(Stop(reason=0))"
    ),
    Construct(
        "ordinary-queue-put-first",
        rule="require(node.box.has_space)\nnode.box.put_first(Stop(reason=0))",
    ),
    Construct(
        "ordinary-queue-put-of-state", rule="require(node.box.has_space)\nnode.box.put(node.mail)"
    ),
    Construct("ordinary-queue-take", rule="require(not node.box.is_empty)\nnode.box.take()"),
    Construct("ordinary-queue-head", rule="node.hit = node.box.head == Note(text=2)"),
    Construct("ordinary-queue-head-class", rule="node.hit = node.box.head == Stop"),
    Construct("ordinary-queue-head-nothing", rule="node.hit = node.box.head == Nothing"),
    Construct(
        "ordinary-queue-at", rule="node.hit = node.box.length > 1 and node.box.at(1) == Stop"
    ),
    Construct("ordinary-queue-length", rule="node.out = node.box.length"),
    Construct("ordinary-queue-space-for-two", rule="node.hit = node.box.has_space_for(2)"),
    Construct("ordinary-queue-holds", rule="node.hit = node.box.holds(Stop(reason=1))"),
    Construct("ordinary-queue-in", rule="node.hit = Note(text=2) in node.box"),
    Construct("ordinary-queue-clear", rule="node.box.clear()\nnode.hit = node.box.is_empty"),
    Construct(
        "ordinary-queue-moved",
        rule="""
            require(not node.box.is_empty, node.other.box.has_space)
            node.other.box.put(node.box.head)
            node.box.take()
            """,
    ),
    Construct("ordinary-array-read", rule="node.out = node.slots[0] + node.slots[1]"),
    Construct("ordinary-array-write", rule="node.slots[0] = 2"),
    Construct(
        "ordinary-array-read-by-state",
        rule="require(node.left < 2)\nnode.out = node.slots[node.left]",
    ),
    Construct(
        "ordinary-array-write-by-state", rule="require(node.left < 2)\nnode.slots[node.left] = 3"
    ),
    Construct(
        "ordinary-array-for",
        rule="for value in node.slots:\n    if value == 3:\n        node.hit = True",
    ),
    Construct("ordinary-array-all", rule="node.hit = all(value == 0 for value in node.slots)"),
    Construct("ordinary-per-entity-read", rule="node.out = self.marks[node.other]"),
    Construct(
        "ordinary-per-entity-write", rule="require(self.marks[node] < 3)\nself.marks[node] += 1"
    ),
    Construct("ordinary-per-entity-by-state", rule="node.out = self.marks[node.friend]"),
    Construct("ordinary-all-nodes", rule="node.hit = all(x.left == 2 for x in self.nodes)"),
    Construct(
        "ordinary-any-other-node", rule="node.hit = any(x.flag for x in self.nodes if x != node)"
    ),
    Construct("ordinary-sum-nodes", rule="node.out = sum(x.left for x in self.nodes)"),
    Construct("ordinary-count-nodes", rule="node.out = sum(1 for x in self.nodes if x.flag)"),
    Construct("ordinary-min-nodes", rule="node.out = min(x.left for x in self.nodes)"),
    Construct("ordinary-max-nodes", rule="node.out = max(x.left for x in self.nodes)"),
    Construct("ordinary-for-nodes", rule="for x in self.nodes:\n    x.hit = True"),
    Construct(
        "ordinary-for-nodes-with-if",
        rule="for x in self.nodes:\n    if x.st == S.B:\n        x.hit = True",
    ),
    Construct("ordinary-for-plain-range", rule="for i in range(2):\n    node.out += node.slots[i]"),
    Construct(
        "ordinary-for-enumerate",
        rule="for i, x in enumerate(self.nodes):\n    if x.flag:\n        node.out = i + 1",
    ),
    Construct(
        "ordinary-for-other-list",
        rule="for x in [y for y in self.nodes if y.kind == 'sink']:\n    x.hit = node.flag",
    ),
    Construct(
        "ordinary-for-zip-of-plain",
        rule="for x, bonus in zip(self.nodes, (1, 2)):\n    if x.flag:\n        node.out = bonus",
    ),
    Construct("ordinary-if-plain-kind", rule='if node.kind == "sink":\n    node.out = 1'),
    Construct(
        "ordinary-if-option-of-spec", rule="if self.options.eager:\n    node.hit = node.flag"
    ),
    Construct("ordinary-plain-dict", rule='node.out = node.left + node.weights["x"]'),
    Construct("ordinary-plain-arithmetic", rule="node.out = node.left + node.number * 3 // 2"),
    Construct("ordinary-plain-power-and-modulo", rule="node.out = node.left + node.number**2 % 3"),
    Construct("ordinary-plain-length", rule="node.out = node.left + len(self.nodes)"),
    Construct("ordinary-plain-tuple-in", rule='node.hit = node.flag and "t" in node.tags'),
    Construct("ordinary-plain-index", rule="node.out = self.nodes.index(node) + node.left"),
    Construct("ordinary-plain-none-in-boolean", rule="node.hit = node.flag and not node.sink"),
    Construct("ordinary-plain-f-string", rule='node.hit = node.flag and f"{node.number}" == "1"'),
    Construct("ordinary-plain-slice", rule="for x in self.nodes[1:]:\n    x.hit = node.flag"),
    Construct(
        "ordinary-match-record",
        rule="""
        match node.mail:
            case Stop(reason=reason):
                node.out = reason
            case Note(text=text):
                node.out = text + 3
        """,
    ),
    Construct(
        "ordinary-match-head",
        rule="""
        match node.box.head:
            case Stop():
                node.out = 1
            case Note(text=text):
                node.out = text + 2
            case _:
                require(False)
        """,
    ),
    Construct(
        "ordinary-match-enum",
        rule="""
        match node.st:
            case S.A:
                node.out = 1
            case S.B:
                node.out = 2
            case _:
                node.out = 3
        """,
    ),
    Construct(
        "ordinary-match-enums-together",
        rule="""
        match node.st:
            case S.A | S.B:
                node.out = 1
            case S.C:
                node.out = 2
        """,
    ),
    Construct(
        "ordinary-match-plain",
        rule="""
        match node.kind:
            case "source":
                node.out = 1
            case _:
                node.out = 2
        """,
    ),
    Construct("ordinary-require-state", rule="require(node.st != S.C)"),
    Construct(
        "ordinary-require-lazily", rule="require(node.maybe != Nothing, lambda: node.maybe == 2)"
    ),
    Construct("ordinary-require-late", rule="node.hit = node.flag\nrequire(node.left > 0)"),
    Construct("ordinary-require-plain", rule='require(node.kind == "sink" or node.flag)'),
    Construct(
        "ordinary-within", rule="within(self.marks[node], self.bounds.notes)\nself.marks[node] += 1"
    ),
    Construct("ordinary-assert-true", rule="assert node.left <= 3\nnode.out = node.left"),
    Construct("ordinary-assert-violated", rule="assert node.left < 2"),
    Construct("ordinary-local-variable", rule="old = node.left\nnode.left = 1\nnode.out = old"),
    Construct(
        "ordinary-local-of-condition",
        rule="busy = node.st == S.B\nnode.hit = busy and node.left == 2",
    ),
    Construct("ordinary-local-of-entity", rule="other = node.other\nother.hit = other.flag"),
    Construct("ordinary-two-locals", rule="a, b = node.left, node.right\nnode.out = a + b"),
    Construct("ordinary-swap", rule="node.left, node.right = node.right, node.left"),
    Construct(
        "ordinary-early-return",
        rule="node.n += 1\nif node.flag:\n    return\nnode.n -= 1\nnode.out = 1",
    ),
    Construct("ordinary-write-then-read", rule="node.left = 2\nnode.out = node.left + 1"),
    Construct("ordinary-pass", rule="if node.flag:\n    pass\nelse:\n    node.hit = True"),
)
