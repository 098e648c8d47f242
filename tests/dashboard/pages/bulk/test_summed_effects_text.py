"""Tests of the effects text of a change to many objects, with a number of objects and their names in each sentence."""

from __future__ import annotations

from dashboard.objects.kinds.catalog import KINDS
from dashboard.pages.bulk.review import ReviewGroup
from dashboard.pages.bulk.run import ChangeGroup, DiffField, Item
from dashboard.pages.bulk.summed_effects_text import effect_texts, pod_totals
from dashboard.pages.writes.workload_effects import Effect

DEPLOYMENTS = KINDS["deployments.apps"]


def items(*effects: tuple[Effect, ...]) -> list[Item]:
    """An object for each: web-0, web-1…"""
    return [
        Item("shop", f"web-{n}", str(n), "tried", effects=each, stored_fingerprint="x", group=0)
        for n, each in enumerate(effects)
    ]


def words(*effects: tuple[Effect, ...], key: str = "deployments.apps") -> list[str]:
    return [said.words for said in effect_texts(items(*effects), KINDS[key])]


def summed(*effects: tuple[Effect, ...], key: str = "deployments.apps", known: bool = True) -> str:
    return " ".join(pod_totals(items(*effects), KINDS[key], is_known=known))


def rolls(pods: int, more: int, fewer: int) -> tuple[Effect, ...]:
    return (Effect("rolls", pods, more, fewer),)


def test_equal_changes_of_objects_with_other_strategies_are_summed_and_the_others_named() -> None:
    found = effect_texts(
        items(
            *[rolls(9, 3, 0)] * 3, rolls(2, 1, 0), (Effect("recreates", 4),), (Effect("waits"),), (Effect("no pods"),)
        ),
        DEPLOYMENTS,
    )
    recreated = "Ends all 4 pods of 1 Deployment first, then creates new ones: nothing of it runs in between"
    assert [(said.words, said.count) for said in found] == [
        ("Rolls out 29 pods of 4 Deployments, each 1 to 3 at a time, none is missing meanwhile.", 4),
        (f"{recreated} (strategy Recreate).", 1),
        ("Paused: the new template of 1 Deployment is rolled out once it is resumed.", 1),
        ("Nothing rolls out of 1 Deployment, without pods: the new template applies to later pods.", 1),
    ]
    assert [item.name for item in found[1].items] == ["web-4"]
    assert [said.is_warning for said in found] == [False, True, False, False]


def test_what_is_the_same_of_all_says_so() -> None:
    found = words(rolls(3, 1, 1), rolls(3, 1, 1))
    assert found == ["Rolls out 6 pods of all 2 Deployments, each up to 2 at a time."]
    assert words(rolls(3, 1, 0)) == ["Rolls out 3 pods of the Deployment, 1 at a time, none is missing meanwhile."]


def test_other_numbers_of_replicas_are_summed() -> None:
    assert words(*[(Effect("scales", 0, 2, 5),)] * 3) == [
        "Scales all 3 Deployments from 2 to 5 pods each: 9 more in all."
    ]
    mixed = (Effect("scales", 0, 2, 3),), (Effect("scales", 0, 1, 3),), (Effect("scales", 0, 9, 3),)
    assert words(*mixed) == [
        "Scales 2 Deployments from 3 to 6 pods in all: 3 more.",
        "Scales 1 Deployment from 9 to 3 pods: 6 end.",
    ]
    assert summed(*mixed) == "3 pods more are made. 6 pods end for good."
    assert words((Effect("scales", 0, 4, 0),)) == ["Scales the Deployment to 0: all 4 pods end."]


def test_autoscalers_that_set_the_number_again_are_named() -> None:
    scaled = Effect("scales", 0, 2, 5)
    found = words((scaled, Effect("autoscaled", words="busy")), (scaled,), (scaled, Effect("autoscaled?")))
    assert found[1:] == [
        "The HorizontalPodAutoscaler (busy) sets the number of 1 Deployment again within seconds, unless it is 0.",
        "It is unknown whether an autoscaler will overwrite the number of 1 Deployment.",
    ]


