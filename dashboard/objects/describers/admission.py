"""What the API server asks before it stores an object: webhooks, and policies with their bindings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dashboard.resources.facts.fact import Fact, Section, fact, section
from dashboard.resources.facts.selectors import selector_words
from dashboard.resources.loose import mapping, mappings, text, texts
from dashboard.resources.words import Words, named

_GROUP = "admissionregistration.k8s.io"
_FAILS = {"Fail": "the request is refused", "Ignore": "the request goes on as if it had said yes"}
_ACTIONS = {
    "Deny": "Deny: the request is refused",
    "Warn": "Warn: who asked is warned",
    "Audit": "Audit: it is noted in the audit log",
}


def webhook_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    """A section for each of its webhooks, in the order in which they are configured."""
    hooks = enumerate(mappings(obj.get("webhooks")), 1)
    return tuple(each for number, hook in hooks for each in _webhook(hook, number))


def _webhook(hook: Mapping[str, Any], number: int) -> tuple[Section, ...]:
    client, seconds = mapping(hook.get("clientConfig")), text(hook.get("timeoutSeconds"))
    again = hook.get("reinvocationPolicy") == "IfNeeded"
    return section(
        f"webhook-{number}", text(hook.get("name")) or "Webhook",
        fact("Asks", _server(client)),
        *_constraints(hook),
        fact("Without an answer", _failure(hook.get("failurePolicy")) + (f", after {seconds} s" if seconds else "")),
        fact("Again", "where others changed the object after it" if again else None),
        fact("A dry run", "is refused: it has side effects"
             if text(hook.get("sideEffects")) in ("Some", "Unknown") else None, tone="warn"),
    )  # fmt: skip


def policy_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    """Of a validating or a mutating policy."""
    spec = mapping(obj.get("spec"))
    params = mapping(spec.get("paramKind"))
    checks = (_check(each) for each in mappings(spec.get("validations")))
    return section(
        "policy", "Policy",
        *_constraints({**mapping(spec.get("matchConstraints")), "matchConditions": spec.get("matchConditions")}),
        fact("Parameters", f"{text(params.get('kind'))} ({text(params.get('apiVersion'))})" if params else None),
        fact("Must be true", *checks),
        fact("Changes", *(_mutation(each) for each in mappings(spec.get("mutations")))),
        fact("If it cannot be told", _failure(spec.get("failurePolicy"))),
    )  # fmt: skip


def policy_binding_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    spec, kind = mapping(obj.get("spec")), text(obj.get("kind"))
    params, name = mapping(spec.get("paramRef")), text(spec.get("policyName"))
    key = f"{'mutating' if kind.startswith('Mutating') else 'validating'}admissionpolicies.{_GROUP}"
    place = f" in {text(params.get('namespace'))}" if params.get("namespace") else ""
    which = text(params.get("name")) or f"all with {selector_words(params.get('selector'))}"
    missing = ", without them it says yes" if params.get("parameterNotFoundAction") == "Allow" else ""
    return section(
        "binding", "Binding",
        fact("Policy", [named(key, "", name)]),
        *_constraints(mapping(spec.get("matchResources"))),
        fact("Parameters", f"{which}{place}{missing}" if params else None),
        fact("Where it says no", *(_ACTIONS.get(each, each) for each in texts(spec.get("validationActions")))),
    )  # fmt: skip


def _constraints(found: Mapping[str, Any]) -> Iterator[Fact | None]:
    """What it is asked about."""
    rules = mappings(found.get("rules")) or mappings(found.get("resourceRules"))
    yield fact("About", *map(_rule, rules))
    yield fact("Not about", *map(_rule, mappings(found.get("excludeResourceRules"))))
    yield fact("In namespaces", f"with {words}" if (words := _selected(found, "namespaceSelector")) else None)
    yield fact("Objects", f"with {words}" if (words := _selected(found, "objectSelector")) else None)
    conditions = mappings(found.get("matchConditions"))
    yield fact("Only if", *(f"{text(each.get('name'))}: {text(each.get('expression'))}" for each in conditions))


def _selected(found: Mapping[str, Any], field: str) -> str:
    return selector_words(found.get(field), "")


def _rule(rule: Mapping[str, Any]) -> str:
    """``create, update of deployments of apps (v1)``."""
    operations, kinds = texts(rule.get("operations")), texts(rule.get("resources"))
    groups, versions = texts(rule.get("apiGroups")), texts(rule.get("apiVersions"))
    done = "anything" if "*" in operations else ", ".join(each.lower() for each in operations)
    about = "everything" if "*" in kinds or "*/*" in kinds else ", ".join(kinds)
    of = "all groups" if "*" in groups else " and ".join(group or "the core group" for group in groups)
    version = f" ({', '.join(versions)})" if versions and "*" not in versions else ""
    scope = {"Namespaced": ", in namespaces", "Cluster": ", of the cluster"}.get(text(rule.get("scope")), "")
    names = texts(rule.get("resourceNames"))
    return f"{done} of {about} of {of}{version}{scope}" + (f", only those named {', '.join(names)}" if names else "")


def _server(client: Mapping[str, Any]) -> list[Words] | None:
    service = mapping(client.get("service"))
    if not service:
        return [Words(text(client.get("url")))]
    namespace, name = text(service.get("namespace")), text(service.get("name"))
    path, port = text(service.get("path")), text(service.get("port"))
    where = "".join((f" in {namespace}", f", port {port}" if port else "", f", {path}" if path else ""))
    return [Words("Service "), named("services", namespace, name), Words(where)]


def _failure(policy: Any) -> str:
    return _FAILS.get(text(policy) or "Fail", text(policy))


def _check(validation: Mapping[str, Any]) -> str:
    said = text(validation.get("message")) or text(validation.get("messageExpression"))
    return text(validation.get("expression")) + (f", else: {said}" if said else "")


def _mutation(mutation: Mapping[str, Any]) -> str:
    for field in ("applyConfiguration", "jsonPatch"):
        if expression := text(mapping(mutation.get(field)).get("expression")):
            return expression
    return text(mutation.get("patchType"))
