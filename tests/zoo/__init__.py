"""The zoo: tiny systems whose counts and verdicts are known by hand, or published."""

from tests.zoo.animal import Animal
from tests.zoo.classics import CLASSICS
from tests.zoo.fairness import FAIRNESS
from tests.zoo.faults import FAULTS
from tests.zoo.progress import PROGRESS
from tests.zoo.queues import QUEUES
from tests.zoo.recycled import RECYCLED
from tests.zoo.structures import STRUCTURES
from tests.zoo.values import VALUES

ZOO: tuple[Animal, ...] = (
    *VALUES,
    *STRUCTURES,
    *QUEUES,
    *FAULTS,
    *FAIRNESS,
    *PROGRESS,
    *RECYCLED,
    *CLASSICS,
)
