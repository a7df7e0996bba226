// What HTML cannot say: keys, the composer's state, and following the stream.
(() => {
  "use strict";
  const $ = (id) => document.getElementById(id);
  const on = (type, handler, options) => document.addEventListener(type, handler, options);
  const running = () => document.querySelector('.turn[data-state="running"]');
  let last = ""; // the question asked last, for the arrow key
  let draft = ""; // what stood in the box while another question was sent from elsewhere
  let path = location.pathname; // what is shown; a citation changes only what is behind it

  // ---- the composer ----
  // randomUUID wants a secure context; a phone on the local network has none.
  const uuid = () => crypto.randomUUID?.() ??
    "10000000-1000-4000-8000-100000000000".replace(/[018]/g, (c) =>
      (+c ^ (crypto.getRandomValues(new Uint8Array(1))[0] & (15 >> (+c / 4)))).toString(16));

  function refresh() {
    const turn = running();
    document.body.classList.toggle("busy", Boolean(turn));
    document.body.classList.toggle("empty", !document.querySelector(".turn"));
  }

  function say(key) {
    $("status").textContent = $("status").dataset[key];
  }

  function ask(text, {replaces = "", large = false} = {}) {
    const box = $("question");
    if (!text.trim() || running()) return;
    if (!$("editing").hidden) cancel();
    if (box.value !== text) draft = box.value;
    box.value = text;
    instead(replaces, large);
    $("composer").requestSubmit();
  }

  // The turn in whose place the next question is asked; it gets an id of its own.
  function instead(replaces, large = false) {
    const {elements} = $("composer"), wish = large ? "1" : "";
    if (elements.replaces.value !== replaces || elements.large.value !== wish) elements.turn.value = "";
    elements.replaces.value = replaces;
    elements.large.value = wish;
    $("editing").hidden = true;
    document.querySelector(".turn.edited")?.classList.remove("edited");
  }

  function edit(text, replaces) {
    const box = $("question");
    if (!$("editing").hidden) cancel();
    draft = box.value;
    box.value = text;
    instead(replaces);
    $("editing").hidden = false;
    $(`t-${dashless(replaces)}`)?.classList.add("edited");
    box.focus();
    box.setSelectionRange(text.length, text.length);
  }

  function cancel() {
    instead("");
    $("question").value = draft;
    $("notice").textContent = "";
    draft = "";
    $("question").focus();
  }

  on("submit", (event) => {
    const form = event.target;
    if (form.dataset.confirm && !window.confirm(form.dataset.confirm)) event.preventDefault();
    if (form.id !== "composer") return;
    if (running() || !$("question").value.trim()) {
      event.preventDefault();
      event.stopImmediatePropagation();
      return;
    }
    $("notice").textContent = "";
    if (form.elements.question.value !== last) form.elements.turn.value = "";
    last = $("question").value;
    form.elements.turn.value ||= uuid(); // a question sent again after a failure is the same turn
    stick = true;
  }, true);

  on("htmx:before:swap", (event) => {
    if (event.detail.ctx?.sourceElement?.id !== "composer" || !event.detail.ctx.response?.raw?.ok) return;
    const form = $("composer");
    $(`t-${dashless(form.elements.replaces.value)}`)?.classList.add("replaced");
    form.elements.turn.value = "";
    instead("");
    if ($("question").value === last) $("question").value = draft;
    draft = "";
    path = `/c/${form.elements.conversation.value}`;
    if (location.pathname !== path) history.pushState(null, "", path);
  });

  on("htmx:after:swap", () => {
    for (const template of document.querySelectorAll("#thread > template")) {
      const list = $("conversations");
      if (!$(`c-${dashless(template.dataset.conversation)}`)) list.prepend(template.content);
      template.remove();
    }
    refresh();
  });

  const dashless = (id) => id.replaceAll("-", "");

  on("htmx:error", (event) => {
    const source = event.detail.ctx?.sourceElement;
    if (source?.id === "composer") $("notice").textContent = source.dataset.unreachable;
  });

  function stop() {
    const turn = running();
    if (!turn) return;
    const complain = (text) => { $("notice").textContent = text; };
    fetch(`/turns/${turn.dataset.turn}/stop`, {method: "POST"})
      .then(async (reply) => { if (!reply.ok) complain(await reply.text()); })
      .catch(() => complain($("composer").dataset.unreachable));
  }

  // ---- the end of a turn ----
  on("done", (event) => {
    const turn = event.target.closest?.(".turn");
    if (!turn) return;
    turn.dataset.state = turn.querySelector(".facts") ? "finished" : "failed";
    say(turn.dataset.state);
    refresh();
    $("notice").textContent = "";
    if (document.activeElement === document.body) $("question").focus({preventScroll: true}); // Stop is gone
  });

  // ---- following the stream: only while the reader is at the bottom ----
  let stick = true;
  let touched = 0;
  let before = 0;
  const page = document.documentElement;
  const atBottom = () => page.scrollHeight - window.scrollY - window.innerHeight < 60;
  for (const type of ["wheel", "touchmove", "keydown", "pointerdown"]) {
    on(type, () => { touched = performance.now(); }, {passive: true});
  }
  on("scroll", () => {
    if (window.scrollY < before - 1 && performance.now() - touched < 800) stick = false;
    else if (atBottom()) stick = true;
    before = window.scrollY;
  }, {passive: true});

  // ---- keys and clicks ----
  on("keydown", (event) => {
    const box = $("question");
    if (!box) return;
    const composing = event.isComposing || event.keyCode === 229;
    const modified = event.ctrlKey || event.metaKey;
    if (event.target === box && event.key === "Enter" && !event.shiftKey && !composing) {
      event.preventDefault();
      if (!running()) $("composer").requestSubmit();
      else if (box.value.trim()) $("notice").textContent = $("composer").dataset.busy;
    } else if (event.target === box && event.key === "ArrowUp" && !box.value && last) {
      event.preventDefault();
      box.value = last;
    } else if (event.key === "Escape" && !composing && !document.querySelector(":popover-open")) {
      if (event.target !== box || $("editing").hidden) stop();
      else cancel();
    } else if (event.key === "/" && !modified && !/^(TEXTAREA|INPUT)$/.test(event.target.tagName)) {
      event.preventDefault();
      box.focus();
    } else if (modified && event.shiftKey && event.key.toLowerCase() === "o") {
      event.preventDefault();
      location.assign("/");
    }
  });

  on("click", async (event) => {
    const button = event.target.closest?.("button");
    if (!button) return;
    if (button.id === "stop") stop();
    else if (button.id === "cancel") cancel();
    else if (button.dataset.ask) {
      ask(button.dataset.ask, {...button.dataset, large: "large" in button.dataset});
      if (!event.detail) $("question").focus({preventScroll: true}); // pressed by a key: the button goes away
    }
    else if (button.dataset.edit) edit(button.dataset.edit, button.dataset.replaces);
    else if ("copy" in button.dataset) {
      const label = button.textContent;
      if (!await copy(button.closest(".turn").querySelector(".answer").innerText.trim())) return;
      button.textContent = button.dataset.copied;
      setTimeout(() => { button.textContent = label; }, 1500);
    }
  });

  // The clipboard wants a secure context and a permission; the old way wants neither.
  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      const area = document.body.appendChild(document.createElement("textarea"));
      area.value = text;
      area.select();
      const copied = document.execCommand("copy");
      area.remove();
      return copied;
    }
  }

  on("click", (event) => {
    const cite = event.target.closest?.("a.cite");
    if (cite) document.querySelector(`${cite.hash} [popover]`)?.showPopover();
  });

  // ---- a server that is away: the stream is tried again and again; the reader is told so ----
  const isStream = (element) => Boolean(element?.hasAttribute?.("hx-sse:connect"));
  function away(stream) {
    if (isStream(stream)) $("notice").textContent = $("composer").dataset.reconnecting;
  }
  on("htmx:sse:error", (event) => away(event.target));
  on("htmx:error", (event) => away(event.detail.ctx?.sourceElement));
  on("htmx:sse:after:connection", () => { $("notice").textContent = ""; });

  window.addEventListener("popstate", () => { if (location.pathname !== path) location.reload(); });

  on("DOMContentLoaded", () => {
    if (!$("thread")) return;
    // Only what was there at load: a turn that changes over while it is out of sight makes the page jump.
    for (const turn of document.querySelectorAll(".turn:not(:last-of-type)")) turn.classList.add("past");
    last = [...document.querySelectorAll(".question")].at(-1)?.lastChild.textContent ?? "";
    new ResizeObserver(() => { if (stick) window.scrollTo(0, page.scrollHeight); }).observe($("thread"));
    refresh();
    if (running()) say("running");
  });
})();
