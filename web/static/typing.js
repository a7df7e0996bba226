// Searches begin while the question is still being typed, so that its sources are there when it is sent.
//
// The text is told when it looks whole: at once behind a mark that ends a question, else after a pause that is
// long for this typist; behind a space a word is to come, so the pause must be longer. Never while an input
// method composes, never the same text twice, and three times a question at most: what is told too early is
// work for nothing. What is sent meanwhile cancels it.
(() => {
  "use strict";
  const MOST = 3;
  const PAUSE = [100, 700]; // milliseconds, by the typist's own pace, and longer each time it was too early
  const LEAST = {words: 6, han: 3}; // characters that a search is worth
  const ENDS = /[\s?!.…。？！]+$/;
  const WHOLE = /[?？。！!]\s*$/;
  const HAN = /[\u3400-\u9fff]/;
  let timer = 0;
  let told = []; // texts of this question
  let asking = null; // the request on its way
  let pace = 80; // milliseconds between two keys, lately
  let before = 0;

  const same = (text) => text.normalize("NFKC").replace(/\s+/g, " ").trim().replace(ENDS, "");

  function typed(event) {
    if (event.target.id !== "question") return;
    const gap = event.timeStamp - before;
    before = event.timeStamp;
    if (gap < 1000) pace += (gap - pace) / 8;
    clearTimeout(timer);
    if (!event.target.value) told = []; // another question begins
    if (!event.isComposing) timer = setTimeout(tell, delay(event.target.value));
  }

  function delay(text) {
    if (WHOLE.test(text)) return 0;
    if (/\s$/.test(text)) return PAUSE[1];
    return Math.min(PAUSE[1], Math.max(PAUSE[0], 1.3 * pace) * (1 + told.length / 4));
  }

  function tell() {
    const form = document.getElementById("composer");
    const text = same(form.elements.question.value);
    const least = HAN.test(text) ? LEAST.han : LEAST.words;
    if (text.length < least || told.includes(text) || told.length === MOST) return;
    told.push(text);
    asking?.abort();
    asking = new AbortController();
    const body = new URLSearchParams({
      question: form.elements.question.value, conversation: form.elements.conversation.value,
    });
    fetch("/typing", {method: "POST", body, signal: asking.signal, priority: "low"}).catch(() => {});
  }

  function end() {
    clearTimeout(timer);
    asking?.abort();
    asking = null;
    told = [];
  }

  document.addEventListener("input", typed);
  document.addEventListener("compositionstart", () => clearTimeout(timer));
  document.addEventListener("compositionend", (event) => { // Chromium's last input event still says it composes
    if (event.target.id === "question") timer = setTimeout(tell, delay(event.target.value));
  });
  document.addEventListener("submit", (event) => { if (event.target.id === "composer") end(); });
})();
