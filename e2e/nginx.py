"""An nginx with its defaults in front of the application, and gzip for everything."""

import shutil
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from dev.parts import free_port
from e2e.stack import wait_for

CONFIGURATION = """
daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log;
events {{ worker_connections 64; }}
http {{
  access_log off; gzip on; gzip_types *;
  client_body_temp_path {folder}/1; proxy_temp_path {folder}/2; fastcgi_temp_path {folder}/3;
  uwsgi_temp_path {folder}/4; scgi_temp_path {folder}/5;
  server {{
    listen 127.0.0.1:{port};
    location / {{ proxy_pass {target}; proxy_set_header Host $http_host; }}
  }}
}}
"""


def find() -> str | None:
    """Debian keeps it where only root looks."""
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")


@contextmanager
def running(target: str, folder: Path) -> Generator[str, None, None]:
    """Yields its address."""
    program = find()
    if program is None:
        raise RuntimeError("There is no nginx here; make e2e installs it (dev/machine.py).")
    port = free_port()
    configuration = folder / "nginx.conf"
    configuration.write_text(CONFIGURATION.format(folder=folder, port=port, target=target))
    process = subprocess.Popen([program, "-c", str(configuration), "-e", str(folder / "error.log")])
    try:
        wait_for(lambda: (folder / "pid").exists() and (folder / "pid").read_text(), "nginx to start")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(10)
