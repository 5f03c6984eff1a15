"""The protocols, variants and properties that specs can name: built in, or from a user's folder.

A spec never runs code. Code from outside the package is loaded only from a folder that the user
names with `--protocols DIR`. Each of its files says by literal names what it offers:

    PROTOCOLS  = (Handshake,)                    # classes with a `key` of their own
    VARIANTS   = {"forgets-the-ack": Forgetful}  # of the protocol whose key the class inherits
    PROPERTIES = (no_lost_ack,)                  # further properties

and may import its siblings by `from .other import …`.
"""

from __future__ import annotations

import ast
import importlib
import itertools
import os
import sys
import traceback
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import ModuleType
from typing import NoReturn, TypeGuard, cast

from finale._face import new_imports
from finale.checker.cache.store import Store
from finale.checker.cache.user_code import PACKAGES, UserCode
from finale.model.errors import FinaleError, Place, nearest
from finale.model.language.properties import Family
from finale.model.language.protocol import Protocol
from finale.model.properties.registry import PROPERTIES
from finale.model.protocols.registry import PROTOCOLS

from .overriding import changes, check_overrides

Reference = str | type[Protocol]
"""A class, or where it will be imported from: "module:Class"."""

_OFFERS = ("PROTOCOLS", "VARIANTS", "PROPERTIES")
_package_numbers = itertools.count(1)


@dataclass
class Catalogue:
    """Protocols by key, variants by protocol and key, and properties by name."""

    protocols: dict[str, Reference] = field(default_factory=dict[str, Reference])
    variants: dict[tuple[str, str], Reference] = field(
        default_factory=dict[tuple[str, str], Reference]
    )
    properties: dict[str, Family] = field(default_factory=dict[str, Family])
    #: The code of the user's folder.
    code: UserCode | None = None
    #: Where what was worked out is kept, if it is.
    store: Store | None = None
    #: Whether the code of the folder is compared with plain Python (`interpreter/comparing.py`).
    compares: bool = False

    @property
    def folder(self) -> Path | None:
        """The user's folder."""
        return None if self.code is None else self.code.folder

    @property
    def modules(self) -> Sequence[ModuleType]:
        """The modules of the user's code."""
        return () if self.code is None else self.code.modules()

    def protocol(self, key: str) -> type[Protocol]:
        """The class of a protocol. Raises `unknown-protocol`."""
        if key not in self.protocols:
            raise FinaleError(
                "unknown-protocol",
                f'there is no protocol "{key}"',
                advice=nearest(
                    key, self.protocols, "Protocols of your own are loaded with --protocols DIR"
                ),
            )
        return _imported(self.protocols[key])

    def variants_of(self, key: str) -> tuple[str, ...]:
        """The keys of a protocol's variants."""
        return tuple(variant for protocol, variant in self.variants if protocol == key)

    def variant(self, key: str, variant: str) -> type[Protocol]:
        """The class of a variant. Raises `unknown-variant`."""
        if (key, variant) not in self.variants:
            raise FinaleError(
                "unknown-variant",
                f'"{key}" has no variant "{variant}"',
                advice=nearest(
                    variant,
                    self.variants_of(key),
                    "Variants of your own are loaded with --protocols DIR",
                ),
            )
        return _imported(self.variants[key, variant])

    def protocols_with_option(self, name: str) -> tuple[str, ...]:
        """The keys of all protocols that have an option of just this name."""
        kinds = {key: self.protocol(key) for key in self.protocols}
        return tuple(
            key for key, kind in kinds.items() if name in {f.name for f in fields(kind.Options)}
        )

    @contextmanager
    def blaming_user_code(self) -> Generator[None]:
        """Turn an exception that comes out of the user's folder into a coded error with its line.

        An exception of this package keeps its traceback: that is a mistake of ours. What the code
        of the folder prints goes to stderr, because stdout can have JSON.
        """
        if self.code is None:
            yield
            return
        try:
            with redirect_stdout(sys.stderr), _no_sudden_end(), self.code.watched():
                yield
        except FinaleError:
            raise
        except (Exception, SystemExit) as error:
            place = self._place_in_folder(error)
            if place is None:
                raise
            if isinstance(error, ImportError) and (former := _former_import(place)) is not None:
                raise former from error
            raise FinaleError(
                "protocol-raises",
                f"{type(error).__name__}: {error}",
                place=place,
                advice="correct the code in the --protocols folder: Python raised this error",
            ) from error

    def _place_in_folder(self, error: BaseException) -> Place | None:
        assert self.folder is not None
        for frame in reversed(traceback.extract_tb(error.__traceback__)):
            if Path(frame.filename).is_relative_to(self.folder):
                return Place(frame.filename, frame.lineno)
        return None


