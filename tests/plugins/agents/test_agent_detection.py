"""What counts as installed, and how often a program is asked."""

from __future__ import annotations

import asyncio
import json
import os
import stat
import time
from pathlib import Path

import pytest
from agent_bench import Bench
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jackfield.api.agents import Detection
from jackfield.api.errors import NotFound
from jackfield_agents.cache import MOST, ProgramAnswer, ProgramAnswerCache
from jackfield_agents.settings import AgentSettings


async def detected(bench: Bench, name: str) -> Detection:
    return (await bench.catalog.detect_all())[name]


# ------------------------------------------------------------------------------------------------------ what counts


async def test_a_command_that_succeeds_means_installed(bench: Bench) -> None:
    path = bench.program("tool", "echo tool 1.2.3")
    bench.agent("tool")
    assert await detected(bench, "tool") == Detection(True, "1.2.3", str(path))


async def test_without_a_program_nothing_is_installed(bench: Bench) -> None:
    bench.agent("tool")
    assert await detected(bench, "tool") == Detection(False)
    assert bench.catalog.detector.problems == {}


async def test_a_command_that_fails_means_nothing(bench: Bench) -> None:
    bench.program("tool", "exit 1")
    bench.agent("tool")
    found = await detected(bench, "tool")
    assert not found.installed
    assert bench.catalog.detector.problems == {"tool": ["`tool --version` ended with exit code 1"]}


async def test_an_existing_file_means_installed_and_home_is_the_users(bench: Bench) -> None:
    (bench.home / ".tool").mkdir()
    (bench.home / ".tool" / "config").touch()
    bench.agent("tool", commands="[]", files='["~/.nothing", "~/.tool/config"]')
    assert await detected(bench, "tool") == Detection(True)


async def test_a_file_that_is_the_program_gives_path_and_version(bench: Bench) -> None:
    path = bench.program("tool", "echo 3.4.5", bench.home / "apps")
    bench.agent("tool", files='["~/apps/tool"]')
    assert await detected(bench, "tool") == Detection(True, "3.4.5", str(path))


async def test_without_commands_the_version_flag_is_asked(bench: Bench) -> None:
    bench.program("tool", '[ "$1" = -V ] && echo tool 6.7')
    bench.agent("tool", commands="[]", more='version_flag = "-V"')
    assert (await detected(bench, "tool")).version == "6.7"


async def test_the_version_comes_from_the_binary_when_the_command_says_none(bench: Bench) -> None:
    bench.program("tool", '[ "$1" = --version ] && echo tool 6.7; exit 0')
    bench.agent("tool", commands='["tool status"]')
    assert await detected(bench, "tool") == Detection(True, "6.7", str(bench.bin / "tool"))


async def test_commands_are_split_as_a_shell_would_but_run_without_one(bench: Bench) -> None:
    bench.program("tool", 'echo "$#:$1 9.9"')
    bench.agent("tool", commands="""["tool 'a b' ; touch /tmp/never $(id)"]""", more='version_flag = ""')
    await detected(bench, "tool")
    assert any(command.startswith("tool 'a b' ';'") for command in bench.catalog.detector.cache.all())


@pytest.mark.parametrize("command", ["tool 'open", "", "   "])
async def test_a_command_that_is_none_does_not_hinder_the_others(bench: Bench, command: str) -> None:
    bench.program("tool", "echo 1.2.3")
    bench.agent("tool", commands=f'["{command}", "tool --version"]')
    assert (await detected(bench, "tool")).version == "1.2.3"
    problems = bench.catalog.detector.problems.get("tool", ())
    assert bool(problems) == ("'" in command)


async def test_a_version_flag_that_is_none_is_told_of_its_agent_alone(bench: Bench) -> None:
    bench.program("tool", "echo 1.2.3")
    bench.program("other", "echo 4.5.6")
    bench.agent("tool", more='version_flag = "\'"')
    bench.agent("other")
    found = await bench.catalog.detect_all()
    assert (found["tool"].version, found["other"].version) == ("1.2.3", "4.5.6")
    assert "version_flag" in bench.catalog.detector.problems["tool"][0]


async def test_an_unknown_agent_is_not_found(bench: Bench) -> None:
    bench.agent("tool")
    with pytest.raises(NotFound, match="no agent other; there are: tool") as caught:
        await bench.catalog.find("other")
    assert caught.value.code == "AGENT_NOT_FOUND"
    assert (await bench.catalog.find("tool")).title == "The tool"


