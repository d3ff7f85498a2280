# Two commands: `make run` serves the app, `make test` runs the tests.
# Both prepare everything they need in .venv on a machine with Python 3.11 or newer.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
HOST   ?= 127.0.0.1
PORT   ?= 8501
PYTEST := OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal
# What a change is checked against while one works: samplers, mechanisms, command line, architecture; no page, no browser.
QUICK  := tests/owner tests/cli/test_cli.py tests/test_mechanism.py tests/architecture

.PHONY: run test quick test-all check audit ship docs wheel pins clean

run: $(VENV)/runtime.done  ## serve the app on http://127.0.0.1:8501; HOST=0.0.0.0 serves others too
	$(BIN)/python -m rlm_core run --host $(HOST) --port $(PORT)

test: $(VENV)/dev.done  ## the test suite
	$(PYTEST)

quick: $(VENV)/dev.done  ## a part of it, in less than a minute
	$(PYTEST) $(QUICK)

# A browser test that failed while others used the same cores is run once more, alone: what fails twice fails.
test-all: $(VENV)/dev.done  ## what CI runs: also what installs the wheel and starts services
	$(PYTEST) -m "not browser"
	$(PYTEST) -m browser || OMP_NUM_THREADS=1 $(BIN)/python -m pytest -m browser --last-failed

check: $(VENV)/dev.done  ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

audit: $(VENV)/runtime.done  ## measure every mechanism's privacy (a few minutes)
	$(BIN)/python -m rlm_core audit

# Rows that are there for a seed are not measured again: a new seed gets new ones.
ship: $(VENV)/dev.done  ## ship mechanisms (RUNS="runs/mnist-qrlm-seed10 …", needs the data) and make again all that depends on them
	$(BIN)/python -m rlm_core models ship $(RUNS)
	$(BIN)/python -m tests.device.conformance
	$(BIN)/python -m benchmarks run gain_risk --seeds 3 --jobs 1 \
	  --mechanism Q-RLM --mechanism V-RLM --mechanism C-RLM --mechanism 'joint V-RLM' --mechanism 'joint C-RLM'
	$(BIN)/python -m benchmarks crowd_curve
	$(BIN)/python -m benchmarks run people_needed --seeds 3 --jobs 1
	$(BIN)/python -m benchmarks.second_task
	$(BIN)/python -m benchmarks.page_tables
	$(BIN)/python -m benchmarks report --markdown > docs/results.new && mv docs/results.new docs/results.md

docs: $(VENV)/dev.done  ## the documentation, in docs/_build; a warning is an error
	$(BIN)/python -m sphinx -q -W --keep-going -b html -d docs/_build/trees -c docs . docs/_build/site
	@echo "open docs/_build/site/docs/index.html"

wheel:  ## the package, in dist/
	$(PYTHON) -m pip wheel --quiet --no-deps --wheel-dir dist .
	@du -h dist/*.whl

# Resolves requirements*.txt anew, in an environment of its own and without the old pins. A local part
# of a version (2.13.0+cpu) is left out: it names a build, and each machine has its own.
pins:  ## renew constraints.txt
	$(PYTHON) -m venv --clear $(VENV)-pins
	$(VENV)-pins/bin/python -m pip install --quiet "$$(grep '^torch==' requirements.txt)"
	$(VENV)-pins/bin/python -m pip install --quiet -r requirements-dev.txt
	sed '/^#/!d' constraints.txt > constraints.new
	$(VENV)-pins/bin/python -m pip freeze --all --exclude pip | sed 's/+.*//' >> constraints.new
	mv constraints.new constraints.txt
	rm -rf $(VENV)-pins

clean:
	rm -rf $(VENV) dist docs/_build .mypy_cache .pytest_cache .ruff_cache

# torch goes first and alone: packages that look for it while they install would pull another build.
$(VENV)/runtime.done: requirements.txt constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, this is " + sys.version)'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet -c constraints.txt "$$(grep '^torch==' requirements.txt)"
	$(BIN)/python -m pip install --quiet -c constraints.txt -r requirements.txt
	touch $@

$(VENV)/dev.done: requirements-dev.txt $(VENV)/runtime.done
	$(BIN)/python -m pip install --quiet -c constraints.txt -r requirements-dev.txt
	touch $@
