"""Ways to keep a number in functions and classes."""

from .form import way

_ENUM = "import enum\nclass E(enum.Enum):\n    A = 1\n    B = 2\n"

CODE = (
    way("a function", "def limit(): return §", "limit()"),
    way("a function that calls a function", "def f(): return §\ndef limit(): return f()",
        "limit()"),
    way("a lambda", "limit = lambda: §", "limit()"),
    way("a default of a parameter", "def limit(n=§): return n", "limit()"),
    way("a default of a keyword", "def limit(*, n=§): return n", "limit()"),
    way("defaults that are set later", "def limit(n=0): return n\nlimit.__defaults__ = (§,)",
        "limit()"),
    way("keyword defaults that are set later",
        "def limit(*, n=0): return n\nlimit.__kwdefaults__ = {'n': §}", "limit()"),
    way("code that is set later", "def limit(): return 0\nlimit.__code__ = (lambda: §).__code__",
        "limit()"),
    way("an attribute of a function", "def limit(): return limit.n\nlimit.n = §", "limit()"),
    way("an attribute of a function by name", "def limit(): pass\nlimit.n = §",
        "getattr(limit, 'n')"),
    way("the dict of a function", "def limit(): pass\nlimit.__dict__['n'] = §", "limit.n"),
    way("annotations of a function", "def limit(x: §): pass", "limit.__annotations__['x']"),
    way("a docstring", "def limit(): '«aa¦aaa»'", "len(limit.__doc__)"),
    way("the name of a function", "def limit(): pass\nlimit.__name__ = '«aa¦aaa»'",
        "len(limit.__name__)"),
    way("a closure", "def make(n):\n    def inner(): return n\n    return inner\nlimit = make(§)",
        "limit()"),
    way("a closure of a closure", "def make(n):\n    def middle():\n        def inner(): return n\n"
        "        return inner\n    return middle()\nlimit = make(§)", "limit()"),
    way("a cell that is set later", "def make(n):\n    def inner(): return n\n    return inner\n"
        "limit = make(0)\nlimit.__closure__[0].cell_contents = §", "limit()"),
    way("a nonlocal", "def make():\n    n = 0\n    def set(k):\n        nonlocal n\n        n = k\n"
        "    def inner(): return n\n    return set, inner\nset_, limit = make()\nset_(§)",
        "limit()"),
    way("a loop of closures", "limits = []\nfor n in (1, §): limits.append(lambda n=n: n)",
        "limits[1]()"),
    way("a decorator", "def twice(f):\n    def inner(*a): return §\n    return inner\n"
        "@twice\ndef limit(): return 0", "limit()"),
    way("a decorator with a number", "def give(n):\n    def deco(f):\n"
        "        return lambda: n\n    return deco\n@give(§)\ndef limit(): return 0", "limit()"),
    way("a decorator that wraps", "import functools\ndef deco(f):\n    @functools.wraps(f)\n"
        "    def inner(): return § + f()\n    return inner\n@deco\ndef limit(): return 0",
        "limit()"),
    way("what is wrapped", "import functools\ndef deco(f):\n    @functools.wraps(f)\n"
        "    def inner(): return f()\n    return inner\n@deco\ndef limit(): return §", "limit()"),
    way("__wrapped__", "import functools\ndef g(): return §\n@functools.wraps(g)\n"
        "def limit(): return 0", "limit.__wrapped__()"),
    way("a partial function", "import functools\nlimit = functools.partial(max, §)", "limit(0)"),
    way("a partial of a partial", "import functools\n"
        "limit = functools.partial(functools.partial(max, §), 1)", "limit()"),
    way("an attribute of a partial", "import functools\nlimit = functools.partial(max)\n"
        "limit.n = §", "limit.n"),
    way("a cached function", "import functools\n@functools.cache\ndef limit(): return §",
        "limit()"),
    way("a cached function with a result", "import functools\nN = 0\n@functools.cache\n"
        "def limit(): return N\nN = §\nlimit()\nN = 0", "limit()"),
    way("a dispatched function", "import functools\n@functools.singledispatch\n"
        "def limit(x): return 0\n@limit.register\ndef _(x: int): return §", "limit(1)"),
    way("a method of a module's object", "class T:\n    def y(self): return §\nlimit = T().y",
        "limit()"),
    way("a bound method of a list", "LIMIT = [§].count", "LIMIT(2) + 2"),
    way("an item getter", "import operator\nlimit = operator.itemgetter(§)",
        "limit((0, 0, 2, 3))"),
    way("an attribute getter", "import operator\nclass T:\n    a2 = 2\n    a3 = 3\n"
        "limit = operator.attrgetter('a§')", "limit(T)"),
    way("a method caller", "import operator\nlimit = operator.methodcaller('count', '«a¦b»')",
        "limit('aabbb')"),
    way("code from exec", "exec('LIMIT = §')"),
    way("code from exec of a function", "exec('def limit(): return §')", "limit()"),
    way("code from eval", "limit = eval('lambda: §')", "limit()"),
    way("code from compile", "CODE = compile('§', 'file', 'eval')\nLIMIT = eval(CODE)"),
    way("globals()", "globals()['LIMIT'] = §"),
    way("globals() of a rule", "LIMIT = §", "globals()['LIMIT']"),
    way("vars()", "vars()['LIMIT'] = §"),
    way("setattr of the module", "import sys\nsetattr(sys.modules[__name__], 'LIMIT', §)"),
    way("types.FunctionType", "import types\nlimit = types.FunctionType("
        "compile('def f(): return §', 'f', 'exec').co_consts[0], {})", "limit()"),
    way("a function of other globals", "import types\ndef f(): return N\n"
        "limit = types.FunctionType(f.__code__, {'N': §})", "limit()"),
    way("code.replace", "def f(): return 0\n"
        "f.__code__ = f.__code__.replace(co_consts=(None, §))\nlimit = f", "limit()"),
    way("a class attribute", "class K:\n    limit = §", "K.limit"),
    way("a class attribute that is set later", "class K: pass\nK.limit = §", "K.limit"),
    way("a class attribute by setattr", "class K: pass\nsetattr(K, 'lim' 'it', §)", "K.limit"),
    way("an inherited attribute", "class J:\n    limit = §\nclass K(J): pass", "K.limit"),
    way("the order of bases", "class A:\n    limit = 2\nclass B:\n    limit = 3\n"
        "class K(«A, B¦B, A»): pass", "K.limit"),
    way("bases that are set later", "class A:\n    limit = 2\nclass B:\n    limit = 3\n"
        "class K(A): pass\nK.__bases__ = («A¦B»,)", "K.limit"),
    way("the class of an object that is set later", "class A:\n    limit = 2\nclass B:\n"
        "    limit = 3\nK = A()\nK.__class__ = «A¦B»", "K.limit"),
    way("a static method", "class K:\n    @staticmethod\n    def limit(): return §", "K.limit()"),
    way("a class method", "class K:\n    @classmethod\n    def limit(cls): return §", "K.limit()"),
    way("a descriptor", "class D:\n    def __get__(self, a, b): return §\nclass K:\n"
        "    limit = D()", "K.limit"),
    way("the value of a descriptor", "class D:\n    def __init__(self, n): self.n = n\n"
        "    def __get__(self, a, b): return self.n\nclass K:\n    limit = D(§)", "K.limit"),
    way("__set_name__", "class D:\n    def __set_name__(self, k, n): k.limit = §\nclass K:\n"
        "    d = D()", "K.limit"),
    way("__init_subclass__", "class J:\n    def __init_subclass__(cls, n): cls.limit = n\n"
        "class K(J, n=§): pass", "K.limit"),
    way("__class_getitem__", "class K:\n    def __class_getitem__(cls, n): return §", "K[0]"),
    way("a metaclass's attribute", "class M(type):\n    limit = §\nclass K(metaclass=M): pass",
        "K.limit"),
    way("a metaclass's property", "class M(type):\n    @property\n    def limit(cls): return §\n"
        "class K(metaclass=M): pass", "K.limit"),
    way("a metaclass's __getattr__", "class M(type):\n    def __getattr__(cls, n): return §\n"
        "class K(metaclass=M): pass", "K.limit"),
    way("a metaclass's __call__", "class M(type):\n    def __call__(cls): return §\n"
        "class K(metaclass=M): pass", "K()"),
    way("a metaclass's __new__", "class M(type):\n    def __new__(m, n, b, d):\n"
        "        return super().__new__(m, n, b, {**d, 'limit': §})\n"
        "class K(metaclass=M): pass", "K.limit"),
    way("a metaclass's __prepare__", "class M(type):\n    @classmethod\n"
        "    def __prepare__(m, n, b): return {'limit': §}\nclass K(metaclass=M): pass",
        "K.limit"),
    way("a metaclass's __iter__", "class M(type):\n    def __iter__(cls): return iter(range(§))\n"
        "class K(metaclass=M): pass", "len(list(K))"),
    way("a metaclass's __len__", "class M(type):\n    def __len__(cls): return §\n"
        "class K(metaclass=M): pass", "len(K)"),
    way("a metaclass's __contains__", "class M(type):\n"
        "    def __contains__(cls, n): return n < §\nclass K(metaclass=M): pass",
        "(3 if 2 in K else 2)"),
    way("__instancecheck__", "class M(type):\n    def __instancecheck__(cls, n): return § == 3\n"
        "class K(metaclass=M): pass", "(3 if isinstance(0, K) else 2)"),
    way("__new__", "class K:\n    def __new__(cls): return §", "K()"),
    way("annotations of a class", "class K:\n    x: §", "K.__annotations__['x']"),
    way("annotations that are text", "class K:\n    x: '«aa¦aaa»'",
        "len(K.__annotations__['x'])"),
    way("annotations that are set later", "class K: pass\nK.__annotations__ = {'x': §}",
        "K.__annotations__['x']"),
    way("annotations of the module", "x: §", "__annotations__['x']"),
    way("an alias in an annotation", "from typing import Literal\n"
        "T = Literal[§]\nclass K:\n    x: T", "K.__annotations__['x'].__args__[0]"),
    way("a docstring of a class", "class K:\n    '«aa¦aaa»'", "len(K.__doc__)"),
    way("the name of a class", "class K: pass\nK.__qualname__ = '«aa¦aaa»'", "len(K.__qualname__)"),
    way("slots", "class K:\n    __slots__ = («'a', 'b'¦'a', 'b', 'c'»)", "len(K.__slots__)"),
    way("a class made by type", "K = type('K', (), {'limit': §})", "K.limit"),
    way("a class made by a function", "def make(n):\n    class K:\n        limit = n\n"
        "    return K\nK = make(§)", "K.limit"),
    way("a class decorator", "def deco(k):\n    k.limit = §\n    return k\n@deco\nclass K: pass",
        "K.limit"),
    way("a class in a class", "class K:\n    class J:\n        limit = §", "K.J.limit"),
    way("subclasses", "class K: pass\nclass A(K): pass\nclass B(K): pass\n«¦class C(K): pass»",
        "len(K.__subclasses__())"),
    way("an abstract class", "import abc\nclass K(abc.ABC): pass\n«¦K.register(int)»",
        "(3 if issubclass(int, K) else 2)"),
    way("a value of an enumeration", "import enum\nclass E(enum.Enum):\n    A = §", "E.A.value"),
    way("the number of members", _ENUM + "«¦    C = 3»", "len(E)"),
    way("the order of members", "import enum\nclass E(enum.Enum):\n    «A = 2\n    B = 3¦"
        "B = 3\n    A = 2»", "list(E)[0].value"),
    way("an alias of a member", "import enum\nclass E(enum.Enum):\n    A = 2\n    B = 3\n"
        "    C = «A¦B»", "E.C.value"),
    way("an attribute of a member", _ENUM + "E.A.limit = §", "E.A.limit"),
    way("a private attribute of a member", _ENUM + "E.A._limit = §", "E.A._limit"),
    way("a value of a member that is set later", _ENUM + "E.A._value_ = §", "E.A.value"),
    way("a method of an enumeration", _ENUM + "    def limit(self): return §", "E.A.limit()"),
    way("a property of an enumeration", _ENUM + "    @property\n    def limit(self): return §",
        "E.A.limit"),
    way("__init__ of an enumeration", "import enum\nclass E(enum.Enum):\n    A = (1,)\n"
        "    def __init__(self, n): self.limit = n + § - 1", "E.A.limit"),
    way("_missing_ of an enumeration", _ENUM + "    @classmethod\n    def _missing_(cls, n): "
        "return «cls.A¦cls.B»", "(1 + E(9).value)"),
    way("an IntEnum", "import enum\nclass E(enum.IntEnum):\n    A = §", "int(E.A)"),
    way("a Flag", "import enum\nclass E(enum.Flag):\n    A = 2\n    B = 1\nLIMIT = "
        "«E.A¦E.A | E.B»", "LIMIT.value"),
    way("a StrEnum", "import enum\nclass E(enum.StrEnum):\n    A = '«aa¦aaa»'", "len(E.A)"),
    way("enum.auto", "import enum\nclass E(enum.Enum):\n    X = enum.auto()\n"
        "«¦    Y = enum.auto()\n»    A = enum.auto()", "E.A.value"),
    way("_generate_next_value_", "import enum\nclass E(enum.Enum):\n"
        "    def _generate_next_value_(name, *_): return §\n    A = enum.auto()", "E.A.value"),
    way("a class attribute of an enumeration", _ENUM + "E.limit = §", "E.limit"),
    way("a functional enumeration", "import enum\nE = enum.Enum('E', [('A', §)])", "E.A.value"),
    way("a typed dict", "from typing import TypedDict\nclass T(TypedDict):\n    x: int\n"
        "LIMIT = T(x=§)", "LIMIT['x']"),
    way("a generic alias", "LIMIT = list[§]", "LIMIT.__args__[0]"),
    way("Annotated", "from typing import Annotated\nLIMIT = Annotated[int, §]",
        "LIMIT.__metadata__[0]"),
    way("a new type", "from typing import NewType\nT = NewType('T', int)\nT.limit = §", "T.limit"),
    way("a context variable", "import contextvars\nV = contextvars.ContextVar('V', default=§)",
        "V.get()"),
    way("a thread local", "import threading\nV = threading.local()\nV.x = §", "V.x"),
)  # fmt: skip
