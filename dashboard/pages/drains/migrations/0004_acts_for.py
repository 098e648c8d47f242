from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("drains", "0003_wished_by")]

    operations = [migrations.AddField("drainrecord", "acts_for", models.JSONField(null=True))]
