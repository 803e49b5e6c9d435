# Everything starts here; `make` lists it. Only Python 3.11 or newer (with venv) and make are needed beforehand.
# Each recipe line is one plain command, so that a signal to make reaches it and nothing is left running.

PYTHON ?= python3
PORT ?= 8000
IN := .venv/bin/python
NEXT := .venv/next/bin/python
# Tests run side by side, one worker more than there are cores, up to eight, and each worker with a database of its own.
WORKERS ?= auto
TESTING := -m pytest -n $(WORKERS) --maxprocesses 8 --dist worksteal
# Linters and checks need no room and no key of their own.
CHECKING := CASINO_DEMO=1 CASINO_VAR=.venv/checking CASINO_STATEMENTS= CASINO_LONG=

# Places of each room that are changed, and which.
SAMPLE ?= 40
SEED ?= 1

export PORT

.DEFAULT_GOAL := help
.PHONY: help run test next soak mutants ready lint bench pictures messages lock
# The set-up is one for all targets, also under make -j.
.NOTPARALLEL:

help:  ## list what make can do
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1	\2/p' $(MAKEFILE_LIST)

run: export CASINO_DEMO = 1
run:  ## set up and serve a demo on PORT (8000); a second start keeps its data
	@$(PYTHON) tools/set_up.py run
	@exec $(IN) manage.py serve --prepare --under-make

# What the first run notes of statements tells the second one which tests have something new for PostgreSQL. Both read the same
# files, and so do the processes that tests start: what Python compiles of them is kept, whatever the environment says.
test: export CASINO_STATEMENTS = .venv/statements
test: export PYTHONDONTWRITEBYTECODE =
test: ready lint  ## set up, lint, and run every test: on SQLite with a browser, then on PostgreSQL and Redis
	$(IN) $(TESTING)
	$(IN) tools/servers.py $(IN) $(TESTING) -m "not browser"

next: export CASINO_STATEMENTS = .venv/next/statements
next: export CASINO_LONG =
next: ready  ## run every test on the next Django, in an environment of its own; needs Python 3.12
	@$(PYTHON) tools/set_up.py next
	$(NEXT) $(TESTING)
	$(NEXT) tools/servers.py $(NEXT) $(TESTING) -m "not browser"

soak: export CASINO_LONG = 1
soak: test  ## the same for more than an hour: everything on both databases, thousands of examples, whole nights, many kills
	$(IN) tools/mutants.py --sample 10 --seed $(SEED)

mutants:  ## set up, change the code in SAMPLE (40) places of each room, and show what its tests do not notice
	@$(PYTHON) tools/set_up.py test
	$(IN) tools/mutants.py --sample $(SAMPLE) --seed $(SEED)

# What only the tests need of the machine, before minutes go by.
ready:
	@$(PYTHON) tools/set_up.py test
	@$(IN) tools/prerequisites.py

lint:  ## set up and check style, types, imports and migrations
	@$(PYTHON) tools/set_up.py test
	$(IN) -m ruff check .
	$(IN) -m ruff format --check .
	.venv/bin/oxlint casino/static/js tests/javascript
	$(CHECKING) $(IN) -m mypy
	$(IN) -c "from importlinter.cli import lint_imports_command; lint_imports_command()" --no-logo
	$(CHECKING) $(IN) manage.py makemigrations --check --dry-run

bench:  ## set up and run the benchmarks, ONLY=name for some; GOALS=1 fails where a goal is missed
	@$(PYTHON) tools/set_up.py bench
	@exec $(IN) tools/bench.py

pictures:  ## take the pictures of the README again, of a demo night of today
	@$(PYTHON) tools/set_up.py test
	$(IN) tools/pictures.py

messages:  ## bring the catalogs of the languages up to date with what the screens say, and compile them
	@$(PYTHON) tools/set_up.py test
	@$(IN) tools/messages.py

lock:  ## make the hashed locks again from requirements/*.in
	@$(PYTHON) tools/set_up.py run
	@exec $(IN) tools/lock.py
