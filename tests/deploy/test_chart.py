"""Tests of the Helm chart and of deploy/kustomize without a cluster: lint, what is rendered, what is refused."""

from __future__ import annotations

import base64
import json
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from dashboard.runtime.environment import read_address
from dashboard.runtime.process_watchdog import STOP_SECONDS, WRITE_SECONDS
from dashboard.runtime.tracing import read_ratio
from tests.support.deploy.audit import granted
from tests.support.deploy.roles import rules_of
from tests.support.helm import VALUE_SETS, Helm, render
from tests.support.long_tests import long_but
from tests.support.program import ROOT
from tools.chart_files import CHART, Json

pytestmark = pytest.mark.program

DOCUMENTED_VALUES = re.findall(
    r"^ *```yaml\n(.*?)^ *```$", (ROOT / "docs" / "install-in-cluster.md").read_text(), re.MULTILINE | re.DOTALL
)
PERFORMANCE = (ROOT / "docs" / "performance.md").read_text()
ACCOUNTS = ("deltaboard-worker", "deltaboard-web")
SIGNED_IN = "/signIn/mode': value must be one of 'oidc', 'proxy'"
BEHIND_A_PROXY = "signIn.mode=proxy,hosts={a.example},signIn.proxy.peers={10.0.0.0/8}"


@pytest.fixture
def helm(tmp_path: Path) -> Helm:
    return Helm(tmp_path)


def of_kind(made: list[Json], kind: str) -> dict[str, Json]:
    """The objects of a kind, by name."""
    return {each["metadata"]["name"]: each for each in made if each["kind"] == kind}


def containers(made: list[Json]) -> Iterator[Json]:
    for each in made:
        if each["kind"] in ("Deployment", "Job"):
            pod = each["spec"]["template"]["spec"]
            yield from (*pod.get("initContainers", ()), *pod["containers"])


def by_hand(file: str) -> dict[str, list[Json]]:
    """The rules of the ClusterRoles in a file of deploy/rbac, by name."""
    made = YAML(typ="safe").load_all(ROOT / "deploy" / "rbac" / file)
    return {each["metadata"]["name"]: each["rules"] for each in made if each["kind"] == "ClusterRole"}


def settings_of(made: list[Json]) -> dict[str, str]:
    """The variables that all processes have."""
    maps: list[dict[str, str]] = [each["data"] for each in made if each["kind"] == "ConfigMap"]
    return next(data for data in maps if "ALLOWED_HOSTS" in data)


def pods_of(made: list[Json]) -> dict[str, Json]:
    """The templates of the pods, by component."""
    return {
        each["metadata"]["labels"]["app.kubernetes.io/component"]: each["spec"]["template"]
        for each in made
        if each["kind"] in ("Deployment", "Job")
    }


def egress_of(made: list[Json], component: str) -> list[Json]:
    """The rules by which the pods of a component reach others."""
    rules: list[Json] = of_kind(made, "NetworkPolicy")[f"deltaboard-{component}"]["spec"]["egress"]
    return rules


def test_there_are_fourteen_sets_of_values_and_some_in_the_documentation() -> None:
    assert (len(VALUE_SETS), len(DOCUMENTED_VALUES)) == (15, 6)


