# The everyday commands. They set up what they need (tools/setup, tools/venv) and call CMake. `make help` lists them.
BUILD ?= build
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
CMAKE_FLAGS ?=
MAKEFLAGS += --no-print-directory

.PHONY: build configure described help demo engines quick test test-full bench fuzz coverage campaign reliability results pictures python stubs notebooks array-api site dist install format tidy generated ops symbols golden coverage-page clean
.DEFAULT_GOAL := build

build: configure ## build library, engines, command and tests into build/
	@cmake --build "$(BUILD)" -j $(JOBS)

configure:
	@tools/setup build
	@cmake -S . -B "$(BUILD)" $(CMAKE_FLAGS) > "$(BUILD).log" 2>&1 || { cat "$(BUILD).log"; exit 1; }; rm -f "$(BUILD).log"

# What the generated files are made with: no engines and no tests.
described: configure
	@cmake --build "$(BUILD)" -j $(JOBS) --target vinea vinea_command vinea_python

help: ## list these commands
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 12

demo: configure ## train on handwritten digits, then the README's example on every engine it finds
	@cmake --build "$(BUILD)" -j $(JOBS) --target vinea_command plugins
	@"$(BUILD)/vinea" demo --out "$(BUILD)/demo"
	@test -e .venv || printf '\n`make engines` installs all of them into .venv.\n'

engines: ## install the frameworks behind the engines into .venv (3 GB)
	@tools/setup engines
	@tools/venv .venv engines/requirements.txt

quick: build ## the everyday tests: native engine only, no frameworks, two minutes
	@ctest --test-dir "$(BUILD)" -L quick -j $(JOBS) --output-on-failure --no-label-summary --no-tests=error

test: ## install everything, build, run all tests but the long ones (docs/tests.md)
	@tools/setup build engines python images test
	@tools/venv .venv-packages tests/python/requirements.txt
	@$(MAKE) engines build
	@tools/test "$(BUILD)" $(JOBS)

test-full: ## all tests
	@tools/setup build engines python images test dist cross
	@tools/venv .venv-packages tests/python/requirements.txt
	@tools/venv .venv-bench bench/requirements.txt
	@$(MAKE) engines build
	@tools/test "$(BUILD)" $(JOBS) full

bench: ## compare every engine with its framework from Python (.venv-bench, 6 GB)
	@$(MAKE) engines build
	@tools/venv .venv-bench bench/requirements.txt
	@.venv-bench/bin/python bench/run.py --out "$(BUILD)/bench/report" "$(BUILD)"
	@.venv-bench/bin/python bench/ranks.py "$(BUILD)"

fuzz: ## fuzz the file readers with libFuzzer (SECONDS=60 each)
	@tools/setup build fuzz
	@tools/fuzz $(SECONDS)

coverage: ## branches that the tests of the library and the native engine take (gcovr in .venv-coverage)
	@tools/setup build engines
	@tools/venv .venv-coverage tests/requirements-coverage.txt
	@tools/coverage .venv-coverage $(JOBS)

campaign: ## continue the campaigns of docs/reliability.md, SECONDS=60 each, and add their counts
	@$(MAKE) build
	@tools/campaign "$(BUILD)" $(or $(SECONDS),60)

reliability: ## print the counts of all campaigns, and write them into docs/reliability.md
	@tools/reliability tests/campaigns.txt docs/reliability.md

results: ## run the conformance suites on every engine and rewrite conformance/results
	@$(MAKE) engines build
	@"$(BUILD)/vinea" check --engine all --suite all --out "$(BUILD)/conformance" || [ $$? -le 2 ] # failures are results too
	@tools/results "$(BUILD)/vinea" "$(BUILD)/conformance"

pictures: site ## retake docs/pictures: trainings, the site, and the page that make results wrote
	@tools/setup test
	@python3 -B tests/browser/site_pictures.py "$(BUILD)/site" docs/pictures
	@python3 -B tests/browser/training_pictures.py "$(BUILD)/vinea" docs/pictures
	@python3 -B tests/browser/pictures.py "$(BUILD)/conformance/index.html" docs/pictures

