# Every target works on a fresh machine that has Go, gcc and PostgreSQL's server
# binaries; README.md says what to install where.
GO        ?= go
TOOL      := $(GO) tool -modfile=internal/tools/go.mod
PACKAGES  := ./...
NEWEST    := 18
OLDEST    := 14
MAJORS    := 14 16 17 18
# Modules of their own, for what pawl itself shall not depend on; ./... leaves them out.
MODULES   := examples/avito
# Generated packages that lint looks at, one of each shape; make test-long takes all.
GOLDENS   := $(foreach case,edit-many idempotency leader ordered queue types upsert uuid,./testdata/cases/$(case)/store)
# What runs against a server; PAWL_TEST_PG_BIN says which.
LIVE      := ./pawl ./compiler ./codegen/... ./migrate/... ./examples/... ./verify/isolation ./verify/explore ./internal/devdb/pgtest
# What test-newest takes of it. test-matrix takes all.
NEW       := ./verify/isolation
# What verify explores on each other major: the rules that triggers keep.
VERIFIED  := limit|at-most-one|at-least-one|sequence|ordered
SHARE     ?= 1

.PHONY: demo test test-race test-long test-matrix test-newest bench lint fmt golden examples

demo: ## The main job on a private server: validate, generate, plan, apply, race.
	$(GO) build -o bin/pawl ./cmd/pawl
	bin/pawl -C examples/seats validate
	bin/pawl -C examples/seats generate --check
	bin/pawl -C examples/seats explain table.bookings.no_overlap.one_per_room
	bin/pawl -C examples/seats apply --dev --yes
	$(GO) run ./examples/seats

test: ## All tests, on a private server of the installed major; SHORT=-short leaves out what takes its time.
	$(GO) test $(SHORT) $(PACKAGES)
	for module in $(MODULES); do (cd $$module && $(GO) test ./...) || exit 1; done

test-race: ## The runtime and the explorer under the race detector.
	$(GO) test -race -short ./pawl/... ./verify/explore

test-long: ## Fuzzing, races beyond the one of make test, every case verified; SHARE=10 runs a tenth.
	$(GO) test -run '^$$' -fuzz FuzzLoad -fuzztime $$((150000/$(SHARE)))x -fuzzminimizetime 10x ./dsl
	$(GO) test -run '^$$' -fuzz FuzzParseExpr -fuzztime $$((500000/$(SHARE)))x -fuzzminimizetime 10x ./internal/pgsql
	$(GO) test -run '^$$' -fuzz FuzzRangeAt -fuzztime $$((500000/$(SHARE)))x -fuzzminimizetime 10x ./internal/diag
	$(GO) test -run '^$$' -fuzz FuzzFormat -fuzztime $$((50000/$(SHARE)))x -fuzzminimizetime 10x ./dsl
	$(GO) test -run '^$$' -fuzz FuzzNames -fuzztime $$((1000/$(SHARE)))x -fuzzminimizetime 10x ./codegen/golang
	$(GO) test -run TestRelaysKilled -count=1 -timeout 60m ./codegen/golang -events $$((100000/$(SHARE)))
	$(GO) test -run 'TestPromises' -count=$$((10/$(SHARE)-1)) -timeout 60m ./examples/seats
	$(GO) test -run 'TestCases|TestQueueSpoiled|TestBrokenPrograms|TestLowerBounds' -count=1 -timeout 60m ./verify -share $(SHARE)
	if [ $(SHARE) = 1 ]; then $(TOOL) staticcheck ./testdata/cases/*/store && $(TOOL) errcheck ./testdata/cases/*/store; fi
	if [ $(SHARE) = 1 ]; then (cd examples/sqlc && $(GO) run github.com/sqlc-dev/sqlc/cmd/sqlc@v1.31.1 diff); fi
	if [ $(SHARE) = 1 ]; then $(GO) test -run TestRaceTestsRun -count=1 ./codegen/golang; fi
	if [ $(SHARE) = 1 ]; then $(GO) test -run TestFullSearchAgrees -count=1 ./verify -share 1 && $(MAKE) test-race; fi
	$(GO) test -run TestLeadersAsProcesses -count=1 -timeout 60m -v ./pawl -takeovers $$((1000/($(SHARE)*$(SHARE))))
	$(GO) test -run 'TestDeadlockVictimsUnderLoad' -count=1 ./verify/explore -load
	if [ $(SHARE) = 1 ]; then $(GO) test -run TestGroupsReadTheirIndexes -count=1 ./compiler -long; fi