@pytest.mark.parametrize("values", long_but(VALUE_SETS, "everything", "trial", "oidc"))
def test_each_set_of_values_passes_lint_and_is_rendered(helm: Helm, values: str) -> None:
    helm("lint", "--strict", str(CHART), "--values", str(VALUE_SETS[values]))
    made = render(values)
    names = [(each["kind"], each["metadata"].get("namespace"), each["metadata"]["name"]) for each in made]
    assert len(names) == len(set(names))
    assert {"Deployment", "Job", "ConfigMap", "Service"} <= {kind for kind, *_ in names}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("web.replcas=2", ["additional properties 'replcas' not allowed"]),
        ("web.replicas=many", ["at '/web/replicas': got string, want integer"]),
        ("signIn.mode=ldap", ["must be one of 'portForward', 'oidc', 'proxy'"]),
        ("settings.FOO=x", ["invalid propertyName 'FOO'"]),
        ("settings.DELTABOARD_OIDC=x", ["invalid propertyName 'DELTABOARD_OIDC'"]),
        ("settings.DELTABOARD_PROMETHEUS_TOKEN=x", ["invalid propertyName 'DELTABOARD_PROMETHEUS_TOKEN'"]),
        (
            "settings.DELTABOARD_CONTROLLERS=crddemo",
            ["/settings/DELTABOARD_CONTROLLERS'", "/rights/write': value must be"],
        ),
        (
            f"{BEHIND_A_PROXY},readOnly=true,settings.DELTABOARD_CONTROLLERS=crddemo",
            ["/settings/DELTABOARD_CONTROLLERS'", "/readOnly': value must be false"],
        ),
        ("signIn.mode=oidc", ["/signIn/mode': value must be 'portForward'", "/hosts': minItems: got 0, want 1"]),
        ("signIn.mode=oidc,hosts={a.example}", ["/signIn/oidc/issuers'", "/signIn/oidc/existingSecret'"]),
        ("signIn.mode=proxy,hosts={a.example}", ["/signIn/proxy/peers': minItems: got 0, want 1"]),
        ("ingress.enabled=true,hosts={a.example}", [SIGNED_IN, "/ingress/enabled': value must be false"]),
        ("gateway.enabled=true,hosts={a.example}", [SIGNED_IN, "/gateway/enabled': value must be false"]),
        (f"{BEHIND_A_PROXY},gateway.enabled=true", ["/gateway/parentRefs': minItems: got 0, want 1"]),
        ("rights.whose=person", [SIGNED_IN, "/rights/whose': value must be one of '', 'account'"]),
        ("rights.scope=namespaces", ["/rights/scope'", "/rights/namespaces': minItems: got 0, want 1"]),
        ("rights.namespaces={a}", ["/rights/scope'", "/rights/namespaces': maxItems: got 1, want 0"]),
        (
            f"{BEHIND_A_PROXY},rights.write=true",
            ["/rights/write': value must be false", "/rights/whose': value must be 'account'"],
        ),
        ("readOnly=true,rights.write=true", ["/rights/write': value must be false", "/readOnly': value must be false"]),
        ("redis.url=redis://a,redis.existingSecret=b", ["/redis/url'", "/redis/existingSecret'"]),
        ("postgresql.url=postgres://a/b,postgresql.existingSecret=b", ["/postgresql/existingSecret'"]),
        ("postgresql.url=mysql://a", ["does not match pattern"]),
        ("web.service.type=LoadBalancer", [SIGNED_IN, "/web/service/type': value must be 'ClusterIP'"]),
        ("web.service.loadBalancerSourceRanges={10.0.0.1}", ["does not match pattern"]),
        (
            f"{BEHIND_A_PROXY},web.service.type=NodePort,web.service.loadBalancerSourceRanges={{10.0.0.0/8}}",
            ["/web/service/type': value must be 'LoadBalancer'", "loadBalancerSourceRanges': maxItems: got 1, want 0"],
        ),
        (
            "web.service.loadBalancerClass=a",
            ["/web/service/type': value must be 'LoadBalancer'", "loadBalancerClass': value must be ''"],
        ),
        ("web.service.externalTrafficPolicy=local", ["must be one of '', 'Cluster', 'Local'"]),
        (
            "web.service.externalTrafficPolicy=Local",
            ["/web/service/type': value must be one of 'LoadBalancer', 'NodePort'", "TrafficPolicy': value must be ''"],
        ),
        (
            "web.service.ipFamilyPolicy=SingleStack,web.service.ipFamilies={IPv4,IPv6}",
            ["/web/service/ipFamilyPolicy': value must be one of", "/web/service/ipFamilies': maxItems: got 2, want 1"],
        ),
        ("worker.serviceAccount.create=false", ["/worker/serviceAccount/name': minLength: got 0, want 1"]),
        (
            "web.serviceAccount.create=false,web.serviceAccount.name=a,web.serviceAccount.annotations.a=b",
            ["/web/serviceAccount/annotations': maxProperties: got 1, want 0"],
        ),
        ("worker.serviceAccountAnnotations.a=b", ["additional properties 'serviceAccountAnnotations' not allowed"]),
        ("extraEnv[0].name=A,extraEnv[0].valu=b", ["additional properties 'valu' not allowed"]),
        ("web.extraEnv[0].name=DATABASE_URL", ["/web/extraEnv/0/name': 'not' failed"]),
        ("extraEnvFrom[0].secretRef.nam=a", ["additional properties 'nam' not allowed"]),
        ("extraEnvFrom[0].prefix=a", ["'oneOf' failed"]),
        ("commonLabels.helm\\.sh/chart=a", ["invalid propertyName 'helm.sh/chart'"]),
        ("dnsPolicy=None", ["missing property 'nameservers'"]),
        ("hostAliases[0].ip=10.0.0.1", ["missing property 'hostnames'"]),
        ("extraObjects[0].kind=Secret", ["missing properties 'apiVersion', 'metadata'"]),
        ("traces.endpoint=collector:4318", ["does not match pattern"]),
        ("traces.endpoint=http://user@collector", ["does not match pattern"]),
        ("traces.ratio=2", ["maximum: got 2, want 1"]),
        ("settings.DELTABOARD_TRACES=http://a", ["invalid propertyName 'DELTABOARD_TRACES'"]),
        ("networkPolicy.tracesPorts={4318}", ["/traces/endpoint'", "/networkPolicy/tracesPorts': maxItems"]),
        ("metrics.enabled=false,metrics.serviceMonitor.enabled=true", ["/metrics/enabled': value must be true"]),
        ("metrics.enabled=false,metrics.prometheusRule.enabled=true", ["/metrics/prometheusRule/enabled'"]),
    ],
)
def test_values_that_cannot_be_meant_are_refused_by_lint_too(helm: Helm, options: str, words: list[str]) -> None:
    for done in (
        helm.run("template", "deltaboard", str(CHART), "--set", options),
        helm.run("lint", str(CHART), "--set", options),
    ):
        assert done.returncode != 0
        assert [each for each in words if each not in done.stdout + done.stderr] == []


