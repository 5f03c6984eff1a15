"""Mistakes in handing state to a new attempt or a new job."""

from __future__ import annotations

from collections.abc import Mapping

#: By the protocol's key and the variant's: "module:Class" within this package.
VARIANTS: Mapping[str, Mapping[str, str]] = {
    "restore": {
        "redistributes-by-index": "redistributes_by_index:RedistributesByIndex",
        "forgets-marks": "forgets_marks:ForgetsMarks",
        "forgets-marks-of-sources": "forgets_marks_of_sources:ForgetsMarksOfSources",
        "keeps-old-keys": "keeps_old_keys:KeepsOldKeys",
        "marks-from-zero": "marks_from_zero:MarksFromZero",
        "copies-unaligned": "copies_unaligned:CopiesUnaligned",
        "keeps-own-union": "keeps_own_union:KeepsOwnUnion",
        "clears-what-is-planned": "clears_what_is_planned:ClearsWhatIsPlanned",
        "deals-to-the-first": "deals_to_the_first:DealsToTheFirst",
    },
    "restore-unaligned": {
        "replicates-unfiltered": "replicates_unfiltered:ReplicatesUnfiltered",
    },
}
