"""Ways to reach a number in another module, through a patched name, or outside of all code."""

import enum
import operator
import string
from pathlib import Path
from types import ModuleType

from .form import Way, way

_LIMIT = {"limits.py": "LIMIT = §\n"}
_PACKAGE = {"more/__init__.py": "", "more/limits.py": "LIMIT = §\n"}

MODULES = (
    way("a sibling", "from .limits import LIMIT", files=_LIMIT),
    way("a sibling by module", "from . import limits", "limits.LIMIT", files=_LIMIT),
    way("a sibling under another name", "from . import limits as n", "n.LIMIT", files=_LIMIT),
    way("all of a sibling", "from .limits import *", files=_LIMIT),
    way("all that a sibling lists", "from .limits import *",
        files={"limits.py": "__all__ = ['LIMIT']\nLIMIT = §\n"}),
    way("what a sibling lists", "LIMIT = 2\nfrom .limits import *",
        files={"limits.py": "__all__ = [«'OTHER'¦'LIMIT'»]\nLIMIT = 3\nOTHER = 1\n"}),
    way("a sibling of a sibling", "from .limits import LIMIT",
        files={"limits.py": "from .deeper import LIMIT\n", "deeper.py": "LIMIT = §\n"}),
    way("siblings in a circle", "from . import limits\nOTHER = 1", "limits.LIMIT",
        files={"limits.py": "from . import count\nLIMIT = §\n"}),
    way("a sibling in a function", "def limit():\n    from .limits import LIMIT\n"
        "    return LIMIT", "limit()", files=_LIMIT),
    way("a sibling in the rule", body="from .limits import LIMIT\n"
        "require(self.counter.n < LIMIT)\nself.counter.n += 1", files=_LIMIT),
    way("a sibling under a condition", "import sys\nif sys.version_info > (3, 0):\n"
        "    from .limits import LIMIT", files=_LIMIT),
    way("which sibling", "if «True¦False»:\n    from .a import LIMIT\nelse:\n"
        "    from .b import LIMIT", files={"a.py": "LIMIT = 2\n", "b.py": "LIMIT = 3\n"}),
    way("a sibling that there may be", "try:\n    from .«limits¦absent» import LIMIT\n"
        "except ImportError:\n    LIMIT = 3", files={"limits.py": "LIMIT = 2\n"}),
    way("a sibling that comes", "try:\n    from .limits import LIMIT\n"
        "except (ImportError, AttributeError):\n    LIMIT = 2",
        files={"limits.py": "«OTHER¦LIMIT» = 3\n"}),
    way("a package", "from .more.limits import LIMIT", files=_PACKAGE),
    way("a package's __init__", "from .more import LIMIT",
        files={"more/__init__.py": "LIMIT = §\n"}),
    way("a package's __init__ that imports", "from .more import LIMIT",
        files={**_PACKAGE, "more/__init__.py": "from .limits import LIMIT\n"}),
    way("a package without __init__", "from .more.limits import LIMIT",
        files={"more/limits.py": "LIMIT = §\n"}),
    way("packages within packages", "from .a.b.c import LIMIT",
        files={"a/b/c.py": "LIMIT = §\n", "a/__init__.py": ""}),
    way("a package that reads above", "from .more.limits import LIMIT",
        files={"more/limits.py": "from ..base import LIMIT\n", "base.py": "LIMIT = §\n"}),
    way("__getattr__ of a sibling", "from . import limits", "limits.LIMIT",
        files={"limits.py": "def __getattr__(name):\n    if name != 'LIMIT': "
               "raise AttributeError(name)\n    return §\n"}),
    way("__getattr__ of a sibling at import", "from .limits import LIMIT",
        files={"limits.py": "def __getattr__(name):\n    if name != 'LIMIT': "
               "raise AttributeError(name)\n    return §\n"}),
    way("the class of a module", "import sys, types\nclass M(types.ModuleType):\n"
        "    @property\n    def LIMIT(self): return §\nsys.modules[__name__].__class__ = M\n"
        "HERE = sys.modules[__name__]", "HERE.LIMIT"),
    way("a name set in a sibling", "from . import limits\nlimits.LIMIT = §", "limits.LIMIT",
        files={"limits.py": "LIMIT = 1\n"}),
    way("a name that a sibling sets here", "LIMIT = 1\nfrom . import setter",
        files={"setter.py": "import sys\nsys.modules[__package__ + '.count'].LIMIT = §\n"}),
    way("a name that a later file sets here", "LIMIT = 1",
        files={"zz.py": "from . import count\ncount.LIMIT = §\n"}),
    way("a module without a file", "import sys, types\nM = types.ModuleType('m')\nM.LIMIT = §\n"
        "sys.modules['finale_way_m'] = M\nimport finale_way_m", "finale_way_m.LIMIT"),
    way("importlib", "import importlib\nlimits = importlib.import_module('.limits', __package__)",
        "limits.LIMIT", files=_LIMIT),
    way("__import__", "limits = __import__('limits', globals(), level=1)", "limits.LIMIT",
        files=_LIMIT),
    way("sys.modules", "from . import limits as _\nimport sys",
        "sys.modules[__package__ + '.limits'].LIMIT", files=_LIMIT),
    way("sys.path", "import sys, pathlib\n"
        "sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / 'beside'))\n"
        "from finale_way_limits import LIMIT",
        files={"../beside/finale_way_limits.py": "LIMIT = §\n"}),
    way("a package on sys.path", "import sys, pathlib\n"
        "sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / 'beside'))\n"
        "from finale_way.limits import LIMIT", files={"../beside/finale_way/limits.py":
        "from .deeper import LIMIT\n", "../beside/finale_way/deeper.py": "LIMIT = §\n"}),
    way("a module by its file", "import importlib.util, pathlib\n"
        "S = importlib.util.spec_from_file_location('finale_way_f', "
        "pathlib.Path(__file__).parent.parent / 'beside' / 'limits.txt.py')\n"
        "M = importlib.util.module_from_spec(S)\nS.loader.exec_module(M)", "M.LIMIT",
        files={"../beside/limits.txt.py": "LIMIT = §\n"}),
    way("runpy", "import runpy, pathlib\nLIMIT = runpy.run_path(str("
        "pathlib.Path(__file__).parent.parent / 'beside' / 'limits.py'))['LIMIT']",
        files={"../beside/limits.py": "LIMIT = §\n"}),
    way("a link to a file", "from .linked import LIMIT",
        files={"linked.py": "-> ../beside/limits.py", "../beside/limits.py": "LIMIT = §\n"}),
    way("a link to a file that imports a neighbour", "from .linked import LIMIT",
        files={"linked.py": "-> ../beside/limits.py",
               "../beside/limits.py": "from .base import LIMIT\n", "base.py": "LIMIT = §\n"}),
    way("a link to a folder", "from .linked.limits import LIMIT",
        files={"linked": "-> ../beside/more", "../beside/more/limits.py": "LIMIT = §\n"}),
    way("a link to another file", "from .linked import LIMIT",
        files={"linked.py": "-> ../beside/«a¦b».py", "../beside/a.py": "LIMIT = 2\n",
               "../beside/b.py": "LIMIT = 3\n"}),
    way("a link of a link", "from .linked import LIMIT",
        files={"linked.py": "-> ../beside/one.py", "../beside/one.py": "-> two.py",
               "../beside/two.py": "LIMIT = §\n"}),
    way("the protocol's file is a link",
        files={"other.py": "-> ../beside/limits.py", "../beside/limits.py": "LIMIT = §\n"},
        head="from .other import LIMIT"),
    way("a file that is removed", "try:\n    from .limits import LIMIT\nexcept ImportError:\n"
        "    LIMIT = 2", files={"«x¦limits».py": "LIMIT = 3\n"}),
    way("a package in place of a file", "from .limits import LIMIT",
        files={"limits.py": "LIMIT = 2\n", "«x¦limits»/__init__.py": "LIMIT = 3\n"}),
    way("the text of the own file", "import inspect, sys",
        "len(inspect.getsource(sys.modules[__name__]).partition('MA' 'RK')[2].split('.')[0])",
        end="# MARK«aa¦aaa»."),
    way("a number of a stack's line", "import sys\ndef f(): return sys._getframe().f_lineno\n"
        "«\n¦\n\n»\nLIMIT = f()", "2 + (LIMIT - LIMIT)", end="# «a¦b»\nsmall_ = LIMIT",
        prop="return state.counter.n <= «2¦1»"),
)  # fmt: skip