# ------------------------------------------------------------------------------------------------------------- cache


async def test_a_program_is_asked_once_even_after_a_restart(bench: Bench) -> None:
    bench.program("tool", "echo 1.2.3")
    bench.agent("tool")
    for _ in range(3):
        assert (await detected(bench, "tool")).version == "1.2.3"
    bench.restart()
    assert (await detected(bench, "tool")).version == "1.2.3"
    assert bench.starts("tool") == 1


async def test_the_cache_is_the_owners_alone(bench: Bench) -> None:
    bench.program("tool", "echo 1.2.3")
    bench.agent("tool")
    await detected(bench, "tool")
    path = bench.config / "cache" / "agent-detections.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert json.loads(path.read_text())["commands"]["tool --version"]["version"] == "1.2.3"


async def test_many_at_once_ask_once(bench: Bench) -> None:
    bench.program("tool", "sleep 0.2; echo 1.2.3")
    bench.agent("tool")
    agent = await bench.catalog.find("tool")
    found = await asyncio.gather(*(bench.catalog.detect(agent) for _ in range(20)))
    assert {one.version for one in found} == {"1.2.3"}
    assert bench.starts("tool") == 1


async def test_who_goes_away_does_not_end_the_question(bench: Bench) -> None:
    bench.program("tool", "sleep 0.3; echo 1.2.3")
    bench.agent("tool")
    asking = asyncio.ensure_future(bench.catalog.detect_all())
    while not bench.starts("tool"):
        await asyncio.sleep(0.01)
    asking.cancel()
    assert (await detected(bench, "tool")).version == "1.2.3"
    assert bench.starts("tool") == 1


async def test_a_new_program_is_asked_again_and_told_about(bench: Bench) -> None:
    path = bench.program("tool", "echo 1.2.3")
    bench.agent("tool")
    await detected(bench, "tool")
    assert bench.context.events.published == []
    bench.program("tool", "echo 4.5.6")
    os.utime(path, (time.time() + 10, time.time() + 10))
    assert (await detected(bench, "tool")).version == "4.5.6"
    (event,) = bench.context.events.published
    assert (event.topic, event.type) == ("agents", "agent_detected")
    assert event.data == {"id": "tool", "installed": True, "version": "4.5.6"}


async def test_a_program_that_goes_is_noticed(bench: Bench) -> None:
    path = bench.program("tool", "echo 1.2.3")
    bench.agent("tool")
    await detected(bench, "tool")
    path.unlink()
    assert await detected(bench, "tool") == Detection(False)


async def test_a_link_to_another_program_is_noticed(bench: Bench) -> None:
    for number in (1, 2):
        path = bench.program(f"tool-{number}", f"echo {number}.0.{'0' * number}")
        os.utime(path, (1_000_000_000 + number, 1_000_000_000 + number))
    link = bench.bin / "tool"
    link.symlink_to("tool-1")
    bench.agent("tool")
    assert (await detected(bench, "tool")).version == "1.0.0"
    link.unlink()
    link.symlink_to("tool-2")
    assert (await detected(bench, "tool")).version == "2.0.00"


