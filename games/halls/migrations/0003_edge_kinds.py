"""The edge of the blind box is called as its bets are: ``blind``, no longer ``ante``. Figures stay as they were published."""

from django.db import migrations


def renamed(old: str, new: str) -> str:
    """Return SQL that renames a kind of bet in what halls allow."""
    return f"""
        UPDATE halls_hall
        SET edge_bands = jsonb_set(
            edge_bands #- '{{russian_poker,{old}}}', '{{russian_poker,{new}}}', edge_bands #> '{{russian_poker,{old}}}')
        WHERE edge_bands #> '{{russian_poker,{old}}}' IS NOT NULL
    """  # noqa: S608 words of our own


class Migration(migrations.Migration):
    dependencies = [
        ("halls", "0002_edges"),
    ]

    operations = [
        migrations.RunSQL(sql=renamed("ante", "blind"), reverse_sql=renamed("blind", "ante")),
    ]