_COMES = "try:\n    {}\n    LIMIT = 3\nexcept ImportError:\n    LIMIT = 2"
_FIND = "importlib.machinery.PathFinder.find_spec('a', [__file__[:-len('count.py')]])"
_PATH = {"PYTHONPATH": "HERE/beside"}


def _shadowed(module: ModuleType) -> Way:
    """A module that Python has loaded before anything else, under its name."""
    name = module.__name__
    text = Path(str(module.__file__)).read_text()
    files = {f"../beside/{name}.py": f"{text}\nLIMIT = §\n"}
    return way(f"another {name}", f"from {name} import LIMIT", files=files, environment=_PATH)


#: What an import is answered, if that is no text of the folder.
ANSWERS = (
    way("a folder that comes", _COMES.format("from . import a"), files={"«b¦a»/note.txt": ""}),
    way("a folder that goes", _COMES.format("from . import a"), files={"«a¦b»/note.txt": ""}),
    way("a folder that comes in a package", "from .more import LIMIT",
        files={"more/__init__.py": _COMES.format("from . import a"), "more/«b¦a»/note.txt": ""}),
    way("a folder that comes in a package elsewhere", "from finale_way_p import LIMIT",
        environment=_PATH, files={"../beside/finale_way_p/__init__.py":
        _COMES.format("from . import a"), "../beside/finale_way_p/«b¦a»/note.txt": ""}),
    way("a module that comes elsewhere", _COMES.format("import finale_way_a"), environment=_PATH,
        files={"../beside/finale_way_«b¦a».py": ""}),
    way("a folder that comes elsewhere", _COMES.format("import finale_way_a"), environment=_PATH,
        files={"../beside/finale_way_«b¦a»/note.txt": ""}),
    way("a module elsewhere", "from finale_way_l import LIMIT", environment=_PATH,
        files={"../beside/finale_way_l.py": "LIMIT = §\n"}),
    way("a file's name by a link", "from finale_way_l import LIMIT",
        environment={"PYTHONPATH": "HERE/«one¦two»"}, files={"../two": "-> one",
        "../one/finale_way_l.py": "LIMIT = 2 + ('/two/' in __file__)\n"}),
    way("a module that asks for modules", "import dataclasses\n"
        f"LIMIT = 2 + (dataclasses.inspect.{_FIND} is not None)", files={"«b¦a».py": ""}),
    way("a module that asks for modules under another name",
        f"from dataclasses import inspect as n\nLIMIT = 2 + (n.{_FIND} is not None)",
        files={"«b¦a».py": ""}),
    way("a package of another name", "__package__ = 'os'\nfrom . import environ as e\n"
        "LIMIT = int(e['FINALE_WAY'])", environment={"FINALE_WAY": "§"}),
    way("a name that Python's start sets", limit="finale_limit", environment=_PATH,
        files={"../beside/sitecustomize.py": "import builtins\nbuiltins.finale_limit = §\n"}),
    way("a package that Python's start loads", "import finale_way_p.a\n"
        "LIMIT = finale_way_p.LIMIT", environment=_PATH, files={
        "../beside/sitecustomize.py": "import finale_way_p\n",
        "../beside/finale_way_p/__init__.py": "LIMIT = §\n",
        "../beside/finale_way_p/a.py": ""}),
    way("a digest of a text", "LIMIT = 2 + hash('a') % 2",
        environment={"PYTHONHASHSEED": "«1¦4»"}),
    *map(_shadowed, (enum, operator, string)),
)  # fmt: skip

