"""The one error tree.

Raised at the client's edge only (`informerd/rest/client.py` turns answers and transport failures into these), so that
callers never see aiohttp's exceptions or bare status codes. Reasons and causes are the API server's own, see
metav1.Status in apimachinery.
"""

from informerd.errors.api import (
    AlreadyExists,
    ApiError,
    BadRequest,
    Conflict,
    Expired,
    Forbidden,
    Invalid,
    NotFound,
    ResourceVersionTooLarge,
    ServerError,
    ServerTimeout,
    TooManyRequests,
    Unauthorized,
    error_from_status,
    is_too_large,
)
from informerd.errors.cache import (
    AlreadyStarted,
    CacheMutated,
    CacheSyncTimeout,
    InformerExists,
    InformerStopped,
    InsideEventLoop,
    NotSynced,
    ProjectionMismatch,
    UnexpectedObject,
)
from informerd.errors.controllers import DuplicateController, LeaderElectionLost, NotLeading, StillRunning
from informerd.errors.root import InformerdError, InvalidCall, NotInTime
from informerd.errors.status import UNREADABLE, Cause, Status, StatusDetails, StatusMeta
from informerd.errors.transport import (
    ConfigError,
    CredentialsError,
    MalformedAnswer,
    MalformedStream,
    NotBegun,
    Unreachable,
)
from informerd.errors.usage import (
    IndexExists,
    MalformedResourceVersion,
    MalformedSelector,
    NotWatchable,
    UnknownField,
    UnknownIndex,
    UnknownResource,
    UnusableProjection,
)

__all__ = [
    "UNREADABLE",
    "AlreadyExists",
    "AlreadyStarted",
    "ApiError",
    "BadRequest",
    "CacheMutated",
    "CacheSyncTimeout",
    "Cause",
    "ConfigError",
    "Conflict",
    "CredentialsError",
    "DuplicateController",
    "Expired",
    "Forbidden",
    "IndexExists",
    "InformerExists",
    "InformerStopped",
    "InformerdError",
    "InsideEventLoop",
    "Invalid",
    "InvalidCall",
    "LeaderElectionLost",
    "MalformedAnswer",
    "MalformedResourceVersion",
    "MalformedSelector",
    "MalformedStream",
    "NotBegun",
    "NotFound",
    "NotInTime",
    "NotLeading",
    "NotSynced",
    "NotWatchable",
    "ProjectionMismatch",
    "ResourceVersionTooLarge",
    "ServerError",
    "ServerTimeout",
    "Status",
    "StatusDetails",
    "StatusMeta",
    "StillRunning",
    "TooManyRequests",
    "Unauthorized",
    "UnexpectedObject",
    "UnknownField",
    "UnknownIndex",
    "UnknownResource",
    "Unreachable",
    "UnusableProjection",
    "error_from_status",
    "is_too_large",
]
