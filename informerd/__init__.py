"""informerd: list, watch, cache and follow a Kubernetes API server's objects, in asyncio."""

from informerd.blocking import Informers, informers
from informerd.client import Client
from informerd.clock import Clock, SystemClock
from informerd.cluster import load_cluster
from informerd.cluster_config import ClusterConfig
from informerd.discovery import Discovery
from informerd.factory import SharedInformerFactory
from informerd.field_selector import FieldSelector
from informerd.handler import FilteringHandler, Handler, HandlerFunctions, is_another_object
from informerd.health import Health, State
from informerd.indexing import field_index, label_index, owner_index
from informerd.label_selector import LabelSelector
from informerd.lister import Lister
from informerd.mutation_detector import Mutation
from informerd.objects import Blob, Object, ObjectMeta, OwnerReference
from informerd.reflector_settings import ReflectorSettings
from informerd.resource import MYDEMOS, PODS, Resource
from informerd.shared_informer import Registration, SharedInformer
from informerd.store import Store

__all__ = [
    "MYDEMOS",
    "PODS",
    "Blob",
    "Client",
    "Clock",
    "ClusterConfig",
    "Discovery",
    "FieldSelector",
    "FilteringHandler",
    "Handler",
    "HandlerFunctions",
    "Health",
    "Informers",
    "LabelSelector",
    "Lister",
    "Mutation",
    "Object",
    "ObjectMeta",
    "OwnerReference",
    "ReflectorSettings",
    "Registration",
    "Resource",
    "SharedInformer",
    "SharedInformerFactory",
    "State",
    "Store",
    "SystemClock",
    "field_index",
    "informers",
    "is_another_object",
    "label_index",
    "load_cluster",
    "owner_index",
]
