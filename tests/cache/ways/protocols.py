"""Ways to keep a number in a protocol, its entities, its properties and its settings."""

from .form import Way, way

_DATA = "from dataclasses import dataclass\n"


def _end(name: str, expression: str, head: str = "", inside: str = "", end: str = "") -> Way:
    """A way that only a property reads."""
    return way(
        name, head, "4", prop=f"return state.counter.n <= {expression}", inside=inside, end=end
    )


PROTOCOLS = (
    way("a number in the rule", limit="§"),
    way("an attribute of the protocol", inside="limit = §", limit="self.limit"),
    way("an attribute that is set in __init__", init="self.limit = §", limit="self.limit"),
    way("an attribute from a constant in __init__", "N = §", "self.limit", init="self.limit = N"),
    way("an attribute by setattr", init="setattr(self, 'lim' 'it', §)", limit="self.limit"),
    way("an attribute by __dict__", init="self.__dict__['limit'] = §", limit="self.limit"),
    way("an attribute of the protocol, set later", tail="Count.limit = §", limit="self.limit"),
    way("a helper", inside="def limit(self): return §", limit="self.limit()"),
    way("a marked helper", inside="@define\ndef limit(self):\n    return §",
        limit="self.limit()"),
    way("a property of the protocol", inside="@property\ndef limit(self): return §",
        limit="self.limit"),
    way("a cached property", "from functools import cached_property",
        inside="@cached_property\ndef limit(self): return §", limit="self.limit"),
    way("a static helper", inside="@staticmethod\ndef limit(): return §", limit="self.limit()"),
    way("a class helper", inside="@classmethod\ndef limit(cls): return §", limit="self.limit()"),
    way("a helper that is set later", tail="Count.limit = lambda self: §", limit="self.limit()"),
    way("a helper of a mixin", "class M:\n    def limit(self): return §", "self.limit()",
        bases=", M"),
    way("an attribute of a mixin", "class M:\n    limit = §", "self.limit", bases=", M"),
    way("a helper by its name", inside="def at2(self): return 2\ndef at3(self): return 3",
        limit="getattr(self, 'at§')()"),
    way("a helper by a name of the module", "NAME = 'at§'",
        "getattr(self, NAME)()",
        inside="def at2(self): return 2\ndef at3(self): return 3"),
    way("__getattr__ of the protocol", inside="def __getattr__(self, name):\n"
        "    if name != 'limit': raise AttributeError(name)\n    return §", limit="self.limit"),
    way("__getattribute__ of the protocol", inside="def __getattribute__(self, name):\n"
        "    return § if name == 'limit' else super().__getattribute__(name)",
        limit="self.limit"),
    way("a private name", inside="__limit = §", limit="self.__limit"),
    way("a parameter's default", inside="def limit(self, n=§): return n", limit="self.limit()"),
    way("the name of the class", tail="Count.__name__ = '«aa¦aaa»'",
        limit="len(type(self).__name__)"),
    way("the annotation of a parameter", "N = §", "Count.x.__annotations__['n']",
        inside="def x(self, n: N): pass"),
    way("an option's default", _DATA + "@dataclass(frozen=True)\nclass O:\n    #: a limit\n"
        "    limit: int = §\n", "self.options.limit", inside="Options = O"),
    way("a size's default", _DATA + "@dataclass(frozen=True)\nclass S:\n    #: a limit\n"
        "    limit: int = §\n", "self.sizes.limit", inside="Sizes = S"),
    way("a bound's default", _DATA + "from finale.rules import Bound\n@dataclass(frozen=True)\n"
        "class B:\n    #: a limit\n    limit: int = §\n", "int(self.bounds.limit)",
        inside="Bounds = B"),
    way("a method of the options", _DATA + "@dataclass(frozen=True)\nclass O:\n    #: a limit\n"
        "    x: int = 1\n    def limit(self): return §\n", "self.options.limit()",
        inside="Options = O"),
    way("a property of the sizes", _DATA + "@dataclass(frozen=True)\nclass S:\n    #: a limit\n"
        "    x: int = 1\n    @property\n    def limit(self): return §\n", "self.sizes.limit",
        inside="Sizes = S"),
    way("an attribute of the entity", entity="limit = §", limit="self.counter.limit"),
    way("an attribute of the entity's object", init="self.counter.limit = §",
        limit="self.counter.limit"),
    way("a method of the entity", entity="def limit(self): return §",
        limit="self.counter.limit()"),
    way("a property of the entity", entity="@property\ndef limit(self): return §",
        limit="self.counter.limit"),
    way("the name of the entity", init="self.counter = Counter('«cc¦ccc»')",
        limit="len(self.counter.name)"),
    way("the number of entities", inside="def others(self): return range(§)",
        limit="len(self.others())"),
    way("an initial value", entity="m = field(Range(0, 5), §)", limit="self.counter.m"),
    way("the domain of a field", entity="m = field(Range(0, §), 0)",
        body="self.counter.m = 0\nrequire(self.counter.n < 2)\nself.counter.n += 1",
        tail="class More(Count): pass", prop="return state.counter.n <= 2",
        inside="@rule\ndef up(self):\n    require(self.counter.m < §)\n    self.counter.m += 1"),
    way("a rule's guard", body="require(self.counter.n «<¦<=» 2)\nself.counter.n += 1"),
    way("a rule's effect", body="require(self.counter.n < 2)\nself.counter.n += «1¦2»"),
    way("a further rule", inside="«¦@rule\ndef more(self):\n    require(self.counter.n == 0)\n"
        "    self.counter.n = 5»", limit="2"),
    way("a rule that is removed later", inside="@rule\ndef more(self):\n"
        "    require(self.counter.n == 0)\n    self.counter.n = 5", limit="2",
        tail="«¦del Count.more»"),
    way("a rule that is set later", inside="@rule\ndef more(self):\n"
        "    require(self.counter.n == 0)\n    self.counter.n = 5", limit="2",
        tail="«¦Count.more = Count.go»"),
    way("a rule made by a function", "def make(n):\n    @rule\n    def more(self):\n"
        "        require(self.counter.n < n)\n        self.counter.n += 1\n    return more\n",
        "1", inside="more = make(§)"),
    way("fairness of a rule", "from finale.rules import WEAK, UNFAIR, leads_to, when",
        "2", inside="@rule(fair=«WEAK¦UNFAIR»)\ndef more(self):\n"
        "    require(self.counter.n == 2)\n    self.counter.n = 5",
        tail="@leads_to\ndef goes_on(state: Count) -> bool:\n    'It goes on.'\n"
        "    when(state.counter.n == 2)\n    return state.counter.n == 5\n",
        end="PROPERTIES = (small, goes_on)"),
    _end("a property's number", "«4¦2»"),
    _end("a property's constant", "N", "N = «4¦2»"),
    _end("a property's default", "f()", "def f(n=«4¦2»): return n"),
    _end("a property's closure", "f()", "def make(n): return lambda: n\nf = make(«4¦2»)"),
    _end("a property's named tuple", "P().y", "from typing import NamedTuple\n"
         "class P(NamedTuple):\n    x: int = 0\n    @property\n    def y(self): return «4¦2»"),
    _end("a property's enumeration", "E.A.y",
         "import enum\nclass E(enum.Enum):\n    A = 1\nE.A.y = «4¦2»"),
    _end("a property's list", "N[0]", "class L(list): pass\nN = L([«4¦2»])"),
    _end("a helper that a property calls", "state.most()",
         inside="def most(self): return «4¦2»"),
    _end("the protocol's attribute", "state.most", inside="most = «4¦2»"),
    way("a further property", "", "2",
        end="«¦from finale.rules import always\n@always\ndef other(state: Count) -> bool:\n"
        "    'Other.'\n    when(state.counter.n > 1)\n    return state.counter.n == 0\n"
        "PROPERTIES = (small, other)»"),
    way("the end condition", inside="@define\ndef terminal(self):\n"
        "    return self.counter.n == «2¦1»", limit="2"),
    way("the end condition's constant", "N = «2¦1»",
        inside="@define\ndef terminal(self):\n    return self.counter.n == N", limit="2"),
    way("a rule in a subclass", tail="class Sub(Count):\n    'Sub.'\n    @rule\n"
        "    def go(self):\n        'Go.'\n        require(self.counter.n < §)\n"
        "        self.counter.n += 1", limit="4", end="VARIANTS = {'sub': Sub}",
        spec='protocol = "count"\nvariant = "sub"'),
    way("a helper in a subclass", inside="def limit(self): return 1", limit="self.limit()",
        tail="class Sub(Count):\n    'Sub.'\n    def limit(self): return §",
        end="VARIANTS = {'sub': Sub}", spec='protocol = "count"\nvariant = "sub"'),
    way("an attribute in a subclass", inside="limit = 1\ndef x(self): return self.limit",
        limit="self.x()",
        tail="class Sub(Count):\n    'Sub.'\n    limit = §\n    def x(self): return self.limit",
        end="VARIANTS = {'sub': Sub}", spec='protocol = "count"\nvariant = "sub"'),
    way("super()", inside="def limit(self): return §", limit="self.limit()",
        tail="class Sub(Count):\n    'Sub.'\n    def limit(self): return super().limit()",
        end="VARIANTS = {'sub': Sub}", spec='protocol = "count"\nvariant = "sub"'),
    way("which class is the variant", inside="def limit(self): return 1", limit="self.limit()",
        tail="class A(Count):\n    'A.'\n    def limit(self): return 2\nclass B(Count):\n"
        "    'B.'\n    def limit(self): return 3", end="VARIANTS = {'sub': «A¦B»}",
        spec='protocol = "count"\nvariant = "sub"'),
    way("which class is the protocol", tail="class Other(Count):\n    'Other.'\n"
        "    def limit(self): return 3", inside="def limit(self): return 2",
        limit="self.limit()", end="PROTOCOLS = («Count¦Other»,)"),
    way("two variants made by one function", inside="def limit(self): return 1",
        limit="self.limit()", tail="def make(n):\n    class Made(Count):\n        'Made.'\n"
        "        def limit(self): return n\n    return Made",
        end="VARIANTS = {'a': make(2), 'b': make(3)}",
        spec='protocol = "count"\nvariant = "«a¦b»"'),
    way("__class__ of the protocol", inside="limit = 2", limit="self.limit",
        tail="class Other(Count):\n    limit = 3", init="self.__class__ = «Count¦Other»"),
    way("an entity's class that is set later", entity="limit = 2", limit="self.counter.limit",
        tail="class Other(Counter):\n    limit = 3", init="self.counter.__class__ = "
        "«Counter¦Other»"),
    way("__init_subclass__ of the protocol", inside="def __init_subclass__(cls):\n"
        "    cls.limit = §\nlimit = 1", limit="self.limit",
        tail="class Sub(Count):\n    'Sub.'\n    def other(self): return self.limit",
        end="VARIANTS = {'sub': Sub}", spec='protocol = "count"\nvariant = "sub"'),
    way("__new__ of the protocol", inside="def __new__(cls, *a):\n"
        "    made = super().__new__(cls)\n    made.limit = §\n    return made",
        limit="self.limit"),
    way("a module's counter of instances", "MADE = []\nN = §",
        "(MADE[0])", init="MADE.append(N)"),
)  # fmt: skip