PATCHES = (
    way("a name in builtins", "import builtins\nbuiltins.finale_limit = §", "finale_limit"),
    way("a name in builtins by dict", "__builtins__['finale_limit'] = §", "finale_limit"),
    way("a patched function of math", "import math\nmath.floor = lambda n: §", "math.floor(1)"),
    way("a constant in math", "import math\nmath.limit = §", "math.limit"),
    way("a patched operator", "import operator\noperator.add = lambda a, b: §",
        "operator.add(1, 1)"),
    way("a patched function of Python's library", "import functools\n"
        "functools.reduce = lambda f, n: §", "functools.reduce(max, [0])"),
    way("a patched class of Python's library", "from fractions import Fraction\n"
        "Fraction.limit = §", "Fraction(1).limit"),
    way("a patched method of Python's library", "from fractions import Fraction\n"
        "Fraction.__abs__ = lambda self: §", "abs(Fraction(1))"),
    way("a patched enum", "import enum\nenum.Enum.limit = property(lambda self: §)\n"
        "class E(enum.Enum):\n    A = 1", "E.A.limit"),
    way("an attribute of Entity", "Entity.limit = §", "self.counter.limit"),
    way("a method of Entity", "Entity.limit = lambda self: §", "self.counter.limit()"),
    way("an attribute of Protocol", "Protocol.limit = §", "self.limit"),
    way("an attribute of Setting", "Setting.limit = §", "Setting.limit"),
    way("an attribute of a function of the language", "require.limit = §", "require.limit"),
    way("a default of a function of the language", "import finale.rules as r\n"
        "def f(n=§): return n\nr.limit = f", "r.limit()"),
    way("a name of finale.rules", "import finale.rules\nfinale.rules.LIMIT = §",
        "finale.rules.LIMIT"),
    way("a name of finale.model.rules", "import finale.model.rules as r\nr.LIMIT = §", "r.LIMIT"),
    way("a patched name of finale.model.rules", "import finale.model.rules as r\n"
        "r.count = lambda *a: §", "r.count()"),
    way("a name of the face", "import finale.rules as r\nr.count = lambda *a: §", "r.count()"),
    way("a name of a module of the language", "import finale.model.language.entities as e\n"
        "e.LIMIT = §", "e.LIMIT"),
    way("a name of a protocol of Finale", "import finale.model.protocols.two_phase_commit as t\n"
        "t.LIMIT = §", "t.LIMIT"),
    way("an attribute of a class of Finale", "from finale.protocols import TwoPhaseCommit\n"
        "TwoPhaseCommit.limit = §", "TwoPhaseCommit.limit"),
    way("a patched method of Finale", "import finale.model.topology as t\n"
        "t.Job.limit = lambda self=None: §", "t.Job.limit()"),
    way("an attribute of a module of Python", "import types\ntypes.limit = §", "types.limit"),
    way("a context of decimal", "import decimal\ndecimal.getcontext().prec = §",
        "decimal.getcontext().prec"),
    way("a limit of the system", "import sys\nsys.setrecursionlimit(«2000¦3000»)",
        "(sys.getrecursionlimit() // 1000)"),
    way("an attribute of sys", "import sys\nsys.finale_limit = §", "sys.finale_limit"),
    way("a registered copy", "import copyreg\ncopyreg.dispatch_table[1] = §",
        "copyreg.dispatch_table[1]"),
    way("an environment that the code sets", "import os\nos.environ['FINALE_WAY'] = '§'",
        "int(os.environ['FINALE_WAY'])"),
    way("a registered subclass of a class of Python", "import numbers\n«¦class T: pass\n"
        "numbers.Number.register(T)»\nclass U: pass", "(2 + ('T' in globals()))"),
)  # fmt: skip

