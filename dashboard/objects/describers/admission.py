"""Facts of admission webhooks and policies, which the API server consults before it stores an object."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dashboard.objects.describers.fact import Fact, Section, make_fact, make_section
from dashboard.objects.describers.selector_text import selector_text
from dashboard.objects.fields.unstructured import as_map, as_maps, as_text, as_texts
from dashboard.runtime.text_with_links import TextPiece, object_piece

_GROUP = "admissionregistration.k8s.io"
_FAILS = {"Fail": "the request is refused", "Ignore": "the request is allowed"}
_ACTIONS = {
    "Deny": "Deny: the request is refused",
    "Warn": "Warn: who asked is warned",
    "Audit": "Audit: it is noted in the audit log",
}


def webhook_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    """A section for each of its webhooks, in the order in which they are configured."""
    hooks = enumerate(as_maps(obj.get("webhooks")), 1)
    return tuple(each for number, hook in hooks for each in _webhook(hook, number))


def _webhook(hook: Mapping[str, Any], number: int) -> tuple[Section, ...]:
    client, seconds = as_map(hook.get("clientConfig")), as_text(hook.get("timeoutSeconds"))
    again = hook.get("reinvocationPolicy") == "IfNeeded"
    return make_section(
        f"webhook-{number}", as_text(hook.get("name")) or "Webhook",
        make_fact("Asks", _server(client)),
        *_constraints(hook),
        make_fact(
            "Without an answer", _failure(hook.get("failurePolicy")) + (f", after {seconds} s" if seconds else "")
        ),
        make_fact("Again", "where others changed the object after it" if again else None),
        make_fact("A dry run", "is refused: it has side effects"
             if as_text(hook.get("sideEffects")) in ("Some", "Unknown") else None, tone="warn"),
    )  # fmt: skip


def policy_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    """Of a validating or a mutating policy."""
    spec = as_map(obj.get("spec"))
    params = as_map(spec.get("paramKind"))
    checks = (_check(each) for each in as_maps(spec.get("validations")))
    return make_section(
        "policy", "Policy",
        *_constraints({**as_map(spec.get("matchConstraints")), "matchConditions": spec.get("matchConditions")}),
        make_fact(
            "Parameters", f"{as_text(params.get('kind'))} ({as_text(params.get('apiVersion'))})" if params else None
        ),
        make_fact("Must be true", *checks),
        make_fact("Changes", *(_mutation(each) for each in as_maps(spec.get("mutations")))),
        make_fact("If evaluation fails", _failure(spec.get("failurePolicy"))),
    )  # fmt: skip


def policy_binding_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    spec, kind = as_map(obj.get("spec")), as_text(obj.get("kind"))
    params, name = as_map(spec.get("paramRef")), as_text(spec.get("policyName"))
    key = f"{'mutating' if kind.startswith('Mutating') else 'validating'}admissionpolicies.{_GROUP}"
    place = f" in {as_text(params.get('namespace'))}" if params.get("namespace") else ""
    which = as_text(params.get("name")) or f"all with {selector_text(params.get('selector'))}"
    missing = ", without them it allows the request" if params.get("parameterNotFoundAction") == "Allow" else ""
    return make_section(
        "binding", "Binding",
        make_fact("Policy", [object_piece(key, "", name)]),
        *_constraints(as_map(spec.get("matchResources"))),
        make_fact("Parameters", f"{which}{place}{missing}" if params else None),
        make_fact("If denied", *(_ACTIONS.get(each, each) for each in as_texts(spec.get("validationActions")))),
    )  # fmt: skip


def _constraints(match: Mapping[str, Any]) -> Iterator[Fact | None]:
    """The requests and objects that it applies to."""
    rules = as_maps(match.get("rules")) or as_maps(match.get("resourceRules"))
    yield make_fact("About", *map(_rule, rules))
    yield make_fact("Not about", *map(_rule, as_maps(match.get("excludeResourceRules"))))
    yield make_fact("In namespaces", f"with {words}" if (words := _selected(match, "namespaceSelector")) else None)
    yield make_fact("Objects", f"with {words}" if (words := _selected(match, "objectSelector")) else None)
    conditions = as_maps(match.get("matchConditions"))
    yield make_fact(
        "Only if", *(f"{as_text(each.get('name'))}: {as_text(each.get('expression'))}" for each in conditions)
    )


def _selected(match: Mapping[str, Any], field: str) -> str:
    return selector_text(match.get(field), "")


def _rule(rule: Mapping[str, Any]) -> str:
    """``create, update of deployments of apps (v1)``."""
    operations, kinds = as_texts(rule.get("operations")), as_texts(rule.get("resources"))
    groups, versions = as_texts(rule.get("apiGroups")), as_texts(rule.get("apiVersions"))
    done = "anything" if "*" in operations else ", ".join(each.lower() for each in operations)
    about = "everything" if "*" in kinds or "*/*" in kinds else ", ".join(kinds)
    of = "all groups" if "*" in groups else " and ".join(group or "the core group" for group in groups)
    version = f" ({', '.join(versions)})" if versions and "*" not in versions else ""
    scope = {"Namespaced": ", in namespaces", "Cluster": ", of the cluster"}.get(as_text(rule.get("scope")), "")
    names = as_texts(rule.get("resourceNames"))
    return f"{done} of {about} of {of}{version}{scope}" + (f", only those named {', '.join(names)}" if names else "")


def _server(client: Mapping[str, Any]) -> list[TextPiece] | None:
    service = as_map(client.get("service"))
    if not service:
        return [TextPiece(as_text(client.get("url")))]
    namespace, name = as_text(service.get("namespace")), as_text(service.get("name"))
    path, port = as_text(service.get("path")), as_text(service.get("port"))
    where = "".join((f" in {namespace}", f", port {port}" if port else "", f", {path}" if path else ""))
    return [TextPiece("Service "), object_piece("services", namespace, name), TextPiece(where)]


def _failure(policy: Any) -> str:
    return _FAILS.get(as_text(policy) or "Fail", as_text(policy))


def _check(validation: Mapping[str, Any]) -> str:
    message = as_text(validation.get("message")) or as_text(validation.get("messageExpression"))
    return as_text(validation.get("expression")) + (f", else: {message}" if message else "")


def _mutation(mutation: Mapping[str, Any]) -> str:
    for field in ("applyConfiguration", "jsonPatch"):
        if expression := as_text(as_map(mutation.get(field)).get("expression")):
            return expression
    return as_text(mutation.get("patchType"))
