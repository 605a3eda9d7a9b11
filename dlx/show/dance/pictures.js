"use strict";
/* The pictures of a stage, each a function of the stage and of the room that there is: a width, a height, elements of SVG
as text, and what they show in words. No page is needed for them; colours are the style's variables. */

const SIGN = 0.6; // about the width of a sign, in parts of its height

const escaped = (text) => String(text).replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
const rounded = (value) => (typeof value === "number" ? Math.round(value * 100) / 100 : escaped(value));
function tag(name, attributes, content = "") {
  const given = Object.entries(attributes).filter(([, value]) => value !== undefined && value !== "");
  return `<${name}${given.map(([key, value]) => ` ${key}="${rounded(value)}"`).join("")}>${content}</${name}>`;
}
const ink = (name) => `var(--${name})`;
const path = (d, colour, width = 1.2, more = {}) => tag("path", { d, fill: "none", stroke: ink(colour), "stroke-width": width, ...more });
function write(text, x, y, size, colour, more = {}) {
  const look = { "font-size": size, fill: colour[0] === "#" ? colour : ink(colour), "text-anchor": "middle" };
  return tag("text", { x, y: y + size * 0.36, ...look, ...more }, escaped(text));
}
const BOLD = { "font-weight": 700 }, LEFT = { "text-anchor": "start" }, RIGHT = { "text-anchor": "end" };
const told = (text) => `<title>${escaped(text)}</title>`;
const whole = ({ width, height, body, caption }) => tag("svg", { xmlns: "http://www.w3.org/2000/svg",
  viewBox: `0 0 ${rounded(width)} ${rounded(height)}`, width, height, role: "img", "aria-label": caption,
  "font-family": "system-ui, DejaVu Sans, Verdana, sans-serif" }, body);

/* What is left as numbers per item; of many items, how many have so many options */
const MOST_ITEMS = 48, MOST_SIZES = 9;
function drawSizes(stage, width) {
  const sizes = stage.sizes(), { wanted, ties } = sizes;
  const caption = `Options left for each of ${many(wanted.length, "item")}; tinted: the fewest, so the fewest branches.`;
  const [height, body] = wanted.length > MOST_ITEMS ? histogram(stage, sizes, width) : chips(stage, sizes, width);
  return { width, height, body, caption: ties.length ? caption : "Nothing is left to cover." };
}
function chips(stage, { wanted, branch, ties }, width) {
  const longest = Math.max(0, ...wanted.map((i) => stage.heading(i).length));
  const wide = Math.max(46, Math.min(110, 38 + 7.5 * longest)), across = Math.max(1, Math.floor(width / wide));
  const parts = wanted.map((i, k) => {
    const [left, top] = [k % across * wide, Math.floor(k / across) * 28], least = ties.includes(i);
    return tag("g", {}, told(stage.itemName(i))
      + tag("rect", { x: left + 2, y: top + 2, width: wide - 4, height: 24, rx: 5, fill: ink(least ? "least" : "panel"),
        stroke: ink(i === branch ? "branch" : "line"), "stroke-width": i === branch ? 3 : 1 })
      + write(short(stage.heading(i), 10), left + 9, top + 14, 12, "ink", LEFT)
      + write(stage.users(i), left + wide - 9, top + 14, 13, least ? "branch" : "ink", { ...BOLD, ...RIGHT }));
  });
  return [Math.ceil(Math.max(1, wanted.length) / across) * 28, parts.join("")];
}
function histogram(stage, { wanted, ties }, width) {
  const counts = new Map(), rest = "more";
  for (const i of wanted) counts.set(stage.users(i), (counts.get(stage.users(i)) ?? 0) + 1);
  const all = [...counts.keys()].sort((a, b) => a - b), shown = all.slice(0, MOST_SIZES);
  if (all.length > MOST_SIZES) {
    counts.set(rest, all.slice(MOST_SIZES).reduce((sum, size) => sum + counts.get(size), 0));
    shown.push(rest);
  }
  const most = Math.max(...counts.values()), fewest = stage.users(ties[0]);
  const named = `: ${short(ties.slice(0, 3).map((i) => stage.heading(i)).join(", "), 24)}`;
  const parts = shown.map((size, k) => {
    const y = k * 22 + 12, long = (width - 200) * counts.get(size) / most, least = size === fewest;
    return write(size === rest ? rest : many(size, "option"), 78, y, 12, "ink", RIGHT)
      + tag("rect", { x: 86, y: y - 8, width: Math.max(2, long), height: 16, rx: 3, fill: ink(least ? "least" : "tint"), stroke: ink("faint") })
      + write(many(counts.get(size), "item") + (least ? named : ""), 94 + long, y, 12, least ? "branch" : "ink", { ...LEFT, ...(least ? BOLD : {}) });
  });
  return [shown.length * 22 + 4, parts.join("")];
}

