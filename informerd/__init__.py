"""Library to list, watch, cache and follow a Kubernetes API server's objects in asyncio.

Everything that a program needs can be imported from here, and keeps its name here when modules move; what tests need is
in `informerd.testing`. Two parts load more only on demand: `informerd.metrics` needs prometheus_client, and `to_model`
and `to_body` load the official client's models at their first use.
"""

from informerd import resources
from informerd.blocking.informer import BlockingInformer, BlockingRegistration
from informerd.blocking.informers import Informers, informers
from informerd.cache.api_server_probe import Probe
from informerd.cache.factory import InformerOptions, SharedInformerFactory
from informerd.cache.handler import FilteringHandler, Handler, HandlerFunctions, is_another_object
from informerd.cache.health import Health, State
from informerd.cache.index import IndexFunction
from informerd.cache.index_functions import field_index, label_index, owner_index
from informerd.cache.list_watch import ListWatch
from informerd.cache.lister import Lister
from informerd.cache.mutation_detector import FieldChange, Mutation, MutationHandler
from informerd.cache.namespace_informers import NamespaceInformers
from informerd.cache.reflector_failures import WatchErrorHandler
from informerd.cache.reflector_settings import ReflectorSettings
from informerd.cache.shared_informer import Registration, SharedInformer
from informerd.cache.store import Store
from informerd.clients.dynamic_client import DynamicClient
from informerd.clients.object_list import ObjectList
from informerd.clients.object_watch import Change, ObjectWatch
from informerd.clients.official_models import to_body, to_model
from informerd.clients.resource_client import DeleteOptions, ResourceClient
from informerd.clients.resource_reader import Selection
from informerd.clients.subresource_client import SubresourceClient, WriteOptions
from informerd.clients.typed_client import TypedClient
from informerd.clock import Clock, SystemClock
from informerd.controller.controller import Controller
from informerd.controller.events import Created, Deleted, GenericEvent, ObjectEvent, Updated
from informerd.controller.handlers import EnqueueHandler, EnqueueMapped, EnqueueObject, EnqueueOwner
from informerd.controller.predicates import (
    AnnotationChanged,
    GenerationChanged,
    LabelChanged,
    Predicate,
    ResourceVersionChanged,
    object_predicate,
    predicate,
)
from informerd.controller.reconcile_call import Reconcile
from informerd.controller.request import Request
from informerd.controller.result import Result
from informerd.controller.sources import ChannelSource, KindSource, Source
from informerd.controller.state import ControllerState, FailedKey, StuckKey
from informerd.controller_util.adoption import ControllerRefManager, adopt, release
from informerd.controller_util.change_object import change_object
from informerd.controller_util.conditions import condition_of, is_condition, remove_condition, set_condition
from informerd.controller_util.create_or_update import CreateOrUpdateResult, create_or_update
from informerd.controller_util.finalizers import add_finalizer, has_finalizer, remove_finalizer
from informerd.controller_util.owner_references import (
    controller_of,
    is_controlled_by,
    owner_reference,
    remove_owner_reference,
    set_controller_reference,
    set_owner_reference,
)
from informerd.controller_util.retry_on_conflict import retry_on_conflict
from informerd.decoding.decode_error_counts import FaultListener
from informerd.decoding.decoder import Transform, TransformFailed
from informerd.errors import (
    AlreadyExists,
    AlreadyOwned,
    AlreadyStarted,
    ApiError,
    BadRequest,
    BeingDeleted,
    CacheMutated,
    CacheSyncTimeout,
    CallRefused,
    Cause,
    ConfigError,
    Conflict,
    CredentialsError,
    DuplicateController,
    Expired,
    Forbidden,
    GroupUnavailable,
    IndexExists,
    InformerdError,
    InformerExists,
    InformerStopped,
    InsideEventLoop,
    Invalid,
    InvalidCall,
    InvalidReconcile,
    LeaderElectionLost,
    MalformedAnswer,
    MalformedResourceVersion,
    MalformedSelector,
    MalformedStream,
    MissingExtra,
    NoContent,
    NotBegun,
    NotConnected,
    NotFound,
    NotInTime,
    NotLeading,
    NotProcessed,
    NotServed,
    NotSynced,
    NotWatchable,
    ObjectReplaced,
    ProjectionMismatch,
    QueueShutDown,
    ReconcileTimeout,
    ResourceVersionTooLarge,
    ServerError,
    ServerTimeout,
    Status,
    StatusDetails,
    StatusMeta,
    StillRunning,
    TerminalError,
    TooManyRequests,
    Unauthorized,
    UnexpectedObject,
    UnknownField,
    UnknownIndex,
    UnknownResource,
    Unreachable,
    Unreadable,
    UnreadableObject,
    UnusableKey,
    UnusableProjection,
    WatchEnded,
)
from informerd.leader_election.election_config import Election
from informerd.manager.cache_options import CacheOptions, strip_managed_fields
from informerd.manager.cached_client import CachedClient
from informerd.manager.cached_kind import CachedKind
from informerd.manager.controller_builder import ControllerOptions
from informerd.manager.manager import Manager
from informerd.manager.runnable import Runnable
from informerd.manager.state import ManagerState, RunnableState
from informerd.objects import Blob, Object, ObjectMeta, OwnerReference
from informerd.record.event_counts import RecorderState
from informerd.record.recorder import EventRecorder
from informerd.record.reference import ObjectReference
from informerd.remotecommand import ExecSession, ExitStatus, Output, open_exec
from informerd.resource import MYDEMOS, PODS, Resource
from informerd.resource_version import has_reached, is_before, parse_resource_version
from informerd.rest.client import Client
from informerd.rest.cluster_config import ClusterConfig, ExecConfig, Impersonation, TlsConfig, UserConfig
from informerd.rest.discovery import Discovery
from informerd.rest.load_config import current_cluster, load_cluster, load_kubeconfig
from informerd.rest.official_config import cluster_from_official, load_official_kubeconfig
from informerd.rest.pod_log import LogEntry
from informerd.rest.request import PatchType
from informerd.rest.response import Response
from informerd.rest.warning_log import OnWarning
from informerd.selectors.field_selector import FieldSelector
from informerd.selectors.label_requirement import Requirement
from informerd.selectors.label_selector import LabelSelector
from informerd.selectors.shard_selector import ShardSelector
from informerd.unstructured import Json
from informerd.version import VERSION
from informerd.workqueue.queue_state import QueueState
from informerd.workqueue.rate_limiter import (
    BucketRateLimiter,
    ExponentialRateLimiter,
    FastSlowRateLimiter,
    MaxOfRateLimiter,
    RateLimiter,
)
from informerd.workqueue.work_queue import LOW_PRIORITY, WorkQueue

