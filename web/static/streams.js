// When a turn's stream is opened, left, resumed and over. What it brings is htmx's and app.js's.
//
// HTTP/1.1 gives a browser six connections to a server, for all its tabs together. Streams take at most four
// of them, so that pages still load; a tab that waits for one asks those who have one to give way, and they
// come back at the number where they left. Without Web Locks (plain http from another machine) there is no
// such limit, and the seventh tab waits.
(() => {
  "use strict";
  const PLACES = 4;
  const SHARE_MS = 1000; // how long a stream may stay while others wait
  const ASK_MS = 250;
  const AGAIN_MS = 700; // after a first connection that failed
  const on = (type, handler) => document.addEventListener(type, handler);
  const isStream = (element) => Boolean(element?.hasAttribute?.("hx-sse:connect"));
  const limited = Boolean(navigator.locks && window.BroadcastChannel);
  const waiting = limited ? new BroadcastChannel("streams") : null;

  const places = new Map(); // a stream and the place that it has: {n, since, release}
  const wanted = new WeakSet(); // streams that wait for a place, or have one
  const leaving = new WeakSet(); // streams that give way
  const dead = new WeakSet(); // streams that the server refuses (gone, not ours) and always will
  const connections = new WeakMap();
  const seen = new WeakMap(); // the number of the last frame that a stream brought

  // ---- places ----
  function take() {
    if (!limited) return Promise.resolve({n: -1, since: 0, release() {}});
    return new Promise((resolve) => {
      const others = new AbortController();
      let asked = 0;
      const asking = setInterval(() => waiting.postMessage(asked++ % PLACES), ASK_MS);
      let taken = false;
      const hold = (n) => {
        if (taken) return null; // two were granted at once: this one is given back
        taken = true;
        clearInterval(asking);
        return new Promise((release) => {
          resolve({n, since: performance.now(), release});
          queueMicrotask(() => others.abort());
        });
      };
      for (let n = 0; n < PLACES; n++) {
        navigator.locks.request(`stream-${n}`, {signal: others.signal}, () => hold(n)).catch(() => {});
      }
    });
  }

  async function listen(stream) {
    if (wanted.has(stream) || dead.has(stream) || !stream.isConnected) return;
    wanted.add(stream);
    const place = await take();
    if (!stream.isConnected) {
      place.release();
      return;
    }
    places.set(stream, place);
    stream.dispatchEvent(new Event("listen"));
  }

  function leave(stream) {
    places.get(stream)?.release();
    places.delete(stream);
    wanted.delete(stream);
  }

  waiting?.addEventListener("message", ({data}) => {
    for (const [stream, {n, since}] of places) {
      if (n !== data || !(document.hidden || performance.now() - since > SHARE_MS)) continue;
      leaving.add(stream);
      connections.get(stream)?.reader?.cancel();
    }
  });

  // ---- the life of a stream ----
  const listenAll = () => document.querySelectorAll(".turn > [hx-sse\\:connect]").forEach(listen);
  on("DOMContentLoaded", listenAll);
  on("htmx:after:swap", listenAll);

  on("htmx:config:request", (event) => {
    const {sourceElement, request} = event.detail.ctx;
    if (seen.has(sourceElement)) request.headers["Last-Event-ID"] = String(seen.get(sourceElement));
  });
  on("htmx:sse:before:connection", (event) => {
    const {target, detail} = event;
    connections.set(target, detail.connection);
    if (dead.has(target) || (leaving.has(target) && detail.connection.attempt > 0)) {
      detail.connection.cancelled = true;
    }
  });
  function refused(stream, status) {
    if (!(status >= 400 && status < 500)) return;
    dead.add(stream);
    stream.dispatchEvent(new Event("done", {bubbles: true})); // the composer must not wait for it
  }
  on("htmx:sse:error", (event) => refused(event.target, event.detail.status));
  // The first connection is an ordinary request, which the extension does not repeat.
  function again(stream) {
    setTimeout(() => {
      if (stream.isConnected && !dead.has(stream)) stream.dispatchEvent(new Event("listen"));
    }, AGAIN_MS);
  }
  on("htmx:error", (event) => {
    const stream = event.detail.ctx?.sourceElement;
    if (isStream(stream)) again(stream);
  });
  on("htmx:response:error", (event) => {
    const {sourceElement: stream, response} = event.detail.ctx;
    if (!isStream(stream)) return;
    refused(stream, response.status);
    again(stream);
  });
  // Numbers only grow: a frame that comes twice is shown once.
  on("htmx:sse:before:message", (event) => {
    const id = Number(event.detail.message.id || 0);
    if (event.detail.message.event || !id) return;
    if (id <= (seen.get(event.target) ?? 0)) event.detail.cancelled = true;
    seen.set(event.target, id);
  });
  on("htmx:sse:close", ({target}) => {
    const returns = leaving.delete(target);
    leave(target);
    if (returns) listen(target);
  });
  on("done", ({target}) => {
    if (!isStream(target)) return;
    leave(target);
    queueMicrotask(() => target.remove());
  });
})();
