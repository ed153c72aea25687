"""Whatever is wrong with a command, one clear message says so and nothing is written."""

from __future__ import annotations

import pytest

USAGE = 2


def _refused(ended, code, out):
    assert (ended.code, ended.out) == (code, "")
    assert ended.err.startswith("pavlov: ")
    assert len(ended.err.splitlines()) <= 2
    assert "Traceback" not in ended.err
    assert not out.exists(), "a folder was left behind"


# words -> what the message must say
COMMANDS = [
    ("capcity", "Did you mean 'capacity'?"),
    ("xyzzy", "Known: capacity, error-rate, list, show, diff, plot, clean, doctor."),
    ("capacity --xyzzy", "No such option: --xyzzy. See: pavlov capacity --help."),
    ("capacity --dkk 8", "--dk"),
    ("list critrion", "Did you mean criterion?"),
    ("capacity criterion=sgn", "Did you mean sign?"),
    ("capacity criterion.marin=1", "Did you mean margin?"),
    ("plot --titel x", "--title"),
    ("clean --unfinishd", "--unfinished"),
    ("--nosuch", "--nosuch"),
    ("capacity --nosuch", "--nosuch"),
    ("capacity --max-trails 8", "--max-trials"),
    ("capacity --seed", "--seed"),
    ("list runs extra", "extra"),
    ("list nosuch", "unknown group 'nosuch'"),
]
OVERRIDES = [
    ("criterium=sign", "Did you mean criterion"),
    ("criterion=sing", "Did you mean sign"),
    ("criterion=", "Known: codebook, cosine, guaranteed, listwise, mse, sign, top1."),
    ("criterion=sign,", "Known: codebook, cosine, guaranteed, listwise, mse, sign, top1."),
    ("update_rule=heb", "Did you mean hebb?"),
    ("criterion.margn=1", "Did you mean margin?"),
    ("criterion.=1", "Known: codebook_size, k, margin."),
    ("sed=1", "Did you mean seed?"),
    ("words", "must be an override such as"),
    ("=1", "must be an override such as"),
    ("d_k", "must be an override such as"),
    ("hydra.x=1", "refused"),
    ("hydra=1", "refused"),
    ("+a=1", "refused"),
    ("++a=1", "refused"),
    ("~criterion", "must be an override such as"),
    ("~criterion=sign", "refused"),
    ("_target_=x", "refused"),
    ("criterion._target_=x", "refused"),
    ("criterion.about=1", "refused"),
    ("criterion.about.reads=attention", "refused"),
    ("criterion.margin=${oc.env:HOME}", "interpolations"),
    ("key_ensemble.path=${oc.env:HOME}", "interpolations"),
    ("sweep=sign", "unknown override 'sweep'"),
    ("sweep.criterion=sign", "unknown override"),
    ("defaults=1", "unknown override 'defaults'"),
    ("study=error_rate", "unknown override 'study'"),
    ("criterion.margin=abc", "must be of type float; got 'abc'"),
    ("criterion.margin=-1", "must be > 0; got -1"),
    ("criterion.margin=0", "must be > 0; got 0"),
    ("criterion.margin=", "must be of type float; got ''"),
    ("criterion.margin=null", "must be of type float; got null. Leave it out for 1.0."),
    ("criterion.margin=true", "must be of type float"),
    ("criterion.margin=.inf", "must be finite"),
    ("criterion.margin=[1]", "must be of type float"),
    ("criterion.margin=0.5,-1", "must be > 0; got -1"),
    ("update_rule.beta=nan", "must be of type float"),
    ("update_rule.beta=.nan", "must be finite"),
    ("key_ensemble.path=x.npy", "applies to none of sphere"),
    ("depth=2", "depth must be 1"),
    ("width=1,2", "width must be 1"),
    ("num_heads=4", "num_heads must be 1"),
    ("depth=0", "between 1 and"),
    ("depth=null", "must be given; got null. Leave it out for 1."),
    ("d_k=null", "must be given; got null. Leave it out for 64..1024."),
    ("seed=null", "must be given; got null"),
    ("seed=", "must be a whole number; got ''"),
    ("target_error=", "must be a number; got ''"),
]
OPTIONS = [
    ("--dk", "0", "between 1 and"),
    ("--dk", "-8", "between 1 and"),
    ("--dk", "64..", "must be like 64..1024"),
    ("--dk", "1024..64", "Write 64..1024."),
    ("--dk", "abc", "must be like 64..1024"),
    ("--dk", "1e3", "must be like 64..1024"),
    ("--dk", "8.5", "must be like 64..1024"),
    ("--dk", "", "must be like 64..1024"),
    ("--dk", "8,,16", "must be like 64..1024"),
    ("--dk", "99999999999", "between 1 and 2147483647; got 99999999999"),
    ("--dk", "9" * 5000, "between 1 and"),
    ("--dk", "1..999999999:+1", "at most 10000 values"),
    ("--dk", "8..64:#1", "between 2 and 10000"),
    ("--dk", "8..64:+0", "between 1 and"),
    ("--dk", "1..5000:+1,5000..20000:+1", "at most 10000 values"),
    ("--dv", "0", "d_v must be between 1"),
    ("--target-error", "2", "between 0 and 1"),
    ("--target-error", "0", "between 0 and 1"),
    ("--target-error", "nan", "between 0 and 1"),
    ("--target-error", ".nan", "must be a number"),
    ("--target-error", "0.1,2", "between 0 and 1"),
    ("--target-error", "", "must be a number; got ''"),
    ("--trials", "0", "between 2 and"),
    ("--trials", "1", "between 2 and"),
    ("--trials", "-4", "between 2 and"),
    ("--trials", "8.5", "whole number"),
    ("--trials", "yes", "must be a number; got true"),
    ("--max-trials", "7", "between 8 and"),
    ("--confidence", "1", "between 0 and 1"),
    ("--half-width", "0", "between 0 and 1"),
    ("--seed", "-1", "between 0 and"),
    ("--seed", "4294967296", "between 0 and"),
    ("--queries", "0", "between 1 and"),
    ("--n-max", "0", "between 1 and"),
    ("--device-count", "0", "between 1 and"),
    ("--device-count", "257", "between 1 and 256"),
    ("--precision", "float46", "Did you mean float64"),
    ("--platform", "tup", "Did you mean tpu?"),
]


