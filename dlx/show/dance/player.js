"use strict";
/* The player: a place among the events, what is said of it, and pictures of it. */

const MOST_CHECKPOINTS = 200, LIVE_EVENTS = 50000, COVERS_SHOWN = 1000;
const $ = (id) => document.getElementById(id);
const INKS = ["ink", "faint", "line", "chosen", "branch", "found", "dead", "path", "link", "ghost"];
const PAINTS = ["#e8847c", "#7db7e8", "#f4d675", "#7fc29b", "#a98bd6", "#f2b06a", "#6cc5c1", "#d38fc8", "#b9d47b",
  "#7f93d9", "#e9a3b4", "#bfab92"];

let problem, events, reports, stopped, ticks, sense, end, frames, place, state, checkpoints, every, covers, tree, timer, ink, pointed,
  picture, cells; // of the board, and those of each option

/** Shows or hides what there is of a search. */
function show(there) {
  for (const id of ["controls", "pictures", "found", "say", "facts"]) $(id).hidden = !there;
}

/** Shows a search from its beginning. */
function load(data) {
  pause();
  ({ problem = null, events = [], reports = null, stopped = null, ticks = [], sense = null, end = "" } = data);
  show(true);
  frames = reports ? reports.length : events.length;
  $("place").max = frames;
  for (const id of ["matrix", "tree", "found"]) $(id).hidden = Boolean(reports);
  $("prices").hidden = !reports;
  $("board").hidden = !(problem && problem.board);
  picture = hung(problem?.board?.backdrop);
  cells = problem?.board?.marks.map((mark) => cellsOf(mark, problem.board.columns));
  $("facts").textContent = facts();
  if (!reports) {
    every = Math.max(50, Math.ceil(frames / MOST_CHECKPOINTS));
    state = new State(problem);
    checkpoints = [state.copy()];
    findCovers();
    tree = grow();
  }
  place = -1;
  go(0);
}

/** The picture of an empty board, on light paper whatever the theme is, as an image: nothing in it can run. */
function hung(backdrop) {
  $("board").classList.toggle("sheet", Boolean(backdrop));
  if (!backdrop) return null;
  const image = new Image();
  image.addEventListener("load", () => draw());
  image.src = `data:image/svg+xml,${encodeURIComponent(backdrop.svg)}`;
  return image;
}

/** The numbers of the cells that an option has on a board; none without a mark. */
const cellsOf = (mark, columns) => (mark ? mark[0].flatMap((row, k, all) => (k % 2 ? [] : [row * columns + all[k + 1]])) : []);

function facts() {
  const some = [];
  if (problem) some.push(`${many(problem.items.length, "item")}, ${many(problem.options.length, "option")}`);
  some.push(reports ? many(reports.length - 1, "report") : many(events.length, "step"));
  if (stopped) some.push(`then it was stopped by ${{ max_events: "the limit of steps", timeout: "the limit of time", interrupt: "Ctrl-C" }[stopped] || stopped}`);
  return `${some.join(", ")}.`;
}

/** The covers among the events, each with the place behind the event that found it. */
function findCovers() {
  const chosen = [];
  covers = [];
  events.forEach(([kind, level, , option], k) => {
    if (kind === TRY) { chosen.length = level; chosen.push(option); }
    if (kind === FOUND) covers.push({ options: chosen.slice(0, level), place: k + 1 });
  });
  const list = $("covers");
  list.replaceChildren(...covers.slice(0, COVERS_SHOWN).map((cover) => {
    const row = document.createElement("li"), button = document.createElement("button");
    button.type = "button";
    button.textContent = coverText(cover.options);
    button.addEventListener("click", () => { pause(); go(cover.place); });
    row.dataset.options = JSON.stringify(cover.options);
    row.append(button);
    return row;
  }));
  if (covers.length > COVERS_SHOWN) {
    const rest = document.createElement("div"); // seen when they are, as the row behind the last one
    rest.textContent = `and ${covers.length - COVERS_SHOWN} more`;
    list.append(rest);
  }
}

const itemName = (item) => (item < 0 ? "any further option" : String(problem.items[item]));
function label(option) {
  const mark = problem.board && problem.board.kind === "candidates" && problem.board.marks[option];
  if (mark) return `${mark[1]} in row ${mark[0][0] + 1}, column ${mark[0][1] + 1}`;
  if (problem.names) return String(problem.names[option]);
  return problem.options[option].map((item, k) => {
    const colour = problem.colours ? problem.colours[option][k] : 0;
    return colour ? `${problem.items[item]}:${problem.colourNames[colour - 1]}` : problem.items[item];
  }).join(" ");
}

