"""The corpus of historical bugs: how instructive each is, and the lengths that were predicted.

Stars are the corpus's own. A prediction was made from the numbered steps of an entry before its
spec was run, in steps of the model: a checkpoint of a pair takes seven to its completion, each
confirmation one more, a restart one and one for each task.
"""

from __future__ import annotations

STARS: dict[str, int] = {
    "FIN-01": 4, "FIN-02": 5, "FIN-04": 3, "FIN-05": 5, "FIN-07": 5, "FIN-08": 4, "FIN-09": 3,
    "FIN-11": 2, "FIN-12": 4, "FIN-13": 3, "FIN-14": 3, "FIN-16": 3, "FIN-17": 3, "FIN-21": 3,
    "FIN-23": 2,
    "SWS-03": 4, "SWS-04": 3, "SWS-05": 2, "SWS-06": 4, "SWS-07": 5, "SWS-08": 4, "SWS-09": 4,
    "SWS-10": 3, "SWS-12": 3, "SWS-14": 3, "SWS-15": 4,
    "ALN-01": 5, "ALN-03": 3, "ALN-04": 2,
    "UC-01": 5, "UC-02": 4, "UC-03": 3, "UC-04": 4, "UC-06": 5, "UC-08": 3, "UC-10": 3,
    "JM-02": 4, "JM-03": 3, "JM-04": 3, "JM-05": 2, "JM-06": 2,
    "OC-01": 5, "OC-03": 4,
    "SNK-01": 5, "SNK-03": 2, "SNK-04": 2,
    "OTH-02": 3, "OTH-03": 4, "OTH-04": 4, "OTH-06": 3, "OTH-07": 4, "OTH-08": 3, "OTH-11": 4,
    "OTH-12": 3, "OTH-13": 3, "OTH-14": 2, "OTH-15": 3,
}  # fmt: skip

#: By entry, the steps that were predicted; of several specs, by the stem of the spec.
PREDICTED: dict[str, int] = {
    "FIN-02": 13, "flink-2491-plan": 4, "flink-2491-wait": 9,
    "FIN-08": 13, "ALN-01": 8, "flink-1775": 7, "flink-2519": 10,
    "FIN-09": 10, "OTH-15": 12, "JM-06": 6, "SWS-15": 16,
    "FIN-07": 6, "FIN-05": 12, "SWS-07": 24, "SWS-06": 13, "SWS-09": 20, "SWS-10": 7,
    "SWS-04": 11, "SWS-14": 10, "SWS-12": 9, "JM-05": 5, "FIN-04": 9, "UC-04": 8, "flink-20654": 17,
    "UC-03": 6, "UC-06": 15, "flink-17568": 7, "flink-17564": 8,
    "FIN-16": 14, "UC-08": 9, "JM-02": 5, "JM-03": 10, "OTH-04": 8,
    "flink-16986": 6, "flink-28606": 7, "flink-29217": 7, "flink-23233": 11, "flink-21996": 7,
    "flink-31006": 10, "flink-33466": 9, "JM-04": 5,
    "SNK-01": 30, "SNK-03": 14, "FIN-13": 4, "FIN-11": 4, "FIN-14": 12, "FIN-21": 24, "OTH-03": 6,
    "FIN-17": 24, "OTH-06": 6, "OTH-08": 16, "OTH-14": 4,
    "flink-23021": 9,
    "kafka-13469": 9, "kafka-2744": 9, "kafka-10188": 4, "kafka-20685": 7, "kafka-7192": 8,
    "wallaroo-3033": 5, "wallaroo-3032": 7, "wallaroo-3086": 8,
}  # fmt: skip
