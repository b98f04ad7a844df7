"""The command that prints the mathematics of a pay table."""

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from games.mathematics import MATHEMATICS
from tests.hall_builders import GAME, open_hall, pay_table, published_pay_table


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    call_command("house_mathematics", *arguments)
    return capsys.readouterr().out


def test_the_documents_pay_table_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert json.loads(printed(capsys, "--json")) == MATHEMATICS[GAME].figures(pay_table())


def test_any_pay_table_from_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "table.json"
    file.write_text(json.dumps(pay_table(royal_flush=250)))
    assert json.loads(printed(capsys, "--json", "--pay-table", str(file))) == MATHEMATICS[GAME].figures(
        pay_table(royal_flush=250)
    )
    for text in ("{", "{}", json.dumps(pay_table(royal_flush=1))):
        file.write_text(text)
        with pytest.raises(CommandError, match=r"table\.json"):
            printed(capsys, "--pay-table", str(file))
    with pytest.raises(CommandError):
        printed(capsys, "--pay-table", str(tmp_path / "missing.json"))


@pytest.mark.django_db
def test_the_pay_table_in_force_in_a_hall(capsys: pytest.CaptureFixture[str]) -> None:
    hall = open_hall()
    published_pay_table(hall, pay_table(royal_flush=250))
    assert json.loads(printed(capsys, "--json", "--hall", "test")) == MATHEMATICS[GAME].figures(pay_table(royal_flush=250))
    with pytest.raises(CommandError, match="no hall other"):
        printed(capsys, "--hall", "other")


def test_a_table_for_people_has_every_figure_once(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys).splitlines()
    names = [line.split()[0] for line in lines]
    assert len(set(names)) == len(names)
    text = "\n".join(lines)
    for exact in ("6219/216580", "-19813/649740", "205/364", "468589/649740"):
        assert exact in text