def test_two_accounts_of_one_name_are_refused_with_a_sentence(helm: Helm) -> None:
    options = "worker.serviceAccount.name=a,web.serviceAccount.name=a"
    done = helm.run("template", "deltaboard", str(CHART), "--set", options)
    assert done.returncode != 0
    assert "have one name" in done.stderr


def test_shards_have_a_deployment_each_and_history_one_more() -> None:
    deployments = of_kind(render("shards"), "Deployment")
    workers = {name.removeprefix("deltaboard-worker"): each for name, each in deployments.items() if "worker" in name}
    assert set(workers) == {"", "-1-of-3", "-2-of-3", "-3-of-3", "-history"}
    for suffix, deployment in workers.items():
        (container,) = deployment["spec"]["template"]["spec"]["containers"]
        own = {each["name"]: each.get("value") for each in container["env"]}
        shard = suffix[1:].replace("-of-", "/") if "of" in suffix else None
        assert own.get("DELTABOARD_SHARD") == shard
        assert own.get("DELTABOARD_HISTORY") == ("off" if shard else None)
        assert ("--record-only" in container["command"]) == (suffix == "-history")
        labels = deployment["spec"]["template"]["metadata"]["labels"]
        assert deployment["spec"]["selector"]["matchLabels"].items() <= labels.items()
        assert labels["team"] == "platform"
        assert own["DELTABOARD_LOG_FORMAT"] == "json"
    without = render("shards", "--set", "worker.undivided=false,history.enabled=false")
    assert len([name for name in of_kind(without, "Deployment") if "worker" in name]) == 3


def test_shards_of_some_namespaces_are_refused_with_a_sentence(helm: Helm) -> None:
    options = "worker.shards=2,rights.scope=namespaces,rights.namespaces={a}"
    done = helm.run("template", "deltaboard", str(CHART), "--set", options)
    assert done.returncode != 0
    assert "worker.shards divides all namespaces of a cluster" in done.stderr
    assert "| `worker.shards` and `rights.scope=namespaces` |" in (ROOT / "docs" / "install-in-cluster.md").read_text()


def test_a_lowest_number_of_web_processes_above_the_highest_is_refused_with_a_sentence(helm: Helm) -> None:
    options = "autoscaling.enabled=true,autoscaling.minReplicas=11"
    done = helm.run("template", "deltaboard", str(CHART), "--set", options)
    assert done.returncode != 0
    words = "autoscaling.minReplicas is greater than autoscaling.maxReplicas"
    assert words in done.stderr
    assert words in helm.run("lint", str(CHART), "--set", options).stderr


@pytest.mark.parametrize(
    "options",
    [
        f"{BEHIND_A_PROXY},settings.DELTABOARD_CONTROLLERS=crddemo",
        "rights.write=true,settings.DELTABOARD_CONTROLLERS=crddemo",
        f"{BEHIND_A_PROXY},rights.whose=account,rights.write=true,settings.DELTABOARD_CONTROLLERS=crddemo",
        "web.service.ipFamilies={IPv4,IPv6}",
    ],
)
def test_values_that_fit_are_taken(helm: Helm, options: str) -> None:
    helm("lint", "--strict", str(CHART), "--set", options)


def test_the_traffic_policy_is_taken_for_node_ports() -> None:
    made = render("proxy", "--set", "web.service.type=NodePort,web.service.externalTrafficPolicy=Local")
    assert of_kind(made, "Service")["deltaboard"]["spec"]["externalTrafficPolicy"] == "Local"


@pytest.mark.parametrize("values", DOCUMENTED_VALUES)
def test_the_values_of_the_documentation_are_taken(helm: Helm, values: str, tmp_path: Path) -> None:
    """Parts of a file of values are taken beside one where people sign in."""
    (tmp_path / "values.yaml").write_text(textwrap.dedent(values))
    files = [tmp_path / "values.yaml"] if "hosts:" in values else [VALUE_SETS["oidc"], tmp_path / "values.yaml"]
    helm("template", "deltaboard", str(CHART), *(f"--values={each}" for each in files))


def test_a_secret_of_an_issuer_does_not_get_into_a_config_map(helm: Helm) -> None:
    issuer = '[{"name": "a", "issuer": "https://a", "client_id": "b", "client_secret": "c"}]'
    done = helm.run("template", "deltaboard", str(CHART), "--set-json", f"signIn.oidc.issuers={issuer}")
    assert "additional properties 'client_secret' not allowed" in done.stderr


def test_no_secret_is_in_the_arguments_or_variables_of_a_pod() -> None:
    url = "postgres://deltaboard:hunter2@db/deltaboard"
    made = render("trial", "--set", f"postgresql.url={url}")
    pods = [each for each in made if each["kind"] != "Secret"]
    assert "hunter2" not in json.dumps(pods)
    for container in containers(made):
        for each in container["env"]:
            assert not re.search(r"KEY|PASSWORD", each["name"]) or "secretKeyRef" in each["valueFrom"]


