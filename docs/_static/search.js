/* Ranks titles and names before text, and shows with each result the sentence that has most of the words.
   SENTENCES has [anchor, title, sentences] of each page in turn: pages from a folder cannot fetch each other. */
"use strict";

const asked = splitQuery((new URLSearchParams(location.search).get("q") ?? "").toLowerCase());
const stems = asked.map((word) => new Stemmer().stemWord(word));
const hits = (text) => asked.filter((word, k) => [word, stems[k]].some((each) => text.toLowerCase().includes(each))).length;

/** The first sentence of a page, or below an anchor, that has the most of the words; of a name with all of them, its first. */
function sentence(page, anchor) {
  const sections = SENTENCES[page].filter(([place]) => !anchor || place === anchor);
  const there = sections.flatMap(([place, title, all]) => all.map((said) => ({ place, title, said, hits: hits(said) })));
  if (anchor && there[0]?.title === anchor.slice(1) && hits(anchor) === asked.length) return there[0];
  return there.reduce((best, each) => (each.hits > best.hits ? each : best), there[0] ?? { place: "", title: "", said: "", hits: 0 });
}

/** What a result is worth beside what Sphinx gives it; it is changed to lead to its sentence. */
Scorer.score = (result) => {
  const [page, title, , , score, , kind] = result;
  const best = sentence(page);
  if (kind === "text") {
    result[1] = best.place ? `${title} > ${best.title}` : title;
    result[2] = best.place;
  }
  result[3] = null; // else it is shown in place of a sentence
  const whole = kind === "object" ? asked.includes(title.split(".").at(-1).toLowerCase()) : hits(title) === asked.length;
  return score + (kind === "title" || whole ? 2000 : kind === "text" ? 10 * best.hits : 1000);
};

window.fetch = (address) => Promise.resolve(new Response(address)); // Sphinx asks for the page, and for its sentence
Search.makeSearchSummary = (address, _, anchor) => {
  const page = address.slice(document.documentElement.dataset.content_root.length, -".html".length);
  const text = sentence(page, anchor).said, first = Math.max(0, text.toLowerCase().search(asked.join("|")) - 120);
  const summary = document.createElement("p");
  summary.className = "context";
  summary.textContent = (first ? "… " : "") + text.slice(first, first + 240) + (text.length > first + 240 ? " …" : "");
  return summary;
};
