"""How do a primary config, group choices and overrides become settings?"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Any

from pavlov_cli.config.overrides import AXES, Overrides, scalar, split_overrides
from pavlov_cli.config.settings import Settings, make_settings
from pavlov_cli.config.sheets import read_sheet
from pavlov_cli.errors import ConfigError
from pavlov_cli.plan.ranges import parse_fractions, parse_range
from pavlov_cli.records import Choice, Scalar
from pavlov_cli.registry import GROUPS, resource_root


def _quote(value: Scalar) -> str:
    """A scalar as Hydra's grammar reads it back unchanged."""
    if isinstance(value, str):
        escaped = value.replace("\\'", "\\\\'").replace("'", "\\'")
        return f"'{escaped}'"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return repr(value)


class _Composer:
    """Composes one primary config with Hydra."""

    def __init__(self, study: str):
        self._study = study
        self._known: dict[tuple[str, ...], dict[str, Any]] = {}

    def compose(self, *overrides: str) -> dict[str, Any]:
        """The composed primary config as plain data; equal overrides are composed once."""
        if overrides not in self._known:
            self._known[overrides] = self._compose(overrides)
        return self._known[overrides]

    def _compose(self, overrides: tuple[str, ...]) -> dict[str, Any]:
        from hydra import compose, initialize_config_dir
        from hydra.errors import HydraException
        from omegaconf import OmegaConf
        from omegaconf.errors import OmegaConfBaseException

        try:
            with initialize_config_dir(str(resource_root("configs").resolve()), version_base="1.3"):
                composed = compose(self._study, overrides=list(overrides))
            content: Any = OmegaConf.to_container(composed, resolve=False)
            return content
        except (HydraException, OmegaConfBaseException) as error:
            reason = str(error).splitlines()[0]
            raise ConfigError(f"the configuration of '{self._study}' does not compose: {reason}") from error


def compose_settings(study: str, words: Iterable[str], flags: Mapping[str, Any]) -> Settings:
    """Settings of a command.

    Args:
        study: name of the primary config, with underscores.
        words: overrides as typed.
        flags: setting or axis -> value from an option; None where the option was not used.

    Returns:
        The validated settings.

    Raises:
        ConfigError: anything about them that is not legal.
    """
    composer = _Composer(study)
    base = composer.compose()
    base["query.cosine"] = base.get("query", {}).get("cosine", 1.0)
    plain = {name for name in base if name not in GROUPS and name not in ("sweep", "query")}
    overrides = split_overrides(words, sorted(plain))
    overrides.settings |= {name: str(value) for name, value in flags.items() if value is not None}
    sweep = {group: tuple(text.split(",")) for group, text in base.get("sweep", {}).items()}
    content: dict[str, Any] = {}
    for name in plain:
        content[name] = _setting(name, base[name], overrides)
    content["query_cosine"] = content.pop("query.cosine")
    for group in GROUPS:
        default = _default_choice(study, group)
        names = overrides.groups.get(group) or sweep.get(group) or (default,)
        content[group] = _choices(composer, group, names, default, overrides)
    if study == "capacity" and content["num_associations"] and "d_k" not in overrides.settings:
        content["d_k"] = ()  # it is what is asked for
    if "d_k" not in overrides.settings and any(
        read_sheet("key_ensemble", c.name).about.get("baseline") for c in content["key_ensemble"]
    ):
        content["d_k"] = ()  # the file says it
    return make_settings(study, content)


def _setting(name: str, default: Any, overrides: Overrides) -> Any:
    given = overrides.settings.get(name)
    if name in AXES:
        text = default if given in (None, "null") else given
        if given == "null" and default is not None:
            raise ConfigError(f"{name} must be given; got null. Leave it out for {default}.")
        return None if text is None else parse_range(text, name)
    if name == "query.cosine":
        return parse_fractions(str(default if given is None else given), name, up_to_1=True)
    if name == "target_error":
        text = default if given in (None, "null") else given
        return None if text is None else parse_fractions(str(text), name)
    return default if given is None else scalar(given)


def _default_choice(study: str, group: str) -> str:
    """The entry that the primary config's defaults list names."""
    import yaml

    text = (resource_root("configs") / f"{study}.yaml").read_text(encoding="utf-8")
    chosen = {k: v for item in yaml.safe_load(text)["defaults"] if isinstance(item, dict) for k, v in item.items()}
    return str(chosen[group])


def _choices(
    composer: _Composer, group: str, names: tuple[str, ...], default: str, overrides: Overrides
) -> tuple[Choice, ...]:
    """Every choice of a group: each entry composed alone, with the parameters that it has."""
    given = {name: values for (owner, name), values in overrides.parameters.items() if owner == group}
    used: set[str] = set()
    choices = []
    for name in names:
        sheet = read_sheet(group, name)
        mine = {parameter: values for parameter, values in given.items() if parameter in sheet.about["parameters"]}
        used |= set(mine)
        for values in itertools.product(*mine.values()):
            words = [f"{group}.{parameter}={_quote(value)}" for parameter, value in zip(mine, values, strict=True)]
            chosen = [] if name == default else [f"{group}={name}"]
            node = composer.compose(*chosen, *words).get(group) or {}
            choices.append(sheet.check({key: node[key] for key in sheet.defaults}))
    for parameter in given:
        if parameter not in used:
            raise ConfigError(
                f"{group}.{parameter} applies to none of {', '.join(names)}; choose an entry that has it."
            )
    return tuple(choices)