def _words(text):
    return text if isinstance(text, tuple) else tuple(text.split())


@pytest.mark.parametrize(("words", "said"), COMMANDS)
def test_unknown_commands_and_options_are_refused(pavlov, tmp_path, monkeypatch, words, said):
    monkeypatch.chdir(tmp_path)
    ended = pavlov(*words.split())
    _refused(ended, USAGE, tmp_path / "results")
    assert said in ended.err


@pytest.mark.parametrize(("word", "said"), OVERRIDES, ids=[word for word, _ in OVERRIDES])
def test_a_bad_override_is_refused(pavlov, tmp_path, word, said):
    out = tmp_path / "results"
    ended = pavlov("capacity", word, "--out", out)
    _refused(ended, USAGE, out)
    assert said in ended.err


@pytest.mark.parametrize(("option", "value", "said"), OPTIONS, ids=[f"{o}={v[:20]}" for o, v, _ in OPTIONS])
def test_a_bad_option_is_refused(pavlov, tmp_path, option, value, said):
    out = tmp_path / "results"
    ended = pavlov("capacity", option, value, "--out", out)
    _refused(ended, USAGE, out)
    assert said in ended.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--n 0", "between 1 and"),
        ("--n 64..", "must be like"),
        ("num_associations=null", "must be given; got null"),
        ("--n 100000", "at most 65536 here (raise --n-max)"),
        ("--n 200 --n-max 100", "at most 100 here"),
        ("--n 5000 criterion=guaranteed", "guaranteed reads an [n, n] matrix"),
        ("--target-error 0.1", "--target-error"),
    ],
)
@pytest.mark.parametrize("mode", [(), ("--dry-run",)], ids=["run", "dry-run"])
def test_error_rate_refuses_numbers_of_associations_out_of_reach(pavlov, tmp_path, words, said, mode):
    out = tmp_path / "results"
    ended = pavlov("error-rate", *words.split(), *mode, "--out", out)
    _refused(ended, USAGE, out)
    assert said in ended.err


def test_a_parameter_that_no_chosen_entry_has_is_refused(pavlov, tmp_path):
    out = tmp_path / "results"
    ended = pavlov("capacity", "criterion=sign,mse", "criterion.margin=0.5", "--out", out)
    _refused(ended, USAGE, out)
    assert "criterion.margin applies to none of sign, mse" in ended.err


def test_a_sweep_of_too_many_cells_is_refused(pavlov, tmp_path):
    out = tmp_path / "results"
    ended = pavlov("capacity", "--dk", "1..1000:+1", "--dv", "1..1000:+1", "--out", out)
    _refused(ended, USAGE, out)
    assert "at most 100000 cells; got 4000000" in ended.err


def test_an_absent_platform_is_refused(pavlov, tmp_path, monkeypatch):
    import jax

    def devices():
        raise RuntimeError("no such backend")

    monkeypatch.setattr(jax, "devices", devices)
    ended = pavlov("capacity", "--dk", 8, "--trials", 8, "--device-count", 1, "--out", tmp_path)
    assert (ended.code, ended.out) == (USAGE, "")
    assert "has no device here; leave --platform out or use cpu." in ended.err


def test_a_traceback_is_shown_only_when_asked_for(pavlov):
    assert "Traceback" not in pavlov("capacity", "--dk", 0).err
    ended = pavlov("capacity", "--dk", 0, "--verbose")
    assert ended.code == USAGE
    assert "Traceback" in ended.err
    assert ended.err.splitlines()[-1] == "pavlov: d_k must be between 1 and 2147483647; got 0."


def test_an_internal_error_says_how_to_see_more(pavlov, monkeypatch):
    def fail(*arguments):
        raise ZeroDivisionError("by chance")

    monkeypatch.setattr("pavlov_cli.config.compose.compose_settings", fail)
    ended = pavlov("capacity")
    assert (ended.code, ended.out) == (70, "")
    assert ended.err == (
        "pavlov: internal error: ZeroDivisionError: by chance. Run again with --verbose for the traceback.\n"
    )