def test_other_kinds_have_the_sentences_that_one_object_has() -> None:
    config = Effect("says", words="No pod restarts by itself.")
    assert words((config,), (config,), (), key="configmaps") == ["For each of 2 ConfigMaps: No pod restarts by itself."]
    assert words((config,), (config,), key="configmaps") == ["For each of them: No pod restarts by itself."]
    assert words((config,), key="configmaps") == ["No pod restarts by itself."]
    sets = (Effect("one by one", 3),), (Effect("one by one", 2, 1),), (Effect("held", 0, 5),)
    assert words(*sets, key="statefulsets.apps") == [
        "Replaces 5 pods of 2 StatefulSets, in each one after the other from the highest number to its partition.",
        "No pod of 1 StatefulSet is replaced: the partition keeps all as they are.",
    ]
    daemons = (Effect("node by node", 12, words="1"),), (Effect("node by node", 3, words="1"),)
    assert words(*daemons, key="daemonsets.apps") == [
        "Replaces the pod of every node, node by node (maxUnavailable 1), of all 2 DaemonSets, 15 pods by now."
    ]


def test_how_many_pods_restart_in_all_is_said_over_all_differences() -> None:
    assert summed(rolls(300, 25, 0), rolls(8, 2, 2), (Effect("recreates", 4),)) == (
        "312 pods are replaced in all. 4 of them end first, before new ones are created: nothing runs in between. "
        "As they roll out at the same time, there may be 27 more or 2 fewer than they ask for meanwhile."
    )
    assert summed((Effect("recreates", 4),)).startswith("4 pods are replaced in all. They all end first,")
    assert summed((Effect("in place", 1),), (Effect("in place", 1),), key="pods") == (
        "Containers of 2 pods may be restarted in place."
    )


def test_that_no_pod_restarts_is_said_where_that_is_known_alone() -> None:
    assert summed((), ()) == "No pod starts, restarts or ends because of it."
    assert summed((), (), key="mydemos.crddemo.k8s.io") == ""
    assert summed((Effect("waits"),), ()) == "No pod restarts now."
    assert summed((), (), known=False) == summed((Effect("waits"),), (), known=False) == ""
    assert summed((Effect("goes on"),), (Effect("waits"),)) == "", "what waited rolls out, whatever that is"


def test_pods_of_older_revisions_and_with_other_numbers_are_told_in_all() -> None:
    opens, others = (Effect("opens", 0, 2),), (Effect("renumbers", 2, 5),)
    assert summed(opens, (Effect("one by one", 3),), others, key="statefulsets.apps") == (
        "3 pods are replaced for a new template. "
        "Pods of 1 StatefulSet that are not of the newest revision are replaced. "
        "2 pods end, and as many are made with other numbers."
    )
    assert words(opens, others, key="statefulsets.apps") == [
        "Pods of 1 StatefulSet that are not of the newest revision are replaced above its partition.",
        "Changes the ordinals of the pods of 1 StatefulSet: 2 pods end, and as many start.",
    ]


def test_only_fields_that_are_known_to_do_nothing_leave_the_pods() -> None:
    def leaves(*fields: str, more: int = 0) -> bool:
        group = ChangeGroup(fields=tuple(DiffField(each, "a", "b") for each in fields), more=more)
        return ReviewGroup(tuple(items(())), group).leaves_pods

    assert leaves("metadata.labels.team", "metadata.annotations[a.b/c]", "spec.revisionHistoryLimit")
    assert leaves("spec.minReadySeconds", "spec.progressDeadlineSeconds")
    assert not leaves("metadata.labels.team", "spec.updateStrategy.type")
    assert not leaves("spec.template.metadata.labels.team")
    assert not leaves("metadata.labels.team", more=1)


def test_controllers_that_may_make_others_are_named_with_how_many_they_have() -> None:
    owned = [(Effect("controlled", words=f"ReplicaSet r-{n % 7}"),) for n in range(16)]
    named = "ReplicaSet r-0 (3), ReplicaSet r-1 (3), ReplicaSet r-2 (2), ReplicaSet r-3 (2), ReplicaSet r-4 (2)"
    assert words(*owned, (), key="pods") == [f"{named} and 2 more control 16 Pods and may create others instead."]
    assert words(*owned[:1], key="pods") == ["ReplicaSet r-0 controls the Pod and may create another one instead."]