@contextmanager
def _no_sudden_end() -> Generator[None]:
    """Make `os._exit` an exception: Python would end without a word."""

    def ended(status: int) -> NoReturn:
        raise SystemExit(status)

    before = os._exit
    os._exit = ended
    try:
        yield
    finally:
        os._exit = before


def catalogue(
    folder: Path | None = None, store: Store | None = None, *, compares: bool = False
) -> Catalogue:
    """Everything of this package, and of a folder of the user's.

    With a `store`, parts of systems and reports are taken from it, and put into it. With
    `compares`, each system is compared with plain Python when it is built.
    """
    known = Catalogue(
        {entry.key: entry.where for entry in PROTOCOLS},
        {(e.key, variant): where for e in PROTOCOLS for variant, where in e.variants.items()},
        {family.name: family for family in PROPERTIES},
        store=store,
        compares=compares,
    )
    if folder is not None:
        _load_folder(known, folder)
    return known


def _imported(reference: Reference) -> type[Protocol]:
    if isinstance(reference, type):
        return reference
    module, _, name = reference.partition(":")
    kind = getattr(importlib.import_module(module), name)
    assert isinstance(kind, type), reference
    assert issubclass(kind, Protocol), reference
    return kind


# --- a folder of the user's ----------------------------------------------------------------------


def _load_folder(known: Catalogue, folder: Path) -> None:
    if not folder.is_dir():
        raise FinaleError(
            "no-such-folder",
            f"{folder} is not a folder",
            advice="give --protocols the folder with the Python files of your protocols",
        )
    files = sorted(
        file for file in folder.glob("*.py") if file.is_file() and file.stem != "__init__"
    )
    # A package of its own name: files of the user can import each other, and shadow nothing.
    code = UserCode(folder.resolve(), f"{PACKAGES}{next(_package_numbers)}")
    code.install()
    known.code = code
    own = [code.folder / file.name for file in files]
    modules = [(file, _load(known, code.package, file)) for file in own]
    if not any(hasattr(module, name) for _, module in modules for name in _OFFERS):
        raise FinaleError(
            "no-protocols",
            f"no Python file directly in {folder} offers a protocol; subfolders are not read",
            advice="end the file with PROTOCOLS = (YourProtocol,) or "
            'VARIANTS = {"your-variant": YourVariant}',
        )
    check_overrides(modules)
    for file, module in modules:
        _add_protocols(known, file, getattr(module, "PROTOCOLS", ()))
    for file, module in modules:
        _add_variants(known, file, getattr(module, "VARIANTS", {}))
        _add_properties(known, file, getattr(module, "PROPERTIES", ()))


def _load(known: Catalogue, package: str, file: Path) -> ModuleType:
    if "." in file.stem:
        raise FinaleError(
            "no-module-name",
            f"Python cannot import a file of the name {file.name}",
            place=Place(str(file)),
            advice=f"rename it, to {file.stem.replace('.', '_')}.py for instance",
        )
    try:
        with known.blaming_user_code():
            return importlib.import_module(f"{package}.{file.stem}")
    except SyntaxError as error:
        raise _not_python(error.msg, Place(error.filename, error.lineno)) from None
    except (RecursionError, MemoryError) as error:
        raise _not_python(f"Python raises {type(error).__name__}", Place(str(file))) from None


def _former_import(place: Place) -> FinaleError | None:
    """The error of an import from the time when Finale was several packages; None for others."""
    text = Path(str(place.file)).read_bytes()
    imports = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.stmt))
    lines: dict[int, list[str]] = {}
    for node in sorted(imports, key=lambda each: each.lineno):
        if new := new_imports(node):
            lines.setdefault(node.lineno, []).extend(new)
    here = lines.pop(place.line or 0, None)
    if here is None:
        return None
    others = (f"; in line {line}: {'; '.join(new)}" for line, new in lines.items())
    return FinaleError(
        "former-import",
        "Finale was several packages, and is now one, of the name finale",
        place=place,
        advice=f"write {'; '.join(here)}{''.join(others)}",
    )


