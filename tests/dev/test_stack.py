"""The supervisor with real processes: how it starts, what it says, how it ends."""

import json
import os
import signal
import socket
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, cast

import pytest
import redis

from tests.dev.stacks import LAST_WORDS, STUBBORN, Stack, alive, checkout, running, until


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return checkout(tmp_path / "checkout")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


def healthz(stack: Stack) -> dict[str, dict[str, str]]:
    with urllib.request.urlopen(f"http://127.0.0.1:{stack.port}/healthz", timeout=10) as answer:
        told: dict[str, dict[str, str]] = json.load(answer)
        return told


def kill_web(stack: Stack) -> None:
    with pytest.raises((urllib.error.URLError, ConnectionError)):
        urllib.request.urlopen(f"http://127.0.0.1:{stack.port}/die", timeout=10)


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM])
def test_says_where_it_answers_and_stops_when_told(root: Path, data: Path, signum: int) -> None:
    with running(root, data) as stack:
        stack.until_ready()
        family = stack.descendants()
        assert len(family) >= 5
        assert stack.end(signum) == 0
        assert not [pid for pid in family if alive(pid)]
        assert len(stack.output.splitlines()) < 20, stack.output


def test_parts_find_one_another(root: Path, data: Path) -> None:
    with running(root, data) as stack:
        environment = healthz(stack.until_ready())["environment"]
        assert redis.Redis.from_url(environment["REDIS_URL"]).config_get("maxmemory-policy") == {
            "maxmemory-policy": "noeviction"}
        assert environment["OPENAI_BASE_URL"].startswith("http://127.0.0.1:")
        until(lambda: not refuses(environment["CHROMA_URL"] + "/api/v2/heartbeat"))
        assert (data / "run" / "stack.json").stat().st_mode & 0o777 == 0o600


def test_kill_of_the_supervisor_leaves_no_orphan(root: Path, data: Path) -> None:
    with running(root, data) as stack:
        family = stack.until_ready().descendants()
        stack.end(signal.SIGKILL)
        until(lambda: not any(alive(pid) for pid in family), patience_s=5)


def test_a_part_that_will_not_end_is_made_to(tmp_path: Path, data: Path) -> None:
    with running(checkout(tmp_path / "checkout", worker=STUBBORN), data) as stack:
        family = stack.until_ready().descendants()
        assert stack.end() == 0
        assert not [pid for pid in family if alive(pid)]


def test_the_doors_end_before_what_they_need(tmp_path: Path, data: Path) -> None:
    with running(checkout(tmp_path / "checkout", worker=LAST_WORDS), data) as stack:
        until(lambda: "idle" in stack.until_ready().output)
        assert stack.end() == 0
        assert (data / "last-words").read_text() == "valkey still answers"


def test_a_part_that_dies_is_named_and_restarted(root: Path, data: Path) -> None:
    with running(root, data) as stack:
        kill_web(stack.until_ready())
        until(lambda: "web ended with status 7" in stack.output)
        assert "| the web's last words" in stack.output
        until(lambda: not refuses(f"http://127.0.0.1:{stack.port}/healthz"))
        assert stack.process.poll() is None


def test_a_part_that_keeps_dying_ends_the_stack(root: Path, data: Path) -> None:
    (root / "worker" / "__main__.py").write_text("raise SystemExit('no queue here')")
    with running(root, data) as stack:
        assert stack.process.wait(60) == 1
        assert stack.output.count("no queue here") >= 4
        assert "worker ended with status 1; giving up" in stack.output


def test_a_killed_part_comes_back_with_its_data(root: Path, data: Path) -> None:
    with running(root, data) as stack:
        client = redis.Redis.from_url(stack.until_ready().environment()["REDIS_URL"])
        client.set("greeting", "你好")
        server = cast(dict[str, Any], client.info("server"))
        os.kill(server["process_id"], signal.SIGKILL)
        until(lambda: "valkey ended with status 137; starting it again in 0.5 s. Its last" in stack.output)
        assert "Ready to accept connections" in stack.output
        until(lambda: answers(client))
        assert client.get("greeting") == "你好".encode()


def test_data_survives_a_kill_of_everything(root: Path, data: Path) -> None:
    with running(root, data) as stack:
        client = redis.Redis.from_url(stack.until_ready().environment()["REDIS_URL"])
        client.set("greeting", "hello")
        stack.end(signal.SIGKILL)
    with running(root, data) as stack:
        client = redis.Redis.from_url(stack.until_ready().environment()["REDIS_URL"])
        assert client.get("greeting") == b"hello"


def test_a_taken_port_is_one_line(root: Path, data: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with running(root, data, PORT=str(port)) as stack:
            assert stack.process.wait(30) == 1
            until(lambda: stack.output.endswith("\n"))
            assert stack.output.splitlines() == [
                f"PORT {port} on 127.0.0.1 is taken by another program: stop it, or set PORT to a free one."]


def test_a_second_stack_on_the_same_data_is_one_line(root: Path, data: Path) -> None:
    with running(root, data) as first:
        first.until_ready()
        with running(root, data) as second:
            assert second.process.wait(30) == 1
            until(lambda: second.output.endswith("\n"))
            assert len(second.output.splitlines()) == 1
            assert f"(pid {first.process.pid})" in second.output


@pytest.mark.parametrize(("name", "value"), [("PORT", "web"), ("REDIS_URL", "localhost")])
def test_a_bad_setting_is_one_line(root: Path, data: Path, name: str, value: str) -> None:
    with running(root, data, **{name: value}) as stack:
        assert stack.process.wait(30) == 1
        until(lambda: stack.output.endswith("\n"))
        assert stack.output.startswith(f"{name} is '{value}'")
        assert len(stack.output.splitlines()) == 1


def test_what_is_configured_is_not_started(root: Path, data: Path) -> None:
    elsewhere = {"REDIS_URL": "redis://127.0.0.1:1/0", "CHROMA_URL": "http://127.0.0.1:2",
                 "OPENAI_API_KEY": "sk-1", "CHAT_MODEL": "large"}
    with running(root, data, **elsewhere) as stack:
        environment = healthz(stack.until_ready())["environment"]
        assert elsewhere.items() <= environment.items()
        assert "OPENAI_BASE_URL" not in environment
        assert not (data / "valkey").exists()
        assert not (data / "chroma").exists()


def test_a_provider_without_a_models_name_is_one_line(root: Path, data: Path) -> None:
    with running(root, data, OPENAI_API_KEY="sk-1") as stack:
        assert stack.process.wait(30) == 1
        until(lambda: stack.output.endswith("\n"))
        assert stack.output.startswith("CHAT_MODEL is not set")
        assert len(stack.output.splitlines()) == 1


def test_a_long_data_dir_gets_a_short_socket(root: Path, tmp_path: Path) -> None:
    with running(root, tmp_path / ("long" * 30)) as stack:
        url = stack.until_ready().environment()["REDIS_URL"]
        assert len(url) < 100
        assert redis.Redis.from_url(url).ping()


def refuses(url: str) -> bool:
    try:
        urllib.request.urlopen(url, timeout=10).close()
    except OSError:
        return True
    return False


def answers(client: redis.Redis) -> bool:
    try:
        return bool(client.ping())
    except redis.RedisError:
        return False