/** A cover in a line: its options, or what is written on the board. */
function coverText(options) {
  const { board } = problem;
  if (!board || board.kind !== "candidates") return options.map(label).join(" | ") || "nothing";
  const texts = new Array(board.rows * board.columns).fill(" ");
  for (const o of options) if (board.marks[o]) texts[cells[o][0]] = board.marks[o][1];
  return texts.join(texts.some((text) => text.length > 1) ? " " : "");
}

/** Goes to a place: so many events have happened. */
function go(where) {
  where = Math.max(0, Math.min(frames, where));
  if (where === place) return;
  if (!reports) travel(where);
  place = where;
  $("place").value = place;
  $("place").setAttribute("aria-valuetext", `${place} of ${frames}`);
  $("step-number").textContent = `${place} of ${frames}`;
  $("say").textContent = say();
  draw();
}

function travel(where) {
  if (where < place || place < 0) {
    const k = Math.min(checkpoints.length - 1, Math.floor(where / every));
    state = checkpoints[k].copy();
    place = k * every;
  }
  while (place < where) {
    advance(state, place);
    place++;
    if (place === checkpoints.length * every) checkpoints.push(state.copy());
  }
}

/** Does the event of a number; behind the last one of a level that level is left. */
function advance(some, k) {
  some.apply(events[k]);
  const [kind, level] = events[k], next = events[k + 1];
  if (kind === BACK && (next ? next[0] !== TRY || next[1] !== level : !stopped)) some.leave(level);
}

function say() {
  if (reports) return sayReport();
  const helpless = frames ? -1 : state.stuck();
  if (helpless >= 0) return `There is no cover: ${itemName(helpless)} has too few options from the beginning.`;
  if (!place) return "Nothing has been chosen.";
  const [kind, level, item, option, colour] = events[place - 1];
  if (kind === CHOOSE && item >= 0) return `Level ${level}: branch on ${itemName(item)}, which has ${many(users(item), "option")}${asked(item)}.`;
  if (kind === CHOOSE) return `Level ${level}: all that is needed is covered; try any further option.`;
  if (kind === TRY) return `Level ${level}: try ${label(option)}.`;
  if (kind === COVER && item === state.branch[level] && place > 1 && events[place - 2][0] === CHOOSE) {
    return `Level ${level}: cover ${itemName(item)}, the item of this branch: its options leave all other lists.`;
  }
  if (kind === COVER) return `Level ${level}: cover ${itemName(item)}; its options clash with the choice.`;
  if (kind === PURIFY) return `Level ${level}: ${itemName(item)} is ${problem.colourNames[colour - 1]} now; options that disagree go.`;
  if (kind === FOUND) return `A cover of ${many(state.chosen.length, "option")}: ${coverText(state.chosen)}.`;
  const why = item >= 0 ? `: ${itemName(item)} would have too few options left` : "";
  const last = place === frames && !stopped ? ` All has been tried: there ${covers.length === 1 ? "is" : "are"} ${many(covers.length, "cover")}.` : "";
  return `Level ${level}: back up, take ${label(option)} back${why}.${last}`;
}
const many = (number, what) => `${number} ${what}${number === 1 ? "" : "s"}`;
/** The number of times that an item is to be covered yet, unless it is one. */
function asked(item) {
  const [least, most] = problem.ranges?.[item] ?? [1, 1];
  if (item >= problem.primary || (least === 1 && most === 1)) return "";
  const [low, high] = [Math.max(0, state.need[item]), Math.max(0, state.room[item])];
  return ` and is to be covered ${low === high ? low : `${low} to ${high}`} times more`;
}
const users = (item) => state.users[item].filter((o) => state.by[o] === LIVE || state.by[o] === item).length;

