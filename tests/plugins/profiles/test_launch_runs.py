"""Prepared, run and ended: hooks, usage, events, limits."""

from __future__ import annotations

import asyncio
import json
import shutil
import time
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from launch_lab import KEY, Lab

from jackfield.api.errors import Conflict, InvalidInput, NotFound
from jackfield.api.process_containers import ProcessLimits
from jackfield.api.profiles import HeadlessRequest, Launch, LaunchRequest, Profile, RunKind
from jackfield.api.records import replace
from jackfield_profiles.launching.lifecycle_hooks import HookFailed
from jackfield_profiles.launching.replies import result_of
from jackfield_profiles.running_settings import RunSettings
from jackfield_profiles.views import run as run_view

SAYS = """
import json, os, sys
print(json.dumps({"answer": {"text": " ".join(sys.argv[1:])}, "sid": "s9", "key": os.environ["ACME_API_KEY"],
                  "cwd": os.getcwd(), "in": sys.stdin.read()}))
print("warn " + os.environ["ACME_API_KEY"], file=sys.stderr)
sys.exit(int(os.environ.get("CODE", "0")))
"""
HEADLESS = {"args": ["-p", "{prompt}"], "output": "json", "result": "answer.text", "session": "sid"}


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    made = Lab(tmp_path)
    made.program(SAYS)
    made.agent_fields["headless"] = HEADLESS
    return made


async def test_a_headless_run_gives_answer_session_usage_and_no_key(lab: Lab) -> None:
    result = await lab.runs.run(lab.profile, HeadlessRequest(prompt="do it", args=("-v",)))
    assert (result.exit_code, result.result, result.session) == (0, "-p do it -v", "s9")
    assert isinstance(result.data, dict)
    assert (result.data["cwd"], result.data["key"], result.data["in"]) == (str(lab.home), "***", "")
    assert KEY not in result.output + result.errors
    assert result.errors == "warn ***\n"
    assert result.usage is not None
    assert result.usage.tokens.output == 4
    (started, first), (completed, second) = lab.published()
    assert (started, completed) == ("profile_run_started", "profile_run_completed")
    assert (first["alias"], second["exit_code"], first["run_id"]) == ("work", 0, second["run_id"])
    assert lab.usage.ended == [(first["run_id"], 0)]


async def test_a_run_has_at_least_the_sandbox_that_is_asked_for(lab: Lab) -> None:
    with pytest.raises(InvalidInput, match="sandbox standard"):  # which nobody gives here
        await lab.runs.run(lab.profile, HeadlessRequest(prompt="x", sandbox="standard"))
    assert lab.published() == []


async def test_args_alone_need_no_headless_form(lab: Lab) -> None:
    del lab.agent_fields["headless"]
    lab.profile_fields["env"] = {"CODE": "7"}
    result = await lab.runs.run(lab.profile, HeadlessRequest(args=("a",)))
    assert (result.exit_code, result.result) == (7, None)
    with pytest.raises(InvalidInput, match="args"):
        await lab.runs.run(lab.profile, HeadlessRequest(prompt="x"))


async def test_without_a_keeper_of_usage_there_is_none(lab: Lab) -> None:
    del lab.context.ports["Usage"]
    result = await lab.runs.run(lab.profile, HeadlessRequest(prompt="x"))
    assert (result.exit_code, result.usage) == (0, None)


async def test_directories(lab: Lab, tmp_path: Path) -> None:
    for name in ("asked", "own"):
        (tmp_path / name).mkdir()
    lab.profile_fields["working_dir"] = str(tmp_path / "own")
    asked = LaunchRequest(kind="profile_run", working_dir=str(tmp_path / "asked"))
    assert (await lab.launcher.prepare(lab.profile, asked)).cwd == tmp_path / "asked"
    assert (await lab.launcher.prepare(lab.profile, LaunchRequest(kind="profile_run"))).cwd == tmp_path / "own"
    for wrong in ("relative", str(tmp_path / "gone"), "/a\0b"):
        with pytest.raises(InvalidInput) as caught:
            await lab.launcher.prepare(lab.profile, LaunchRequest(kind="profile_run", working_dir=wrong))
        assert caught.value.details is not None
        assert "working_dir" in caught.value.details