_FILE = "str(__import__('pathlib').Path(__file__).parent / 'limit.txt')"
_TXT = {"limit.txt": "§"}

OUTSIDE = (
    way("a file at import", f"with open({_FILE}) as file: LIMIT = int(file.read())", files=_TXT),
    way("a file in a function", f"def limit():\n    with open({_FILE}) as file: "
        "return int(file.read())", "limit()", files=_TXT),
    way("a file in __init__", files=_TXT, init=f"self.limit = int(open({_FILE}).read())",
        limit="self.limit"),
    way("a file in a property", files={"limit.txt": "«4¦2»"}, limit="4",
        prop=f"return state.counter.n <= int(open({_FILE}).read())"),
    way("a file by pathlib", "import pathlib\n"
        "LIMIT = int((pathlib.Path(__file__).parent / 'limit.txt').read_text())", files=_TXT),
    way("a file by os", "import os, pathlib\n"
        "F = os.open(pathlib.Path(__file__).parent / 'limit.txt', os.O_RDONLY)\n"
        "LIMIT = int(os.read(F, 9))", files=_TXT),
    way("a file by io", f"import io\nLIMIT = int(io.FileIO({_FILE}).read())", files=_TXT),
    way("a file by codecs", f"import codecs\nLIMIT = int(codecs.open({_FILE}).read())", files=_TXT),
    way("a file by linecache", f"import linecache\nLIMIT = int(linecache.getline({_FILE}, 1))",
        files=_TXT),
    way("a file by mmap", f"import mmap\nF = open({_FILE}, 'rb')\n"
        "LIMIT = int(mmap.mmap(F.fileno(), 0, access=mmap.ACCESS_READ).read())", files=_TXT),
    way("a JSON file", f"import json\nLIMIT = json.load(open({_FILE}))['a']",
        files={"limit.txt": '{"a": §}'}),
    way("a TOML file", f"import tomllib\nLIMIT = tomllib.load(open({_FILE}, 'rb'))['a']",
        files={"limit.txt": "a = §\n"}),
    way("a CSV file", f"import csv\nLIMIT = int(next(csv.reader(open({_FILE})))[1])",
        files={"limit.txt": "1,§\n"}),
    way("a configuration", f"import configparser\nC = configparser.ConfigParser()\n"
        f"C.read({_FILE})\nLIMIT = int(C['a']['b'])", files={"limit.txt": "[a]\nb = §\n"}),
    way("a package's data", "import importlib.resources as r\n"
        "LIMIT = int(r.files(__package__).joinpath('limit.txt').read_text()) "
        "if hasattr(r, 'nothing') else int(open(" + _FILE + ").read())", files=_TXT),
    way("the loader's data", f"LIMIT = int(__loader__.get_data({_FILE}))", files=_TXT),
    way("the size of a file", f"import os\nLIMIT = os.stat({_FILE}).st_size",
        files={"limit.txt": "«aa¦aaa»"}),
    way("whether there is a file", f"import os\nLIMIT = 2 + os.path.exists({_FILE})",
        files={"«x¦limit».txt": ""}),
    way("the names of a folder", f"import os\nLIMIT = len(os.listdir(os.path.dirname({_FILE}) + "
        "'/more'))", files={"more/a": "", "more/b": "", "«more/b¦more/c»": ""}),
    way("a glob", f"import glob, os\nLIMIT = len(glob.glob(os.path.dirname({_FILE}) + '/*.txt'))",
        files={"a.txt": "", "b.txt": "", "«b¦c».txt": ""}),
    way("a file that comes", f"try:\n    LIMIT = int(open({_FILE}).read())\nexcept OSError:\n"
        "    LIMIT = 2", files={"«x¦limit».txt": "3"}),
    way("a database", f"import sqlite3\nC = sqlite3.connect({_FILE})\n"
        "LIMIT = C.execute('SELECT «2¦3»').fetchone()[0]"),
    way("another process", "import subprocess\n"
        f"LIMIT = int(subprocess.run(['cat', {_FILE}], capture_output=True).stdout)", files=_TXT),
    way("os.popen", f"import os\nLIMIT = int(os.popen('cat ' + {_FILE}).read())", files=_TXT),
    way("a variable of the environment", "import os\nLIMIT = int(os.environ['FINALE_WAY'])",
        environment={"FINALE_WAY": "§"}),
    way("os.getenv", "import os\nLIMIT = int(os.getenv('FINALE_WAY'))",
        environment={"FINALE_WAY": "§"}),
    way("the environment in a rule", "import os", "int(os.environ['FINALE_WAY'])",
        environment={"FINALE_WAY": "§"}),
    way("the environment of a sibling", "from .limits import LIMIT",
        files={"limits.py": "import os\nLIMIT = int(os.environ['FINALE_WAY'])\n"},
        environment={"FINALE_WAY": "§"}),
    way("the environment under an alias", "from os import environ as table\n"
        "LIMIT = int(table['FINALE_WAY'])", environment={"FINALE_WAY": "§"}),
    way("the environment through another module", "import pathlib\n"
        "LIMIT = int(pathlib.os.environ['FINALE_WAY'])", environment={"FINALE_WAY": "§"}),
    way("expanded variables", "import os.path\nLIMIT = int(os.path.expandvars('$FINALE_WAY'))",
        environment={"FINALE_WAY": "§"}),
    way("the folder of the user", "import os.path\nLIMIT = len(os.path.expanduser('~'))",
        environment={"HOME": "«/a¦/ab»"}),
    way("the zone of the clock", "import time\ntime.tzset()\nLIMIT = len(time.tzname[0]) - 1",
        environment={"TZ": "«AAA+1¦AAAA+1»"}),
)  # fmt: skip

__all__ = ["MODULES", "OUTSIDE", "PATCHES", "Way"]
