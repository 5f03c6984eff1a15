"""The code of a user's folder, and all that it is made from: the key of whatever depends on it.

The key is coarse: the bytes of every module that was loaded with the folder, with the names and the
places of their files. Nothing of it is read as Python, so no way to write a constant can escape it.

Python asks `_Finder` for every module that is not loaded yet, whatever form the import has. Its
answers are the record: a text, a folder without a text, or that there is no such module. Modules of
Python's library and of Finale are held by other keys. Any other module has no key: an installed
package that the code imports, compiled code, or what was loaded before the folder. Neither has
anything that a module reads: if the code may read something, there is no key.
"""

from __future__ import annotations

import ast
import os
import sys
import types
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib.abc import Loader
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from typing import Any, cast

from finale._face import FORMER
from finale.model.language import instrumenting, refusals

from .code import digest, of_finale
from .imports import passed_on, reaches_inside, reads_outside
from .intact import AUDITED, Intact, is_foreign, is_installed, is_known
from .store import cache_folder

#: Events of Python that tell of something read. https://docs.python.org/3/library/audit_events.html
_EVENTS = frozenset(
    {"open", "os.listdir", "os.scandir", "os.system", "subprocess.Popen", "ctypes.dlopen"}
    | {"object.__setattr__"}
)
#: How the packages are called under which the folders of one process are loaded.
PACKAGES = "finale_protocols_"
#: Programs: no code imports them, see `imports.py`.
_PROGRAMS = ("__main__", "__mp_main__")


@dataclass(eq=False)
class UserCode:
    """The modules that were loaded with a folder, under the name of its package."""

    folder: Path
    package: str
    #: The file of each module that was loaded, the same with links followed, and its bytes: by the
    #: name of the module, without the package's.
    texts: dict[str, tuple[str, str, bytes]] = field(
        default_factory=dict[str, tuple[str, str, bytes]]
    )
    #: The other answers that imports of the code were given: the folders of a name that has no
    #: text, or none if there is no such module.
    folders: set[tuple[str, tuple[str, ...]]] = field(
        default_factory=set[tuple[str, tuple[str, ...]]]
    )
    #: What the code was seen to read beside its own modules.
    read: set[str] = field(default_factory=set[str])
    intact: Intact = field(default_factory=Intact)

    def key(self) -> bytes | None:
        """Return the key of the code as it was loaded; None if no key holds what it reads."""
        if not self.read <= {path for _, path, _ in self.texts.values()}:
            return None
        if any(map(self._is_unknown, list(sys.modules.items()))):
            return None
        names = frozenset({*self.texts, *(name for name, _ in self.folders)})
        banned = passed_on()
        if any(reads_outside(text, names, banned) for _, _, text in self.texts.values()):
            return None
        seed = os.environ.get("PYTHONHASHSEED")
        flags = (sys.flags, seed, sys.version, sorted(sys.warnoptions))
        found = (sorted(self.texts.items()), sorted(self.folders))
        return digest([str(self.folder), of_finale(), repr(flags), *found])

    def leaves_finale_as_it_is(self) -> bool:
        """Return whether keys of Finale's own code say what that code does in this process."""
        return self.intact.is_so() and not any(
            reaches_inside(text) for _, _, text in self.texts.values()
        )

    def _is_unknown(self, loaded: tuple[str, object]) -> bool:
        """Whether no key holds a module: it was loaded before the folder, or for another one."""
        name, module = loaded
        if name.startswith(PACKAGES) or name in self.texts or name in _PROGRAMS:
            return False
        return is_foreign(module)

    def modules(self) -> list[types.ModuleType]:
        """Return the modules that were loaded with the folder, or that it shares with others."""
        found = dict[str, types.ModuleType](sys.modules)
        others = (name for name in found if name.startswith(PACKAGES))
        foreign = {name for name in others if name.partition(".")[0] != self.package}
        own = (module for name, module in found.items() if name not in foreign)
        return [each for each in own if instrumenting.NAME in getattr(each, "__dict__", ())]

    def name_of(self, thing: Any) -> str:
        """Return the name of a class or function, with its module, without the package's number."""
        return f"{self.local(thing.__module__ or '')}:{thing.__qualname__}"

    def local(self, module: str) -> str:
        """Return the name of a module in the folder, as a file of the folder imports it."""
        is_inside = module.startswith(f"{self.package}.")
        return module.removeprefix(self.package) if is_inside else module

    def install(self) -> None:
        """From now on modules of the folder are found, and what they import is noticed."""
        package = types.ModuleType(self.package)
        package.__path__ = []  # only `_Finder` finds what is there
        sys.modules[self.package] = package
        sys.meta_path.insert(0, _Finder(self))

    @contextmanager
    def watched(self) -> Generator[None]:
        """Notice what the code that runs within reads."""
        if not _WATCHING:
            _install_hook()
        _WATCHING.append(self)
        try:
            yield
        finally:
            _WATCHING.pop()


_WATCHING: list[UserCode] = []


@cache
def _install_hook() -> None:
    """Python has no way to remove a hook: it does nothing if nobody watches."""
    sys.addaudithook(_hear)


def _hear(event: str, arguments: tuple[Any, ...]) -> None:
    if not _WATCHING or event not in _EVENTS:
        return
    if event == "object.__setattr__":
        _hear_set(_WATCHING[-1], *arguments)
        return
    code = _WATCHING.pop()  # what is asked for here is none of the user's
    try:
        what = arguments[0] if arguments else None
        caller = sys._getframe(1).f_code.co_filename
        is_import = caller.startswith("<frozen importlib") and event != "open"
        if isinstance(what, int) or is_import:
            return
        path = os.path.realpath(os.fspath(what)) if isinstance(what, str | os.PathLike) else ""
        if event != "open" or not _is_of_key(path):
            code.read.add(path)
    finally:
        _WATCHING.append(code)