/* The tree. A node says on which item it branches, a dead end which item ran out, a cover its number; an edge is an option.
What is not on the path is folded in a large one. */
const MOST_NODES = 40, DEEPEST = 5, APART = 64; // nodes that are all shown; else levels, and pixels for a node
const drawTree = (stage, width, height) => new TreePicture(stage, width, height).drawn();

class TreePicture {
  constructor(stage, width, height) {
    const { tree, place } = stage, way = stage.path();
    Object.assign(this, { stage, place, width, height, way, on: new Set(way), full: tree.length <= MOST_NODES });
    this.from = this.full ? 0 : Math.max(0, way.length - 1 - DEEPEST);
    this.open = this.full ? new Set(tree) : this.on;
    this.levels = [];
    this.spots = new Map();
    this.leaves = 0;
    if (this.full) this.layOut(tree[0], 0);
    else this.layOutPath();
    this.left = 26;
    this.top = 13 + (this.from ? 22 : 0);
    const steps = Math.max(this.full ? 1 : DEEPEST, this.levels.length - 1);
    this.rise = Math.min(100, (height - this.top - 13) / steps);
  }

  /** The children of a node that there is room for, the one on the path among them. */
  shown(node) {
    if (!this.open.has(node)) return [];
    const some = node.children.filter((child) => this.full || child.from <= this.place);
    const fit = Math.max(3, Math.floor((this.width - 60) / APART));
    return some.filter((child, k) => k >= some.length - fit || this.on.has(child));
  }

  /** Gives each node its place in a level: leaves from left to right, others in the middle of their children. */
  layOut(node, depth) {
    const children = this.shown(node).map((child) => this.layOut(child, depth + 1));
    (this.levels[depth] ??= []).push(node);
    const place = children.length ? (children[0] + children.at(-1)) / 2 : this.leaves++;
    this.spots.set(node, [place, depth]);
    return place;
  }

  /** The same where only the path is open: each level has the whole width. */
  layOutPath() {
    this.levels = [[this.way[this.from]], ...this.way.slice(this.from).map((node) => this.shown(node))].filter((all) => all.length);
    this.levels.forEach((all, depth) => all.forEach((node, k) => this.spots.set(node, [k, depth])));
  }

  among(node) { return this.full ? this.leaves : this.levels[this.spots.get(node)[1]].length; }
  gap(node) { return (this.width - this.left) / this.among(node); }
  x(node) { return this.left + (this.width - this.left - 6) * (this.spots.get(node)[0] + 0.5) / this.among(node); }
  y(node) { return this.top + this.spots.get(node)[1] * this.rise; }

  drawn() {
    const { stage, from, way, width, full } = this, there = [...this.spots.keys()].filter((node) => node.from <= this.place);
    const choices = way.slice(0, from).filter((node) => node.children.length > 1).length;
    const above = from ? write(`⋯ ${many(from, "level")} above, ${many(choices, "choice")} among several`, width / 2, 9, 12, "faint") : "";
    const numbers = this.rise > 15 ? this.levels.map((_, depth) => write(from + depth, 8, this.top + depth * this.rise, 11, "faint")) : [];
    const edges = there.filter((node) => node !== way[from]), all = `${stage.tree.length - 1} ${stage.stopped ? "until it was stopped" : "in all"}`;
    return { width, height: full ? 26 + this.rise * Math.max(1, this.levels.length - 1) : this.height,
      body: [above, numbers, edges.map((node) => this.edge(node)), edges.map((node) => this.label(node)),
        there.map((node) => this.node(node))].flat().join(""),
      caption: `${many(stage.counts()[0] - 1, "node")} of ${all}. A node: an item; its edges: the options tried. Red disc ✕: a dead end, `
        + `with the item that has too few options left. Green square ★: a cover.${full ? "" : " +n: so many nodes are folded."}` };
  }

  edge(node) {
    const here = this.on.has(node), [x, y, toX, toY] = [this.x(node.parent), this.y(node.parent), this.x(node), this.y(node)].map(rounded);
    return path(`M${x} ${y}L${toX} ${toY}`, here ? "path" : "link", here ? 3.5 : 1.2);
  }

