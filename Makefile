# The everyday commands. scripts/ has their implementation. Most start with scripts/doctor, which installs missing
# tools where it can, and lists the others.
.DEFAULT_GOAL := build
.NOTPARALLEL:
SHELL := bash
BERTH = $(or $(CARGO_TARGET_DIR),target)/release/berth

.PHONY: build demo check test campaign bench lint guests host static clean help

build: ## Build the plugins and the host: target/release/berth
	@scripts/doctor build
	@scripts/guests
	@scripts/host

demo: build ## Run a cluster, a scheduler and a workload in one process
	@$(BERTH) demo --capture target/demo

check: ## Run the quick checks before each commit, in a few minutes
	@scripts/doctor lint
	@scripts/check

test: ## Run every check and test, also against a real kube-apiserver (Linux)
	@scripts/doctor test
	@scripts/test

campaign: ## Run tests with new seeds, for CAMPAIGN=10m (Linux)
	@scripts/doctor test
	@scripts/guests
	@scripts/host
	@scripts/campaign

bench: ## Compare with kube-scheduler, report in target/bench/ (Linux)
	@scripts/doctor bench
	@scripts/bench

lint: ## Check formatting, clippy, documentation and licences
	@scripts/doctor lint
	@scripts/lint

guests: ## Build only the plugins: target/plugins/
	@scripts/doctor build
	@scripts/guests

host: ## Build only the host, with the plugins as they were last built
	@scripts/doctor build
	@scripts/host

static: ## Build target/static/ARCH/berth and check the image (Linux)
	@scripts/doctor test
	@scripts/static
	@scripts/test-image

clean: ## Delete build output; .tools/ with downloaded tools stays
	rm -rf target

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' Makefile
