// What the reader saw of each turn that this page asked, and when: told to the server once, after its end.
//
// A turn's clock starts at the timeStamp of the key or click that asked. Something counts as painted when a
// mutation has shown it, the next animation frame has come and a task behind it has run: 4 ms before the true
// paint in Chromium. Only the turn that runs is watched, and of it only what is still awaited. A turn that
// was running when the page came has no key or click here, and nothing is told of it.
(() => {
  "use strict";
  const on = (target, type, handler) => target.addEventListener(type, handler, true);
  const round = (ms) => Math.round(ms * 100) / 100;
  const hex = (id) => id.replaceAll("-", "");
  let cause = 0; // when the key or click came that is being handled
  let turn = null; // the one that was asked last
  let arrival = null; // waits for its article

  // ---- the start: whatever made the form submit ----
  function note(event) {
    if (event.type === "keydown" && event.key !== "Enter") return;
    cause = event.timeStamp;
    setTimeout(() => { cause = 0; });
  }
  on(window, "keydown", note);
  on(window, "click", note);

  on(document, "submit", (event) => { // behind app.js, which names the turn or refuses the question
    if (event.target.id !== "composer") return;
    const id = hex(event.target.elements.turn.value);
    const again = turn?.id === id && !turn.article; // sent again: an answer may have been lost
    turn = {id, asked: cause || event.timeStamp, hidden: document.hidden, resumed: again, streams: 0, stall: 0};
    arrival?.disconnect();
    arrival = new MutationObserver(arrived);
    arrival.observe(document.getElementById("thread"), {childList: true});
  });

  // ---- its request: by the network's own clock, or, should that stay silent, by htmx's events ----
  function took(entries) {
    for (const {name, startTime, requestStart, responseStart} of entries) {
      if (!turn || turn.timed || startTime < turn.asked || new URL(name).pathname !== "/turns") continue;
      turn.timed = true;
      turn.sent = requestStart - turn.asked;
      turn.got = responseStart - turn.asked;
    }
  }
  const network = new PerformanceObserver((list) => took(list.getEntries()));
  network.observe({type: "resource"});
  for (const [type, name] of [["htmx:before:request", "sent"], ["htmx:before:response", "got"]]) {
    on(document, type, ({detail}) => {
      if (turn && detail.ctx.sourceElement?.id === "composer") turn[name] ??= performance.now() - turn.asked;
    });
  }

  // ---- what is painted ----
  const PARTS = {childList: true};
  const TEXT = {childList: true, characterData: true, subtree: true};

  function arrived() {
    const article = document.getElementById(`t-${turn.id}`);
    if (!article) return;
    arrival.disconnect();
    const asked = turn;
    asked.article = article;
    asked.observers = [];
    const awaits = (name, part, sign) => watch(asked, article.querySelector(part), PARTS, (element) => {
      if (!element.querySelector(sign)) return false;
      painted(asked, name);
      return true;
    });
    awaits("ttfp", ".steps", ".step");
    awaits("ttfs", ".cards", ".card:not(.is-awaited)");
    // Withdrawn text does not count: the first one is still to come.
    watch(asked, article.querySelector(".note"), PARTS, (note) => {
      if (!note.firstElementChild) return false;
      for (const name of ["ttft", "shown"]) delete asked[name];
      asked.stall = 0;
      asked.retracted = true;
      return true;
    });
    let length = 0;
    watch(asked, article.querySelector(".answer"), TEXT, (answer) => {
      const now = answer.textContent.trim().length;
      if (now !== length && now > 0) wrote(asked);
      length = now;
      return false; // there may always be more
    });
    awaits("end", ".end", "*");
  }

  // Looks now and after every change, until there is nothing more to see.
  function watch(asked, element, what, seen) {
    if (seen(element)) return;
    const observer = new MutationObserver(() => { if (seen(element)) observer.disconnect(); });
    observer.observe(element, what);
    asked.observers.push(observer);
  }

  // Of the texts behind the first it is noted when they were shown, within a frame of their paint: asking for
  // a frame and a task for each of them took four times as long as all the rest.
  function wrote(asked) {
    const now = performance.now() - asked.asked;
    if (asked.shown === undefined) painted(asked, "ttft");
    else asked.stall = Math.max(asked.stall, now - asked.shown);
    asked.shown = now;
  }

  let fresh = []; // what is shown but not painted yet: [turn, name]
  const due = []; // what is painted once the task behind its frame has run
  let frame = 0;
  const {port1, port2} = new MessageChannel();

  function painted(asked, name) {
    fresh.push([asked, name]);
    if (document.hidden) behind(); // where there are no frames
    else frame ||= requestAnimationFrame(behind);
  }
  function behind() {
    frame = 0;
    due.push(fresh);
    fresh = [];
    port2.postMessage(0);
  }
  port1.onmessage = () => settle(due.shift() ?? []);

  function settle(shown) {
    const now = performance.now();
    for (const [asked, name] of shown) asked[name] = now - asked.asked;
    for (const [asked, name] of shown) if (name === "end") tell(asked);
  }

  // A tab that goes out of sight has no more frames, and one that is left has no more of anything.
  on(document, "visibilitychange", () => {
    if (!document.hidden) return;
    if (turn) turn.hidden = true;
    if (frame) {
      cancelAnimationFrame(frame);
      behind();
    }
  });
  on(window, "pagehide", () => [...due.splice(0), fresh.splice(0)].forEach(settle));

  on(document, "htmx:sse:after:connection", ({target}) => {
    if (turn && target.id === `t-${turn.id}-stream` && turn.streams++) turn.resumed = true;
  });

  // ---- the end ----
  function tell(asked) {
    took(network.takeRecords());
    asked.observers.forEach((observer) => observer.disconnect());
    const {id, article, hidden, resumed, sent, got, ttfp, ttfs, ttft, shown, stall, end} = asked;
    const last = ttft && Math.max(ttft, shown);
    const times = {sent, got, end, ttfp, ttfs, ttft, last, stall_max: stall};
    for (const name in times) times[name] = times[name] === undefined ? null : round(times[name]);
    if (!hidden && !resumed) write(article, times);
    // As plain text: a Blob of another type took as long as everything else that is done here.
    navigator.sendBeacon(`/turns/${id}/paint`, JSON.stringify({...times, hidden, resumed}));
  }

  const duration = (ms) =>
    (ms < 1000 ? `${Math.floor(ms + .5)} ms` : `${(Math.floor(ms / 100 + .5) / 10).toFixed(1)} s`);

  // The line under the answer says what was seen, as it will say when the page is opened again.
  function write(article, {ttft, end}) {
    const first = article.querySelector("[data-first]"), total = article.querySelector("[data-total]");
    if (first && ttft !== null) {
      first.textContent = duration(ttft);
      first.parentElement.title = first.parentElement.dataset.seen;
    }
    if (total) total.textContent = duration(end);
  }
})();