  /** The option of an edge: above its node, or beside it where levels are low. */
  label(node) {
    const here = this.on.has(node), low = this.rise < 34, [x, y] = [this.x(node), this.y(node)], half = this.words(node)[1];
    const room = Math.floor((low ? this.gap(node) / 2 - half : this.gap(node)) / 6.5);
    if (this.rise < 16 || room < 4) return "";
    const look = { ...(here ? BOLD : {}), ...(low ? LEFT : {}), "paint-order": "stroke", stroke: ink("panel"), "stroke-width": 4 };
    const [across, down] = low ? [x + half + 5, y] : [x, y - this.size - 7];
    return write(short(this.stage.brief(node.option), room), across, down, 11, here ? "path" : "ink", look);
  }

  get size() { return Math.min(12, this.rise * 0.42); }

  /** What a node is: its colour, a few signs in it, and a sentence. */
  kind(node) {
    const { stage, place } = this, { state } = stage, closed = !this.open.has(node) && node.size > 1;
    if (node.cover && node.from < place) return ["found", `★${node.cover}`, `cover ${node.cover}`];
    if (node.died <= place) return ["dead", `✕${stage.heading(node.dead)}`, `dead end: ${stage.itemName(node.dead)} has too few options left`];
    if (closed) {
      const [count, covers] = stage.counts(node);
      const about = `${many(count - 1, "node")} below, ${many(covers, "cover")}: a click goes there`;
      return ["closed", `+${count - 1}${covers ? ` ★${covers}` : ""}`, about];
    }
    const begun = node.children[0]?.from <= place || (node === this.way.at(-1) && state.branch.length > state.chosen.length);
    if (!begun || !(node.item >= 0)) return ["inner", "", ""];
    return ["inner", stage.heading(node.item), `branches on ${stage.itemName(node.item)}`];
  }

  /** The text of a node, and half of the width that it takes. */
  words(node) {
    const text = short(this.kind(node)[1], Math.max(3, Math.floor(this.gap(node) / 7) - 1));
    return [text, Math.max(this.size * 0.85, (text.length * this.size * SIGN + 8) / 2)];
  }

  node(node) {
    const [kind, , about] = this.kind(node), here = this.on.has(node), { size } = this, [x, y] = [this.x(node), this.y(node)];
    const [text, half] = this.words(node);
    const paint = kind === "found" || kind === "dead" ? kind : here ? "path" : "panel", light = paint === "panel";
    const option = node.level >= 0 ? this.stage.label(node.option) : "the beginning";
    return tag("g", { class: "node", "data-place": node.from, "data-here": node === this.way.at(-1) ? "yes" : "" }, told([option, about].filter(Boolean).join("; "))
      + tag("rect", { x: x - half, y: y - size * 0.85, width: 2 * half, height: size * 1.7,
        rx: kind === "found" || kind === "closed" ? 2 : size * 0.85, // not by hue alone
        fill: ink(paint), stroke: ink(light ? "faint" : paint), "stroke-width": here ? 3 : 1.2 })
      + write(text, x, y, size, light ? "ink" : "panel", BOLD));
  }
}