def test_keys_are_long_enough_for_the_settings() -> None:
    data = of_kind(render("trial"), "Secret")["deltaboard"]["data"]
    assert {"SECRET_KEY", "DELTABOARD_FEED_KEY", "DELTABOARD_AUDIT_KEY"} <= data.keys()
    assert all(len(base64.b64decode(value)) >= 32 for value in data.values())
    assert len(set(data.values())) == len(data)


def test_secrets_that_are_there_are_used_and_none_is_made() -> None:
    made = render("issuers-in-a-secret")
    assert of_kind(made, "Secret") == {}
    sources = [each["valueFrom"] for every in containers(made) for each in every["env"] if "valueFrom" in each]
    assert {source["secretKeyRef"]["name"] for source in sources} == {"deltaboard-keys"}


def test_what_a_process_reads_when_it_starts_restarts_it() -> None:
    def restarts(*options: str) -> set[str]:
        was, now = (of_kind(made, "Deployment") for made in (render("oidc"), render("oidc", *options)))
        return {name for name in was if was[name]["spec"]["template"] != now[name]["spec"]["template"]}

    assert restarts() == set()
    assert restarts("--set", "clusterColour=teal") == {*ACCOUNTS}
    assert restarts("--set", "web.extraEnv[0].name=A") == {"deltaboard-web"}
    assert restarts("--set", "signIn.oidc.issuers[0].client_id=other") == {*ACCOUNTS}
    assert restarts("--set", "worker.replicas=3") == set()


def test_a_job_has_another_name_where_it_would_do_something_else() -> None:
    def job(*options: str) -> str:
        (name,) = of_kind(render("trial", *options), "Job")
        return name

    assert job() == job("--set", "web.replicas=5")
    assert job() != job("--set", "image.tag=v2")


def test_pages_are_reached_by_others_only_where_people_sign_in() -> None:
    def ports(values: str) -> list[int]:
        policy = of_kind(render(values), "NetworkPolicy")["deltaboard-web"]["spec"]
        return [port["port"] for rule in policy["ingress"] for port in rule["ports"]]

    assert (ports("trial"), ports("proxy")) == ([9100], [8000, 9100])


def test_large_numbers_stay_whole_numbers(tmp_path: Path) -> None:
    """Helm reads those of a file as floating point, and writes them as 1.048576e+06."""
    values = {
        "history": {"sizeMiB": 1048576, "days": 1048576},
        "settings": {"DELTABOARD_AUDIT_MEGABYTES": 1048576, "DELTABOARD_LOG_FORMAT": "json"},
        "redis": {"bundled": {"userID": 1000820000}},
        "postgresql": {"bundled": {"userID": 1000820000}},
        "podSecurityContext": {"runAsUser": 1000820000},
        "migration": {"ttlSecondsAfterFinished": 2592000},
        "autoscaling": {"enabled": True, "sockets": 1048576},
        "worker": {"terminationGracePeriodSeconds": 1048576},
    }
    (tmp_path / "values.yaml").write_text(json.dumps(values))
    made = render("trial", "--values", str(tmp_path / "values.yaml"))
    assert "e+" not in json.dumps([each for each in made if each["kind"] != "Secret"])
    settings = settings_of(made)
    assert settings["DELTABOARD_HISTORY_SIZE"] == settings["DELTABOARD_AUDIT_MEGABYTES"] == "1048576"
    assert settings["DELTABOARD_LOG_FORMAT"] == "json"
    users = {
        each["spec"]["template"]["spec"]["securityContext"]["runAsUser"]
        for each in made
        if "template" in each.get("spec", {})
    }
    assert [*map(repr, users)] == ["1000820000"]


def test_on_and_off_without_quotes_are_on_and_off(tmp_path: Path) -> None:
    """YAML reads them as true and false, which a setting of more than these two does not take."""
    (tmp_path / "values.yaml").write_text("settings: {DELTABOARD_AUDIT: off, DELTABOARD_TERMINAL_CONTENTS: on}")
    settings = settings_of(render("trial", "--values", str(tmp_path / "values.yaml")))
    assert (settings["DELTABOARD_AUDIT"], settings["DELTABOARD_TERMINAL_CONTENTS"]) == ("off", "on")


def test_every_pod_goes_to_the_nodes_that_are_named() -> None:
    made = render(
        "trial", "--set", "nodeSelector.pool=tools,tolerations[0].operator=Exists,worker.nodeSelector.pool=worker"
    )
    pods = pods_of(made)
    assert pods.keys() == {"worker", "web", "migrate", "redis", "postgresql"}
    for component, pod in pods.items():
        assert pod["spec"]["nodeSelector"] == {"pool": "worker" if component == "worker" else "tools"}
        assert pod["spec"]["tolerations"] == [{"operator": "Exists"}]


def test_every_pod_has_the_priority_that_is_named_and_those_of_a_component_its_own() -> None:
    pods = pods_of(render("trial", "--set", "priorityClassName=tools,web.priorityClassName=pages"))
    priorities = {component: pod["spec"]["priorityClassName"] for component, pod in pods.items()}
    assert priorities == {**dict.fromkeys(pods, "tools"), "web": "pages"}