__all__ = [
    "LOW_PRIORITY",
    "MYDEMOS",
    "PODS",
    "VERSION",
    "AlreadyExists",
    "AlreadyOwned",
    "AlreadyStarted",
    "AnnotationChanged",
    "ApiError",
    "BadRequest",
    "BeingDeleted",
    "Blob",
    "BlockingInformer",
    "BlockingRegistration",
    "BucketRateLimiter",
    "CacheMutated",
    "CacheOptions",
    "CacheSyncTimeout",
    "CachedClient",
    "CachedKind",
    "CallRefused",
    "Cause",
    "Change",
    "ChannelSource",
    "Client",
    "Clock",
    "ClusterConfig",
    "ConfigError",
    "Conflict",
    "Controller",
    "ControllerOptions",
    "ControllerRefManager",
    "ControllerState",
    "CreateOrUpdateResult",
    "Created",
    "CredentialsError",
    "DeleteOptions",
    "Deleted",
    "Discovery",
    "DuplicateController",
    "DynamicClient",
    "Election",
    "EnqueueHandler",
    "EnqueueMapped",
    "EnqueueObject",
    "EnqueueOwner",
    "EventRecorder",
    "ExecConfig",
    "ExecSession",
    "ExitStatus",
    "Expired",
    "ExponentialRateLimiter",
    "FailedKey",
    "FastSlowRateLimiter",
    "FaultListener",
    "FieldChange",
    "FieldSelector",
    "FilteringHandler",
    "Forbidden",
    "GenerationChanged",
    "GenericEvent",
    "GroupUnavailable",
    "Handler",
    "HandlerFunctions",
    "Health",
    "Impersonation",
    "IndexExists",
    "IndexFunction",
    "InformerExists",
    "InformerOptions",
    "InformerStopped",
    "InformerdError",
    "Informers",
    "InsideEventLoop",
    "Invalid",
    "InvalidCall",
    "InvalidReconcile",
    "Json",
    "KindSource",
    "LabelChanged",
    "LabelSelector",
    "LeaderElectionLost",
    "ListWatch",
    "Lister",
    "LogEntry",
    "MalformedAnswer",
    "MalformedResourceVersion",
    "MalformedSelector",
    "MalformedStream",
    "Manager",
    "ManagerState",
    "MaxOfRateLimiter",
    "MissingExtra",
    "Mutation",
    "MutationHandler",
    "NamespaceInformers",
    "NoContent",
    "NotBegun",
    "NotConnected",
    "NotFound",
    "NotInTime",
    "NotLeading",
    "NotProcessed",
    "NotServed",
    "NotSynced",
    "NotWatchable",
    "Object",
    "ObjectEvent",
    "ObjectList",
    "ObjectMeta",
    "ObjectReference",
    "ObjectReplaced",
    "ObjectWatch",
    "OnWarning",
    "Output",
    "OwnerReference",
    "PatchType",
    "Predicate",
    "Probe",
    "ProjectionMismatch",
    "QueueShutDown",
    "QueueState",
    "RateLimiter",
    "Reconcile",
    "ReconcileTimeout",
    "RecorderState",
    "ReflectorSettings",
    "Registration",
    "Request",
    "Requirement",
    "Resource",
    "ResourceClient",
    "ResourceVersionChanged",
    "ResourceVersionTooLarge",
    "Response",
    "Result",
    "Runnable",
    "RunnableState",
    "Selection",
    "ServerError",
    "ServerTimeout",
    "ShardSelector",
    "SharedInformer",
    "SharedInformerFactory",
    "Source",
    "State",
    "Status",
    "StatusDetails",
    "StatusMeta",
    "StillRunning",
    "Store",
    "StuckKey",
    "SubresourceClient",
    "SystemClock",
    "TerminalError",
    "TlsConfig",
    "TooManyRequests",
    "Transform",
    "TransformFailed",
    "TypedClient",
    "Unauthorized",
    "UnexpectedObject",
    "UnknownField",
    "UnknownIndex",
    "UnknownResource",
    "Unreachable",
    "Unreadable",
    "UnreadableObject",
    "UnusableKey",
    "UnusableProjection",
    "Updated",
    "UserConfig",
    "WatchEnded",
    "WatchErrorHandler",
    "WorkQueue",
    "WriteOptions",
    "add_finalizer",
    "adopt",
    "change_object",
    "cluster_from_official",
    "condition_of",
    "controller_of",
    "create_or_update",
    "current_cluster",
    "field_index",
    "has_finalizer",
    "has_reached",
    "informers",
    "is_another_object",
    "is_before",
    "is_condition",
    "is_controlled_by",
    "label_index",
    "load_cluster",
    "load_kubeconfig",
    "load_official_kubeconfig",
    "object_predicate",
    "open_exec",
    "owner_index",
    "owner_reference",
    "parse_resource_version",
    "predicate",
    "release",
    "remove_condition",
    "remove_finalizer",
    "remove_owner_reference",
    "resources",
    "retry_on_conflict",
    "set_condition",
    "set_controller_reference",
    "set_owner_reference",
    "strip_managed_fields",
    "to_body",
    "to_model",
]
