"""One running drain a node at most."""

from typing import Any

from django.db import migrations, models

OPEN = ("running", "paused")


def end_all_but_the_newest(apps: Any, schema_editor: Any) -> None:
    records = apps.get_model("drains", "DrainRecord").objects.using(schema_editor.connection.alias)
    seen: set[tuple[str, str]] = set()
    for record in records.filter(state__in=OPEN).order_by("-begun", "-pk").only("pk", "server", "uid"):
        if (record.server, record.uid) in seen:
            records.filter(pk=record.pk).update(state="cancelled", runner="", words="Another drain was begun.")
        seen.add((record.server, record.uid))


class Migration(migrations.Migration):
    dependencies = [("drains", "0001_initial")]

    operations = [
        migrations.RunPython(end_all_but_the_newest, migrations.RunPython.noop),
        migrations.AddConstraint(
            model_name="drainrecord",
            constraint=models.UniqueConstraint(
                fields=("server", "uid"), condition=models.Q(state__in=OPEN), name="drains_one_a_node"
            ),
        ),
    ]