def test_every_object_and_pod_has_the_common_labels_and_no_selector_does() -> None:
    made = render("gateway-and-autoscaling", "--set", "commonLabels.release=common,commonLabels.team=platform")
    for each in made:
        assert each["metadata"]["labels"]["team"] == "platform"
    for pod in pods_of(made).values():
        assert pod["metadata"]["labels"]["team"] == "platform"
    selectors = [each["spec"].get("selector") for each in made if each["kind"] in ("Deployment", "Service")]
    assert "platform" not in json.dumps(selectors)
    own = of_kind(made, "PrometheusRule")["deltaboard"]["metadata"]["labels"]
    assert own["release"] == "prometheus"


def test_every_object_and_pod_has_the_common_annotations_and_keeps_its_own() -> None:
    common = "commonAnnotations.example\\.com/owner=platform"
    own = "web.service.annotations.example\\.com/owner=pages,worker.podAnnotations.example\\.com/owner=feed"
    for values in ("gateway-and-autoscaling", "trial-with-a-volume", "everything"):
        made = render(values, "--set", f"{common},{own},extraObjects=null")
        owners = [(each["kind"], each["metadata"]["annotations"]["example.com/owner"]) for each in made]
        assert [kind for kind, owner in owners if owner != "platform"] == ["Service"]
        assert ("Service", "pages") in owners
        for component, pod in pods_of(made).items():
            owner = "feed" if component == "worker" else "platform"
            assert pod["metadata"]["annotations"]["example.com/owner"] == owner


def test_pods_of_deltaboard_resolve_names_as_the_values_say() -> None:
    values = "hostAliases[0].ip=10.0.0.9,hostAliases[0].hostnames[0]=issuer.example.com,dnsPolicy=None"
    pods = pods_of(render("trial", "--set", f"{values},dnsConfig.nameservers[0]=10.0.0.10"))
    for component in ("worker", "web", "migrate"):
        spec = pods[component]["spec"]
        assert spec["hostAliases"] == [{"ip": "10.0.0.9", "hostnames": ["issuer.example.com"]}]
        assert (spec["dnsPolicy"], spec["dnsConfig"]) == ("None", {"nameservers": ["10.0.0.10"]})
    assert "dnsPolicy" not in pods["redis"]["spec"]


def test_further_objects_are_made_with_their_templates_filled_in() -> None:
    extra = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "{{ .Release.Name }}-extra"}}
    made = render("trial", "--set-json", f"extraObjects=[{json.dumps(extra)}]")
    assert "deltaboard-extra" in of_kind(made, "ConfigMap")


def test_the_service_has_the_address_families_of_the_values() -> None:
    values = "web.service.ipFamilyPolicy=PreferDualStack,web.service.ipFamilies={IPv6,IPv4}"
    spec = of_kind(render("trial", "--set", values), "Service")["deltaboard"]["spec"]
    assert (spec["ipFamilyPolicy"], spec["ipFamilies"]) == ("PreferDualStack", ["IPv6", "IPv4"])
    assert "ipFamilyPolicy" not in of_kind(render("trial"), "Service")["deltaboard"]["spec"]


def test_old_replica_sets_are_kept_as_the_value_says() -> None:
    deployments = of_kind(render("trial", "--set", "revisionHistoryLimit=2"), "Deployment").values()
    assert [each["spec"]["revisionHistoryLimit"] for each in deployments] == [2] * 4


def test_pods_are_spread_by_the_selector_of_their_deployment_where_none_is_named() -> None:
    for component in ("worker", "web"):
        made = render("trial", "--set", f"{component}.topologySpreadConstraints[0].topologyKey=zone")
        (spread,) = pods_of(made)[component]["spec"]["topologySpreadConstraints"]
        selector = of_kind(made, "Deployment")[f"deltaboard-{component}"]["spec"]["selector"]
        assert spread == {"topologyKey": "zone", "labelSelector": selector}
    named = "web.topologySpreadConstraints[0].labelSelector.matchLabels.a"
    (spread,) = pods_of(render("trial", "--set", f"{named}=b"))["web"]["spec"]["topologySpreadConstraints"]
    assert spread == {"labelSelector": {"matchLabels": {"a": "b"}}}


def test_a_pod_has_more_time_to_end_than_its_process_takes() -> None:
    pods = pods_of(render("trial", "--set", "worker.terminationGracePeriodSeconds=90"))
    (web,) = pods["web"]["spec"]["containers"]
    sleeps = web["lifecycle"]["preStop"]["sleep"]["seconds"]
    assert sleeps + STOP_SECONDS + WRITE_SECONDS < pods["web"]["spec"]["terminationGracePeriodSeconds"]
    assert pods["worker"]["spec"]["terminationGracePeriodSeconds"] == 90


