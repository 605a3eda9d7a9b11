"use strict";
/* The player: what people press, and the stage and its pictures on the page. */

const COVERS_SHOWN = 1000, CALM = 4, NARROW = 760, MOST_ZOOM = 8; // steps a second that are animated; pixels of a screen with one column
const $ = (id) => document.getElementById(id);
let stage = null, best = null, other = null, timer = null, zoom = 1; // a stage, or the reports of a search for the best

/** Shows or hides what there is of a search. */
function show(there) {
  for (const id of ["controls", "pictures", "say", "facts"]) $(id).hidden = !there;
}

/** Shows a search from its beginning. */
function load(data) {
  pause();
  show(true);
  [stage, best] = data.reports ? [null, new Scores(data)] : [new Stage(data), null];
  const { small, linked, problem } = stage ?? {}, shown = { board: (problem ?? best)?.board, links: small, code: linked, sizes: stage && !small,
    tree: stage, found: stage, prices: best, options: best?.options.length, into: linked, out: linked, whatif: stage?.state.once, other: false };
  other = null;
  for (const [id, there] of Object.entries(shown)) $(id).hidden = !there;
  if (problem?.board) $("board").after($("code"));
  else $("links").after($("code"));
  if (best?.board) $("options").before($("prices"));
  else $("board").after($("prices"));
  for (const column of document.querySelectorAll(".column")) column.hidden = [...column.children].every((child) => child.hidden);
  for (const rule of Object.keys(RULES)) $(rule).setAttribute("aria-expanded", false);
  $("board").classList.toggle("sheet", Boolean((problem ?? best)?.board?.backdrop));
  document.body.classList.toggle("scored", Boolean(best));
  document.body.classList.toggle("linked", Boolean(linked));
  $("place").max = player().frames;
  $("facts").textContent = player().facts();
  if (stage) listCovers();
  go(0);
}
const player = () => stage ?? best;

function listCovers() {
  const { covers } = stage, list = $("covers");
  list.replaceChildren(...covers.slice(0, COVERS_SHOWN).map((cover) => {
    const row = document.createElement("li"), button = document.createElement("button");
    button.type = "button";
    button.textContent = stage.coverText(cover.options);
    button.addEventListener("click", () => jump(cover.place));
    row.dataset.options = JSON.stringify(cover.options);
    row.append(button);
    return row;
  }));
  if (covers.length <= COVERS_SHOWN) return;
  const rest = document.createElement("li"); // seen when they are, as the row behind the last one
  rest.className = "rest";
  rest.textContent = `and ${covers.length - COVERS_SHOWN} more`;
  list.append(rest);
}

/** Goes to a place: so many steps have happened. */
function go(where) {
  player().go(where);
  tell();
}
function tell() {
  const { place, inner, frames } = player(), now = `${place}${inner ? ` + ${inner}` : ""} of ${frames}`;
  $("place").value = place;
  $("place").setAttribute("aria-valuetext", now);
  $("step-number").textContent = now;
  $("say").textContent = player().say();
  draw();
}

/* Play */
const rate = () => 2 ** Number($("speed").value);
function play() {
  if (player().place >= player().frames) go(0);
  let last = performance.now(), due = 0;
  $("say").setAttribute("aria-live", "off");
  $("play").textContent = "❙❙";
  $("play").setAttribute("aria-label", "Pause");
  const tick = (now) => {
    due += Math.min(now - last, 500) / 1000 * rate();
    last = now;
    const steps = Math.floor(due);
    due -= steps;
    if (steps) go(player().place + steps);
    if (player().place >= player().frames) return pause();
    timer = requestAnimationFrame(tick);
  };
  timer = requestAnimationFrame(tick);
}
function pause() {
  if (timer) cancelAnimationFrame(timer);
  timer = null;
  $("say").setAttribute("aria-live", "polite");
  $("play").textContent = "▶";
  $("play").setAttribute("aria-label", "Play");
}
const jump = (where) => { pause(); go(where); };
const nextCover = () => jump((stage ? stage.covers.find((cover) => cover.place > stage.place)?.place : best.next()) ?? player().frames);
const toggle = () => (timer ? pause() : play());
function into(by) {
  pause();
  player().into(by);
  tell();
}
function faster(by) {
  $("speed").value = Number($("speed").value) + by;
  $("rate").textContent = `${rate()} a second`;
  document.body.classList.toggle("fast", rate() > CALM);
}

