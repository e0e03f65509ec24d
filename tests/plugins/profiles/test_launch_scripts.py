"""What scripts may give, and what becomes of it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from launch_lab import KEY, Lab

from jackfield.api.profiles import LaunchRequest
from jackfield_profiles.generated.scripts import ScriptFailed, checked
from jackfield_profiles.preferences import CustomPreferences, HookPreferences, ServerPreferences
from jackfield_profiles.running_settings import RunSettings

pytest.importorskip("rhai")
GOOD = """
#{
    files: #{
        "gen/a.json": json::encode(#{ token: "${API_KEY}", home: ctx.profile.home, ctx: ctx }),
        "gen/end": "${API_KEY_END}"
    },
    env: #{ "GEN": `${ctx.provider.id} ${ctx.agent.id}`, "GEN_KEY": "${API_KEY}" },
    args: ["--gen", ctx.profile.endpoint]
}
"""
REQUEST = LaunchRequest(kind="profile_run", args=("--asked",))


@pytest.fixture
async def lab(tmp_path: Path) -> AsyncIterator[Lab]:
    from jackfield_rhai.engine import RhaiEngine
    from jackfield_rhai.settings import RhaiSettings

    made = Lab(tmp_path)
    made.engine = engine = RhaiEngine(RhaiSettings())
    made.program("")
    yield made
    await engine.close()


async def test_files_environment_and_arguments(lab: Lab) -> None:
    lab.script(GOOD)
    lab.profile_fields["args"] = ("--own",)
    launch = await lab.launcher.prepare(lab.profile, REQUEST)
    assert launch.argv == (lab.path, "--own", "--gen", "https://acme.example/a", "--asked")
    assert (launch.env["GEN"], launch.env["GEN_KEY"]) == ("acme echo", KEY)
    written = json.loads((lab.home / "gen/a.json").read_text())
    assert (written["token"], written["home"]) == (KEY, str(lab.home))
    assert (lab.home / "gen/end").read_text() == KEY[-20:]
    assert KEY not in json.dumps(written["ctx"])
    assert lab.used == ["work"]
    assert KEY in lab.context.secrets.redacted


async def test_what_a_script_sees(lab: Lab) -> None:
    lab.script('#{ files: #{ "ctx.json": json::encode(ctx) } }')
    lab.agent_fields["supports_hooks"] = True
    hook: Any = [{"matcher": "Bash", "hooks": [{"type": "command", "command": "x", "timeout": 5}]}]
    lab.metadata["hooks_config"] = {"Stop": hook, "Notification": []}
    preference = HookPreferences.model_validate({"auto_lint": True, "custom": {"Stop": [{"command": "mine"}]}})
    servers = ServerPreferences.model_validate({"files": True, "github_token": "gh-secret-1"})
    context = lab.context
    context.tables = (*context.tables, preference, servers, CustomPreferences.model_validate({"theme": "dark"}))
    await lab.launcher.prepare(lab.profile, REQUEST)
    text = (lab.home / "ctx.json").read_text()
    ctx = json.loads(text)
    mine = {"matcher": "*", "hooks": [{"type": "command", "command": "mine"}]}
    assert ctx["profile"]["hooks_config"] == {"Stop": [*hook, mine]}
    assert ctx["profile"]["proxy_url"] is None
    assert ctx["prefs"]["hooks"]["auto_lint"] is True
    assert (ctx["prefs"]["custom"], ctx["prefs"]["mcp_servers"]["files"]) == ({"theme": "dark"}, True)
    # The token is put in where the script has written its place, and nowhere else.
    assert ctx["prefs"]["mcp_servers"]["github_token"] == "gh-secret-1"
    assert text.count("gh-secret-1") == 1


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("let x = ;", r"echo\.rhai.*line 1"),
        ("loop { }", "echo.rhai"),
        ("5", "last value must be a map"),
        ('#{ files: #{ "../x": "" } }', "stay under the profile's home"),
        ('#{ files: #{ "/x": "" } }', "stay under the profile's home"),
        ('#{ files: #{ "a/../../x": "" } }', "stay under the profile's home"),
        ('#{ files: #{ ".jackfield/owned.json": "" } }', "the daemon's own"),
        ('#{ files: #{ "a": 5 } }', "content must be text"),
        ('#{ files: #{ "a": "", "./a": "" } }', "two entries"),
        ('#{ env: #{ "HOME": "/" } }', "HOME"),
        ('#{ env: #{ "JACKFIELD_X": "/" } }', "JACKFIELD_"),
        ('#{ env: #{ "A=B": "/" } }', r"env\['A=B'\]"),
        ("#{ env: #{ A: 1 } }", r"env\['A'\]"),
        ("#{ args: [1] }", r"args\[0\]"),
        ('#{ args: ["--key=${API_KEY}"] }', "every user of the machine"),
        ('#{ args: ["--key=${API_KEY_END}"] }', "every user of the machine"),
        ("#{ files: [] }", "maps from text to text"),
    ],
)
async def test_a_bad_script_is_told_and_writes_nothing(lab: Lab, script: str, told: str) -> None:
    lab.script(script)
    with pytest.raises(ScriptFailed, match=told) as caught:
        await lab.launcher.prepare(lab.profile, REQUEST)
    assert "echo.rhai" in caught.value.message
    assert not lab.home.exists()


def test_sizes_are_bounded() -> None:
    settings = RunSettings(max_files=1, max_file_bytes=1024)
    with pytest.raises(ScriptFailed, match="max_files"):
        checked({"files": {"a": "", "b": ""}}, "s", settings)
    with pytest.raises(ScriptFailed, match="max_file_bytes"):
        checked({"files": {"a": "x" * 1025}}, "s", settings)
    with pytest.raises(ScriptFailed, match="256"):
        checked({"args": ["x"] * 257}, "s", settings)


async def test_a_missing_script_is_told(lab: Lab) -> None:
    lab.agent_fields["profile"] = {"script": "gone.rhai"}
    with pytest.raises(ScriptFailed, match=r"gone\.rhai.*put it into"):
        await lab.launcher.prepare(lab.profile, REQUEST)


async def test_a_missing_engine_is_told(lab: Lab) -> None:
    lab.script("#{}")
    lab.engine = None
    with pytest.raises(ScriptFailed, match="rhai-python"):
        await lab.launcher.prepare(lab.profile, REQUEST)
