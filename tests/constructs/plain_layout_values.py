"""Values that are fixed before the search, and the places where they meet the state."""

from tests.constructs.construct import Construct

CONSTRUCTS: tuple[Construct, ...] = (
    Construct("plain-number-modulo", rule="node.out = node.number % 2 + node.left"),
    Construct("plain-number-in-range", rule="for i in range(node.number):\n    node.out += i + 1"),
    Construct("plain-number-as-truth", rule="node.hit = bool(node.number - 1) and node.flag"),
    Construct("plain-number-is", rule="node.hit = node.number is node.number and node.flag"),
    Construct("plain-string-is", rule="node.hit = node.kind is self.nodes[0].kind and node.flag"),
    Construct("plain-entity-is", rule="node.hit = node.other is self.nodes[0] and node.flag"),
    Construct(
        "plain-entity-is-node",
        rule="for x in self.nodes:\n    if x is not node:\n        x.hit = node.flag",
    ),
    Construct("plain-none-equals-none", rule="node.hit = node.sink == None and node.flag"),
    Construct(
        "plain-none-in-match",
        rule="""
        match node.sink:
            case None:
                node.out = 1
            case _:
                node.out = 2
        """,
    ),
    Construct("plain-none-as-truth", rule="if node.sink:\n    node.out = node.left"),
    Construct(
        "plain-none-or-default", rule='node.hit = (node.sink or "memory") == "memory" and node.flag'
    ),
    Construct("plain-type-of-string", rule="node.hit = type(node.kind) == str and node.flag"),
    Construct(
        "plain-isinstance-of-string", rule="node.hit = isinstance(node.sink, str) and node.flag"
    ),
    Construct(
        "plain-isinstance-of-number", rule="node.hit = isinstance(node.number, int) and node.flag"
    ),
    Construct(
        "plain-isinstance-of-entity", rule="node.hit = isinstance(node.other, Node) and node.flag"
    ),
    Construct("plain-hash", rule="node.hit = hash(node.number) == 1 and node.flag"),
    Construct("plain-id", rule="node.hit = id(node.other) == id(self.nodes[0]) and node.flag"),
    Construct(
        "plain-f-string-key",
        rule='node.out = {"source-1": 3, "sink-2": 4}[f"{node.kind}-{node.number}"]',
    ),
    Construct(
        "plain-dict-by-entity",
        rule="table = {x: x.number for x in self.nodes}\nnode.out = table[node] + node.left",
    ),
    Construct(
        "plain-set-of-entities",
        rule="rest = set(self.nodes) - {node}\nfor x in rest:\n    x.hit = node.flag",
    ),
    Construct("plain-set-of-strings", rule='node.hit = "one" in set(node.tags) and node.flag'),
    Construct(
        "plain-sorted-by-name", rule="node.out = sorted(self.nodes, key=lambda x: x.name)[0].left"
    ),
    Construct(
        "plain-reversed",
        rule="for x in reversed(self.nodes):\n    if x.flag:\n        node.out = x.number",
    ),
    Construct(
        "plain-tuple-unpacked",
        rule="first, second = self.nodes\nnode.hit = first.flag and not second.flag",
    ),
    Construct(
        "plain-star-unpacked", rule="_, *rest = self.nodes\nnode.hit = any(x.flag for x in rest)"
    ),
    Construct(
        "plain-max-by-number", rule="node.hit = max(self.nodes, key=lambda x: x.number).flag"
    ),
    Construct(
        "plain-next-with-condition",
        rule='node.out = next(x for x in self.nodes if x.kind == "sink").left',
    ),
    Construct(
        "plain-list-comprehension",
        rule="node.out = sum([x.number for x in self.nodes]) + node.left",
    ),
    Construct(
        "plain-dict-comprehension", rule="node.out = {x.kind: x.left for x in self.nodes}['sink']"
    ),
    Construct("plain-walrus", rule="if (n := node.number) > 1:\n    node.out = n + node.left"),
    Construct("plain-while", rule="n = node.number\nwhile n > 0:\n    node.out += n\n    n -= 1"),
    Construct(
        "plain-try",
        rule="try:\n    node.out = node.weights['z']\nexcept KeyError:\n    node.out = node.left",
    ),
    Construct("plain-get-with-state-default", rule='node.out = node.weights.get("z", node.left)'),
    Construct("plain-get-with-state-key", rule="node.hit = node.weights.get(node.left, 5) == 5"),
    Construct("plain-getattr-default", rule='node.out = getattr(node, "missing", 3) + node.left'),
    Construct("plain-hasattr", rule='node.hit = hasattr(node, "number") and node.flag'),
    Construct("plain-vars", rule='node.hit = "number" in vars(node) and node.flag'),
    Construct(
        "plain-math",
        prelude="import math\n",
        rule="node.out = math.ceil(node.number / 2) + node.left",
    ),
    Construct(
        "plain-string-methods", rule='node.hit = node.kind.upper().startswith("S") and node.flag'
    ),
    Construct(
        "plain-json",
        prelude="import json\n",
        rule='node.out = json.loads(\'{"1": 3, "2": 4}\')[str(node.number)]',
    ),
    Construct(
        "plain-random",
        prelude="import random\n",
        rule="node.hit = random.random() < 0.5 and node.flag",
    ),
    Construct(
        "plain-random-with-seed",
        prelude="import random\n",
        rule="node.hit = random.Random(node.number).random() < 0.5 and node.flag",
    ),
    Construct("plain-limit-compared", rule="node.hit = node.left >= self.limit"),
    Construct("plain-limit-is-none", rule="node.hit = self.limit is None or node.flag"),
    Construct("plain-limit-as-nothing", rule="node.hit = self.limit == Nothing or node.flag"),
    Construct("plain-missing-attribute", rule="node.out = node.missing"),
    Construct("plain-missing-option", rule="node.hit = self.options.lazy"),
    Construct("plain-missing-bound", rule="node.hit = node.left < self.bounds.texts"),
    Construct("plain-bound-as-number", rule="node.out = int(self.bounds.notes) + node.left"),
    Construct("plain-bound-in-range", rule="for i in range(self.bounds.notes):\n    node.out += 1"),
    Construct("plain-bound-divided", rule="node.out = self.bounds.notes // 2 + node.left"),
    Construct("plain-bound-as-truth", rule="if self.bounds.notes:\n    node.out = node.left"),
    Construct(
        "plain-bound-is",
        rule="two = 2\nnode.hit = self.bounds.notes is two or node.flag",
    ),
    Construct(
        "plain-bound-in-f-string", rule='node.hit = f"{self.bounds.notes}" == "2" and node.flag'
    ),
    Construct("plain-bound-plus-state", rule="node.out = self.bounds.notes + node.left"),
    Construct("plain-bound-minus-state", rule="node.out = self.bounds.notes - node.left + 1"),
    Construct("plain-bound-as-key", rule="node.out = {2: 5}.get(self.bounds.notes, 6)"),
    Construct("plain-name-of-entity", rule='node.hit = node.name == "a" and node.flag'),
    Construct("plain-kind-of-state-entity", rule='node.hit = self.turn.kind == "sink"'),
    Construct(
        "plain-number-of-state-entity-in-range",
        rule="for i in range(self.turn.number):\n    node.out += 1",
    ),
    Construct("plain-tags-of-state-entity", rule='node.hit = "one" in self.turn.tags'),
    Construct("plain-dict-of-state-entity", rule='node.out = self.turn.weights["x"]'),
    Construct("plain-none-of-state-entity", rule="node.hit = self.turn.sink == None"),
    Construct("plain-none-of-state-entity-is", rule="node.hit = self.turn.sink is None"),
    Construct("plain-none-of-state-entity-nothing", rule="node.hit = self.turn.sink == Nothing"),
    Construct("plain-none-of-state-entity-truth", rule="node.hit = not self.turn.sink"),
    Construct("plain-other-of-state-entity", rule="node.hit = self.turn.other == node"),
    Construct(
        "plain-method-of-state-entity",
        fields="def is_first(self):\n    return self.number == 1\n",
        rule="node.hit = self.turn.is_first()",
    ),
    Construct("plain-isinstance-of-state-entity", rule="node.hit = isinstance(self.turn, Node)"),
    Construct("plain-index-of-state-entity", rule="node.out = self.nodes.index(self.turn)"),
    Construct("plain-count-of-state-entity", rule="node.out = self.nodes.count(node.friend)"),
    Construct(
        "plain-table-by-state-entity",
        rule="node.out = {x.name: x.number for x in self.nodes}.get(self.turn.name, 7)",
    ),
    Construct("plain-in-names-of-state-entity", rule='node.hit = self.turn.name in ("b", "c")'),
    Construct("plain-world-of-entity", rule="node.out = node.world.limit + node.left"),
)
