"""Wheel, source archive and editable checkout all find their configurations, and the right ones."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
WHERE = (
    "import pavlov_cli; from pavlov_cli.registry import resource_root;"
    "print(pavlov_cli.__file__, resource_root('configs'), resource_root('experiments'), sep='\\n')"
)


def _built(source, target, *what):
    """Builds without a network; the new files."""
    command = [sys.executable, "-m", "build", "--no-isolation", *what, "--outdir", str(target), str(source)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return sorted(target.iterdir())


def _data_files():
    """Every configuration and experiment of the checkout, by its place in it."""
    found = {path.relative_to(ROOT).as_posix() for path in (ROOT / "configs").rglob("*.yaml")}
    assert len(found) > 10
    return found | {path.relative_to(ROOT).as_posix() for path in (ROOT / "experiments").rglob("*.yaml")}


def _code_files():
    return {path.relative_to(ROOT).as_posix() for path in (ROOT / "pavlov_cli").rglob("*.py")}


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    (path,) = _built(ROOT, tmp_path_factory.mktemp("sdist"), "--sdist")
    return path


@pytest.fixture(scope="module")
def unpacked_sdist(sdist, tmp_path_factory):
    folder = tmp_path_factory.mktemp("source")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    (source,) = folder.iterdir()
    return source


@pytest.fixture(scope="module")
def wheels(unpacked_sdist, tmp_path_factory):
    """The wheel of the checkout and the one of the source archive."""
    (direct,) = _built(ROOT, tmp_path_factory.mktemp("wheel"), "--wheel")
    (by_sdist,) = _built(unpacked_sdist, tmp_path_factory.mktemp("wheel"), "--wheel")
    return {"checkout": direct, "sdist": by_sdist}


@pytest.fixture(scope="module", params=["checkout", "sdist"])
def site(request, wheels, tmp_path_factory):
    """A folder with the unpacked wheel, as an installation has it."""
    folder = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(wheels[request.param]) as archive:
        archive.extractall(folder)
    return folder


def _python(*words, path, cwd):
    # -P: the current folder is not searched for modules
    environment = os.environ | {"PYTHONPATH": str(path)}
    command = [sys.executable, "-P", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=cwd, timeout=300)


def test_the_source_archive_holds_code_configs_and_tests(unpacked_sdist):
    found = {path.relative_to(unpacked_sdist).as_posix() for path in unpacked_sdist.rglob("*")}
    assert _data_files() | _code_files() <= found
    assert {"experiments", "pyproject.toml", "README.md", "LICENSE", "tests/conftest.py"} <= found
    assert not [name for name in found if name.startswith(("results", ".git/")) or "__pycache__" in name]


@pytest.mark.parametrize("origin", ["checkout", "sdist"])
def test_a_wheel_holds_code_and_configs_and_nothing_else(wheels, origin):
    names = set(zipfile.ZipFile(wheels[origin]).namelist())
    data = {f"pavlov_cli/{name}" for name in _data_files()}
    assert data | _code_files() <= names
    rest = {name for name in names - data - _code_files() if ".dist-info/" not in name}
    assert rest <= {"pavlov_cli/experiments/.gitkeep", "pavlov_cli/py.typed"}


def test_both_wheels_are_equal(wheels):
    first, second = (
        {name: archive.read(name) for name in archive.namelist()} for archive in map(zipfile.ZipFile, wheels.values())
    )
    assert first == second


def test_an_installation_uses_its_own_configs(site, tmp_path):
    ended = _python("-c", WHERE, path=site, cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    package = site / "pavlov_cli"
    assert ended.stdout.splitlines() == [
        str(package / "__init__.py"),
        str(package / "configs"),
        str(package / "experiments"),
    ]


def test_an_installation_lists_and_composes(site, tmp_path):
    here = subprocess.run(
        [sys.executable, "-m", "pavlov_cli", "list"], capture_output=True, text=True, cwd=ROOT, check=True
    )
    listed = _python("-m", "pavlov_cli", "list", path=site, cwd=tmp_path)
    assert (listed.returncode, listed.stdout) == (0, here.stdout), listed.stderr
    config = _python("-m", "pavlov_cli", "capacity", "--dk", 8, "--cfg", path=site, cwd=tmp_path)
    assert config.returncode == 0, config.stderr
    assert config.stdout.startswith("study: capacity\nd_k:\n- 8\n")
    (site / "pavlov_cli" / "configs" / "criterion" / "mse.yaml").rename(site / "mse.yaml")
    without = _python("-m", "pavlov_cli", "list", "criterion", path=site, cwd=tmp_path)
    (site / "mse.yaml").rename(site / "pavlov_cli" / "configs" / "criterion" / "mse.yaml")
    assert "mse" not in without.stdout, "configs of another place were read"


def test_an_installation_without_configs_says_so(wheels, tmp_path):
    with zipfile.ZipFile(wheels["checkout"]) as archive:
        archive.extractall(tmp_path, [name for name in archive.namelist() if "/configs/" not in name])
    ended = _python("-m", "pavlov_cli", "capacity", "--cfg", path=tmp_path, cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (3, "")
    assert ended.stderr == "pavlov: the installation lacks its 'configs' folder; reinstall pavlov.\n"


def test_an_installation_beside_other_configs_ignores_them(site, tmp_path):
    """A folder ``configs`` beside the package, as another package may install, is not ours."""
    (site / "configs").mkdir()
    try:
        ended = _python("-c", WHERE, path=site, cwd=tmp_path)
    finally:
        (site / "configs").rmdir()
    assert ended.stdout.splitlines()[1] == str(site / "pavlov_cli" / "configs")


def test_a_checkout_uses_its_own_configs_even_beside_a_stale_copy(unpacked_sdist, tmp_path):
    stale = unpacked_sdist / "pavlov_cli" / "configs"
    stale.mkdir()
    try:
        ended = _python("-c", WHERE, path=unpacked_sdist, cwd=tmp_path)
    finally:
        stale.rmdir()
    assert ended.stdout.splitlines()[1:] == [str(unpacked_sdist / "configs"), str(unpacked_sdist / "experiments")]


def test_the_tests_run_on_this_checkout():
    from pavlov_cli.registry import PACKAGE, resource_root

    assert PACKAGE == ROOT / "pavlov_cli"
    assert (resource_root("configs"), resource_root("experiments")) == (ROOT / "configs", ROOT / "experiments")
