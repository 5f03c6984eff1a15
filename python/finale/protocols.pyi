from finale.model.protocols.at_least_once import AtLeastOnce
from finale.model.protocols.barrier_collection import BarrierCollection, Epoch
from finale.model.protocols.barrier_collection import Worker as CollectionWorker
from finale.model.protocols.chained_sources import ChainedSources, ChainedSourcesOptions
from finale.model.protocols.chandy_lamport import ChandyLamport
from finale.model.protocols.connector import Connector, SourceRecord
from finale.model.protocols.enumerator import CoordinatorCheckpoint, Event, SourceReader, Split
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.legacy_finish import LegacyFinish
from finale.model.protocols.legacy_stop import LegacyStop
from finale.model.protocols.local_store import InputUpdate, LocalStore
from finale.model.protocols.operator_coordinator import OperatorCoordinator
from finale.model.protocols.persister import Persister
from finale.model.protocols.pipeline import Consumer, Pipeline, Producer, Stage
from finale.model.protocols.pipeline import Operator as PipelineOperator
from finale.model.protocols.pipeline import Source as PipelineSource
from finale.model.protocols.regional import RegionalCheckpoint, RegionParts
from finale.model.protocols.regional_sources import RegionalSourceCheckpoint, RegionalSources
from finale.model.protocols.restore import Restore
from finale.model.protocols.restore_unaligned import RestoreTimed, RestoreUnaligned
from finale.model.protocols.stop_with_checkpoint import StopWithCheckpoint
from finale.model.protocols.stop_with_savepoint import StopWithSavepoint
from finale.model.protocols.sync_savepoint import SourceThread, SyncSavepoint
from finale.model.protocols.two_phase_commit import Manager, TwoPhaseCommit
from finale.model.protocols.unaligned import AlignedWithTimeout, Unaligned, UnalignedOptions
from finale.model.protocols.yardstick import Channel as YardstickChannel
from finale.model.protocols.yardstick import CheckpointNumber, Element, Yardstick
from finale.model.protocols.yardstick import Source as YardstickSource
from finale.model.protocols.yardstick import Task as YardstickTask
from finale.model.protocols.yardstick import Worker as YardstickWorker

__all__ = [  # noqa: RUF022 - a table of contents, by kind
    # The protocols
    "Yardstick",
    "TwoPhaseCommit",
    "Pipeline",
    "BarrierCollection",
    "Connector",
    "LocalStore",
    "OperatorCoordinator",
    "FinalCheckpoint",
    "StopWithSavepoint",
    "ChainedSources",
    "SyncSavepoint",
    "StopWithCheckpoint",
    "RegionalCheckpoint",
    "RegionalSources",
    "LegacyStop",
    "LegacyFinish",
    "Unaligned",
    "AlignedWithTimeout",
    "AtLeastOnce",
    "ChandyLamport",
    "Restore",
    "Persister",
    "RestoreUnaligned",
    "RestoreTimed",
    # Entities of single protocols, with a longer name if another entity has theirs
    "YardstickChannel",
    "CheckpointNumber",
    "Element",
    "YardstickSource",
    "YardstickTask",
    "YardstickWorker",
    "Manager",
    "Consumer",
    "PipelineOperator",
    "Producer",
    "PipelineSource",
    "Stage",
    "Epoch",
    "CollectionWorker",
    "SourceRecord",
    "InputUpdate",
    "CoordinatorCheckpoint",
    "RegionalSourceCheckpoint",
    "RegionParts",
    "Event",
    "SourceReader",
    "Split",
    # Options that helpers take or return
    "ChainedSourcesOptions",
    "SourceThread",
    "UnalignedOptions",
]
