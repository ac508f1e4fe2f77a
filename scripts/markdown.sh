# Extracts code blocks from Markdown pages for tests. Sourced.
# shellcheck shell=bash

# blocks LANGUAGE FILE FOLDER: writes each block of the language to FOLDER/NUMBER, where NUMBER is the line it
# begins at.
blocks() {
    mkdir -p "$3"
    awk -v language="$1" -v folder="$3" '
        $0 == "```" language { file = sprintf("%s/%04d", folder, NR); next }
        $0 == "```" { file = "" }
        file != "" { print > file }
    ' "$2"
}