test-newest: ## The live tests that majors differ in on the newest one, and what PostgreSQL itself does on the oldest.
	bin=$$($(GO) run ./internal/devdb/cmd/pgfetch $(NEWEST)) && PAWL_TEST_PG_BIN=$$bin $(GO) test -count=1 -short $(NEW)
	bin=$$($(GO) run ./internal/devdb/cmd/pgfetch $(OLDEST)) && PAWL_TEST_PG_BIN=$$bin $(GO) test -count=1 -short ./verify/isolation
	for major in $(OLDEST) $(NEWEST); do \
	  bin=$$($(GO) run ./internal/devdb/cmd/pgfetch $$major) && PAWL_TEST_PG_BIN=$$bin $(GO) test -count=1 -run TestGeneratedValues ./codegen/golang || exit 1; \
	done

test-matrix: ## The live tests on each other major, and the rules over groups verified there.
	for major in $(MAJORS); do \
	  echo "== PostgreSQL $$major"; \
	  bin=$$($(GO) run ./internal/devdb/cmd/pgfetch $$major) && PAWL_TEST_PG_BIN=$$bin $(GO) test -count=1 -short $(LIVE) && \
	    PAWL_TEST_PG_BIN=$$bin $(GO) test -count=1 -run 'TestCases/($(VERIFIED))$$' ./verify -share 1 || exit 1; \
	done

bench: ## Figures: compile time and memory, generated code against hand-written pgx and sqlc, what a limit and a key cost, events per second, recovery after a kill.
	$(GO) test -run '^$$' -bench ThousandTables -benchtime 5x ./cmd/pawl
	$(GO) test -run '^$$' -bench Calls -benchtime 3000x ./examples/seats
	$(GO) test -run '^$$' -bench Beside -benchtime 5000x ./examples/sqlc
	$(GO) test -run '^$$' -bench 'Limits|Upserts' -benchtime 2000x ./examples/shop
	$(GO) test -run '^$$' -bench Do -benchtime 2000x ./examples/payments
	$(GO) test -run '^$$' -bench Outbox -benchtime 20000x ./codegen/golang
	$(GO) test -run TestRecoveryAfterKill -count=1 -v ./examples/payments

lint: ## gofumpt, vet, staticcheck, switches that must be exhaustive (//exhaustive:enforce), closed sets, error comparisons.
	@test -z "$$($(TOOL) gofumpt -l $$(git ls-files '*.go'))" || { echo "gofumpt would change:"; $(TOOL) gofumpt -l $$(git ls-files '*.go'); exit 1; }
	$(GO) vet $(PACKAGES)
	$(TOOL) staticcheck $(PACKAGES) $(GOLDENS)
	$(TOOL) errcheck $(GOLDENS) ./examples/seats/store/...
	$(TOOL) exhaustive -e $(PACKAGES)
	$(TOOL) go-check-sumtype $(PACKAGES)
	$(TOOL) go-errorlint -asserts -comparison -errorf $(PACKAGES)
	for module in $(MODULES); do \
	  (cd $$module && $(GO) vet ./... && $(GO) tool -modfile=$(CURDIR)/internal/tools/go.mod staticcheck ./...) || exit 1; \
	done

fmt:
	$(TOOL) gofumpt -w $$(git ls-files '*.go')

golden: ## Rewrite every golden file; git shows what changed.
	$(GO) test -count=1 -run 'TestScripts|TestCases' ./migrate ./cmd/pawl/internal/cli -update
	$(GO) test -count=1 -run TestGolden ./graph -update
	$(GO) test -count=1 ./codegen/postgres ./internal/diag -update
	$(GO) test -count=1 -run 'TestErrorsPage|TestIndexOfAttributes' ./compiler ./dsl -update
	$(MAKE) examples

examples: ## Rewrite what examples commit.
	$(GO) generate ./examples/...