def _hear_set(code: UserCode, owner: object, name: str, *_: object) -> None:
    """The code of a function was set, or the bases of a class."""
    is_users = (getattr(owner, "__module__", "") or "").startswith(code.package)
    if name in AUDITED and isinstance(owner, type | types.FunctionType) and not is_users:
        code.intact.was_set = True


def _is_of_key(path: str) -> bool:
    own = cache_folder()
    return is_known(path) or (own is not None and Path(path).parent == own)


# --- loading -------------------------------------------------------------------------------------


class _Finder:
    """Finds the modules of one folder, and notices all others that are loaded after it.

    It finds no part of Finale under its former name: a path to a checkout has `model`, too, and
    then its classes would be others than those of `finale.model`.

    Python keeps the byte code of a file for as long as the file's time, in whole seconds, and its
    size stay as they are. Two edits within a second would go unnoticed, so here is no byte code.
    """

    def __init__(self, code: UserCode) -> None:
        self._code = code

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: Any = None
    ) -> ModuleSpec | None:
        """Find a module of the folder, or of a folder within it, or elsewhere."""
        if fullname in FORMER and _is_former(PathFinder.find_spec(fullname)):
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)
        package, *names = fullname.split(".")
        if package != self._code.package or not names:
            return self._noticed(fullname, _found(fullname, path, target))
        place = self._code.folder.joinpath(*names)
        own, alone = place / "__init__.py", place.with_name(f"{place.name}.py")
        file = own if own.is_file() else alone
        if not file.is_file():
            is_folder = place.is_dir()
            self._add_folders(fullname, [str(place)] if is_folder else [])
            return ModuleSpec(fullname, None, is_package=True) if is_folder else None
        loader = _Loader(fullname, str(file), self._code)
        within: list[str] | None = [] if file is own else None
        return spec_from_file_location(
            fullname, file, loader=loader, submodule_search_locations=within
        )

    def _add_folders(self, name: str, folders: Iterable[str]) -> None:
        self._code.folders.add((self._code.local(name), tuple(folders)))

    def _noticed(self, name: str, spec: ModuleSpec | None) -> ModuleSpec | None:
        """Put what was found into the record, and have it loaded in a way that can be noticed.

        A module of Python's or of Finale's is looked at when it is loaded. Any other text is loaded
        as those of the folder are. What the tool itself imports is no part of the record.
        """
        if spec is None or spec.loader is None:
            if not name.startswith(PACKAGES) and _is_asked_by_user():
                self._add_folders(name, (spec and spec.submodule_search_locations) or ())
            return spec
        origin = str(spec.origin)
        if not spec.has_location or (is_known(origin) and not is_installed(origin)):
            spec.loader = cast(Loader, _Looking(spec.loader, self._code.intact))
        elif is_installed(origin):  # most of what the search loads later
            self._code.read |= {origin} if _is_asked_by_user() else set()
        elif type(spec.loader) is SourceFileLoader:
            spec.loader = _Loader(spec.name, origin, self._code)
        else:  # compiled code, or an archive
            self._code.read.add(origin)
        return spec


def _is_asked_by_user() -> bool:
    """Whether code that was loaded with a folder imports, itself or by what it calls."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None:
        if instrumenting.NAME in frame.f_globals:
            return True
        frame = frame.f_back
    return False


def _found(name: str, path: Sequence[str] | None, target: Any) -> ModuleSpec | None:
    """Find a module as Python does without folders of users."""
    for finder in sys.meta_path:
        if not isinstance(finder, _Finder):
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                return spec
    return None


def _is_former(found: ModuleSpec | None) -> bool:
    """Whether what Python finds is a folder of a checkout of Finale."""
    if found is None or found.origin is None:
        return False
    folder = Path(found.origin).resolve().parent
    return (folder.parent / "python" / "finale" / folder.name).exists()


class _Loader(SourceFileLoader):
    """Loads a module from its text."""

    def __init__(self, fullname: str, path: str, code: UserCode) -> None:
        super().__init__(fullname, path)
        self._code = code

    def get_code(self, fullname: str) -> types.CodeType:
        """Compile the text of the file, with checks in its functions."""
        text = self.get_data(self.path)
        place = (self.path, os.path.realpath(self.path), text)
        self._code.texts[self._code.local(fullname)] = place
        tree = ast.parse(text, self.path)
        code = compile(instrumenting.instrumented(tree), self.path, "exec", dont_inherit=True)
        return instrumenting.with_checks(code)

    def exec_module(self, module: types.ModuleType) -> None:
        """Run the module, whose functions find these checks under a name of their own."""
        vars(module)[instrumenting.NAME] = refusals
        self._code.intact.add(module)
        super().exec_module(module)


class _Looking:
    """Loads a module by its own loader, and takes note of it before anybody else has it."""

    def __init__(self, loader: Any, intact: Intact) -> None:
        self._loader, self._intact = loader, intact

    def create_module(self, spec: ModuleSpec) -> types.ModuleType | None:
        """Make the module."""
        made: types.ModuleType | None = self._loader.create_module(spec)
        return made

    def exec_module(self, module: types.ModuleType) -> None:
        """Run the module."""
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        self._intact.add(module)


__all__ = ["UserCode"]
