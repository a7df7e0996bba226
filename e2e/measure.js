// What the reader saw, and when: of every turn that this page asks, and of the page as a whole.
//
// A turn's clock starts at the timeStamp of the key or click that asked. Something counts as painted after
// a mutation shows it, the next animation frame has come and a task behind it has run: 4 ms before the true
// paint in Chromium. Times are milliseconds; `seen` holds one record a turn, `shifts` and `longTasks` all.
(() => {
  const seen = [], shifts = [], longTasks = [], violations = [];
  window.measured = {seen, shifts, longTasks, violations};

  let asked = 0;
  const note = (event) => { asked = event.timeStamp; };
  document.addEventListener("keydown", (event) => { if (event.key === "Enter") note(event); }, true);
  document.addEventListener("pointerdown", note, true);

  const MARKS = {
    progress: (turn) => turn.querySelector(".step"),
    source: (turn) => turn.querySelector(".card:not(.is-awaited)"),
    token: (turn) => turn.querySelector(".answer")?.textContent.trim(),
    end: (turn) => turn.dataset.state !== "running",
  };

  function painted(then) {
    requestAnimationFrame(() => {
      const {port1, port2} = new MessageChannel();
      port1.onmessage = () => then(performance.now());
      port2.postMessage(0);
    });
  }

  const records = new Map();
  function look() {
    for (const turn of document.querySelectorAll(".turn")) {
      let record = records.get(turn.dataset.turn);
      if (!record) {
        record = {turn: turn.dataset.turn, asked, hidden: document.hidden, marks: {}, noticed: {}};
        records.set(turn.dataset.turn, record);
        seen.push(record);
      }
      for (const [name, holds] of Object.entries(MARKS)) {
        if (name in record.noticed || !holds(turn)) continue;
        record.noticed[name] = performance.now() - record.asked;
        painted((now) => { record.marks[name] = now - record.asked; });
      }
    }
  }
  new MutationObserver(look).observe(document, {subtree: true, childList: true, characterData: true,
    attributes: true, attributeFilter: ["data-state"]});

  const observe = (type, take) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({type, buffered: true});
  observe("layout-shift", (entry) => shifts.push({at: entry.startTime, value: entry.value,
    recent: entry.hadRecentInput, what: entry.sources.map((source) => {
      const node = source.node?.nodeType === 1 ? source.node : source.node?.parentElement;
      const {y: from} = source.previousRect, {y: to} = source.currentRect;
      return `${node?.tagName}.${node?.className}#${node?.id} ${from}→${to}`;
    })}));
  observe("longtask", (entry) => longTasks.push({at: entry.startTime, ms: entry.duration}));
  document.addEventListener("securitypolicyviolation", (event) =>
    violations.push(`${event.effectiveDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`));
})();
