# Every target works on a fresh machine that has Go, gcc and PostgreSQL's server
# binaries; README.md says what to install where.
GO        ?= go
TOOL      := $(GO) tool -modfile=internal/tools/go.mod
PACKAGES  := ./...
NEWEST    := 18
MAJORS    := 14 16 17 18
SHARE     ?= 1

.PHONY: demo test test-race test-long test-matrix test-newest bench lint fmt golden

demo: ## The main job on a private server: validate, generate, plan, apply, race.
	$(GO) build -o bin/pawl ./cmd/pawl
	bin/pawl -C examples/seats validate
	bin/pawl -C examples/seats generate --check
	bin/pawl -C examples/seats explain table.bookings.no_overlap.one_per_room
	$(GO) run ./examples/seats

test: ## All tests, on a private server of the installed major.
	$(GO) test $(PACKAGES)

test-race: ## The runtime and the example under the race detector.
	$(GO) test -race ./pawl/... ./examples/seats/...

test-long: ## Fuzzing and long stress; SHARE=10 runs a tenth.
	PAWL_LONG=$(SHARE) $(GO) test -count=1 -timeout 60m $(LONG)

test-newest: ## The live tests on the newest major.
	bin=$$($(GO) run ./internal/devdb/cmd/pgfetch $(NEWEST)) && PAWL_TEST_PG_BIN=$$bin $(GO) test -count=1 $(LIVE)

test-matrix: ## The live tests on each other major.
	for major in $(MAJORS); do \
	  echo "== PostgreSQL $$major"; \
	  bin=$$($(GO) run ./internal/devdb/cmd/pgfetch $$major) && PAWL_TEST_PG_BIN=$$bin $(GO) test -count=1 $(LIVE) || exit 1; \
	done

bench: ## Figures: compile time and memory, generated code against hand-written pgx.
	$(GO) test -run '^$$' -bench . -benchmem $(BENCH)

lint: ## gofumpt, vet, staticcheck, exhaustive switches, error comparisons.
	@test -z "$$($(TOOL) gofumpt -l $$(git ls-files '*.go'))" || { echo "gofumpt would change:"; $(TOOL) gofumpt -l $$(git ls-files '*.go'); exit 1; }
	$(GO) vet $(PACKAGES)
	$(TOOL) staticcheck $(PACKAGES)
	$(TOOL) exhaustive -d $(PACKAGES)
	$(TOOL) go-check-sumtype $(PACKAGES)
	$(TOOL) go-errorlint -asserts -comparison -errorf $(PACKAGES)

fmt:
	$(TOOL) gofumpt -w $$(git ls-files '*.go')

golden: ## Rewrite every golden file; git shows what changed.
	$(GO) test -count=1 $(GOLDEN) -update