@pytest.mark.parametrize("way", ["itself", "inside", "link", "dots"])
@pytest.mark.parametrize("kind", ["profile_run", "terminal_session", "workflow"])
async def test_no_agent_works_in_the_configuration_directory(lab: Lab, tmp_path: Path, way: str, kind: RunKind) -> None:
    config_dir = lab.context.service.config_dir
    inside = config_dir / "keys"
    inside.mkdir(parents=True, exist_ok=True)
    (tmp_path / "link").symlink_to(inside)
    (tmp_path / "beside").mkdir()
    ways = {
        "itself": config_dir,
        "inside": inside,
        "link": tmp_path / "link",
        "dots": tmp_path / "beside" / ".." / config_dir.relative_to(tmp_path),
    }
    given = str(ways[way])
    for asked, own in ((given, None), (None, given)):
        lab.profile_fields["working_dir"] = own
        with pytest.raises(InvalidInput, match="configuration directory") as caught:
            await lab.launcher.prepare(lab.profile, LaunchRequest(kind=kind, working_dir=asked))
        assert "working_dir" in (caught.value.details or {})


async def test_a_sandbox_is_never_left_out_silently(lab: Lab) -> None:
    lab.profile_fields["sandbox"] = "strict"
    with pytest.raises(InvalidInput, match="sandbox strict"):
        await lab.runs.run(lab.profile, HeadlessRequest(prompt="x"))
    launch = await lab.launcher.prepare(lab.profile, LaunchRequest(kind="terminal_session"))
    assert launch.profile.sandbox == "strict"
    await lab.launcher.ended(launch, 0)
    assert lab.published() == []


