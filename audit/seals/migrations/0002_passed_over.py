"""Which rows could not be sealed, and up to which seal an anchor file has been written."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("seals", "0001_seals")]

    operations = [
        migrations.CreateModel(
            name="PassedOver",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.SmallIntegerField(choices=[(1, "step"), (2, "transfer")])),
                ("row_id", models.BigIntegerField()),
            ],
        ),
        migrations.CreateModel(
            name="AnchorFile",
            fields=[
                ("path", models.TextField(primary_key=True, serialize=False)),
                ("number", models.BigIntegerField()),
            ],
        ),
        migrations.AddConstraint(
            model_name="passedover",
            constraint=models.UniqueConstraint(fields=("kind", "row_id"), name="seals_passed_over_once"),
        ),
    ]
