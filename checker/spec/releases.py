"""Finds releases by name, and the options that a protocol has in a release."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

from finale.model.errors import FinaleError, nearest
from finale.model.language.protocol import Protocol
from finale.model.protocols.releases import RELEASES, TOPICS, Release, Value

ALL = "all"
#: The scheduler of a release that a spec means if it does not say so.
DEFAULT = "default"
_VERSION = re.compile(r"\d+(?:\.\d+)+")


@dataclass(frozen=True)
class ReleaseConfig:
    """A release; where its schedulers make a difference to a protocol, one of them."""

    release: Release
    scheduler: str | None = None

    @property
    def label(self) -> str:
        """Its name in a table: with the first letter of a scheduler that is not the default one."""
        own = self.scheduler if self.scheduler != DEFAULT else None
        return f"{self.release.key}{own[0] if own else ''}"


def release_named(name: str, further: Iterable[str] = ()) -> Release:
    """The release with a key, as V4, or a name, as flink-1.15. Raises `unknown-release`.

    Names that are known `further` may be meant where it is none.
    """
    for release in RELEASES:
        if name in (release.key, release.name):
            return release
    engine, _, version = name.partition("-")
    is_flink = engine == "flink" and _VERSION.fullmatch(version)
    stands = _standing_for(version) if is_flink else None
    known = [name for release in RELEASES for name in (release.key, release.name)]
    known += further
    raise FinaleError(
        "unknown-release",
        f'there is no release "{name}"',
        advice=nearest(name, known)
        if stands is None
        else f'give "{stands.name}" ({stands.key}), which stands for {stands.versions}',
    )


def release_with(version: str) -> Release:
    """The release that stands for a version, such as 1.13.6. Raises `unknown-release`."""
    stands = _standing_for(version)
    if stands is not None:
        return stands
    raise FinaleError(
        "unknown-release",
        f"no release stands for version {version}",
        advice=f"the last one has {RELEASES[-1].versions}",
    )


def _standing_for(version: str) -> Release | None:
    wanted = _numbers(version)
    for release in RELEASES:
        first, *rest = map(_numbers, _VERSION.findall(release.versions))
        last = rest[-1] if rest else first
        if first <= wanted and wanted[: len(last)] <= last:
            return release
    return None


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def releases_in(text: str) -> tuple[ReleaseConfig, ...]:
    """Those of a list with commas, or all, in the order of the releases.

    A name that a table prints, as V4a, means one scheduler of its release; without one, all that
    the release has. Raises `unknown-release`.
    """
    if text.strip() == ALL:
        return tuple(map(ReleaseConfig, RELEASES))
    chosen = [_asked(word.strip()) for word in text.split(",")]
    whole = [under.release for under in chosen if under.scheduler is None]
    return tuple(
        under
        for release in RELEASES
        for under in (ReleaseConfig(release), *_schedulers(release))
        if under in chosen and (under.scheduler is None or release not in whole)
    )


def _asked(name: str) -> ReleaseConfig:
    printed = {each.label: each for release in RELEASES for each in _schedulers(release)}
    return printed[name] if name in printed else ReleaseConfig(release_named(name, printed))


def _schedulers(release: Release) -> Sequence[ReleaseConfig]:
    """A release under each of the schedulers that have names of their own in a table."""
    return [ReleaseConfig(release, name) for name in release.schedulers if name != DEFAULT]


def topic_of(key: str) -> str | None:
    """Return the topic of a protocol, if a release has the protocol."""
    return next((topic for topic, protocols in TOPICS.items() if key in protocols), None)


def preset(kind: type[Protocol], under: ReleaseConfig) -> dict[str, Value]:
    """The options of a protocol in a release, in the words of specs: those that it has."""
    scheduler = under.release.schedulers.get(under.scheduler or DEFAULT, {})
    known = {option.name for option in fields(kind.Options)}
    options = {**under.release.options, **scheduler}
    return {name: value for name, value in options.items() if name in known}


def settings_of(kind: type[Protocol], release: Release) -> Sequence[ReleaseConfig]:
    """A release once, or once for each scheduler, where the protocol knows the difference."""
    each = [ReleaseConfig(release, scheduler) for scheduler in release.schedulers]
    if any(preset(kind, one) != preset(kind, each[0]) for one in each[1:]):
        return each
    return [ReleaseConfig(release)]


def settings_asked(kind: type[Protocol], asked: ReleaseConfig) -> Sequence[ReleaseConfig]:
    """Return the configurations of one requested scheduler, if the protocol depends on it."""
    each = settings_of(kind, asked.release)
    return [asked] if asked in each else each


def preset_of_spec(kind: type[Protocol], name: str) -> tuple[ReleaseConfig, dict[str, Value]]:
    """Return the release and its options for `release = name` in a spec.

    Raises `unknown-release`, `no-release`, `release-without-protocol`.
    """
    release, topic = release_named(name), topic_of(kind.key)
    if topic is None:
        raise FinaleError(
            "no-release",
            f'no release has the protocol "{kind.key}"',
            advice='leave out "release"',
        )
    own = release.protocols.get(topic)
    if own != kind.key:
        told = f'"{own}"' if own else "nothing"
        raise FinaleError(
            "release-without-protocol",
            f'{release.name} has {told} for {topic}, and not "{kind.key}"',
            advice=f'write protocol = "{own}"' if own else "name a later release",
        )
    under = ReleaseConfig(release)
    return under, preset(kind, under)
