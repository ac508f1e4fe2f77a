"""Builds a component from a plugin's file. The component has CPython with its standard library, the SDK and the file.
All WASI imports are stubs.

usage: berth-guest build [PLUGIN.py] [-o PLUGIN.wasm]
"""

import argparse
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from .plugin import Plugin

_HERE = Path(__file__).resolve().parent
_WIT = Path(os.environ.get("BERTH_WIT", _HERE.parent.parent.parent / "wit" / "0.2"))


def main():
    """Runs the command."""
    parser = argparse.ArgumentParser(prog="berth-guest")
    build_command = parser.add_subparsers(required=True, metavar="build").add_parser("build", help="make a component")
    build_command.add_argument("source", nargs="?", default="plugin.py", type=Path)
    build_command.add_argument("-o", "--output", default="plugin.wasm", type=Path)
    options = parser.parse_args()
    try:
        build(options.source, options.output)
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        sys.exit(f"error: {error}")


def build(source, output):
    """Builds the plugin in the file `source` and writes the component to `output`."""
    interfaces = _interfaces(_definition(source))
    with tempfile.TemporaryDirectory(prefix="berth-guest-") as folder:
        wit, app = Path(folder, "wit"), Path(folder, "app")
        _write_world(wit, interfaces)
        app.mkdir()
        shutil.copytree(_HERE, app / "berth_guest", ignore=shutil.ignore_patterns("__pycache__", "build.py", "testing.py"))
        shutil.copy(source, app / "plugin_source.py")
        (app / "main.py").write_text(
            "from berth_guest.component import *\n"
            "from berth_guest.component import serve\n"
            "from plugin_source import plugin\n\n"
            "serve(plugin)\n"
        )
        output.parent.mkdir(parents=True, exist_ok=True)
        tool = Path(sysconfig.get_path("scripts"), "componentize-py")
        world = [tool, "--quiet", "--wit-path", wit, "--world", "this"]
        packages = ["--python-path", app, "--python-path", source.resolve().parent]
        subprocess.run([*world, "componentize", "main", "--stub-wasi", *packages, "--output", output], check=True)


def _definition(source):
    """Runs the file `source` as a module and returns the plugin that the module defines."""
    sys.path.insert(0, str(source.resolve().parent))
    spec = importlib.util.spec_from_file_location("plugin_source", source)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    plugin = getattr(module, "plugin", None)
    if not isinstance(plugin, Plugin):
        raise ValueError(f"{source}: no plugin is defined; add `plugin = Plugin(…)`")
    if not plugin.points():
        raise ValueError(f"{source}: {plugin.name} has no function: decorate one with @plugin.filter or @plugin.score")
    return plugin


def _interfaces(plugin):
    points = [point.replace("_", "-") for point in plugin.points()]
    return (["snapshot"] if plugin.reads_cluster() else []) + points


def _write_world(folder, interfaces):
    """Writes the contract to the folder, and a world `this` with the interfaces that the component exports."""
    shutil.copytree(_WIT, folder, ignore=shutil.ignore_patterns("decisions"))
    package = re.search(r"^package .*;$", (folder / "types.wit").read_text(), re.MULTILINE)[0]
    includes = " ".join(["include base;", *(f"include with-{name};" for name in interfaces)])
    (folder / "this.wit").write_text(f"{package}\nworld this {{ {includes} }}\n")


if __name__ == "__main__":
    main()
