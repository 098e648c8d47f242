from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="FollowedKind",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(max_length=320, unique=True)),
                ("owner", models.CharField(max_length=254)),
                ("made", models.FloatField()),
            ],
        ),
    ]