/* Pictures */
/** Puts a picture into its figure; what is under it stays where it is as long as it is the same. */
function put(id, picture) {
  const stand = $(id).querySelector(".picture"), under = picture.under ?? "";
  const own = stand.firstElementChild;
  if (!own || stand.under !== under) stand.innerHTML = whole({ ...picture, body: `${under}<g>${picture.body}</g>` });
  else own.lastElementChild.innerHTML = picture.body;
  stand.under = under;
  const svg = stand.firstElementChild;
  const { width, height, caption } = picture, given = { viewBox: `0 0 ${width} ${height}`, width, height, "aria-label": caption };
  for (const [name, value] of Object.entries(given)) svg.setAttribute(name, value);
  $(id).querySelector("figcaption").textContent = picture.caption;
}
/** The width that a figure has for its picture, and the height that is left on the screen, of which it gets a share. */
function room(id, share) {
  const stand = $(id).querySelector(".picture"), wide = window.innerWidth > NARROW;
  const taken = ["head", "controls"].reduce((sum, each) => sum + $(each).offsetHeight, 0);
  const beside = [...$(id).parentElement.children].filter((each) => each.id !== id && !(id === "tree" && each.id === "other"));
  const others = wide ? 50 + $(id).querySelector("figcaption").offsetHeight + beside.reduce((sum, each) => sum + each.offsetHeight + 7, 0) : 305;
  return [stand.clientWidth || 320, Math.max(118, (window.innerHeight - taken - others) * (wide ? 1 : share))];
}
function draw() {
  if (!window.innerWidth) return; // in a frame that has no size yet, and says so when it has
  if (best) return best.draw(put, room);
  const { problem, small, linked } = stage;
  markCovers();
  const [width, whole] = room("tree", 0.4), height = other && window.innerWidth > NARROW ? whole / 2 - 30 : whole;
  put("tree", drawTree(stage, width * zoom, height * zoom));
  inSight(height);
  if (other) put("other", { ...drawTree(other, width, height), caption: other.said });
  if (problem.board) put("board", drawBoard(stage, ...room("board", 0.6)));
  if (linked) {
    $("code").replaceChildren(...codeOf(stage).map(({ text, now, runs }) => {
      const row = document.createElement("div");
      row.className = `${now ? "now" : ""} ${runs ? "runs" : ""}`;
      row.textContent = text;
      return row;
    }));
  }
  if (small) put("links", drawLinks(stage, ...room("links", 0.6)));
  else put("sizes", drawSizes(stage, ...room("sizes", 0.3)));
}
/** Shows the tree larger, or smaller; what there is no room for then is scrolled to. */
function zoomed(by) {
  zoom = Math.max(1, Math.min(MOST_ZOOM, zoom * by));
  draw();
}
function inSight(height) {
  const stand = $("tree").querySelector(".picture"), node = stand.querySelector("[data-here]");
  $("smaller").disabled = zoom === 1;
  $("larger").disabled = zoom === MOST_ZOOM;
  stand.classList.toggle("zoomed", zoom > 1);
  stand.tabIndex = zoom > 1 ? 0 : -1; // for the keys of the browser, where there is something to scroll
  stand.style.maxHeight = zoom > 1 ? `${height}px` : "";
  if (!node || zoom === 1) return;
  const { left, top, width } = node.getBoundingClientRect(), box = stand.getBoundingClientRect();
  stand.scrollBy(left + width / 2 - box.left - box.width / 2, top - box.top - box.height / 2);
}
/** Shows the covers found so far, the last one in sight. */
function markCovers() {
  const { covers, place, stopped } = stage, found = covers.filter((cover) => cover.place <= place).length;
  $("count").textContent = `${found} of ${covers.length}${stopped ? ", and perhaps more where it was stopped" : ""}`;
  [...$("covers").children].forEach((row, k) => { row.hidden = k >= found; });
  document.querySelectorAll("#covers .now").forEach((row) => row.classList.remove("now"));
  const list = $("covers"), last = list.children[Math.min(found, COVERS_SHOWN + 1) - 1];
  if (!last) return;
  if (covers[found - 1].place === place) last.classList.add("now");
  const { top, bottom } = last.getBoundingClientRect(), box = list.getBoundingClientRect();
  if (top < box.top || bottom > box.bottom) list.scrollTop += bottom - box.bottom + 4; // not the page
}

