"""Properties: what they return, and what they ask."""

from textwrap import dedent

from tests.constructs.construct import Construct

IDLE = """
@define
def idle(self) -> bool:
    return all(x.st == S.A for x in self.nodes)
"""


def offered(code: str) -> str:
    """Return a module's end with the code of a property `other`, which is offered, too."""
    return f"{dedent(code)}\n\nPROPERTIES = (claim, far, other)\n"


CONSTRUCTS: tuple[Construct, ...] = (
    Construct("property-helper-not-called", methods=IDLE, prop="return state.idle"),
    Construct("property-helper-called", methods=IDLE, prop="return state.idle()"),
    Construct("property-not-of-helper-not-called", methods=IDLE, prop="return not state.idle"),
    Construct(
        "property-and-of-helper-not-called",
        methods=IDLE,
        prop="return state.idle and state.nodes[0].flag",
    ),
    Construct(
        "property-or-of-helper-not-called",
        methods=IDLE,
        prop="return state.nodes[0].flag or state.idle",
    ),
    Construct(
        "property-returns-tuple", prop="return state.nodes[0].left < 2, state.nodes[1].left < 2"
    ),
    Construct("property-returns-trailing-comma", prop="return state.nodes[0].left < 2,"),
    Construct("property-returns-empty-tuple", prop="return ()"),
    Construct("property-returns-list", prop="return [x.left < 2 for x in state.nodes]"),
    Construct(
        "property-returns-empty-list", prop="return [x for x in state.nodes if x.number > 5]"
    ),
    Construct("property-returns-filtered-list", prop="return [x for x in state.nodes if x.flag]"),
    Construct("property-returns-generator", prop="return (x.left < 2 for x in state.nodes)"),
    Construct("property-returns-set", prop="return {x.number for x in state.nodes}"),
    Construct("property-returns-dict", prop='return {"a": state.nodes[0].left < 2}'),
    Construct("property-yields", prop="for x in state.nodes:\n    yield x.left < 2"),
    Construct("property-returns-lambda", prop="return lambda: state.nodes[0].left < 2"),
    Construct("property-returns-string", prop='return "holds"'),
    Construct("property-returns-empty-string", prop='return ""'),
    Construct("property-returns-one", prop="return 1"),
    Construct("property-returns-zero", prop="return 0"),
    Construct("property-returns-float", prop="return 0.0"),
    Construct("property-returns-none", prop="return None"),
    Construct("property-without-return", prop="state.nodes[0].left < 2"),
    Construct("property-returns-on-one-path", prop="if state.nodes[0].flag:\n    return False"),
    Construct("property-returns-nothing", prop="return Nothing"),
    Construct("property-returns-false", prop="return False"),
    Construct("property-returns-ellipsis", prop="return ..."),
    Construct("property-returns-not-implemented", prop="return NotImplemented"),
    Construct("property-returns-number-of-state", prop="return state.nodes[0].left"),
    Construct("property-returns-option", prop="return state.last"),
    Construct("property-returns-entity", prop="return state.turn"),
    Construct("property-returns-enum", prop="return state.nodes[0].st"),
    Construct("property-returns-record", prop="return state.nodes[0].rec"),
    Construct("property-returns-set-field", prop="return state.nodes[0].seen"),
    Construct("property-returns-queue", prop="return state.nodes[0].box"),
    Construct("property-returns-bound-method", prop="return state.nodes[0].seen.has"),
    Construct("property-returns-is-empty", prop="return state.nodes[0].box.is_empty"),
    Construct("property-returns-class", prop="return Stop"),
    Construct("property-returns-plain-attribute", prop="return state.nodes[1].sink"),
    Construct("property-returns-plain-none", prop="return state.nodes[0].sink"),
    Construct("property-returns-plain-bool", prop="return state.options.eager"),
    Construct("property-returns-plain-comparison", prop="return state.limit == 3"),
    Construct("property-returns-all-of-list", prop="return all([x.left < 2 for x in state.nodes])"),
    Construct(
        "property-returns-all-of-uncalled",
        methods=IDLE,
        prop="return all(state.idle for _ in state.nodes)",
    ),
    Construct(
        "property-returns-all-of-tuples",
        prop="return all((x.left < 2, x.flag) for x in state.nodes)",
    ),
    Construct(
        "property-returns-any-of-lambdas", prop="return any(lambda: x.flag for x in state.nodes)"
    ),
    Construct("property-returns-all-of-empty", prop="return all(x.flag for x in ())"),
    Construct(
        "property-returns-list-comparison", prop="return [x.left for x in state.nodes] == [1, 1]"
    ),
    Construct(
        "property-returns-tuple-comparison",
        prop="return tuple(x.left for x in state.nodes) != (2, 2)",
    ),
    Construct(
        "property-returns-sum-comparison", prop="return sum(x.left for x in state.nodes) < 4"
    ),
    Construct(
        "property-returns-max-comparison", prop="return max(x.left for x in state.nodes) < 2"
    ),
    Construct(
        "property-returns-len-of-filter", prop="return len([x for x in state.nodes if x.flag]) < 2"
    ),
    Construct("property-returns-bool-call", prop="return bool(state.nodes[0].left)"),
    Construct("property-returns-double-negation", prop="return not not state.nodes[0].left"),
    Construct(
        "property-returns-ternary",
        prop="return state.nodes[0].left < 2 if state.nodes[1].flag else True",
    ),
    Construct("property-returns-walrus", prop="return (x := state.nodes[0].left) < 2 or x == 2"),
    Construct("property-returns-chained", prop="return 0 < state.nodes[0].left < 3"),
    Construct("property-returns-in", prop="return state.nodes[0].left in (1, 2)"),
    Construct("property-returns-not-in", prop="return state.nodes[0].st not in (S.B, S.C)"),
    Construct(
        "property-returns-match",
        prop="""
        match state.nodes[0].mail:
            case Stop(reason=reason):
                return reason == 0
            case Note(text=text):
                return text == 1
        """,
    ),
    Construct(
        "property-with-if",
        prop="""
        if state.nodes[0].flag:
            return state.nodes[1].flag
        return True
        """,
    ),
    Construct(
        "property-with-loop-and-return",
        prop="""
        for x in state.nodes:
            if x.flag and x.left == 0:
                return False
        return True
        """,
    ),
    Construct(
        "property-with-local-function",
        prop="""
        def fine(x):
            return x.left + x.right < 4

        return all(fine(x) for x in state.nodes)
        """,
    ),
    Construct("property-that-writes", prop="state.nodes[0].hit = True\nreturn True"),
    Construct("property-that-clears-a-queue", prop="state.nodes[0].box.clear()\nreturn True"),
    Construct("property-that-calls-a-rule", prop="state.go(state.nodes[0])\nreturn True"),
    Construct(
        "property-that-calls-a-step",
        methods="""
        @step
        def mark(self, node: Node) -> None:
            node.hit = True
        """,
        prop="state.mark(state.nodes[0])\nreturn True",
    ),
    Construct("property-that-sets-plain-attribute", prop="state.limit = 5\nreturn True"),
    Construct(
        "property-that-requires",
        prop="require(state.nodes[0].flag)\nreturn state.nodes[0].left == 2",
    ),
    Construct("property-that-prints", prop="print(state.nodes[0].left)\nreturn True"),
    Construct("property-with-when-never", prop="when(state.nodes[0].left == 3)\nreturn False"),
    Construct(
        "property-with-when-uncalled",
        methods=IDLE,
        prop="when(state.idle)\nreturn state.nodes[0].left < 2",
    ),
    Construct(
        "property-with-when-list",
        prop="when([x.flag for x in state.nodes])\nreturn state.nodes[0].left < 2",
    ),
    Construct(
        "property-with-when-number",
        prop="when(state.nodes[0].left)\nreturn state.nodes[0].left < 3",
    ),
    Construct(
        "property-with-when-twice",
        prop="when(state.nodes[0].flag)\nwhen(state.nodes[1].flag)\nreturn False",
    ),
    Construct(
        "property-with-when-in-branch",
        prop="""
            if state.nodes[0].flag:
                when(state.nodes[1].flag)
            return state.nodes[0].left != 0
            """,
    ),
    Construct(
        "property-with-when-after-return-value",
        prop="ok = state.nodes[0].left < 2\nwhen(state.nodes[1].flag)\nreturn ok",
    ),
    Construct("property-with-when-string", prop='when("flag")\nreturn state.nodes[0].left < 2'),
    Construct(
        "property-with-before-in-always", prop="return before(lambda: state.nodes[0].left) <= 2"
    ),
    Construct(
        "property-over-two-nodes",
        after="""
        @always(witness="far")
        def other(state: Toy, a: Node, b: Node) -> bool:
            \"\"\"Two nodes.\"\"\"
            return a == b or a.left + b.left < 4


        PROPERTIES = (claim, far, other)
        """,
    ),
    Construct(
        "property-over-choice",
        after="""
        @always(witness="far")
        def other(state: Toy, node: Node, value: Annotated[int, Range(0, 2)]) -> bool:
            \"\"\"A value.\"\"\"
            return node.left != value or value < 2


        PROPERTIES = (claim, far, other)
        """,
    ),
    Construct(
        "property-over-enum-choice",
        after="""
        @always(witness="far")
        def other(state: Toy, node: Node, st: S) -> bool:
            \"\"\"A status.\"\"\"
            when(node.st == st)
            return st in (S.A, S.B)


        PROPERTIES = (claim, far, other)
        """,
    ),
    Construct(
        "reachable-returns-tuple",
        after=offered("""
        @reachable
        def other(state: Toy) -> bool:
            \"\"\"Three.\"\"\"
            return (state.nodes[0].left == 3, state.nodes[1].left == 3)
        """),
    ),
    Construct(
        "reachable-returns-generator",
        after=offered("""
        @reachable
        def other(state: Toy) -> bool:
            \"\"\"Three.\"\"\"
            return (x.left == 3 for x in state.nodes)
        """),
    ),
    Construct(
        "reachable-returns-uncalled",
        methods=IDLE,
        after=offered("""
        @reachable
        def other(state: Toy) -> bool:
            \"\"\"Idle.\"\"\"
            return state.idle and state.nodes[0].left == 3
        """),
    ),
    Construct(
        "eventually-returns-list",
        after=offered("""
        @eventually
        def other(state: Toy) -> bool:
            \"\"\"Three.\"\"\"
            return [x.left == 3 for x in state.nodes]
        """),
    ),
    Construct(
        "leads-to-returns-uncalled",
        methods=IDLE,
        after=offered("""
        @leads_to
        def other(state: Toy) -> bool:
            \"\"\"Idle.\"\"\"
            when(state.nodes[0].flag)
            return state.idle
        """),
    ),
    Construct(
        "leads-to-with-number",
        after=offered("""
        @leads_to
        def other(state: Toy, node: Node) -> bool:
            \"\"\"A node.\"\"\"
            when(node.flag)
            return node.left
        """),
    ),
    Construct(
        "on-step-compares-before",
        after=offered("""
        @on_step
        def other(state: Toy, node: Node) -> bool:
            \"\"\"The stage grows.\"\"\"
            when(before(lambda: node.st == S.B))
            return node.stage >= before(lambda: node.stage) and node.left != 1
        """),
    ),
    Construct(
        "on-step-before-of-value",
        after=offered("""
        @on_step
        def other(state: Toy, node: Node) -> bool:
            \"\"\"The stage grows.\"\"\"
            when(node.flag)
            return node.stage == before(node.stage)
        """),
    ),
    Construct(
        "on-step-before-of-method",
        methods=IDLE,
        after=offered("""
        @on_step
        def other(state: Toy) -> bool:
            \"\"\"Idle.\"\"\"
            when(before(state.idle))
            return state.idle()
        """),
    ),
    Construct(
        "on-step-before-of-function-with-local",
        after=offered("""
        @on_step
        def other(state: Toy, node: Node) -> bool:
            \"\"\"The left value.\"\"\"
            left = node.left
            when(left != before(lambda: left))
            return False
        """),
    ),
    Construct(
        "on-step-is-before",
        after=offered("""
        @on_step
        def other(state: Toy, node: Node) -> bool:
            \"\"\"The status.\"\"\"
            when(node.flag)
            return node.st is before(lambda: node.st)
        """),
    ),
    Construct(
        "on-step-before-of-record",
        after=offered("""
        @on_step
        def other(state: Toy, node: Node) -> bool:
            \"\"\"The mail.\"\"\"
            when(node.flag)
            return node.mail == before(lambda: node.mail)
        """),
    ),
    Construct(
        "on-step-before-of-set",
        after=offered("""
        @on_step
        def other(state: Toy, node: Node) -> bool:
            \"\"\"The set.\"\"\"
            when(node.flag)
            return node.seen == before(lambda: node.seen)
        """),
    ),
    Construct(
        "on-step-before-of-tuple",
        after=offered("""
        @on_step
        def other(state: Toy, node: Node) -> bool:
            \"\"\"Both.\"\"\"
            when(node.flag)
            return (node.left, node.right) == before(lambda: (node.left, node.right))
        """),
    ),
    Construct(
        "on-step-taken",
        after=offered("""
        @on_step
        def other(state: Toy, node: Node, taken: Taken) -> bool:
            \"\"\"Only a tick moves the stage.\"\"\"
            when(node.stage != before(lambda: node.stage))
            return taken.rule == "tick"
        """),
    ),
    Construct(
        "on-step-taken-compared-with-string",
        after=offered("""
        @on_step
        def other(state: Toy, taken: Taken) -> bool:
            \"\"\"A rule.\"\"\"
            when(state.nodes[0].flag)
            return taken == "tick"
        """),
    ),
    Construct(
        "property-reads-option", prop="return state.options.eager and state.nodes[0].left < 2"
    ),
    Construct("property-reads-bound", prop="return state.nodes[0].left < state.bounds.notes"),
    Construct("property-reads-unset-option", prop="return state.nodes[0].maybe < 3"),
    Construct(
        "property-reads-guarded-option",
        prop="return state.nodes[0].maybe == Nothing or state.nodes[0].maybe > 0",
    ),
    Construct(
        "property-reads-guarded-option-in-if",
        prop="""
        if state.nodes[0].maybe == Nothing:
            return True
        return state.nodes[0].maybe > 0
        """,
    ),
    Construct("property-assertion-error", prop="assert state.nodes[0].left != 2\nreturn True"),
    Construct(
        "property-uses-random",
        prelude="import random\n",
        prop="return random.random() < 2 and state.nodes[0].left < 2",
    ),
    Construct("property-uses-type", prop="return type(state.nodes[0].mail) == Stop"),
    Construct("property-uses-isinstance", prop="return isinstance(state.nodes[0].mail, Stop)"),
    Construct("property-uses-hash", prop="return hash(state.nodes[0].st) != hash(S.C)"),
    Construct(
        "property-helper-of-module-with-is",
        prelude="def is_c(node):\n    return node.st is S.C\n",
        prop="return not is_c(state.nodes[0])",
    ),
    Construct(
        "property-keeps-value-in-dict",
        prelude="KEPT = {}\n",
        prop="return KEPT.setdefault(0, state.nodes[0].left) == state.nodes[0].left",
    ),
    Construct(
        "property-counts-calls",
        prelude="CALLS = []\n",
        prop="CALLS.append(1)\nreturn len(CALLS) < 2 or state.nodes[0].left < 2",
    ),
    Construct(
        "property-is-a-lambda",
        after=offered("""
        other = always(lambda state: state.nodes[0].left < 2)
        """),
    ),
    Construct(
        "property-is-a-partial",
        prelude="from functools import partial\n",
        after=offered("""
        def below(limit, state: Toy) -> bool:
            \"\"\"Below.\"\"\"
            return state.nodes[0].left < limit


        other = always(partial(below, 2))
        """),
    ),
    Construct(
        "property-made-in-a-loop",
        after="""
        def made(limit):
            @always(witness="far")
            def below(state: Toy) -> bool:
                \"\"\"Below a limit.\"\"\"
                return state.nodes[0].left < limit

            return below


        PROPERTIES = (claim, far, made(2))
        """,
    ),
    Construct(
        "property-decorated-with-own-decorator",
        prelude="""
        import functools


        def negated(function):
            @functools.wraps(function)
            def inner(*args):
                return not function(*args)

            return inner
        """,
        after=offered("""
        @always(witness="far")
        @negated
        def other(state: Toy) -> bool:
            \"\"\"Not.\"\"\"
            return state.nodes[0].left == 2
        """),
    ),
    Construct(
        "property-is-async",
        after=offered("""
        @always(witness="far")
        async def other(state: Toy) -> bool:
            \"\"\"Later.\"\"\"
            return state.nodes[0].left < 2
        """),
    ),
)