_VARIANT = '''
from finale.protocols import TwoPhaseCommit
from finale.model.protocols.two_phase_commit import Decision, Manager, ManagerStatus
from finale.rules import rule, require, define
{head}

class Mine(TwoPhaseCommit):
    """Mine."""
{inside}
{tail}
VARIANTS = {{"mine": Mine}}
'''
_SAME = "@property\ndef aborts(self):\n    return super().aborts"
_RULE = "@rule\ndef choose_to_abort(self, manager: Manager):\n"


def variant(name: str, inside: str, head: str = "", tail: str = "") -> Way:
    """Return a way in a variant of a protocol of Finale's."""
    lines = "".join(f"    {line}\n" for line in inside.splitlines())
    text = _VARIANT.format(head=head, inside=lines, tail=tail)
    spec = 'title = "Mine"\nprotocol = "two-phase-commit"\nvariant = "mine"\n'
    return Way(name, {"mine.py": text}, {}, f"{spec}[sizes]\nmanagers = 2\n")


def _guarded(name: str, guard: str, head: str = "", inside: str = "") -> Way:
    """A variant whose rule has a guard more."""
    body = f"    require(manager.status == ManagerStatus.WORKING)\n    require({guard})\n"
    act = "    manager.status = ManagerStatus.ABORTED\n"
    return variant(name, f"{inside}\n{_RULE}    'Abort.'\n{body}{act}", head)