async def test_nothing_is_left_in_the_users_home(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    marks = 'touch "$HOME/home" "$XDG_CONFIG_HOME/../config" "$XDG_STATE_HOME/../../state" "$TOOL_HOME/own"'
    made = 'mkdir -p "$XDG_STATE_HOME" "$XDG_CONFIG_HOME"'
    bench.program("tool", f'{made} && {marks} && echo 1.2 "$HOME" > {tmp_path}/said')
    bench.agent("tool", more='[profile]\nenv = { TOOL_HOME = "{home}/.tool" }')
    assert (await detected(bench, "tool")).installed
    assert list(bench.home.iterdir()) == []
    home = Path((tmp_path / "said").read_text().split()[1])
    assert home.parent == tmp_path
    assert not home.exists()
    assert bench.starts("tool") == 1


async def test_a_shim_that_needs_the_users_home_gets_it(bench: Bench) -> None:
    """As those of version managers, which find their tool there."""
    (bench.home / ".tool-versions").write_text("tool 4.5\n")
    bench.program("tool", 'cat "$HOME/.tool-versions" 2> /dev/null')
    bench.agent("tool")
    assert (await detected(bench, "tool")).version == "4.5"


async def test_a_version_manager_stays_the_users_own(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    (bench.home / ".volta").mkdir()
    monkeypatch.setenv("NVM_DIR", "/opt/nvm")
    bench.program("tool", f'test "$VOLTA_HOME $NVM_DIR $MISE_DATA_DIR" = "{bench.home}/.volta /opt/nvm " && echo 1.2')
    bench.agent("tool")
    assert (await detected(bench, "tool")).version == "1.2"
    assert bench.starts("tool") == 1


async def test_without_room_for_a_home_the_users_is_taken(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(bench.home / "missing"))
    bench.program("tool", "echo 1.2")
    bench.agent("tool")
    assert (await detected(bench, "tool")).version == "1.2"


async def test_a_failure_counts_for_a_while(bench: Bench) -> None:
    """Two starts are one look: in a home of its own, and in the user's."""
    bench.program("tool", "exit 1")
    bench.agent("tool")
    await detected(bench, "tool")
    await bench.clock.advance(bench.settings.detection_retry - 1)
    await detected(bench, "tool")
    assert bench.starts("tool") == 2
    await bench.clock.advance(2)
    await detected(bench, "tool")
    assert bench.starts("tool") == 4


async def test_agents_with_one_program_share_the_answer(bench: Bench) -> None:
    bench.program("tool", "echo 1.2.3")
    bench.agent("tool")
    bench.agent("twin", commands='["tool --version"]', more="")
    text = (bench.config / "agents.d" / "twin.toml").read_text().replace('binary = "twin"', 'binary = "tool"')
    (bench.config / "agents.d" / "twin.toml").write_text(text)
    found = await bench.catalog.detect_all()
    assert found["tool"] == found["twin"]
    assert bench.starts("tool") == 1


@pytest.mark.parametrize("content", ["", "{", "[]", '{"format": 1}', '{"format": 1, "commands": {"a": 1}}', "\0"])
async def test_a_broken_cache_is_named_and_made_anew(bench: Bench, content: str) -> None:
    bench.program("tool", "echo 1.2.3")
    bench.agent("tool")
    path = bench.config / "cache" / "agent-detections.json"
    path.parent.mkdir()
    path.write_text(content)
    assert (await detected(bench, "tool")).version == "1.2.3"
    assert "agent-detections.json" in str(bench.catalog.detector.cache.damage)
    assert "tool --version" in json.loads(path.read_text())["commands"]


async def test_a_cache_of_another_format_is_not_used(bench: Bench) -> None:
    path = bench.config / "cache" / "agent-detections.json"
    path.parent.mkdir()
    path.write_text('{"format": 2, "commands": {}}')
    bench.program("tool", "echo 1.2.3")
    bench.agent("tool")
    assert (await detected(bench, "tool")).installed


async def test_a_cache_that_cannot_be_written_hinders_nothing(bench: Bench) -> None:
    (bench.config / "cache").write_text("in the way")
    bench.program("tool", "echo 1.2.3")
    bench.agent("tool")
    assert (await detected(bench, "tool")).version == "1.2.3"
    await detected(bench, "tool")
    assert bench.starts("tool") == 1


async def test_what_another_process_has_found_is_taken_over(bench: Bench) -> None:
    bench.program("tool", "echo 1.2.3")
    await bench.catalog.detect_all()
    first = bench.catalog
    bench.restart()
    bench.agent("tool")
    await bench.catalog.detect_all()
    assert (await first.detect_all())["tool"].version == "1.2.3"
    assert bench.starts("tool") == 1


async def test_forgetting_asks_again(bench: Bench) -> None:
    bench.program("tool", "echo 1.2.3")
    bench.agent("tool")
    await detected(bench, "tool")
    await bench.catalog.detect_all(again=True)
    await detected(bench, "tool")
    assert bench.starts("tool") == 2


def answer(failure: str | None = None) -> ProgramAnswer:
    return ProgramAnswer("/bin/tool", 1, 2, failure, "1.2", 3, 4)


def test_the_cache_is_bounded(tmp_path: Path) -> None:
    cache = ProgramAnswerCache(tmp_path / "cache.json")
    for number in range(MOST + 10):
        cache.put(str(number), answer())
    assert len(cache.all()) == MOST
    assert cache.get("0") is None
    assert cache.get(str(MOST + 9)) is not None


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.data())
def test_no_flipped_bits_make_the_cache_raise(tmp_path: Path, data: st.DataObject) -> None:
    path = tmp_path / "cache" / "cache.json"
    whole = ProgramAnswerCache(path)
    whole.put("tool --version", answer("because"))
    whole.save()
    content = bytearray(path.read_bytes())
    for position in data.draw(st.lists(st.integers(0, len(content) * 8 - 1), min_size=1, max_size=4)):
        content[position // 8] ^= 1 << position % 8
    path.write_bytes(content)
    damaged = ProgramAnswerCache(path)
    damaged.refresh()
    assert damaged.damage is not None or all(isinstance(one, ProgramAnswer) for one in damaged.all().values())


# -------------------------------------------------------------------------------------------------------------- time


async def test_slow_programs_are_given_up_side_by_side(bench: Bench) -> None:
    bench.settings = AgentSettings(detection_timeout=0.6)
    bench.restart()
    bench.program("tool", "echo 1.2.3")
    bench.agent("tool")
    for number in range(3):
        bench.program(f"slow{number}", "exec sleep 60")
        bench.agent(f"slow{number}")
    started = time.monotonic()
    found = await bench.catalog.detect_all()
    assert time.monotonic() - started < 3
    assert {name for name, one in found.items() if one.version} == {"tool"}
    assert found["slow0"] == Detection(True, None, str(bench.bin / "slow0"))  # it is there, and may only be slow
    assert "did not end within 0.6 s" in bench.catalog.detector.problems["slow0"][0]


async def test_the_path_is_known_at_once_and_the_version_comes_later(bench: Bench) -> None:
    bench.settings = AgentSettings(detection_wait=0.05)
    bench.restart()
    path = bench.program("tool", f"while [ ! -e {bench.bin}/go ]; do sleep 0.02; done; echo 1.2.3")
    bench.agent("tool")
    agent = await bench.catalog.find("tool")
    assert await bench.catalog.located(agent) == Detection(True, None, str(path))
    assert await detected(bench, "tool") == Detection(True, None, str(path))
    (bench.bin / "go").touch()
    await bench.settled()
    assert await bench.catalog.located(agent) == Detection(True, "1.2.3", str(path))
    assert [event.data["version"] for event in bench.context.events.published] == ["1.2.3"]
    assert bench.starts("tool") == 1


async def test_what_is_known_of_a_program_that_fails(bench: Bench) -> None:
    bench.program("tool", "exit 1")
    bench.agent("tool")
    bench.agent("missing")
    agent = await bench.catalog.find("tool")
    assert (await bench.catalog.located(agent)).installed  # nobody has asked it yet
    await bench.settled()
    assert not (await bench.catalog.located(agent)).installed
    assert await bench.catalog.located(await bench.catalog.find("missing")) == Detection(False)


async def test_no_more_than_the_setting_says_run_side_by_side(bench: Bench) -> None:
    bench.settings = AgentSettings(detection_parallel=2)
    bench.restart()
    turn = f"{bench.bin}/turn"
    count = f"mkdir {turn}$$; ls -d {turn}* | wc -l >> {bench.bin}/most; sleep 0.1; rmdir {turn}$$"
    for number in range(5):
        bench.program(f"tool{number}", f"{count}; echo 1.{number}")
        bench.agent(f"tool{number}")
    await bench.catalog.detect_all()
    counts = [int(line) for line in (bench.bin / "most").read_text().split()]
    assert len(counts) == 5
    assert max(counts) <= 2


async def test_a_program_that_was_only_slow_is_asked_again_alone(bench: Bench) -> None:
    bench.settings = AgentSettings(detection_timeout=0.4)
    bench.restart()
    bench.program("tool", f"[ $(wc -l < {bench.bin}/tool.starts) -gt 1 ] || sleep 60; echo 1.2.3")
    bench.agent("tool")
    await detected(bench, "tool")
    await bench.settled()
    assert (await detected(bench, "tool")).version == "1.2.3"
    assert bench.starts("tool") == 2
    assert (await detected(bench, "tool")).installed


async def test_a_timeout_is_not_kept_over_a_restart(bench: Bench) -> None:
    bench.settings = AgentSettings(detection_timeout=0.2)
    bench.restart()
    bench.program("tool", "exec sleep 60")
    bench.agent("tool")
    await detected(bench, "tool")
    await bench.settled()
    before = bench.starts("tool")
    await detected(bench, "tool")
    assert bench.starts("tool") == before
    assert json.loads((bench.config / "cache" / "agent-detections.json").read_text())["commands"] == {}
