# Two commands: `make run` serves the app, `make test` runs the tests.
# Both prepare everything they need in .venv on a machine with Python 3.11 or newer.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PORT   ?= 8501

.PHONY: run test check figures audit clean

run: $(VENV)/runtime.done  ## serve the app on http://localhost:8501
	$(BIN)/streamlit run serve.py --server.port $(PORT)

test: $(VENV)/dev.done  ## the whole test suite
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal

check: $(VENV)/dev.done  ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

audit: $(VENV)/runtime.done  ## measure every mechanism's privacy (a few minutes)
	$(BIN)/python -m rlm_core.audit

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache

# torch goes first and alone: packages that look for it while they install would pull another build.
$(VENV)/runtime.done: requirements.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, this is " + sys.version)'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet "$$(grep '^torch==' requirements.txt)"
	$(BIN)/python -m pip install --quiet -r requirements.txt
	touch $@

$(VENV)/dev.done: requirements-dev.txt $(VENV)/runtime.done
	$(BIN)/python -m pip install --quiet -r requirements-dev.txt
	touch $@
