# Tools that are Python packages. Each has its own environment in .tools/. Sourced after lib.sh.
# shellcheck shell=bash

# python_ready: whether there is a Python that can make environments.
python_ready() { have python3 && python3 -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

python_install_line() {
    echo "Python 3.11 or newer with its venv module: https://www.python.org/downloads (on Debian: sudo apt-get install python3-venv)"
}

# python_package NAME==VERSION FOR: prints the bin folder of the environment with this package. Creates the
# environment if needed.
python_package() {
    local environment=$TOOLS/${1/==/-} unfinished
    if [ ! -x "$environment/bin/python" ]; then
        python_ready || cannot "$2 need $(python_install_line)"
        say "installing $1 with pip into .tools/"
        # An environment can't be moved, so it is created in place. A marker file shows that it is incomplete and
        # must be recreated.
        unfinished=$environment.unfinished
        mkdir -p "$TOOLS" && : >"$unfinished"
    elif [ -e "$environment.unfinished" ]; then
        unfinished=$environment.unfinished
    fi
    if [ -n "${unfinished:-}" ]; then
        rm -rf "$environment"
        { python3 -m venv "$environment" && "$environment/bin/python" -m pip install --quiet --disable-pip-version-check "$1"; } >&2 ||
            cannot "$2 need $1, which pip could not download. Run: python3 -m venv $environment && $environment/bin/pip install $1"
        rm "$unfinished"
    fi
    echo "$environment/bin"
}
