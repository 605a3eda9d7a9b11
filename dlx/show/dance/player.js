"use strict";
/* The player: buttons, keys, and the pictures on the page. */

const COVERS_SHOWN = 1000, CALM = 4, NARROW = 760; // covers in the list; steps a second with animation; pixels of a narrow screen
const $ = (id) => document.getElementById(id);
let stage = null, best = null, timer = null; // the page shows a stage, or a search for the best

/** Shows a search from its beginning. */
function load(data) {
  if (data.reports) best = new Scores(data);
  else stage = new Stage(data);
  const { linked, problem } = stage ?? {}, shown = { board: (problem ?? best).board, links: linked, code: linked,
    sizes: stage && !linked, tree: stage, found: stage, prices: best, options: best?.listed, into: linked, out: linked };
  for (const [id, there] of Object.entries(shown)) $(id).hidden = !there;
  if (problem?.board) $("board").after($("code"));
  for (const column of document.querySelectorAll(".column")) column.hidden = [...column.children].every((child) => child.hidden);
  document.body.classList.toggle("scored", Boolean(best));
  document.body.classList.toggle("linked", Boolean(linked));
  $("place").max = player().frames;
  $("facts").textContent = player().facts();
  if (stage) list(stage.covers);
  go(0);
}
const player = () => stage ?? best;

/** Lists covers, each with a button that goes to its place. */
function list(covers) {
  $("covers").replaceChildren(...covers.slice(0, COVERS_SHOWN).map(({ options, place }) => {
    const row = document.createElement("li"), button = document.createElement("button");
    button.type = "button";
    button.textContent = stage.coverText(options);
    button.addEventListener("click", () => jump(place));
    row.dataset.options = JSON.stringify(options);
    row.append(button);
    return row;
  }));
}

/** Goes to a place: the number of steps done. */
function go(where) {
  player().go(where);
  update();
}
function update() {
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
    if (steps) walk(steps);
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
/** Goes forwards or backwards by steps. */
function walk(by) {
  const { place, inner } = player();
  go(place + by + Number(by < 0 && inner > 0));
}
const step = (by) => { pause(); walk(by); };
const nextCover = () => jump((stage ? stage.covers.find((cover) => cover.place > stage.place)?.place : player().next()) ?? player().frames);
const toggle = () => (timer ? pause() : play());
function into(by) {
  pause();
  player().into(by);
  update();
}
function faster(by) {
  $("speed").value = Number($("speed").value) + by;
  $("rate").textContent = `${rate()} a second`;
  document.body.classList.toggle("fast", rate() > CALM);
}

/* Pictures */
/** Puts a picture into its figure; the image under it is replaced only if it differs. */
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
/** Returns the width of a figure, and the height left on the screen, on a narrow one a share of it. */
function room(id, share) {
  const stand = $(id).querySelector(".picture"), wide = window.innerWidth > NARROW;
  const taken = ["head", "controls"].reduce((sum, each) => sum + $(each).offsetHeight, 0);
  const beside = [...$(id).parentElement.children].filter((each) => each.id !== id);
  const others = wide ? 50 + $(id).querySelector("figcaption").offsetHeight + beside.reduce((sum, each) => sum + each.offsetHeight + 7, 0) : 305;
  return [stand.clientWidth || 320, Math.max(118, (window.innerHeight - taken - others) * (wide ? 1 : share))];
}
function draw() {
  if (!window.innerWidth) return; // a frame without a size; it sends a resize event later
  if (!stage) return player().draw(put, room);
  const { problem, linked } = stage;
  markCovers();
  const [width, height] = room("tree", 0.4);
  put("tree", drawTree(stage, width, height));
  if (problem.board) put("board", drawBoard(stage, ...room("board", 0.6)));
  if (linked) {
    $("code").replaceChildren(...codeOf(stage).map(({ text, now, runs }) => {
      const row = document.createElement("div");
      row.className = `${now ? "now" : ""} ${runs ? "runs" : ""}`;
      row.textContent = text;
      return row;
    }));
    put("links", drawLinks(stage, ...room("links", 0.6)));
  } else put("sizes", drawSizes(stage, ...room("sizes", 0.3)));
}
/** Shows the covers found so far, with the last one in view. */
function markCovers() {
  const { covers, place, stopped } = stage, found = covers.filter((cover) => cover.place <= place).length;
  $("count").textContent = `${found} of ${covers.length}${stopped ? ", and perhaps more where it was stopped" : ""}`;
  [...$("covers").children].forEach((row, k) => { row.hidden = k >= found; });
  for (const each of document.querySelectorAll("#covers .now")) each.classList.remove("now");
  const row = $("covers").children[Math.min(found, COVERS_SHOWN) - 1];
  if (!row) return;
  row.classList.toggle("now", covers[found - 1].place === place);
  const { top, bottom } = row.getBoundingClientRect(), list = $("covers"), box = list.getBoundingClientRect();
  if (top < box.top || bottom > box.bottom) list.scrollTop += bottom - box.bottom + 4; // scrollIntoView would scroll the page, too
}

/* Buttons and keys */
const BUTTONS = { start: () => jump(0), back: () => step(-1), out: () => into(-1), play: toggle,
  into: () => into(1), step: () => step(1), next: nextCover, end: () => jump(player().frames) };
for (const [id, act] of Object.entries(BUTTONS)) $(id).addEventListener("click", act);
$("place").addEventListener("input", (event) => jump(Number(event.target.value)));
$("speed").addEventListener("input", () => faster(0));
$("tree").addEventListener("click", ({ target }) => {
  const node = target.closest("[data-place]");
  if (node) jump(Number(node.dataset.place));
});
const KEYS = { " ": BUTTONS.play, ArrowLeft: BUTTONS.back, ArrowRight: BUTTONS.step, n: BUTTONS.next, Home: BUTTONS.start,
  End: BUTTONS.end, ".": BUTTONS.into, ",": BUTTONS.out, "+": () => faster(1), "-": () => faster(-1) };
/** Returns whether the element with the focus takes a key itself: a slider its arrows, a button reached by Tab the space. */
function isTaken(key, { tagName, type }) {
  return type === "range" ? /^(Arrow|Home|End|Page)/.test(key) : key === " " && ["BUTTON", "SUMMARY"].includes(tagName);
}
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || isTaken(event.key, event.target)) return;
  if (KEYS[event.key]) { KEYS[event.key](); event.preventDefault(); }
});
document.addEventListener("click", (event) => event.detail && event.target.closest("button")?.blur()); // by a pointer
window.addEventListener("resize", draw);

const wishes = new URLSearchParams(location.search);
document.body.classList.toggle("embed", wishes.has("embed"));
$("help").addEventListener("toggle", draw);
faster(0);
const data = JSON.parse($("data").textContent);
load(data);
draw(); // again, with the final sizes
if (wishes.has("play") && !matchMedia("(prefers-reduced-motion: reduce)").matches) play();
