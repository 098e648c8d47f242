from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("bulk", "0002_matching")]

    operations = [migrations.AddField("bulkrun", "acts_for", models.JSONField(null=True))]
