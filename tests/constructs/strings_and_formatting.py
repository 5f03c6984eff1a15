"""Texts that are made of values of the state, and texts that are fixed before the search."""

from tests.constructs.construct import Construct

CONSTRUCTS: tuple[Construct, ...] = (
    Construct("str-of-number", rule='node.hit = str(node.left) == "1"'),
    Construct("str-of-flag", rule='node.hit = str(node.flag) == "True"'),
    Construct("str-of-enum", rule='node.hit = str(node.st) == "S.B"'),
    Construct("str-of-entity", rule='node.hit = str(node.friend) == "a"'),
    Construct("str-of-record", rule='node.hit = "Stop" in str(node.mail)'),
    Construct("str-of-nothing", rule="node.hit = str(node.maybe) == str(Nothing)"),
    Construct("repr-of-enum", rule="node.hit = repr(node.st) == \"<S.A: 'a'>\""),
    Construct("repr-of-number", rule='node.hit = repr(node.left) == "2"'),
    Construct("repr-of-record", rule='node.hit = repr(node.rec) == "Note(text=1)"'),
    Construct("repr-equals-repr", rule="node.hit = repr(node.left) == repr(node.right)"),
    Construct("ascii-of-enum", rule='node.hit = ascii(node.st).startswith("<S.A")'),
    Construct("format-of-number", rule='node.hit = format(node.left, "02d") == "01"'),
    Construct("format-method", rule='node.hit = "{}".format(node.left) == "1"'),
    Construct("format-method-with-name", rule='node.hit = "{x.left}".format(x=node) == "1"'),
    Construct("format-map", rule='node.hit = "{left}".format_map({"left": node.left}) == "1"'),
    Construct("f-string-of-number", rule='node.hit = f"{node.left}" == "1"'),
    Construct("f-string-of-enum-name", rule='node.hit = f"{node.st.name}!" == "B!"'),
    Construct("f-string-with-conversion", rule='node.hit = f"{node.left!r}" == "2"'),
    Construct("f-string-with-format", rule='node.hit = f"{node.left:>3}" == "  1"'),
    Construct("f-string-with-equals-sign", rule='node.hit = f"{node.left=}" == "node.left=1"'),
    Construct("f-string-as-key", rule='node.out = {"1": 5, "2": 6}.get(f"{node.left}", 7)'),
    Construct("f-string-as-attribute", rule='node.out = getattr(node, f"{node.kind[:0]}left")'),
    Construct("f-string-in-assert-message", rule='assert node.left < 3, f"left is {node.left}"'),
    Construct("f-string-of-plain", rule='node.hit = f"{node.kind}-{node.number}" == "sink-2"'),
    Construct("percent-number", rule='node.hit = "%d" % node.left == "1"'),
    Construct("percent-string", rule='node.hit = "%s" % node.st == "S.B"'),
    Construct("percent-tuple", rule='node.hit = "%s:%s" % (node.left, node.right) == "1:2"'),
    Construct("percent-of-plain", rule='node.hit = "%s" % node.kind == "sink"'),
    Construct("string-plus-str", rule='node.hit = "x" + str(node.left) == "x1"'),
    Construct("string-plus-number", rule='node.hit = "x" + node.left == "x1"'),
    Construct("string-times-number", rule='node.hit = "x" * node.left == "xx"'),
    Construct("string-times-number-length", rule='node.out = len("x" * node.left)'),
    Construct("string-index", rule='node.hit = "abc"[node.left] == "b"'),
    Construct("string-join", rule='node.hit = ",".join(str(x.left) for x in self.nodes) == "1,1"'),
    Construct("string-join-of-plain", rule='node.hit = "".join(node.tags) == "tone"'),
    Construct("string-find-value", rule='node.out = "abc".find(node.st.value)'),
    Construct(
        "string-startswith-plain", rule='node.hit = node.kind.startswith("so") and node.flag'
    ),
    Construct("string-split-plain", rule='node.out = len("a b c".split()) + node.left'),
    Construct("string-upper-of-value", rule='node.hit = node.st.value.upper() == "A"'),
    Construct("string-encode", rule='node.hit = node.st.value.encode() == b"a"'),
    Construct("string-zfill", rule='node.hit = str(node.number).zfill(2) == "01"'),
    Construct("string-isdigit", rule="node.hit = str(node.left).isdigit()"),
    Construct("string-count-plain", rule='node.out = node.kind.count("s")'),
    Construct("string-less-than", rule='node.hit = node.st.value < "b"'),
    Construct("string-compared-with-enum", rule='node.hit = "a" == node.st'),
    Construct("string-of-name-of-entity", rule='node.hit = node.friend.name + "!" == "b!"'),
    Construct("int-of-string-of-number", rule="node.out = int(str(node.left))"),
    Construct("int-of-hex-digit", rule="node.out = int(node.st.value, 16) - 9"),
    Construct("ord-of-value", rule="node.out = ord(node.st.value) - 96"),
    Construct(
        "string-in-unmarked-function",
        prelude="""
        def label(node):
            return f"{node.st}/{node.left}"
        """,
        rule='node.hit = label(node) == "S.B/2"',
    ),
    Construct(
        "string-in-define",
        methods="""
        @define
        def label(self, node: Node) -> str:
            return "idle" if node.st == S.A else "busy"
        """,
        rule='node.hit = self.label(node) == "busy"',
    ),
    Construct(
        "string-in-define-of-value",
        methods="""
        @define
        def label(self, node: Node) -> str:
            return node.st.value
        """,
        rule='node.hit = self.label(node) == "c"',
    ),
    Construct(
        "string-in-property",
        prop="""
        return all(str(node.left) != "0" for node in state.nodes)
        """,
    ),
    Construct("repr-in-property", prop="return repr(state.nodes[0].st) != \"<S.C: 'c'>\""),
    Construct(
        "f-string-in-property",
        prop="""
        return f"{state.nodes[0].flag}" == "False"
        """,
    ),
)