async def test_usage_that_cannot_be_recorded_does_not_fail_a_run(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    async def run_ended(*_: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(lab.usage, "run_ended", run_ended)
    launch = await lab.launcher.prepare(lab.profile, LaunchRequest(kind="profile_run"))
    assert await lab.launcher.ended(launch, 0) is None


async def test_an_agent_that_is_not_installed_is_told(lab: Lab) -> None:
    lab.path = None
    with pytest.raises(InvalidInput, match="not installed"):
        await lab.runs.run(lab.profile, HeadlessRequest(prompt="x"))


async def test_the_adapter_has_the_last_word(lab: Lab) -> None:
    class Adapter:
        agent_id = "echo"

        async def adjust(self, launch: Launch, profile: Profile) -> Launch:
            return replace(launch, argv=(*launch.argv, "--adjusted"))

    lab.adapters.append(Adapter())
    result = await lab.runs.run(lab.profile, HeadlessRequest(prompt="x"))
    assert result.result == "-p x --adjusted"


async def test_hooks_run_in_home_and_environment(lab: Lab) -> None:
    lab.agent_fields["hooks"] = {
        name: [f"echo {name} $PWD $ACME_API_KEY >> log"] for name in ("create", "delete", "pre_run", "post_run")
    }
    await lab.launcher.lifecycle(lab.profile, "create")
    await lab.runs.run(lab.profile, HeadlessRequest(prompt="x"))
    await lab.launcher.lifecycle(lab.profile, "delete")
    lines = (lab.home / "log").read_text().splitlines()
    assert lines == [f"{name} {lab.home} {KEY}" for name in ("create", "pre_run", "post_run", "delete")]


@pytest.mark.parametrize(
    ("command", "told"),
    [("echo first; echo no $ACME_API_KEY >&2; exit 3", r"ended with 3: no \*\*\*$"), ("sleep 60", "longer than 0.3 s")],
)
async def test_a_failing_pre_run_refuses_the_start(lab: Lab, command: str, told: str) -> None:
    lab.settings = RunSettings(grace=0.2, hook_timeout=0.3, key_check=0)
    lab.agent_fields["hooks"] = {"pre_run": [command, "touch second"]}
    with pytest.raises(HookFailed, match=told):
        await lab.runs.run(lab.profile, HeadlessRequest(prompt="x"))
    assert not (lab.home / "second").exists()
    assert lab.published() == []


async def test_a_failing_create_refuses_and_a_failing_end_is_logged(lab: Lab, caplog: pytest.LogCaptureFixture) -> None:
    lab.agent_fields["hooks"] = {name: ["echo broken >&2; false"] for name in ("create", "delete", "post_run")}
    with pytest.raises(HookFailed, match="create command 1"):
        await lab.launcher.lifecycle(lab.profile, "create")
    await lab.launcher.lifecycle(lab.profile, "delete")
    assert (await lab.runs.run(lab.profile, HeadlessRequest(prompt="x"))).exit_code == 0
    assert [record.message.count("broken") for record in caplog.records] == [1, 1]


async def test_a_cancelled_run_is_ended_and_recorded(lab: Lab) -> None:
    lab.program("import os, time\nopen('pid', 'w').write(str(os.getpid())); time.sleep(60)")
    running = asyncio.ensure_future(lab.runs.run(lab.profile, HeadlessRequest(prompt="x")))
    await _until(lambda: (lab.home / "pid").exists() and (lab.home / "pid").read_text())
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert not Path("/proc", (lab.home / "pid").read_text()).exists()
    await _until(lambda: lab.usage.ended)
    assert lab.usage.ended[0][1] == 143


async def test_so_many_runs_of_a_profile_at_a_time(lab: Lab) -> None:
    lab.settings = RunSettings(concurrent=2, key_check=0)
    lab.program(
        "import os, time\nopen(str(os.getpid()), 'w').close()\n"
        "while not os.path.exists('go'): time.sleep(0.01)\nprint(len([n for n in os.listdir('.') if n.isdigit()]))"
    )
    runs = [asyncio.ensure_future(lab.runs.run(lab.profile, HeadlessRequest(args=("x",)))) for _ in range(3)]
    await _until(lambda: lab.home.is_dir() and len([path for path in lab.home.iterdir() if path.name.isdigit()]) == 2)
    assert len(lab.used) == 2
    (lab.home / "go").touch()
    outputs = [(await run).output for run in runs]
    assert max(outputs) == "3\n"


async def test_output_past_the_limit_keeps_its_end_and_says_so(lab: Lab) -> None:
    lab.settings = RunSettings(output_limit=1024, key_check=0)
    lab.program("print('x' * 5000); print('the end')")
    result = await lab.runs.run(lab.profile, HeadlessRequest(args=("x",)))
    assert (len(result.output), result.output[-8:]) == (1024, "the end\n")
    assert (result.output_cut, result.errors_cut) == (5001 + 8 - 1024, 0)
    told = run_view(result)
    assert (told["output_cut"], "errors_cut" in told) == (3985, False)
    assert (result_of(told).output_cut, result_of(told).errors_cut) == (3985, 0)


async def test_whoever_waits_for_runs_waits_for_those_that_wait_for_their_turn(lab: Lab) -> None:
    lab.settings = RunSettings(concurrent=1, key_check=0)
    lab.program("import os, time\nopen('on', 'w').close()\nwhile not os.path.exists('go'): time.sleep(0.01)")
    runner = lab.runs
    await asyncio.wait_for(runner.settled("work"), 5)
    runs = [asyncio.ensure_future(runner.run(lab.profile, HeadlessRequest(args=("x",)))) for _ in range(2)]
    await _until(lambda: (lab.home / "on").exists())
    waiting = asyncio.ensure_future(runner.settled("work"))
    await asyncio.wait_for(runner.settled("other"), 5)
    assert not waiting.done()
    (lab.home / "go").touch()
    await asyncio.wait_for(waiting, 20)
    assert [(await run).exit_code for run in runs] == [0, 0]


NAMED = {
    "args": ["-p", "{prompt}"], "output": "json", "session": "sid",
    "session_args": ["--session", "{session}"], "session_unless": ["--session", "--resume"],
}  # fmt: skip
WAITS = """
import json, os, sys, time
open("started-" + sys.argv[2], "w").close()
while not os.path.exists("go-" + sys.argv[2]): time.sleep(0.01)
print(json.dumps({"sid": sys.argv[4]}))
"""


async def test_each_of_two_runs_at_once_has_a_session_of_its_own(lab: Lab) -> None:
    lab.agent_fields["headless"] = NAMED
    lab.program(WAITS)
    first, second = (
        asyncio.ensure_future(lab.runs.run(lab.profile, HeadlessRequest(prompt=name))) for name in ("one", "two")
    )
    await _until(lambda: (lab.home / "started-one").exists() and (lab.home / "started-two").exists())
    (lab.home / "go-one").touch()
    sessions = [(await first).session]
    (lab.home / "go-two").touch()
    sessions.append((await second).session)
    assert [UUID(str(name)).version for name in sessions] == [4, 4]
    assert sessions[0] != sessions[1]
    assert [(launch.session, launch.alone) for launch in lab.usage.launches] == [(name, False) for name in sessions]
    (lab.home / "go-three").touch()
    await lab.runs.run(lab.profile, HeadlessRequest(prompt="three"))
    assert lab.usage.launches[-1].alone


async def test_beside_the_hooks_of_one_that_has_ended_a_run_is_not_alone(lab: Lab) -> None:
    """The hooks' time is the run's in its usage."""
    lab.agent_fields["headless"] = NAMED
    lab.agent_fields["hooks"] = {"post_run": ["touch hooked; while [ ! -e go-hook ]; do sleep 0.01; done"]}
    lab.program(WAITS)
    for name in ("one", "two"):
        lab.home.mkdir(parents=True, exist_ok=True)
        (lab.home / f"go-{name}").touch()
    first = asyncio.ensure_future(lab.runs.run(lab.profile, HeadlessRequest(prompt="one")))
    await _until(lambda: (lab.home / "hooked").exists())
    second = asyncio.ensure_future(lab.runs.run(lab.profile, HeadlessRequest(prompt="two")))
    await _until(lambda: (lab.home / "started-two").exists())
    (lab.home / "go-hook").touch()
    await asyncio.gather(first, second)
    assert [launch.alone for launch in lab.usage.launches] == [False, False]


async def test_a_run_that_is_given_up_keeps_the_session_it_was_given(lab: Lab) -> None:
    lab.agent_fields["headless"] = NAMED
    lab.program(WAITS)
    run = asyncio.ensure_future(lab.runs.run(lab.profile, HeadlessRequest(prompt="one")))
    await _until(lambda: (lab.home / "started-one").exists())
    run.cancel()
    await asyncio.wait([run])
    await _until(lambda: lab.usage.launches)
    assert UUID(str(lab.usage.launches[0].session))


async def test_an_interrupted_run_goes_on_when_it_is_asked_for_with_its_key(lab: Lab) -> None:
    lab.agent_fields["headless"] = {**NAMED, "resume": {"args": ["-r", "{session}", "{prompt}"], "prompt": "Go on."}}
    lab.program(WAITS)
    asked = HeadlessRequest(prompt="one", key="run work mine")
    run = asyncio.ensure_future(lab.runs.run(lab.profile, asked))
    await _until(lambda: (lab.home / "started-one").exists())
    with pytest.raises(Conflict, match="going on"):
        await lab.runs.run(lab.profile, asked)
    run.cancel()
    await asyncio.wait([run])
    await _until(lambda: lab.usage.launches)
    session = str(lab.usage.launches[0].session)
    lab.program("import json, sys\nprint(json.dumps({'sid': 'x', 'args': sys.argv[1:]}))")
    again = await lab.runs.run(lab.profile, asked)
    assert again.data == {"sid": "x", "args": ["-r", session, "Go on."]}
    once_more = await lab.runs.run(lab.profile, asked)  # the first is over
    assert isinstance(once_more.data, dict)
    assert once_more.data["args"] != again.data["args"]


@pytest.mark.parametrize("args", [("--resume", "s1"), ("--session=s1",)])
async def test_a_session_that_is_chosen_is_left(lab: Lab, args: tuple[str, ...]) -> None:
    lab.agent_fields["headless"] = NAMED
    asked = LaunchRequest(kind="profile_run", prompt="x", args=args)
    launch = await lab.launcher.prepare(lab.profile, asked)
    assert (launch.session, tuple(launch.argv[1:])) == (None, ("-p", "x", *args))


async def test_beside_a_terminal_session_a_run_is_not_alone(lab: Lab) -> None:
    class Terminals:
        def live(self, alias: str) -> list[str]:
            return ["t1"]

    lab.context.ports["Terminals"] = Terminals()
    await lab.runs.run(lab.profile, HeadlessRequest(prompt="x"))
    assert not lab.usage.launches[0].alone


class DeletesMeanwhile:
    """A script whose profile is deleted while it runs."""

    language = "rhai"

    def __init__(self, lab: Lab) -> None:
        self.lab = lab

    async def value(self, source: str, variables: Any, **_: Any) -> Any:
        self.lab.deleted = True
        return {"files": {"a.json": "{}"}}


async def test_a_profile_deleted_while_a_run_is_prepared_does_not_get_its_home_back(lab: Lab) -> None:
    lab.engine = DeletesMeanwhile(lab)  # type: ignore[assignment]
    lab.script("")
    with pytest.raises(NotFound):
        await lab.runs.run(lab.profile, HeadlessRequest(prompt="x"))
    assert not lab.home.exists()


async def test_a_run_is_prepared_when_the_deletion_that_goes_on_has_ended(lab: Lab) -> None:
    await lab.lock.acquire()
    preparing = asyncio.ensure_future(lab.launcher.prepare(lab.profile, LaunchRequest(kind="profile_run")))
    await _until(lambda: lab.lock._waiters)
    assert not lab.home.exists()
    lab.deleted = True
    lab.lock.release()
    with pytest.raises(NotFound):
        await preparing
    assert not lab.home.exists()


async def test_the_end_of_a_run_does_not_bring_a_deleted_home_back(lab: Lab, caplog: pytest.LogCaptureFixture) -> None:
    lab.agent_fields["hooks"] = {"post_run": ["echo x > made"]}
    launch = await lab.launcher.prepare(lab.profile, LaunchRequest(kind="profile_run"))
    shutil.rmtree(lab.home)
    await lab.launcher.ended(launch, 0)
    assert not lab.home.exists()
    assert "After a run of work" in caplog.text


async def test_starts_side_by_side_write_one_whole_configuration(lab: Lab) -> None:
    class Script:
        language = "rhai"

        async def value(self, source: str, variables: Any, **_: Any) -> Any:
            return {"files": {"a.json": json.dumps({"x": {"y": [1, 2]}})}}

    lab.engine = Script()  # type: ignore[assignment]
    lab.script("")
    request = LaunchRequest(kind="profile_run")
    await asyncio.gather(*(lab.launcher.prepare(lab.profile, request) for _ in range(8)))
    assert json.loads((lab.home / "a.json").read_text()) == {"x": {"y": [1, 2]}}
    assert sorted(path.name for path in lab.home.iterdir()) == [".jackfield", "a.json"]


async def _until(what: Any) -> None:
    deadline = time.monotonic() + 10
    while not what():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.01)


async def test_a_run_that_breaks_its_profiles_limit_is_killed_and_says_so(lab: Lab) -> None:
    lab.agent_fields["headless"] = {"args": ["-p", "{prompt}"], "output": "text"}
    lab.profile_fields["limits"] = ProcessLimits(processes=10)
    lab.program("import os, time\nfor _ in range(40): os.fork() or time.sleep(60)\ntime.sleep(60)")
    ended = await lab.runs.run(lab.profile, HeadlessRequest(prompt="x"))
    assert ended.exit_code != 0
    assert "limit is 10" in ended.errors
