"""Imports go strictly down, and a command loads only what it needs."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "pavlov_cli"

TOP_LEVEL = sorted(
    {path.parent.name for path in PACKAGE.glob("*/__init__.py")} | {path.stem for path in PACKAGE.glob("[!_]*.py")}
)
# what only some layers may import themselves
HOMES = {
    "hydra": {"config"},
    "omegaconf": {"config"},
    "jax": {"engine", "memory"},
    "matplotlib": {"figures"},
    "typer": {"cli"},
    "safetensors": {"vectors"},
}
# what a layer must not reach, not even through others
BLIND = {
    "stats": ("theory", "memory", "engine", "config"),
    "figures": ("engine", "memory", "store", "studies"),
    "report": ("engine", "memory", "store"),
    "plan": ("engine", "memory", "store", "config"),
    "store": ("engine", "memory", "plan", "stats", "theory"),
    "memory": ("engine", "config", "plan", "store", "stats", "theory"),
    "engine": ("config", "plan", "store", "stats", "theory"),
    "theory": ("memory", "engine", "stats", "config"),
}

HEAVY = (
    "rich.progress",
    "numpy",
    "scipy",
    "hydra",
    "omegaconf",
    "jax",
    "jaxlib",
    "matplotlib",
    "pandas",
    "safetensors",
)
REPORT = (
    "import json, sys\n"
    "from pavlov_cli.cli import main\n"
    "code = main(sys.argv[2:])\n"
    "loaded = [name for name in sys.argv[1].split(',') if name in sys.modules]\n"
    "print('\\n' + json.dumps([code, loaded]), file=sys.stderr)\n"
)


def _contracts():
    """What the project's own contracts leave open."""
    for package, homes in HOMES.items():
        yield {
            "name": f"{package} belongs to {' and '.join(sorted(homes))}",
            "type": "forbidden",
            "source_modules": [f"pavlov_cli.{name}" for name in TOP_LEVEL if name not in homes],
            "forbidden_modules": [package],
            "allow_indirect_imports": True,
        }
    for source, forbidden in BLIND.items():
        yield {
            "name": f"{source} is blind",
            "type": "forbidden",
            "source_modules": [f"pavlov_cli.{source}"],
            "forbidden_modules": [f"pavlov_cli.{name}" for name in forbidden],
        }


def _project():
    """The project's settings and its contracts."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    return settings, settings.pop("contracts")


def _lint(folder, contracts):
    """Exit code and words of import-linter for the project's settings with these contracts."""
    lines = ["[tool.importlinter]", *(f"{name} = {json.dumps(value)}" for name, value in _project()[0].items())]
    for contract in contracts:
        lines += ["[[tool.importlinter.contracts]]"]
        lines += [f"{name} = {json.dumps(value)}" for name, value in contract.items()]
    (folder / "pyproject.toml").write_text("\n".join(lines) + "\n")
    script = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(sys.argv[1], no_cache=True))"
    ended = subprocess.run(
        [sys.executable, "-c", script, str(folder / "pyproject.toml")],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=120,
    )
    return ended.returncode, ended.stdout + ended.stderr


def test_every_contract_holds(tmp_path):
    contracts = [*_project()[1], *_contracts()]
    code, said = _lint(tmp_path, contracts)
    assert code == 0, said
    assert f"{len(contracts)} kept, 0 broken" in said


def test_the_layers_leave_no_module_out():
    (layers,) = [contract for contract in _project()[1] if contract["type"] == "layers"]
    named = {name for line in layers["layers"] for name in line.split(" | ")}
    assert named == set(TOP_LEVEL)


def test_a_broken_contract_is_noticed(tmp_path):
    (layers,) = [contract for contract in _project()[1] if contract["type"] == "layers"]
    code, said = _lint(tmp_path, [layers | {"layers": layers["layers"][::-1]}])
    assert code == 1
    assert "BROKEN" in said


def test_jit_has_one_home():
    """Compilation is counted and bounded in engine/; elsewhere functions stay plain."""
    found = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            jitted = isinstance(node, ast.Attribute) and node.attr in ("jit", "pmap")
            imported = (
                isinstance(node, ast.ImportFrom) and node.module == "jax" and "jit" in {a.name for a in node.names}
            )
            if jitted or imported:
                found.add(path.relative_to(PACKAGE).parts[0])
    assert found == {"engine"}


def _loaded(*words, watched=HEAVY):
    ended = subprocess.run(
        [sys.executable, "-c", REPORT, ",".join(watched), *map(str, words)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    code, loaded = json.loads(ended.stderr.splitlines()[-1])
    return code, loaded, ended


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--help",), 0),
        (("--version",), 0),
        ((), 2),
        (("capacity", "--help"), 0),
        (("error-rate", "-h"), 0),
        (("show", "--help"), 0),
        (("diff", "--help"), 0),
        (("plot", "--help"), 0),
        (("clean", "--help"), 0),
        (("diff", "one"), 2),
        (("capcity",), 2),
        (("capacity", "--nosuch"), 2),
        (("capacity", "--seed"), 2),
        (("list",), 0),
        (("list", "nosuch"), 2),
    ],
    ids=str,
)
def test_help_and_usage_errors_load_nothing_heavy(words, code):
    assert _loaded(*words)[:2] == (code, [])


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("capacity", "--cfg"), 0),
        (("capacity", "--dry-run"), 0),
        (("error-rate", "--dry-run"), 0),
        (("capacity", "criterion=sing"), 2),
        (("capacity", "--dk", "0"), 2),
        (("list", "theory"), 0),
        (("show",), 3),
        (("list", "runs"), 0),
        (("diff", "a", "b"), 3),
        (("plot", "a"), 3),
        (("clean", "--all"), 0),
        (("clean", "--cache", "--dry-run"), 0),
    ],
    ids=str,
)
def test_plans_and_validation_load_neither_jax_nor_matplotlib(tmp_path, words, code):
    out = ("--out", tmp_path / "none")
    ended = _loaded(*words, *out, watched=("jax", "jaxlib", "matplotlib"))
    assert ended[:2] == (code, []), ended[2].stderr


@pytest.mark.slow
def test_a_run_that_is_stored_loads_neither_jax_nor_matplotlib(tmp_path):
    watched = ("jax", "jaxlib", "matplotlib")
    words = ("capacity", "--dk", "8,16", "criterion=mse,guaranteed", "--trials", "8", "--out", tmp_path)
    first = _loaded(*words, watched=watched)
    assert first[:2] == (0, list(watched)), first[2].stderr
    for more in ((), ("--platform", "cpu"), ("--json",), ("--dk", "8,16", "--device-count", "1")):
        again = _loaded(*words, *more, watched=watched)
        assert again[:2] == (0, []), (more, again[2].stderr)
    for words in (("show",), ("list", "runs")):
        assert _loaded(*words, "--out", tmp_path, watched=watched)[:2] == (0, [])


def test_no_figures_leaves_matplotlib_out(tmp_path):
    words = ("capacity", "--dk", "8", "criterion=mse", "--trials", "8", "--no-figures", "--out", tmp_path)
    assert _loaded(*words, watched=("jax", "matplotlib"))[:2] == (0, ["jax"])
