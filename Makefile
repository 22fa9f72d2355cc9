# make: the binary. make test: the tests. make check: all that .ci/run does, lint, fuzzing and cross-builds.
export CGO_ENABLED = 0
GO ?= go
LINT = $(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
VERSION ?= dev
LDFLAGS = -s -w -buildid= -X docket/internal/cli.Version=$(VERSION)

build:
	$(GO) build -o docket .

test:
	$(GO) test ./...

lint:
	$(LINT) run ./...

fuzz:
	@$(GO) list ./... | while read pkg; do \
		for f in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
			echo "$$pkg $$f" && $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime 10s $$pkg || exit 1; \
		done; \
	done

cross:
	@for t in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64; do \
		echo $$t && GOOS=$${t%/*} GOARCH=$${t#*/} $(GO) vet ./... || exit 1; \
	done

check: lint cross
	bash .ci/run
	$(MAKE) fuzz

release:
	@mkdir -p dist
	@for t in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64; do \
		os=$${t%/*} arch=$${t#*/}; ext=; [ $$os = windows ] && ext=.exe; \
		GOOS=$$os GOARCH=$$arch $(GO) build -trimpath -buildvcs=false -ldflags '$(LDFLAGS)' -o dist/docket-$$os-$$arch$$ext . || exit 1; \
	done
	cd dist && sha256sum docket-* > SHA256SUMS

.PHONY: build test lint fuzz cross check release