/* The board */
function drawBoard(stage, width, height) {
  const { board } = stage.problem, { rows, columns, kind, backdrop } = board;
  const view = backdrop ?? { left: -0.05, top: -0.05, width: columns + 0.1, height: rows + 0.1 };
  const side = Math.min(width / view.width, height / view.height, 72), left = (width - side * view.width) / 2, parts = [];
  const corner = (row, column) => [left + (column - view.left) * side, (row - view.top) * side];
  const at = (k) => corner(Math.floor(k / columns), k % columns);
  const under = backdrop ? tag("image", { x: left, y: 0, width: view.width * side, height: view.height * side,
    href: `data:image/svg+xml,${encodeURIComponent(backdrop.svg)}` }) : ""; // as an image, in which nothing can run
  const wanted = new Set(stage.cells.flat());
  const spot = spots(stage, side, at);
  parts.push(kind === "candidates" ? candidates(stage, side, at, spot) : pieces(stage, side, at));
  if (!(backdrop && board.region)) {
    const all = [...Array(rows * columns).keys()], there = kind === "candidates" ? all : [...wanted];
    const regions = [...new Set(board.region ?? [])].map((name) => all.filter((k) => board.region[k] === name));
    const lines = (areas) => areas.map((cells) => outline(new Set(cells), columns, at, side)).join("");
    parts.push(path(lines(there.map((k) => [k])), "line", 1));
    parts.push(path(lines(board.region ? regions : kind === "candidates" ? [all] : [there, ...stage.state.chosen.map((o) => stage.cells[o])]), "ink", 2));
  }
  parts.push(stage.lesson?.onBoard({ side, at, spot, columns }) ?? "");
  const small = kind === "candidates" ? " Small: what can still be chosen; brown: the choices of this level." : "";
  return { width, height: view.height * side, under, body: parts.join(""),
    caption: `The board: ${stage.state.chosen.length} of the options chosen.${small}` };
}
/** The border of some cells of a board, or a line within it, so far from it in sides of a cell. */
function outline(cells, columns, at, side, inset = 0) {
  const has = (r, c) => c >= 0 && c < columns && cells.has(r * columns + c), gap = inset * side;
  const cut = (beside, beyond) => (beside ? (beyond ? -gap : 0) : gap);
  return [...cells].flatMap((k) => [-1, 1].map((way) => {
    const [x, y] = at(k), [r, c] = [Math.floor(k / columns), k % columns], far = way < 0 ? gap : side - gap;
    const [left, right] = [-1, 1].map((turn) => cut(has(r, c + turn), has(r + way, c + turn)));
    const [top, foot] = [-1, 1].map((turn) => cut(has(r + turn, c), has(r + turn, c + way)));
    return (has(r + way, c) ? "" : `M${rounded(x + left)} ${rounded(y + far)}H${rounded(x + side - right)}`)
      + (has(r, c + way) ? "" : `M${rounded(x + far)} ${rounded(y + top)}V${rounded(y + side - foot)}`);
  })).join("");
}
function pieces(stage, side, at) {
  const tried = stage.state.chosen.at(-1), parts = [];
  paints(stage).forEach((paint, o) => {
    const own = stage.cells[o].map((k) => {
      const [x, y] = at(k), half = side / 2, text = stage.problem.board.marks[o][1];
      return tag("rect", { x, y, width: side + 0.5, height: side + 0.5, fill: PAINTS[paint] })
        + (text ? write(text, x + half, y + half, side * 0.38, "#24252f", o === tried ? BOLD : {}) : "");
    });
    parts.push(tag("g", { class: o === tried ? "fresh" : "" }, told(stage.label(o)) + own.join("")));
  });
  return parts.join("");
}
/** The colour of each option on the board: one that none of its neighbours has, if that can be. */
function paints(stage) {
  const { columns } = stage.problem.board, owner = new Map(), colours = new Map();
  for (const o of stage.state.chosen) if (stage.cells[o].length) {
    const beside = stage.cells[o].flatMap((k) => [k - columns, k + columns, ...(k % columns ? [k - 1] : []), ...((k + 1) % columns ? [k + 1] : [])]);
    const taken = new Set(beside.map((k) => colours.get(owner.get(k))));
    const free = PAINTS.map((_, j) => (o + j) % PAINTS.length).filter((paint) => !taken.has(paint));
    colours.set(o, free[0] ?? o % PAINTS.length);
    for (const k of stage.cells[o]) owner.set(k, o);
  }
  return colours;
}
/** The place of a candidate in its cell, and the side that it has there. */
function spots({ problem, cells }, side, at) {
  const { marks, backdrop } = problem.board, most = 1 + Math.max(0, ...marks.map((mark) => mark?.[2] ?? 0));
  const across = Math.ceil(Math.sqrt(most)), free = side * (backdrop?.corner ?? 0), small = (side - 1.3 * free) / across;
  return (o) => {
    const [x, y] = at(cells[o][0]), d = marks[o][2] ?? 0;
    return [x + free + (d % across + 0.5) * small, y + free + (Math.floor(d / across) + 0.5) * small, small, most];
  };
}
function candidates(stage, side, at, spot) {
  const { problem, state, cells } = stage, { marks, givens = {} } = problem.board, parts = [];
  const tried = state.chosen.at(-1), chosen = new Set(state.chosen), item = state.branch.at(-1);
  const open = state.chosen.length < state.branch.length && item >= 0;
  const large = (k, text, colour, more = {}) => {
    const [x, y] = at(k);
    parts.push(write(text, x + side / 2, y + side / 2, side * 0.6, colour, { ...BOLD, ...more }));
  };
  for (const [k, text] of Object.entries(givens)) large(k, text, "ink");
  marks.forEach((mark, o) => {
    if (!mark || cells[o][0] in givens) return;
    const now = open && state.by[o] === item && state.colours[o].has(item), fresh = o === tried ? "fresh" : "";
    if (chosen.has(o)) return large(cells[o][0], mark[1], fresh ? "branch" : "chosen", { class: fresh });
    if (state.by[o] !== LIVE && !now) return;
    const [cx, cy, small, most] = spot(o), colour = now ? "branch" : "faint";
    parts.push(most === 1 ? tag("circle", { cx, cy, r: side * (now ? 0.16 : 0.09), fill: ink(colour) })
      : write(mark[1], cx, cy, small * 0.78, colour, now ? BOLD : {}));
  });
  return parts.join("");
}