def _not_python(why: str, place: Place) -> FinaleError:
    return FinaleError(
        "protocol-syntax",
        f"this is not Python: {why}",
        place=place,
        advice="correct the syntax error",
    )


def _add_protocols(known: Catalogue, file: Path, offered: object) -> None:
    place = Place(str(file), key="PROTOCOLS")
    for kind in _each(offered):
        if not _is_protocol(kind):
            raise _not_a("protocol", kind, place, "list classes: PROTOCOLS = (YourProtocol,)")
        if not kind.key:
            raise FinaleError(
                "protocol-without-key",
                f"{kind.__name__} has no key, so no spec can name it",
                place=place,
                advice='write key = "…" in the class',
            )
        if kind.key in known.protocols:
            where = _origin(known, known.protocol(kind.key))
            raise FinaleError(
                "duplicate-protocol",
                f'there is a protocol "{kind.key}" already, {where}',
                place=place,
                advice=f"give {kind.__name__} a key of its own, or list it as a variant: "
                f'VARIANTS = {{"…": {kind.__name__}}}',
            )
        known.protocols[kind.key] = kind


def _origin(known: Catalogue, kind: type[Protocol]) -> str:
    """Half a sentence on where a class stands."""
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    if file is None or known.code is None or not Path(file).is_relative_to(known.code.folder):
        return "which Finale contains"
    return f"in {Path(file).relative_to(known.code.folder)}"


def _add_variants(known: Catalogue, file: Path, offered: object) -> None:
    place = Place(str(file), key="VARIANTS")
    if not isinstance(offered, Mapping):
        raise _not_a("mapping", offered, place, 'write VARIANTS = {"your-variant": YourVariant}')
    for name, kind in cast("Mapping[str, object]", offered).items():
        if not _is_protocol(kind):
            raise _not_a("protocol", kind, place, 'write VARIANTS = {"your-variant": YourVariant}')
        if kind.key not in known.protocols:
            raise FinaleError(
                "unknown-protocol",
                f'{kind.__name__} is a variant of "{kind.key}", which is no protocol',
                place=place,
                advice="derive the class from a protocol, and do not change its key",
            )
        if (kind.key, name) in known.variants:
            where = _origin(known, known.variant(kind.key, str(name)))
            raise FinaleError(
                "duplicate-variant",
                f'"{kind.key}" has a variant "{name}" already, {where}',
                place=place,
                advice="choose another key for the variant",
            )
        if not any(changes(kind, known.protocol(kind.key))):
            raise FinaleError(
                "variant-changes-nothing",
                f"{kind.__name__} overrides nothing of {kind.key}, and has no rule of its own",
                place=place,
                advice="override a rule or a helper of the protocol under the same name",
            )
        known.variants[kind.key, str(name)] = kind


def _add_properties(known: Catalogue, file: Path, offered: object) -> None:
    place = Place(str(file), key="PROPERTIES")
    for family in _each(offered):
        if not isinstance(family, Family):
            raise _not_a("property", family, place, "mark it @always, @on_step, @leads_to, …")
        if not family.sentence:
            raise FinaleError(
                "property-without-sentence",
                f'the property "{family.name}" has no docstring',
                place=family.mark.place,
                advice="describe the claim in one sentence, which traces and lists print",
            )
        if family.name in known.properties:
            raise FinaleError(
                "duplicate-property",
                f'there is a property "{family.name}" already',
                place=place,
                advice="rename the function: a property has the name of its function",
            )
        known.properties[family.name] = family


def _is_protocol(value: object) -> TypeGuard[type[Protocol]]:
    return isinstance(value, type) and issubclass(value, Protocol)


def _each(offered: object) -> Sequence[object]:
    """Return the entries of a module's tuple, also if a single entry lacks the comma."""
    if isinstance(offered, tuple | list):
        return cast("Sequence[object]", offered)
    return (offered,)


def _not_a(what: str, value: object, place: Place, advice: str) -> FinaleError:
    name: object = getattr(value, "__name__", None)
    shown = name if isinstance(name, str) else repr(value)
    return FinaleError(f"not-a-{what}", f"{shown} is not a {what}", place=place, advice=advice)
