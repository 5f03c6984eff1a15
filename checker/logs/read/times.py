"""Brings the times of lines into one form, in UTC: `2026-11-20 15:13:27,650`.

A time with a zone is converted. One without a zone is of a zone that the user names, and else taken
as it is. One without a date is of the date that stands around the line. If there is none, days are
counted: a new one begins where the time goes back by more than half a day.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from finale.model.errors import FinaleError

#: The day of the first line, if no line tells a date.
FIRST_DAY = datetime(1970, 1, 1)
_HALF_A_DAY = timedelta(hours=12)
_USUAL = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}")
_UNDATED = re.compile(r"(\d\d):(\d\d):(\d\d)(?:[,.](\d{1,9}))?")
_EPOCH = re.compile(r"\d{10}(?:\.\d+)?|\d{13}|\d{16}|\d{19}")
_OFFSET = re.compile(r"([+-])(\d\d):?(\d\d)")
#: Forms that are not ISO 8601: log4j2's DATE and COMPACT, and that of syslog, which has no year.
_FORMS = ("%d %b %Y %H:%M:%S.%f", "%Y%m%d%H%M%S%f", "%b %d %H:%M:%S.%f", "%b %d %H:%M:%S")
#: By which power of ten an epoch is larger than seconds, by the number of its digits.
_POWERS = ((18, 9), (15, 6), (12, 3), (0, 0))


class TimeKind(enum.Enum):
    """What a time lacks."""

    ZONED = "nothing"
    LOCAL = "a zone"
    UNDATED = "a date"
    DATED_OUTSIDE = "a date, which the shipper's time has"


@dataclass
class LogTimes:
    """The times of one log."""

    zone: tzinfo | None = None
    """Of times that tell none; None: they are taken as they are."""
    kind: TimeKind = TimeKind.LOCAL
    """That of the time that was read last."""
    _day: datetime = FIRST_DAY
    _latest: datetime = field(default=FIRST_DAY)

    def usual(self, text: str, outside: str = "", form: str | None = None) -> str:
        """Return a time in the usual form; as it is, if it cannot be read.

        `outside` is the time that a shipper has written before the line. `form` is that of the
        user's own layout, as `strptime` has it.
        """
        if self.zone is None and form is None and _USUAL.fullmatch(text):
            self.kind = TimeKind.LOCAL
            return text
        if form is None and (undated := _UNDATED.fullmatch(text)):
            time = self._dated(undated, outside)
        else:
            try:
                time = datetime.strptime(text, form) if form else parsed(text)
            except (ValueError, OverflowError):
                return text
            self.kind = TimeKind.LOCAL if time.tzinfo is None else TimeKind.ZONED
        try:
            if time.tzinfo is None and self.zone is not None:
                time = time.replace(tzinfo=self.zone)
            if time.tzinfo is not None:
                time = time.astimezone(UTC)
        except OverflowError:
            return text
        text = f"{time:%Y-%m-%d %H:%M:%S},{time.microsecond:06d}"
        return text[:-3] if text.endswith("000") else text

    def _dated(self, undated: re.Match[str], outside: str) -> datetime:
        hours, minutes, seconds, fraction = undated.groups()
        time = timedelta(hours=int(hours), minutes=int(minutes), seconds=int(seconds))
        time += timedelta(microseconds=int(((fraction or "") + "000000")[:6]))
        try:
            around = parsed(outside).replace(tzinfo=None) if outside else None
        except (ValueError, OverflowError):
            around = None
        if around is not None:
            self.kind = TimeKind.DATED_OUTSIDE
            found = around.replace(hour=0, minute=0, second=0, microsecond=0) + time
            if abs(found - around) > _HALF_A_DAY:
                found += timedelta(days=1 if found < around else -1)
            return found
        self.kind = TimeKind.UNDATED
        found = self._day + time
        if found < self._latest - _HALF_A_DAY:
            self._day += timedelta(days=1)
            found += timedelta(days=1)
        self._latest = max(found, self._latest)
        return found


def parsed(text: str) -> datetime:
    """Return the time that a text tells, with its zone if it has one. Raises `ValueError`."""
    if _EPOCH.fullmatch(text):
        power = next(p for digits, p in _POWERS if len(text.partition(".")[0]) > digits)
        return datetime.fromtimestamp(float(text) / 10**power, UTC)
    text = text.replace("/", "-").replace(",", ".").replace(" +", "+").replace(" Z", "Z")
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        for form in _FORMS:
            try:
                return datetime.strptime(text, form)
            except ValueError:
                continue
        raise


@cache
def zone_of(name: str) -> tzinfo:
    """Return the zone of a name: `Europe/Berlin`, `UTC`, or `+01:00`. Raises `bad-timezone`."""
    if found := _OFFSET.fullmatch(name):
        offset = timedelta(hours=int(found[2]), minutes=int(found[3]))
        if offset < timedelta(days=1):
            return timezone(offset if found[1] == "+" else -offset)
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise FinaleError(
            "bad-timezone",
            f'no time zone is called "{name}"',
            advice="write a name of the IANA database, as Europe/Berlin, or an offset, as +01:00",
        ) from None
