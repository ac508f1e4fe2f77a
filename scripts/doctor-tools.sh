# The tools that the project needs on a machine. Each has three functions: has_ checks whether it is installed, get_
# tries to install it without sudo, and line_ prints what it is and how to install it. Sourced by scripts/doctor.
# shellcheck shell=bash

RUSTUP_UNREACHABLE=rustup-unreachable
RUST_CHANNEL=$(sed -n 's/^channel *= *"\(.*\)".*/\1/p' "$ROOT/rust-toolchain.toml")

has_curl() { have curl; }
get_curl() { apt_install curl ca-certificates; }
line_curl() { echo "curl: $(package_line curl curl)"; }

has_openssl() { have openssl; }
get_openssl() { apt_install openssl; }
line_openssl() { echo "openssl, for the control plane's keys: $(package_line openssl openssl)"; }

# Cargo links with cc, and parts of wasmtime and of the TLS library are C or assembly, which need headers too.
has_c_compiler() { have cc && echo '#include <stdio.h>' | cc -x c -E - >/dev/null 2>&1; }
get_c_compiler() { apt_install gcc libc6-dev; }
line_c_compiler() {
    case $(uname -s) in
    Darwin) echo "a C compiler: xcode-select --install" ;;
    *) echo "a C compiler and the C library's headers: $(package_line "gcc libc6-dev" "gcc glibc-devel")" ;;
    esac
}

has_rustup() { have rustup; }
get_rustup() { return 1; } # rustup's installer changes the user's shell start-up files, which this script must not do
line_rustup() { echo "rustup, which brings Rust: see https://rustup.rs"; }

has_toolchain() { have cargo && rust_sysroot >/dev/null; }
get_toolchain() {
    rustup_reachable || return
    say "installing Rust $RUST_CHANNEL with rustup"
    within 900 rustup toolchain install "$RUST_CHANNEL" --no-self-update --profile minimal --component clippy --component rustfmt
}
line_toolchain() { echo "Rust $RUST_CHANNEL: rustup toolchain install $RUST_CHANNEL"; }

has_wasm() { wasm_toolchain >/dev/null; }
get_wasm() { rustup_add target "$WASM_TARGET" || apt_install rustc-web rust-web-src; }
line_wasm() {
    echo "Rust's target $WASM_TARGET: rustup target add $WASM_TARGET" \
        "(or, if only Debian's servers are reachable: sudo apt-get install rustc-web rust-web-src)"
}

has_rustfmt() { [ -x "$(rust_sysroot)/bin/rustfmt" ]; }
get_rustfmt() { rustup_add component rustfmt; }
line_rustfmt() { echo "rustfmt: rustup component add rustfmt"; }

has_clippy() { [ -x "$(rust_sysroot)/bin/cargo-clippy" ]; }
get_clippy() { rustup_add component clippy; }
line_clippy() { echo "clippy: rustup component add clippy"; }

has_python() { python_ready; }
get_python() { apt_install python3 python3-venv && has_python; }

has_valgrind() { have valgrind; }
get_valgrind() { apt_install valgrind; }

# chromium_path: prints the path of the browser.
chromium_path() {
    local name
    for name in chromium chromium-browser google-chrome; do
        if have "$name"; then command -v "$name" && return; fi
    done
    return 1
}
has_chromium() { chromium_path >/dev/null; }
get_chromium() { apt_install chromium; }

has_go() { go_ready; }
get_go() { (go_tools "the programs in Go"); } # in a subshell, because go_tools can end the shell
line_go() { go_install_line; }

# The programs are downloaded or built later. This only checks whether that is possible.
has_control_plane() { scripts/controlplane --kept >/dev/null 2>&1 || envtest_reachable || go_ready; }
get_control_plane() { get_go; }
line_control_plane() {
    echo "a kube-apiserver and etcd: set KUBEBUILDER_ASSETS to a folder that has them, or, to build them, install" \
        "$(go_install_line)"
}

# Helm is built from its Go module if it is missing.
has_helm() { case $(helm version --short 2>/dev/null) in v3.*) ;; *) has_go ;; esac; }
get_helm() { get_go; }
line_helm() { echo "helm 3, which renders deploy/chart: https://helm.sh/docs/intro/install, or, to build it, $(go_install_line)"; }

# rustup_add target|component NAME
rustup_add() {
    rustup_reachable || return
    say "rustup $1 add $2"
    (cd "$ROOT" && within 600 rustup "$1" add "$2")
}

# Checks rustup's servers before rustup runs: if they are unreachable, rustup would try for minutes.
rustup_reachable() {
    have rustup || return 1
    is_noted "$RUSTUP_UNREACHABLE" && return 1
    reachable "${RUSTUP_DIST_SERVER:-https://static.rust-lang.org}/dist/channel-rust-$RUST_CHANNEL.toml.sha256" && return
    say "the servers of rustup are unreachable"
    note "$RUSTUP_UNREACHABLE"
    return 1
}

# apt_install PACKAGE…: works only as root, and where apt exists. It updates the package lists first, because old
# lists name versions that are too old or that the servers no longer have.
apt_install() {
    [ "$(id -u)" = 0 ] && have apt-get || return 1
    local log="$TOOLS/apt.log"
    mkdir -p "$TOOLS"
    say "installing $* with apt-get"
    if [ -z "${APT_UPDATED:-}" ]; then
        apt-get update >"$log" 2>&1 || say "apt-get update failed. See $log"
        APT_UPDATED=1
    fi
    DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "$@" >>"$log" 2>&1 && return
    say "apt-get failed. The end of $log:"
    tail -n 3 "$log" >&2
    return 1
}

# package_line DEBIAN FEDORA: prints the install command for this machine's distribution.
package_line() {
    if have apt-get; then
        echo "sudo apt-get install $1"
    elif have dnf; then
        echo "sudo dnf install $2"
    else
        echo "install $2 by your system's packages"
    fi
}
