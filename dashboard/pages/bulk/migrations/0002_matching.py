from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("bulk", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="bulkrun",
            name="matching",
            field=models.BooleanField(default=False, db_default=False),
        ),
    ]
