# What compiles plugins in C and Zig: Zig, which brings a C compiler and a C library for WebAssembly, and the generator of the
# contract's bindings. Sourced after lib.sh and python-tools.sh.
# shellcheck shell=bash

ZIG_PACKAGE=ziglang==0.17.1
WIT_BINDGEN_VERSION=0.63.0

# c_tools FOR: sets ZIG and WIT_BINDGEN, as guest-sdk/c/build wants them.
c_tools() {
    local bin built=$TOOLS/wit-bindgen-$WIT_BINDGEN_VERSION
    bin=$(python_package "$ZIG_PACKAGE" "$1") || return
    export ZIG="$bin/python -m ziglang"
    export WIT_BINDGEN=$built/bin/wit-bindgen
    [ -x "$WIT_BINDGEN" ] && return
    have cargo || cannot "$1 need wit-bindgen $WIT_BINDGEN_VERSION, which Rust's cargo builds: see https://rustup.rs"
    say "building wit-bindgen $WIT_BINDGEN_VERSION into .tools/ (a few minutes)"
    # Outside the workspace, whose settings are for the host.
    (cd "$TOOLS" && CARGO_TARGET_DIR=$TOOLS/wit-bindgen-build cargo install --quiet --locked --root "$built" "wit-bindgen-cli@$WIT_BINDGEN_VERSION") ||
        cannot "$1 need wit-bindgen, which cargo could not build: cargo install --locked wit-bindgen-cli@$WIT_BINDGEN_VERSION --root $built"
    rm -rf "$TOOLS/wit-bindgen-build"
}