def test_all_containers_have_the_extra_variables_and_mounts_and_a_component_its_own_beside_them() -> None:
    def named(name: str, value: str) -> Json:
        return {"name": name, "value": value}

    values: Json = {
        "extraEnv": [named("A", "all"), named("B", "all")],
        "extraEnvFrom": [{"secretRef": {"name": "all"}}],
        "extraVolumes": [{"name": "all", "emptyDir": {}}],
        "extraVolumeMounts": [{"name": "all", "mountPath": "/all"}],
        "web": {
            "extraEnv": [named("B", "web"), named("C", "web")],
            "extraEnvFrom": [{"prefix": "P_", "configMapRef": {"name": "web"}}],
            "extraVolumes": [{"name": "web", "emptyDir": {}}],
            "extraVolumeMounts": [{"name": "web", "mountPath": "/web"}],
        },
    }
    made = render("trial", *(f"--set-json={name}={json.dumps(value)}" for name, value in values.items()))
    for component, pod in pods_of(made).items():
        if component not in ("worker", "web", "migrate"):
            continue
        own = [component] if component == "web" else []
        assert [each["name"] for each in pod["spec"]["volumes"]] == ["var", "tmp", "all", *own]
        for container in (*pod["spec"].get("initContainers", ()), *pod["spec"]["containers"]):
            env = {each["name"]: each.get("value") for each in container["env"]}
            assert len(env) == len(container["env"])
            expected = {"A": "all", "B": "web", "C": "web"} if own else {"A": "all", "B": "all"}
            assert {name: value for name, value in env.items() if name in ("A", "B", "C")} == expected
            # Of several sources with one variable Kubernetes takes the last: here that of the chart.
            *extra, chart = container["envFrom"]
            assert chart == {"configMapRef": {"name": "deltaboard"}}
            assert extra == [*values["extraEnvFrom"], *(values["web"]["extraEnvFrom"] if own else [])]
            assert [each["name"] for each in container["volumeMounts"]] == ["var", "tmp", "all", *own]


def test_extra_init_containers_come_before_those_that_need_the_database() -> None:
    proxy = {"name": "proxy", "image": "proxy", "restartPolicy": "Always"}
    pods = pods_of(render("trial", f"--set-json=extraInitContainers={json.dumps([proxy])}"))
    begun = {name: [each["name"] for each in pod["spec"].get("initContainers", ())] for name, pod in pods.items()}
    both = ["proxy", "wait-for-tables"]
    assert begun == {"worker": both, "web": both, "migrate": ["proxy"], "redis": [], "postgresql": []}


def test_existing_accounts_are_bound_and_none_is_made() -> None:
    made = render("existing-accounts")
    assert of_kind(made, "ServiceAccount") == {}
    subjects = {
        each["metadata"]["name"]: [subject["name"] for subject in each["subjects"]]
        for each in made
        if each["kind"] == "ClusterRoleBinding"
    }
    assert subjects == {
        "deltaboard-read": ["board-reader", "board-pages"],
        "deltaboard-web": ["board-pages"],
        "deltaboard-people": ["board-pages"],
    }
    for component, account in (("worker", "board-reader"), ("web", "board-pages")):
        pod = pods_of(made)[component]["spec"]
        assert (pod["serviceAccountName"], pod["automountServiceAccountToken"]) == (account, True)
    migration = pods_of(made)["migrate"]["spec"]
    assert (migration["serviceAccountName"], migration["automountServiceAccountToken"]) == ("board-reader", False)


def test_existing_accounts_are_not_bound_where_no_rights_are_made() -> None:
    made = render("existing-accounts", "--set", "rights.create=false")
    assert {each["kind"] for each in made if "rbac" in each["apiVersion"] or each["kind"] == "ServiceAccount"} == set()


def test_worker_and_web_may_have_one_account() -> None:
    made = render("existing-accounts", "--set", "web.serviceAccount.name=board-reader")
    (subject,) = of_kind(made, "ClusterRoleBinding")["deltaboard-read"]["subjects"]
    assert subject["name"] == "board-reader"


def test_an_account_that_is_made_may_have_a_name_of_its_own() -> None:
    made = render("trial", "--set", "worker.serviceAccount.name=reader")
    assert of_kind(made, "ServiceAccount").keys() == {"reader", "deltaboard-web"}
    assert pods_of(made)["worker"]["spec"]["serviceAccountName"] == "reader"
    assert rules_of(made, "reader") != []


def test_the_service_has_what_its_load_balancer_needs() -> None:
    service = of_kind(render("load-balancer"), "Service")["deltaboard"]
    assert service["metadata"]["annotations"] == {"service.beta.kubernetes.io/aws-load-balancer-ssl-ports": "443"}
    assert service["spec"]["type"] == "LoadBalancer"
    assert service["spec"]["loadBalancerClass"] == "service.k8s.aws/nlb"
    assert service["spec"]["loadBalancerSourceRanges"] == ["10.0.0.0/8", "2001:db8::/32"]
    assert service["spec"]["externalTrafficPolicy"] == "Local"


