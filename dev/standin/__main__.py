"""`python -m dev.standin --host 127.0.0.1 --port 0`: prints its address on one line once it listens."""

import argparse
from contextlib import suppress

from dev.standin.serving import listen, server


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m dev.standin", description="The stand-in model's server.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8002, help="0 takes a free one")
    asked = parser.parse_args()
    try:
        listener = listen(asked.host, asked.port)
    except (OSError, OverflowError) as error:
        raise SystemExit(f"Cannot listen on {asked.host}:{asked.port}: {error}.") from None
    print(f"http://{asked.host}:{listener.getsockname()[1]}", flush=True)
    with suppress(KeyboardInterrupt):  # uvicorn raises it again after it has shut down
        server().run(sockets=[listener])


if __name__ == "__main__":
    main()