/* Play */
const rate = () => 2 ** Number($("speed").value);
function play() {
  if (place >= frames) go(0);
  let last = performance.now(), due = 0;
  $("say").setAttribute("aria-live", "off");
  $("play").textContent = "❙❙";
  $("play").setAttribute("aria-label", "Pause");
  const tick = (now) => {
    due += Math.min(now - last, 500) / 1000 * rate();
    last = now;
    const steps = Math.floor(due);
    due -= steps;
    if (steps) go(place + steps);
    if (place >= frames) return pause();
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
const nextCover = () => jump((reports ? nextScore() : covers.find((cover) => cover.place > place)?.place) ?? frames);
const toggle = () => (timer ? pause() : play());
function faster(by) {
  $("speed").value = Number($("speed").value) + by;
  $("rate").textContent = `${rate()} a second`;
}

/* Pictures. Each begins with a canvas of the width that it has and the height that it asks for, and its inks. */
function canvas(id, height) {
  const element = $(id).querySelector("canvas"), ratio = window.devicePixelRatio || 1;
  const width = element.clientWidth || 320;
  const tall = typeof height === "function" ? height(width) : height;
  element.style.height = `${tall}px`;
  element.width = width * ratio;
  element.height = tall * ratio;
  const style = getComputedStyle(element), pen = element.getContext("2d");
  ink = Object.fromEntries(INKS.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
  pen.scale(ratio, ratio);
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  return [pen, width, tall, element];
}
function caption(id, text) {
  $(id).querySelector("figcaption").textContent = text;
  $(id).querySelector("canvas").setAttribute("aria-label", text);
}
function line(pen, x, y, toX, toY) {
  pen.moveTo(x, y);
  pen.lineTo(toX, toY);
}
function write(pen, text, x, y, size, colour, weight = "") {
  pen.fillStyle = colour;
  pen.font = `${weight} ${size}px system-ui, sans-serif`;
  pen.fillText(text, x, y);
}
function draw() {
  if (reports) return drawScores();
  if (problem.board) drawBoard();
  drawMatrix();
  drawTree();
  const found = covers.filter((cover) => cover.place <= place).length;
  $("count").textContent = `${found} of ${covers.length}${stopped ? ", and perhaps more where it was stopped" : ""}`;
  [...$("covers").children].forEach((row, k) => { row.hidden = k >= found; });
  document.querySelectorAll("#covers .now").forEach((row) => row.classList.remove("now"));
  const list = $("covers"), last = list.children[Math.min(found, COVERS_SHOWN + 1) - 1];
  if (!last) return;
  if (covers[found - 1].place === place) last.classList.add("now");
  const { top, bottom } = last.getBoundingClientRect(), box = list.getBoundingClientRect();
  if (top < box.top || bottom > box.bottom) list.scrollTop += bottom - box.bottom + 4; // not the page
}

function drawBoard() {
  const { rows, columns, region, kind, givens = [] } = problem.board;
  const view = problem.board.backdrop ?? { left: 0, top: 0, width: columns, height: rows };
  const [pen, width, height] = canvas("board", (w) => Math.min(w, 520) * view.height / view.width);
  const side = Math.min(width / view.width, height / view.height), left = (width - side * view.width) / 2;
  const spot = (row, column) => [left + (column - view.left) * side, (row - view.top) * side];
  const at = (k) => spot(Math.floor(k / columns), k % columns);
  if (picture?.naturalWidth) pen.drawImage(picture, left, 0, view.width * side, view.height * side);
  const given = new Set(givens), wanted = new Set(cells.flat());
  if (kind === "candidates") drawCandidates(pen, side, at, given);
  else drawPieces(pen, side, at);
  caption("board", `The board: ${state.chosen.length} of the options chosen.`);
  if (picture && region) return;
  pen.strokeStyle = ink.line;
  pen.lineWidth = 1;
  for (const k of wanted) pen.strokeRect(...at(k), side, side);
  pen.strokeStyle = ink.ink;
  pen.lineWidth = 2;
  pen.beginPath();
  for (let row = 0; row <= rows; row++) for (let column = 0; column <= columns; column++) {
    const [x, y] = spot(row, column), own = owner(row, column); // the borders of regions, or of the board and of pieces
    if (own !== owner(row - 1, column)) line(pen, x, y, x + side, y);
    if (own !== owner(row, column - 1)) line(pen, x, y, x, y + side);
  }
  pen.stroke();

  function owner(row, column) {
    const k = row * columns + column;
    if (row < 0 || row >= rows || column < 0 || column >= columns) return null;
    if (region) return region[k];
    return wanted.has(k) ? state.chosen.find((o) => cells[o].includes(k)) ?? -1 : null;
  }
}
function drawPieces(pen, side, at) {
  const tried = state.chosen.at(-1);
  paints().forEach((paint, o) => {
    pen.fillStyle = PAINTS[paint];
    for (const k of cells[o]) pen.fillRect(...at(k), side, side);
    for (const k of cells[o]) {
      const [x, y] = at(k);
      write(pen, problem.board.marks[o][1], x + side / 2, y + side / 2, side * 0.38, "#24252f", o === tried ? "bold" : "");
    }
  });
}
/** The colour of each option on the board: one that none of its neighbours has, if that can be. */
function paints() {
  const { columns } = problem.board, owner = new Map(), colours = new Map();
  for (const o of state.chosen) if (cells[o].length) {
    const beside = cells[o].flatMap((k) => [k - columns, k + columns, ...(k % columns ? [k - 1] : []), ...((k + 1) % columns ? [k + 1] : [])]);
    const taken = new Set(beside.map((k) => colours.get(owner.get(k))));
    const free = PAINTS.map((_, j) => (o + j) % PAINTS.length).filter((paint) => !taken.has(paint));
    colours.set(o, free[0] ?? o % PAINTS.length);
    for (const k of cells[o]) owner.set(k, o);
  }
  return colours;
}
function drawCandidates(pen, side, at, given) {
  const { marks, columns, backdrop } = problem.board, across = Math.ceil(Math.sqrt(columns));
  const chosen = new Set(state.chosen), free = side * (backdrop?.corner ?? 0), small = (side - 1.3 * free) / across, tried = state.chosen.at(-1);
  problem.options.forEach((_, o) => {
    const mark = marks[o];
    if (!mark) return;
    const [k] = cells[o], [x, y] = at(k);
    if (chosen.has(o) || given.has(k)) {
      const colour = given.has(k) ? ink.ink : o === tried ? ink.branch : ink.chosen;
      return write(pen, mark[1], x + side / 2, y + side / 2 + 1, side * 0.62, colour, given.has(k) ? "bold" : "");
    }
    const item = state.branch[state.branch.length - 1];
    const branching = item >= 0 && state.by[o] === item && state.colours[o].has(item) && state.chosen.length < state.branch.length;
    if (state.by[o] !== LIVE && !branching) return;
    const d = mark[2] ?? 0;
    write(pen, mark[1], x + free + (d % across + 0.5) * small, y + free + (Math.floor(d / across) + 0.5) * small, small * 0.78,
      branching ? ink.branch : ink.faint, branching ? "bold" : "");
  });
}

/** The matrix: a row for each option, a column for each item; what is large is shown as far as it is still live. */
function drawMatrix() {
  const { items, options } = problem, whole = items.length <= 48 && options.length <= 64;
  const chosen = new Set(state.chosen), branch = state.branch[state.branch.length - 1];
  const linked = (o, i) => state.by[o] === LIVE || state.by[o] === i;
  const columns = [...items.keys()].filter((i) => whole || !(state.covered[i] || state.room[i] <= 0) || i === branch);
  const isLive = (o) => state.by[o] === LIVE || (branch >= 0 && state.by[o] === branch);
  let rows = [...options.keys()].filter((o) => whole || isLive(o));
  const head = 46, side = 34;
  const [pen, width] = canvas("matrix", (w) => {
    const cell = Math.max(1, Math.min(34, (w - side) / Math.max(1, columns.length)));
    return head + Math.max(40, Math.min(620, cell * rows.length)) + 8;
  });
  const cell = Math.max(1, Math.min(34, (width - side) / Math.max(1, columns.length), 620 / Math.max(1, rows.length)));
  const x = new Map(columns.map((i, k) => [i, side + (k + 0.5) * cell])), y = (k) => head + (k + 0.5) * cell;
  const links = cell >= 9;
  if (links) drawLinks(pen, columns, rows, x, y, linked, head);
  rows.forEach((o, k) => {
    const colour = chosen.has(o) ? ink.chosen : state.by[o] === LIVE ? ink.ink : isLive(o) ? ink.branch : null;
    if (links) write(pen, String(o), side / 2, y(k), Math.min(11, cell * 0.7), chosen.has(o) ? ink.chosen : ink.faint, chosen.has(o) ? "bold" : "");
    const size = Math.max(1, links ? cell * 0.5 : cell * 0.9);
    for (const i of options[o]) {
      if (!x.has(i)) continue;
      pen.fillStyle = colour || (linked(o, i) ? ink.link : ink.ghost);
      pen.fillRect(x.get(i) - size / 2, y(k) - size / 2, size, size);
    }
  });
  if (cell >= 9) columns.forEach((i) => {
    const gone = state.covered[i] || (state.shade[i] && !state.covered[i]);
    pen.save();
    pen.translate(x.get(i), head - 8);
    pen.rotate(-Math.PI / 3);
    pen.textAlign = "left";
    write(pen, short(heading(i)), 0, 0, 11, i === branch ? ink.branch : gone ? ink.ghost : i < problem.primary ? ink.ink : ink.faint,
      i === branch ? "bold" : "");
    pen.restore();
  });
  const across = side + columns.length * cell + 6, room = Math.floor((width - across) / 7);
  if (links && room > 5) rows.forEach((o, k) => {
    pen.textAlign = "left";
    write(pen, short(label(o), room), across, y(k), Math.min(11, cell * 0.7), chosen.has(o) ? ink.chosen : ink.faint);
  });
  pointed = (px, py) => {
    const column = columns[Math.floor((px - side) / cell)], row = py > head ? rows[Math.floor((py - head) / cell)] : undefined;
    return [px > side && column !== undefined ? itemName(column) + asked(column).replace(" and", ",") : "", row === undefined ? "" : `option ${row}: ${label(row)}`]
      .filter(Boolean).join("; ");
  };
  const live = state.by.filter((by) => by === LIVE).length;
  const left = state.wanted().length;
  const [high, wide] = [Math.floor(620 / cell), Math.floor((width - side) / cell)];
  const cut = rows.length > high || columns.length > wide ? ` There is room for the first ${Math.min(high, rows.length)} options and ${Math.min(wide, columns.length)} items.` : "";
  caption("matrix", `${whole ? "The links" : "What is left of the matrix"}: ${many(live, "live option")}, ${many(left, "item")} to cover.${cut} Green rows are chosen, brown ones are the choices of this level, pale ones are hidden.`);
}
/** The text above the column of an item: in full where the pointer rests. */
const heading = (item) => (problem.board?.heads ?? problem.items)[item];
const short = (name, most = 7) => { const text = String(name); return text.length > most ? `${text.slice(0, most - 1)}…` : text; };

function drawLinks(pen, columns, rows, x, y, linked, head) {
  pen.lineWidth = 1;
  pen.strokeStyle = ink.link;
  pen.beginPath();
  rows.forEach((o, k) => {
    const xs = problem.options[o].filter((i) => x.has(i)).map((i) => x.get(i)).sort((a, b) => a - b);
    if (xs.length > 1) line(pen, xs[0], y(k), xs.at(-1), y(k));
  });
  const ring = columns.filter((i) => i < problem.primary && !state.covered[i]);
  ring.forEach((i, k) => { if (k) line(pen, x.get(ring[k - 1]), head - 3, x.get(i), head - 3); });
  for (const i of columns) {
    let above = head - 3;
    rows.forEach((o, k) => {
      if (!linked(o, i) || !state.colours[o].has(i)) return;
      line(pen, x.get(i), above, x.get(i), y(k));
      above = y(k);
    });
  }
  pen.stroke();
}

/** The tree of all events, laid out once: leaves from left to right, levels downwards. */
function grow() {
  const nodes = [{ level: -1, from: 0, x: 0, parent: null, kind: "root" }], open = [nodes[0]];
  let leaves = 0;
  events.forEach(([kind, level, item], k) => {
    if (kind === TRY) {
      const node = { level, from: k + 1, to: Infinity, parent: open[level], x: null, sum: 0, children: 0, kind: "inner" };
      open.length = level + 1;
      open.push(node);
      nodes.push(node);
    } else if (kind === FOUND) open[open.length - 1].found = k + 1;
    else if (kind === BACK) close(open.pop(), k + 1, item);
  });
  while (open.length) close(open.pop(), Infinity, -1);
  return { nodes, leaves: Math.max(1, leaves), levels: nodes.reduce((most, node) => Math.max(most, node.level + 1), 1) };

  function close(node, to, item) {
    node.to = to;
    if (!node.children) { node.x = leaves++; node.dead = !node.found && item >= 0; } else node.x = node.sum / node.children;
    if (node.parent) { node.parent.sum = (node.parent.sum || 0) + node.x; node.parent.children = (node.parent.children || 0) + 1; }
  }
}
/** The place of a node in a picture of the tree: from side to side, and downwards. */
function spots(width, height) {
  const { leaves, levels } = tree;
  return [(node) => 10 + (width - 20) * (node.x + 0.5) / leaves, (node) => 14 + (height - 28) * (node.level + 1) / levels];
}
function drawTree() {
  const { nodes, leaves, levels } = tree;
  const [pen, width, height] = canvas("tree", Math.min(420, 40 + 26 * levels));
  const [x, y] = spots(width, height);
  const radius = Math.max(1, Math.min(6, (width - 20) / leaves / 2.4, (height - 28) / levels / 3));
  const shown = nodes.filter((node) => node.from <= place), here = (node) => node.to > place;
  const taken = new Set(), fresh = (spot) => !taken.has(spot) && taken.add(spot); // one node of those in a pixel
  const some = shown.filter((node) => here(node) || fresh(`${node.level} ${Math.round(x(node))} ${Boolean(node.found)}`));
  for (const path of [false, true]) {
    pen.beginPath();
    pen.strokeStyle = path ? ink.path : ink.link;
    pen.lineWidth = path ? 2 : 1;
    for (const node of some) if (node.parent && here(node) === path) line(pen, x(node.parent), y(node.parent), x(node), y(node));
    pen.stroke();
  }
  for (const node of some) {
    const found = node.found && node.found <= place;
    pen.fillStyle = found ? ink.found : here(node) ? ink.path : node.dead ? ink.dead : ink.link;
    pen.beginPath();
    if (found) pen.rect(x(node) - radius * 1.1, y(node) - radius * 1.1, radius * 2.2, radius * 2.2); // not by hue alone
    else pen.arc(x(node), y(node), radius, 0, 7);
    pen.fill();
  }
  caption("tree", `The search tree: ${many(shown.length - 1, "node")} so far, ${nodes.length - 1} ${stopped ? "until it was stopped" : "in all"}; squares are covers, red discs dead ends.`);
}
function pickNode(event) {
  const box = event.target.getBoundingClientRect(), [x, y] = spots(box.width, box.height);
  const far = (node) => Math.hypot(x(node) - event.clientX + box.left, y(node) - event.clientY + box.top);
  jump(tree.nodes.reduce((best, node) => (far(node) < far(best) ? node : best)).from);
}

/* What people press */
const BUTTONS = { start: () => jump(0), back: () => jump(place - 1), play: toggle, step: () => jump(place + 1),
  next: nextCover, end: () => jump(frames) };
for (const [id, act] of Object.entries(BUTTONS)) $(id).addEventListener("click", act);
$("place").addEventListener("input", (event) => jump(Number(event.target.value)));
$("speed").addEventListener("input", () => faster(0));
$("tree").querySelector("canvas").addEventListener("click", pickNode);
$("matrix").querySelector("canvas").addEventListener("mousemove", ({ target, offsetX, offsetY }) => {
  target.title = pointed(offsetX, offsetY);
});
const KEYS = { " ": BUTTONS.play, ArrowLeft: BUTTONS.back, ArrowRight: BUTTONS.step, n: BUTTONS.next, Home: BUTTONS.start,
  End: BUTTONS.end, "+": () => faster(1), "-": () => faster(-1) };
/** Tells whether a key is for the element with the focus: text, the arrows of a slider, a button that was reached by Tab. */
function isTaken(key, { tagName, type }) {
  if (type === "range") return /^(Arrow|Home|End|Page)/.test(key);
  return ["INPUT", "TEXTAREA", "SELECT"].includes(tagName) || (key === " " && tagName === "BUTTON");
}
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || isTaken(event.key, event.target)) return;
  if (KEYS[event.key] && events) { KEYS[event.key](); event.preventDefault(); }
});
document.addEventListener("click", (event) => event.detail && event.target.closest("button")?.blur()); // by a pointer
window.addEventListener("resize", () => events && draw());
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => events && draw());

/* A problem of one's own */
function dance(kind, text) {
  const own = PARSERS[kind](text);
  const { mostOptions } = data;
  if (own.options.length > mostOptions) throw new Error(`there are ${own.options.length} options; ${mostOptions} is the limit here`);
  const some = [];
  for (const event of search(own)) {
    if (some.length === LIVE_EVENTS) break;
    some.push(event);
  }
  load({ problem: own, events: some, stopped: some.length === LIVE_EVENTS ? `its limit of ${LIVE_EVENTS} events` : null });
}
function invite() {
  const kinds = Object.keys(PARSERS);
  let kind = kinds[0];
  const ask = () => { $("prompt").textContent = PROMPTS[kind]; };
  $("text").value = EXAMPLES[kind];
  $("kind").replaceChildren(...kinds.map((each) => new Option(each, each)));
  for (const element of document.querySelectorAll(".kinds")) element.hidden = kinds.length === 1;
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
    try { dance(kind, $("text").value); } catch (error) { $("wrong").textContent = error.message; pause(); show(false); }
  });
  ask();
  dance(kind, $("text").value);
}
faster(0);
const data = JSON.parse($("data").textContent);
if (data.mostOptions) invite();
else load(data);
