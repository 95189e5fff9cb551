# Two commands for a newcomer: `make demo` and `make test`. Both make their own virtual environment.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
export MPLBACKEND ?= Agg

.PHONY: demo test test-all lint bench bench-peers docs clean

demo: $(VENV)/.demo
	$(BIN)/spacar compare manipulator --out results/demo

test: $(VENV)/.test
	$(BIN)/spacar warmup
	$(BIN)/python -m pytest -n 2 --dist loadfile

test-all: $(VENV)/.test
	$(BIN)/spacar warmup
	$(BIN)/python -m pytest -n 2 --dist loadfile -m "slow or not slow"

lint: $(VENV)/.test
	$(BIN)/ruff check .

bench: $(VENV)/.test
	$(BIN)/python benchmarks/core.py
	$(BIN)/python benchmarks/linearise.py
	$(BIN)/python benchmarks/manipulator.py
	$(BIN)/python benchmarks/siblings.py
	$(BIN)/python benchmarks/large.py

bench-peers: $(VENV)/.peers
	$(BIN)/python -m benchmarks.peers

docs: $(VENV)/.docs
	$(BIN)/mkdocs build --quiet --strict --site-dir results/docs

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: $(VENV)/bin/python setup.cfg
	@echo "installing into $(VENV): some 20 s with a good network"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -e ".[cli,report]"
	touch $@

$(VENV)/.test: $(VENV)/bin/python setup.cfg
	@echo "installing into $(VENV) with all that the tests need: some 40 s with a good network"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[test]"
	touch $@

$(VENV)/.peers: $(VENV)/bin/python setup.cfg
	@echo "installing into $(VENV) with Exudyn and Pinocchio: some 30 s with a good network"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[cli,peers]"
	touch $@

$(VENV)/.docs: $(VENV)/bin/python setup.cfg
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[docs]"
	touch $@

clean:
	rm -rf $(VENV) build dist results *.egg-info .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
