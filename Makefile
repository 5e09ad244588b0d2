# run, build, test, bench, fuzz and lint work on a machine that has only Go and git:
# modules and checkers are fetched, pinned, on first use. race needs a C compiler as
# well, e2e tmux.
GO := CGO_ENABLED=0 go
# One set of flags for the program, its tests and the checkers: nothing is compiled twice.
export GOFLAGS := $(shell go env GOFLAGS) -trimpath
LINT := go tool -modfile=tools.mod
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
PACKAGES := ./...

.PHONY: run build test race races mcp bench lint e2e frames chaos fuzz fuzz-look fuzz-read-only mutate release

run: build
	@bin/agent $(ARGS)

build:
	@test -x bin/agent || echo "building, about a minute the first time"
	@$(GO) build -ldflags "-s -w -X agent/internal/base/version.Linked=$(VERSION)" -o bin/agent ./cmd/agent

# What vet has looked at, test does not look at again. Tests have small heaps: collected
# less often, the dearest packages take a tenth to a half less of the processors' time.
test:
	$(GO) vet $(PACKAGES)
	GOGC=400 $(GO) test -vet=off $(PACKAGES)

# The race detector, which needs a C compiler, watches the tests in which goroutines meet.
race:
	scripts/race

bench: build
	$(GO) test -run '^$$' -bench . -benchmem $(PACKAGES)
	$(GO) test -tags bench -count=1 -run TestNumbers -v ./cmd/agent

fuzz:
	@./scripts/fuzz $(or $(FUZZTIME),5s) '$(TARGETS)'

# Commands at random of those that run unasked, with their system calls watched by
# strace: they must only read.
fuzz-look:
	LOOK_SEED=$(or $(SEED),$$(date +%s)) LOOK_COMMANDS=$(or $(COMMANDS),2000) $(GO) test -count=1 -timeout 30m -run 'TestReadOnlyOnlyReads|TestOffencesAreSeen' -v ./internal/cmdline

# A session in read-only, in which the model calls every tool with arguments at random,
# watched by strace: nothing on the disk changes. An hour of work is some 3 000 calls.
# READONLY_SANDBOX=off runs it without the sandbox.
fuzz-read-only:
	READONLY_SEED=$(or $(SEED),$$(date +%s)) READONLY_CALLS=$(or $(CALLS),300) $(GO) test -count=1 -timeout 60m -run 'TestReadOnlyChangesNothingOnTheDisk|TestChangesOfTheDiskAreSeen' -v ./cmd/agent

# What is drawn at random is drawn far more often than in a test run: for a night.
.PHONY: properties
properties:
	$(GO) test -vet=off -count=1 -timeout 12h \
		$$(grep -rl --include='*_test.go' pgregory.net/rapid internal | xargs -n1 dirname | sort -u | sed 's|^|./|') -rapid.checks=$(or $(CHECKS),1000)
	CHECKS=$(or $(CHECKS),1000) $(GO) test -vet=off -count=1 -timeout 12h -run 'TestVendors|TestTokens|TestSearchHosts' ./cmd/agent

# Lines that changed since a commit are broken one at a time; those that no test of their
# package misses are named. For a night, or before a change lands: all packages are tested
# once before.
mutate:
	$(GO) run github.com/go-gremlins/gremlins/cmd/gremlins@v0.6.0 unleash --workers 2 $(if $(IN),$(IN),--diff $(or $(SINCE),HEAD~10) .)

# Folders and files that are exchanged for links while tools work on them: no answer shows
# what is behind a link.
races:
	AGENT_RACE_CALLS=$(or $(CALLS),10000) $(GO) test -count=1 -timeout 60m -run TestNoToolFollows -v ./internal/tools

# The program is killed, cut off and starved at moments of chance; what must hold
# after that is checked. CHAOS_TIME bounds it, CHAOS_SEED has the same again, and
# CHAOS_DISK=all has every call to the disk fail once, however long that takes.
chaos: build
	$(GO) test -tags chaos -count=1 -timeout $(if $(CHAOS_DISK),3h,20m) -parallel 4 -run TestChaos -v ./cmd/agent

# Servers of the Model Context Protocol as others wrote them, and its conformance suite;
# skipped where there is no npm.
mcp:
	scripts/mcp

# Editors' clients as others wrote them; what is not there is skipped.
.PHONY: acp
acp:
	scripts/acp

# The program and the tests of rooms under Wine; skipped where it is not installed.
.PHONY: windows
windows:
	scripts/windows

e2e: build
	$(GO) test -tags e2e -count=1 -run TestTerminal ./cmd/agent

# A release as it would be, in dist: archives, packages, checksums, and what the programs
# are made of. Nothing is published, and signing is left out: it needs the keys of the
# forge. RELEASER is built once, which takes minutes.
RELEASER ?= GOFLAGS= go run github.com/goreleaser/goreleaser/v2@v2.13.3
release:
	@echo "make release: a dry run; it is neither signed nor published"
	set -a; . ./packaging/project.env; set +a; $(RELEASER) release --snapshot --clean --skip=publish,sign
	scripts/npm-packages dist bin/npm

# What the README shows: pictures of the screen, and a run of the demo as text.
frames: build
	$(GO) test -count=1 -run TestPictures ./internal/tui -update
	RECORD_DEMO=1 $(GO) test -tags e2e -count=1 -run TestTerminalDemo ./cmd/agent

# The generated pages of docs/reference and docs/dev.
.PHONY: docs
docs:
	$(GO) test -count=1 -run TestReferenceIsCurrent ./cmd/agent -update-reference
	$(GO) test -count=1 -run TestPackagesPageIsCurrent ./internal/structure -update-packages

lint:
	@files=$$(gofmt -l .); test -z "$$files" || { echo "gofmt: $$files"; exit 1; }
	@files=$$($(LINT) gofumpt -l .); test -z "$$files" || { echo "gofumpt: $$files"; exit 1; }
	GOGC=400 $(GO) vet -tags e2e,bench,chaos,wine $(PACKAGES)
	@$(GO) build -modfile=tools.mod -o bin/foreign scripts/foreign/main.go
	GOGC=400 GOOS=windows GOARCH=amd64 CGO_ENABLED=0 bin/foreign $(PACKAGES)
	GOGC=400 $(LINT) staticcheck -tags e2e,bench,chaos $(PACKAGES)
	$(GO) test -run TestProse ./internal/structure

# Many agents at once: 50 that hold, and 300 runs of which 50 at once.
.PHONY: load
load:
	LOAD=1 go test ./cmd/agent -run 'TestLoad' -count=1 -v -timeout 10m

# The fleet of examples/fleet with Temporal's development server, from its Go module: four
# minutes to build the first time.
.PHONY: fleet
fleet:
	cd examples/fleet && go vet ./... && go test -count=1 -timeout 20m -v ./...
