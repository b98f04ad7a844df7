"""Whatever goes wrong, the answer is a problem with a stable code, and nothing of the inside leaks."""

import pytest

from casino.permissions import Role
from tests.databases import unreachable_database
from tests.user_builders import bearer, client, code_of, user

pytestmark = pytest.mark.urls("tests.api.probe")


def test_a_path_that_leads_nowhere_is_404(db: None) -> None:
    assert code_of(client().get("/nowhere"), 404) == "not_found"


def test_nobody_and_an_invalid_token_are_401_with_a_challenge(db: None) -> None:
    for caller in (client(), bearer("nonsense"), bearer("")):
        response = caller.get("/half-closed")
        assert code_of(response, 401) == "unauthenticated"
        assert response.headers["WWW-Authenticate"] == "Bearer"


def test_a_view_that_states_no_roles_is_closed_to_everybody(db: None) -> None:
    assert code_of(client().get("/closed"), 401) == "unauthenticated"
    assert code_of(client(user("anna", *set(Role) - {Role.OPERATOR, Role.CASHIER})).get("/closed"), 403) == "forbidden"


def test_a_method_that_states_no_roles_is_closed_to_everybody(db: None) -> None:
    auditor = client(user("anna", Role.AUDITOR))
    assert auditor.get("/half-closed").status_code == 200
    assert code_of(auditor.post("/half-closed"), 403) == "forbidden"
    assert code_of(client(user("bert", Role.PLAYER)).get("/half-closed"), 403) == "forbidden"


def test_a_method_that_a_view_does_not_have_is_405(db: None) -> None:
    auditor = client(user("anna", Role.AUDITOR))
    for method in (auditor.delete, auditor.put, auditor.options):
        response = method("/half-closed")
        assert code_of(response, 405) == "method_not_allowed"
        assert "GET" in response.headers["Allow"]


def test_another_answer_type_than_json_is_406(db: None) -> None:
    assert code_of(client().post("/echo", {}, HTTP_ACCEPT="text/html"), 406) == "not_acceptable"


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin-1", ""]
)
def test_another_body_type_than_json_is_415(db: None, content_type: str) -> None:
    response = client().generic("POST", "/echo", "{}", content_type=content_type)
    assert code_of(response, 415) == "unsupported_media_type"


def test_a_body_beyond_every_need_is_413(db: None) -> None:
    response = client().generic("POST", "/echo", f'{{"text": "{"x" * 300_000}"}}', content_type="application/json")
    assert code_of(response, 413) == "body_too_large"


def test_an_unforeseen_error_is_500_and_tells_nothing(db: None, caplog: pytest.LogCaptureFixture) -> None:
    response = client().get("/broken")
    assert code_of(response, 500) == "internal_error"
    assert b"hidden-card" not in response.content
    assert "hidden-card" in caplog.text, "the log must tell what the answer does not"


def test_a_host_that_is_not_ours_is_400(db: None) -> None:
    assert code_of(client().get("/echo", HTTP_HOST="evil.example"), 400) == "invalid_input"


def test_a_lost_database_connection_is_503_with_retry_after(committed_db: str) -> None:
    response = client().post("/disconnected")
    assert code_of(response, 503) == "database_unavailable"
    assert int(response.headers["Retry-After"]) >= 1


def test_a_database_that_cannot_be_reached_is_503_before_anything_else(committed_db: str) -> None:
    with unreachable_database():
        response = client().get("/half-closed", HTTP_AUTHORIZATION="Bearer whatever")
    assert code_of(response, 503) == "database_unavailable"


def test_answers_are_private_and_depend_on_the_caller(db: None) -> None:
    response = client(user("anna", Role.AUDITOR)).get("/half-closed")
    assert response.headers["Cache-Control"] == "private, no-cache"
    assert "authorization" in response.headers["Vary"].lower()
    assert client().post("/echo", {}).headers["Cache-Control"] == "no-store"


def test_the_etag_leaves_out_the_server_time_and_answers_304(db: None) -> None:
    first = client().get("/server-time?at=1")
    assert first.json() == {"turn": 3, "server_time": "1"}
    etag = first.headers["ETag"]
    for header in (etag, f"W/{etag}", f'"other", {etag}', "*"):
        again = client().get("/server-time?at=2", HTTP_IF_NONE_MATCH=header)
        assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", etag)
    assert client().get("/server-time?at=2", HTTP_IF_NONE_MATCH='"other"').status_code == 200
