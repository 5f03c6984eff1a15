from finale.model.properties.agreement import AgreementView, DecisionView, Participant, Voter
from finale.model.properties.passing import ChannelCut, LastStage, PersistingView, PipelineView
from finale.model.protocols.asking import Asking
from finale.model.protocols.coordinator.coordinator import JobProtocol
from finale.model.protocols.enumerator import Enumerating
from finale.model.protocols.failures import Failures
from finale.model.protocols.requests import Requests
from finale.model.protocols.stopping import Stopping
from finale.model.protocols.task.execution import (
    ChannelStateView,
    EndOfDataView,
    TaskExecution,
    WatermarkView,
)

__all__ = [  # noqa: RUF022 - a table of contents, by kind
    # Any protocol with tasks, channels, checkpoints and sinks
    "JobProtocol",
    "TaskExecution",
    # Protocols with one feature more
    "ChannelStateView",
    "EndOfDataView",
    "WatermarkView",
    "Asking",
    "Enumerating",
    "Failures",
    "Requests",
    "Stopping",
    # Protocols without a job of tasks
    "AgreementView",
    "Participant",
    "ChannelCut",
    "PersistingView",
    "LastStage",
    "PipelineView",
    "DecisionView",
    "Voter",
]
