from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from dashboard.pages.drafts.secret_detection import SECRETS, holds_secret


def forget_secrets(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Take away the drafts of Secrets that were kept before none was."""
    drafts = apps.get_model("drafts", "KeptDraft").objects.using(schema_editor.connection.alias)
    drafts.filter(resource=SECRETS).delete()
    suspects = drafts.filter(text__contains="Secret").values_list("pk", "text")
    drafts.filter(pk__in=[key for key, text in suspects.iterator() if holds_secret(text)]).delete()


class Migration(migrations.Migration):
    dependencies = [("drafts", "0001_initial")]

    operations = [migrations.RunPython(forget_secrets, migrations.RunPython.noop)]