/** Shows below the tree the one of a search that chooses items by another rule. */
const RULES = {
  first: ["Always the first item", (_, wanted) => wanted[0]],
  largest: ["Always an item with the most options", ({ size }, wanted) => wanted.reduce((best, item) => (size[item] > size[best] ? item : best))],
};
function whatIf(rule) {
  const shut = $(rule).getAttribute("aria-expanded") === "true";
  for (const each of Object.keys(RULES)) $(each).setAttribute("aria-expanded", each === rule && !shut);
  $("other").hidden = shut;
  other = shut ? null : new Stage({ problem: stage.problem, ...bounded(search(stage.problem, RULES[rule][1])) });
  if (other) {
    const [theirs, mine] = [other, stage].map(({ stopped, tree }) => `${stopped ? "more than " : ""}${many(tree.length - 1, "node")}`);
    other.go(other.frames);
    other.said = `${RULES[rule][0]}: ${theirs}, where an item with the fewest takes ${mine}. The covers are the same.`;
  }
  draw();
}
function bounded(events) {
  const some = [];
  for (const event of events) {
    if (some.length === LIVE_EVENTS) return { events: some, stopped: `its limit of ${LIVE_EVENTS} events` };
    some.push(event);
  }
  return { events: some };
}

/* What people press */
const BUTTONS = { start: () => jump(0), back: () => jump(player().place - (player().inner ? 0 : 1)), out: () => into(-1), play: toggle,
  into: () => into(1), step: () => jump(player().place + 1), next: nextCover, end: () => jump(player().frames),
  larger: () => zoomed(2), smaller: () => zoomed(1 / 2), first: () => whatIf("first"), largest: () => whatIf("largest") };
for (const [id, act] of Object.entries(BUTTONS)) $(id).addEventListener("click", act);
$("place").addEventListener("input", (event) => jump(Number(event.target.value)));
$("speed").addEventListener("input", () => faster(0));
$("tree").addEventListener("click", ({ target }) => {
  const node = target.closest("[data-place]");
  if (node) jump(Number(node.dataset.place));
});
const KEYS = { " ": BUTTONS.play, ArrowLeft: BUTTONS.back, ArrowRight: BUTTONS.step, n: BUTTONS.next, Home: BUTTONS.start,
  End: BUTTONS.end, ".": BUTTONS.into, ",": BUTTONS.out, z: BUTTONS.larger, Z: BUTTONS.smaller, "+": () => faster(1), "-": () => faster(-1) };
/** Tells whether a key is for the element with the focus: text, the arrows of a slider, a button that was reached by Tab. */
function isTaken(key, { tagName, type }) {
  if (type === "range") return /^(Arrow|Home|End|Page)/.test(key);
  return ["INPUT", "TEXTAREA", "SELECT"].includes(tagName) || (key === " " && ["BUTTON", "SUMMARY"].includes(tagName));
}
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || isTaken(event.key, event.target)) return;
  if (KEYS[event.key] && player()) { KEYS[event.key](); event.preventDefault(); }
});
document.addEventListener("click", (event) => event.detail && event.target.closest("button")?.blur()); // by a pointer
window.addEventListener("resize", () => player() && draw());

/* A problem of one's own */
function dance(kind, text) {
  const own = PARSERS[kind](text), { mostOptions } = data;
  if (own.options.length > mostOptions) throw new Error(`there are ${own.options.length} options; ${mostOptions} is the limit here`);
  load({ problem: own, ...bounded(search(own)) });
}
/** What else a text could be, for somebody who has forgotten to say. */
function hint(kind, text) {
  const fits = (each) => { try { return PARSERS[each](text).options.length > 0; } catch { return false; } };
  const other = Object.keys(PARSERS).find((each) => each !== kind && fits(each));
  return other ? `. It can be read as ${other}: choose that above.` : "";
}
function invite() {
  const kinds = Object.keys(PARSERS);
  let kind = kinds[0];
  const ask = () => { $("prompt").textContent = PROMPTS[kind]; };
  $("text").value = EXAMPLES[kind];
  $("kind").replaceChildren(...kinds.map((each) => new Option(each, each)));
  $("kind").addEventListener("change", () => { // what somebody has typed stays
    const own = ![EXAMPLES[kind].trim(), ""].includes($("text").value.trim());
    kind = $("kind").value;
    if (!own) $("text").value = EXAMPLES[kind];
    ask();
  });
  $("own").addEventListener("submit", (event) => {
    event.preventDefault();
    $("wrong").textContent = "";
    document.activeElement.blur(); // so that the space bar plays
    const text = $("text").value;
    try {
      dance(kind, text);
      $("ask").open = false;
      draw();
    } catch (error) { 
      $("wrong").textContent = error.message + hint(kind, text);
      pause();
      show(false);
    }
  });
  $("ask").addEventListener("toggle", () => player() && draw());
  ask();
  dance(kind, $("text").value);
}
const wishes = new URLSearchParams(location.search);
document.body.classList.toggle("embed", wishes.has("embed"));
$("help").addEventListener("toggle", () => player() && draw());
faster(0);
const data = JSON.parse($("data").textContent);
if (data.mostOptions) invite();
else load(data);
draw(); // once more, now that all has its size
if (wishes.has("play") && !matchMedia("(prefers-reduced-motion: reduce)").matches) play();
