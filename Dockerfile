# One image; the command chooses the door: `docker run prelude` is the web, `docker run prelude worker` the
# worker, `docker run prelude worker.ingest FROM…` reads documents in.
FROM python:3.13-slim AS build
WORKDIR /build
COPY requirements/setup.txt requirements/runtime.txt ./
RUN python -m venv /uv \
 && /uv/bin/pip install --quiet --no-cache-dir --require-hashes --requirement setup.txt \
 && python -m venv --without-pip /venv
RUN --mount=type=cache,target=/root/.cache/uv \
    UV_LINK_MODE=copy /uv/bin/uv pip sync --python /venv/bin/python --require-hashes --only-binary :all: \
    --compile-bytecode runtime.txt

FROM python:3.13-slim
RUN useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin prelude \
 && install --directory --owner=prelude /data
COPY --from=build /venv /venv
WORKDIR /srv
COPY app app
COPY web web
COPY worker worker
COPY dev/handbook handbook
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 \
    HOST=0.0.0.0 PORT=8000 DATA_DIR=/data ANONYMIZED_TELEMETRY=False
USER prelude
VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --start-interval=1s \
    CMD ["python", "-c", "import os, urllib.request as u; u.urlopen('http://127.0.0.1:' + os.environ['PORT'] + '/healthz', timeout=4)"]
ENTRYPOINT ["python", "-m"]
CMD ["web"]