@pytest.mark.parametrize(
    ("endpoint", "port"),
    [
        ("http://collector.observability:4318", 4318),
        ("https://collector.example.com/otlp", 443),
        ("http://collector", 80),
        ("http://[2001:db8::1]:4319/", 4319),
        ("http://[2001:db8::1]", 80),
    ],
)
def test_worker_and_web_reach_the_collector_of_traces_at_the_port_of_its_address(endpoint: str, port: int) -> None:
    rule = {"ports": [{"port": port, "protocol": "TCP"}]}
    to = [{"ipBlock": {"cidr": "10.1.2.3/32"}}]
    without = render("trial")
    made = render("trial", "--set", f"traces.endpoint={endpoint}")
    narrowed = render(
        "trial", f"--set=traces.endpoint={endpoint}", f"--set-json=networkPolicy.tracesTo={json.dumps(to)}"
    )
    for component in ("worker", "web"):
        assert egress_of(made, component) == [*egress_of(without, component), rule]
        assert egress_of(narrowed, component) == [*egress_of(without, component), {**rule, "to": to}]
    assert egress_of(made, "migrate") == egress_of(without, "migrate")


def test_redis_postgresql_and_issuers_are_reached_where_they_are() -> None:
    made = render("load-balancer")
    login = [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "login"}}}]
    issuers = {"ports": [{"port": 443, "protocol": "TCP"}], "to": login}
    assert [issuers in egress_of(made, component) for component in ("web", "worker")] == [True, False]
    database = {"ports": [{"port": 5432, "protocol": "TCP"}], "to": [{"ipBlock": {"cidr": "10.1.2.3/32"}}]}
    data = [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "data"}}}]
    for component in ("worker", "web"):
        assert database in egress_of(made, component)
        assert {"ports": [{"port": 6379, "protocol": "TCP"}], "to": data} in egress_of(made, component)
    assert database in egress_of(made, "migrate")


@pytest.mark.parametrize(("ratio", "read"), [("0.01", 0.01), ("1", 1), ("0", 0), ("0.0000125", 0.0000125)])
def test_the_ratio_of_traces_is_one_that_the_settings_read(tmp_path: Path, ratio: str, read: float) -> None:
    (tmp_path / "values.yaml").write_text(f"traces: {{endpoint: 'http://collector:4318', ratio: {ratio}}}")
    settings = settings_of(render("trial", "--values", str(tmp_path / "values.yaml")))
    assert read_ratio(settings["DELTABOARD_TRACES_RATIO"]) == read
    assert read_address(settings["DELTABOARD_TRACES"]) == "http://collector:4318"
    assert "DELTABOARD_TRACES_RATIO" not in settings_of(render("trial"))


@pytest.mark.parametrize("secret", ["imagePullSecrets[0]=registry", "imagePullSecrets[0].name=registry"])
def test_secrets_to_pull_with_are_names_or_as_in_a_pod(secret: str) -> None:
    made = render("trial", "--set", secret)
    pods = [each["spec"]["template"]["spec"] for each in made if each["kind"] in ("Deployment", "Job")]
    assert [pod["imagePullSecrets"] for pod in pods] == [[{"name": "registry"}]] * 5


def test_a_process_that_cannot_become_ready_does_not_hold_up_a_drain() -> None:
    budgets = of_kind(render("trial"), "PodDisruptionBudget")
    assert budgets.keys() == {*ACCOUNTS}
    assert {each["spec"]["unhealthyPodEvictionPolicy"] for each in budgets.values()} == {"AlwaysAllow"}


def test_the_sockets_that_are_aimed_at_need_less_of_the_processor_than_is_aimed_at() -> None:
    """Otherwise the number of processes would follow the processor, part of which more processes do not take away."""
    values = YAML(typ="safe").load(CHART / "values.yaml")
    (measured,) = re.findall(r"^\| 1,000 sockets.*?It took ([\d.]+) of a core", PERFORMANCE, re.MULTILINE | re.DOTALL)
    requested = float(values["web"]["resources"]["requests"]["cpu"].removesuffix("m")) / 1000
    aimed_at = values["autoscaling"]["cpuPercent"] / 100 * requested
    assert float(measured) * values["autoscaling"]["sockets"] / 1000 < aimed_at < 1


def test_settings_are_those_of_the_documentation() -> None:
    table = (ROOT / "docs" / "settings.md").read_text()
    for values in VALUE_SETS:
        names = settings_of(render(values)).keys()
        assert {name for name in names if f"| `{name}` |" not in table} <= {"HOME", "KUBECONFIG"}


def test_variables_that_the_chart_sets_cannot_be_set_beside_it() -> None:
    """The list of them in the chart is complete."""
    settings = json.loads((CHART / "values.schema.json").read_text())["properties"]["settings"]
    listed = set(settings["propertyNames"]["not"]["enum"])
    beside = {"DELTABOARD_CONTROLLERS", "DELTABOARD_LOG_FORMAT", "DELTABOARD_SOCKETS", "DELTABOARD_PROMETHEUS"}
    for values in VALUE_SETS:
        names = settings_of(render(values)).keys()
        assert {name for name in names if name.startswith("DELTABOARD_")} - beside <= listed