VARIANTS = (
    _guarded("a guard in a variant", "«True¦self.decision == Decision.NONE»"),
    _guarded("a constant in a variant", "MAY or self.decision == Decision.NONE",
             "MAY = «True¦False»"),
    _guarded("a named tuple in a variant", "P().may or self.decision == Decision.NONE",
             "from typing import NamedTuple\nclass P(NamedTuple):\n    x: int = 0\n"
             "    @property\n    def may(self): return «True¦False»"),
    _guarded("an attribute of Finale's member",
             "getattr(ManagerStatus.WORKING, 'may') or self.decision == Decision.NONE",
             "ManagerStatus.WORKING.may = «True¦False»"),
    _guarded("an attribute of Finale's class",
             "getattr(Manager, 'may') or self.decision == Decision.NONE",
             "Manager.may = «True¦False»"),
    _guarded("a helper in a variant", "self.may()", inside="def may(self):\n"
             "    return «True¦self.decision == Decision.NONE»"),
    variant("a base's rule in other words", _RULE + "    'Abort.'\n"
            "    super().choose_to_abort(manager)\n    «¦require(self.decision == Decision.NONE)»"),
    variant("a base's entity in a variant", "def entities(self):\n"
            "    return self.managers[«:1¦:»]\n"
            "def __init__(self, setting):\n    super().__init__(setting)\n"
            "    self.managers = self.managers[«:1¦:»]"),
    variant("a base's entity of another class", "def __init__(self, setting):\n"
            "    super().__init__(setting)\n"
            "    self.managers = tuple(Lax(m.name) for m in self.managers)",
            "class Lax(Manager):\n    @property\n    def has_committed(self):\n"
            "        return self.status «==¦!=» ManagerStatus.COMMITTED"),
    variant("a method of Finale's entity that is patched", _SAME,
            tail="def has_committed(self): return self.status «==¦!=» ManagerStatus.COMMITTED\n"
            "Manager.has_committed = property(has_committed)"),
    variant("a rule of the base that is patched", _SAME,
            tail="@rule\ndef choose_to_abort(self, manager: Manager):\n    'Abort.'\n"
            "    require(manager.status == ManagerStatus.WORKING)\n"
            "    «¦require(self.decision == Decision.NONE)»\n"
            "    manager.status = ManagerStatus.ABORTED\n"
            "TwoPhaseCommit.choose_to_abort = choose_to_abort"),
    variant("a name of the base's module that is patched", _SAME,
            "import finale.model.protocols.two_phase_commit as base",
            "def require(*all_):\n    «¦return None»\n    return base.require_(*all_)\n"
            "base.require_ = base.require\nbase.require = require"),
)  # fmt: skip

__all__ = ["PROTOCOLS", "VARIANTS"]