python: ## build the Python package and install it into .venv
	@tools/setup build engines python
	@test -x .venv/bin/python || /usr/bin/python3 -m venv .venv
	@.venv/bin/python -m pip install --quiet --disable-pip-version-check ./python
	@.venv/bin/python -c 'import vinea; print("vinea", vinea.__version__, "is in .venv")'

stubs: described ## rewrite the types of the Python package for editors, and its reference, docs/python-api.md
	@PYTHONPATH="$(BUILD)/python" /usr/bin/python3 -B python/tools/stubs.py python/vinea
	@PYTHONPATH="$(BUILD)/python" /usr/bin/python3 -B python/tools/reference.py > "$(BUILD)/python-api.md" && cp "$(BUILD)/python-api.md" docs/python-api.md

notebooks: build ## run docs/notebooks and store what they print
	@PYTHONPATH="$(BUILD)/python" .venv/bin/python -B python/tools/notebooks.py docs/notebooks/*.ipynb

array-api: build ## run the Array API standard's own tests (SUITE=folder with data-apis/array-api-tests, ENGINE="native=200 jax=20")
	@tools/setup engines python
	@tools/venv .venv-suite python/suite/requirements.txt
	@.venv-suite/bin/python python/suite/run.py "$(BUILD)" $(SUITE) --jobs $(JOBS) $(addprefix --engine ,$(ENGINE))

site: build ## the documentation as a site, build/site/index.html (Sphinx in .venv-site)
	@tools/setup engines python
	@tools/venv .venv-site docs/site/requirements.txt
	@.venv-site/bin/python -B docs/site/pages.py "$(BUILD)" "$(BUILD)/site-pages"
	@.venv-site/bin/sphinx-build -q -W --keep-going -b html -d "$(BUILD)/site-cache" "$(BUILD)/site-pages" "$(BUILD)/site"
	@echo "the site is $(BUILD)/site/index.html"

dist: ## what a release consists of, into build/dist: tarball, Debian's packages, ABI, bill of materials
	@tools/setup build dist
	@tools/dist "$(BUILD)/dist"

install: build ## install into PREFIX (/usr/local)
	@cmake --install "$(BUILD)" --prefix "$(PREFIX)"

format: ## clang-format on all C files (examples are formatted by hand)
	@tools/setup format
	@find include src engines groups images cli bench python tests conformance tools -name '*.[ch]' -exec clang-format -i {} +

tidy: build ## clang-tidy on all C files
	@tools/setup tidy
	@find src engines groups images cli -name '*.c' -not -path 'engines/template/*' -exec clang-tidy -quiet -p "$(BUILD)" {} +

generated: ops symbols stubs ## rewrite every generated file but the results: ops, symbols, stubs, docs/models.md
	@"$(BUILD)/vinea" models --markdown > "$(BUILD)/models.md" && cp "$(BUILD)/models.md" docs/models.md

ops: configure ## rewrite the headers of ops and objects in include/vinea, ops.hpp and docs/ops.md from their tables
	@cmake --build "$(BUILD)" --target ops

golden: ## make the golden values of conformance/golden again, and name what differs (packages in .venv-golden)
	@tools/setup engines
	@tools/venv .venv-golden conformance/golden/requirements.txt
	@tools/golden .venv-golden/bin/python

coverage-page: ## rewrite docs/coverage.md from conformance/anchors.csv
	@tools/anchors > coverage.md.new && mv coverage.md.new docs/coverage.md

symbols: described ## rewrite the list of exported symbols
	@tools/symbols "$(BUILD)/libvinea.so" > src/vinea.symbols

clean: ## remove what was built; .venv and .venv-bench stay
	@rm -rf "$(BUILD)" "$(BUILD)-asan" "$(BUILD)-tsan"
