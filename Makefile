# `make run` starts everything, `make test` checks everything. Both need Python 3.11 or newer and nothing else.

VENV := .venv
PYTHON = $(VENV)/bin/python
PORT ?= 8000
# Checks import the settings, which refuse to load without an environment.
CHECKED = set -a; . tests/environment.env; set +a;

.PHONY: run test test-slow test-postgres15 bench yardsticks check schema manifest migrations migrate venv clean

run: venv
	@exec $(PYTHON) -m casino.embedded run --port $(PORT) $(if $(BOTS),--bots)

test: check
	@$(PYTHON) -m pytest -n 2

# What takes longer, and everything that touches the database once more on Debian's PostgreSQL 15, the oldest supported.
test-slow: venv yardsticks
	@$(PYTHON) -m pytest -m slow
	@$(MAKE) --no-print-directory test-postgres15

test-postgres15: venv
	@$(PYTHON) -m tests.postgres15

# How fast it is, each figure beside a yardstick of the same run; docs/performance.md explains them. PARTS="a c" runs some only.
bench: venv yardsticks
	@$(PYTHON) -m bench $(PARTS)

yardsticks: venv
	@$(PYTHON) -m pip install --quiet --disable-pip-version-check -r bench/requirements.txt

# Fast checks without a database: style, types, who imports whom, and that the API still is what its reviewed document says.
check: venv
	@mkdir -p var
	@$(PYTHON) -m ruff check .
	@$(PYTHON) -m ruff format --check .
	@$(CHECKED) $(PYTHON) -m mypy .
	@$(VENV)/bin/lint-imports --no-cache
	@$(CHECKED) $(PYTHON) manage.py spectacular --validate --fail-on-warn --file var/openapi.yaml
	@diff -u docs/openapi.yaml var/openapi.yaml || { echo "The API's document has changed: review it, then make schema" >&2; exit 1; }
	@$(PYTHON) -S -m audit.manifest || { echo "Rule-bearing files have changed: review them, then make manifest" >&2; exit 1; }

schema: venv
	@$(CHECKED) $(PYTHON) manage.py spectacular --validate --fail-on-warn --file docs/openapi.yaml

# The reviewed list of what decides rounds and moves money, by SHA-256: sha256sum -c manifest.sha256
manifest: venv
	@$(PYTHON) -S -m audit.manifest --write

migrations: venv
	@$(PYTHON) manage.py makemigrations

migrate: venv
	@$(PYTHON) manage.py migrate --database=owner

clean:
	@if [ -x $(PYTHON) ] && $(PYTHON) -c 'import psycopg, redis, psutil, celery' 2>/dev/null; then $(PYTHON) -m casino.embedded clean; fi
	@rm -rf $(VENV) var .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The first Python that is new enough and can make a virtual environment; requirements are installed again only when they changed.
venv:
	@.ci/venv $(VENV)