def test_the_account_writes_only_where_a_value_says_so() -> None:
    reads = render("trial")
    assert settings_of(reads)["DELTABOARD_READ_ONLY"] == "on"
    for account in ACCOUNTS:
        assert {verb for rule in rules_of(reads, account) for verb in rule["verbs"]} == {"get", "list", "watch"}
    writes = render("account-that-writes")
    assert "DELTABOARD_READ_ONLY" not in settings_of(writes)
    assert "delete" in {verb for rule in rules_of(writes, "deltaboard-web") for verb in rule["verbs"]}
    assert "delete" not in {verb for rule in rules_of(writes, "deltaboard-worker") for verb in rule["verbs"]}


def test_people_are_impersonated_by_web_processes_alone_and_read_only_also_for_them() -> None:
    made = render("proxy-read-only")
    assert "impersonate" not in json.dumps(rules_of(made, "deltaboard-worker"))
    verbs = [
        verb for rule in rules_of(made, "deltaboard-web") if rule.get("resources") == ["*"] for verb in rule["verbs"]
    ]
    assert {*verbs} == {"get", "list", "watch", "impersonate-on:user-info:get"}


def test_rights_in_some_namespaces_are_in_these_alone() -> None:
    made = render("namespaces")
    (rule,) = rules_of(made, "deltaboard-web")
    assert (rule["verbs"], rule["resourceNames"]) == (["get"], ["kube-system", "team-a", "team-b"])
    for namespace in ("team-a", "team-b"):
        verbs = {verb for rule in rules_of(made, "deltaboard-web", namespace) for verb in rule["verbs"]}
        assert verbs == {"get", "list", "watch", "create", "update", "patch", "delete"}
    assert settings_of(made)["DELTABOARD_NAMESPACES"] == "team-a,team-b"


@pytest.mark.parametrize(("version", "verb"), [("1.35.0", "impersonate"), ("1.36.0", "impersonate:user-info")])
def test_how_people_are_impersonated_is_chosen_by_the_version_of_the_cluster(version: str, verb: str) -> None:
    options = ("--kube-version", version, "--set", "rights.impersonation=")
    made = render("proxy", *options)
    assert verb in {each for rule in rules_of(made, "deltaboard-web") for each in rule["verbs"]}


def test_roles_give_no_more_than_the_files_for_an_installation_by_hand() -> None:
    people, read = by_hand("people.yaml").values()
    roles = of_kind(render("proxy"), "ClusterRole")
    found = granted([*roles["deltaboard-web"]["rules"], *roles["deltaboard-people"]["rules"]])
    assert roles["deltaboard-read"]["rules"] == read
    assert {right for right in found if right.group != "authorization.k8s.io"} <= granted(people)
    for_people = by_hand("roles.yaml")
    del for_people["deltaboard-view-mydemos"]
    assert for_people == {name: roles[name]["rules"] for name in for_people}


def test_two_releases_in_two_namespaces_share_nothing_without_a_namespace() -> None:
    def names(made: list[Json]) -> set[str]:
        return {each["metadata"]["name"] for each in made if each["kind"].startswith("ClusterRole")}

    assert names(render("proxy")).isdisjoint(names(render("proxy", "--namespace", "other")))


def test_notes_say_how_to_open_it_and_what_is_for_a_trial(helm: Helm) -> None:
    def notes(values: str) -> str:
        return helm("install", "deltaboard", str(CHART), "--dry-run=client", "--values", str(VALUE_SETS[values]))

    trial = notes("trial")
    assert "kubectl -n deltaboard port-forward service/deltaboard 8000:80" in trial
    assert "For a trial only: this release has a Redis and a PostgreSQL of one pod" in trial
    production = notes("oidc")
    assert "Open Deltaboard at https://deltaboard.example.com/" in production
    assert "https://deltaboard.example.com/accounts/main/callback/" in production
    assert "For a trial" not in production
    assert "kubectl -n deltaboard get service deltaboard" in notes("load-balancer")


def test_the_alerts_and_the_dashboard_are_those_that_ship_where_they_are_switched_on() -> None:
    made = render("gateway-and-autoscaling")
    rule = of_kind(made, "PrometheusRule")["deltaboard"]
    assert rule["metadata"]["labels"]["release"] == "prometheus"
    shipped = (ROOT / "deploy" / "prometheus" / "alerts.yaml").read_text()
    linked = shipped.replace("docs/runbooks.md", "https://wiki.example.com/deltaboard")
    assert rule["spec"] == YAML(typ="safe").load(linked)
    dashboard = of_kind(made, "ConfigMap")["deltaboard-dashboard"]
    assert dashboard["metadata"]["labels"]["grafana_dashboard"] == "1"
    assert dashboard["metadata"]["annotations"] == {"grafana_folder": "Deltaboard"}
    shown = (ROOT / "deploy" / "grafana" / "deltaboard.json").read_text()
    assert json.loads(dashboard["data"]["deltaboard.json"]) == json.loads(shown)
    assert "PrometheusRule" not in {each["kind"] for each in render("trial")}
