# The everyday commands. scripts/ has their implementation. Most start with scripts/doctor, which installs missing
# tools where it can, and lists the others.
.DEFAULT_GOAL := build
.NOTPARALLEL:
SHELL := bash
BERTH = $(or $(CARGO_TARGET_DIR),target)/release/berth

.PHONY: build demo check test campaign bench lint guests host static clean help

build: ## the plugins and the host: target/release/berth
	@scripts/doctor build
	@scripts/guests
	@scripts/host

demo: build ## a cluster and a scheduler in one process, placing a workload
	@$(BERTH) demo

check: ## what to run before each commit, in a few minutes: lints, unit tests, simulation, kept parity cases, the demo
	@scripts/doctor lint
	@scripts/check

test: ## every check and every test, those against a real kube-apiserver included (Linux)
	@scripts/doctor test
	@scripts/test

campaign: ## looks for failures with new seeds, for CAMPAIGN=10m (Linux)
	@scripts/doctor test
	@scripts/guests
	@scripts/host
	@scripts/campaign

bench: ## what Berth costs beside kube-scheduler, a report in target/bench/ (Linux): docs/benchmarks.md
	@scripts/doctor bench
	@scripts/bench

lint: ## formatting, clippy, documentation, licences: what `make test` checks before it tests
	@scripts/doctor lint
	@scripts/lint

guests: ## the plugins only: target/plugins/
	@scripts/doctor build
	@scripts/guests

host: ## the host only, around the plugins as they were last built
	@scripts/doctor build
	@scripts/host

static: ## the image's program, target/static/ARCH/berth, and a check of what the image would be (Linux)
	@scripts/doctor test
	@scripts/static
	@scripts/test-image

clean: ## forgets what was built here; .tools/, with what was fetched, stays
	rm -rf target

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' Makefile
