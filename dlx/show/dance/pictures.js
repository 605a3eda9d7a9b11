"use strict";
/* The pictures of a stage. Each is a function of the stage and of the room for it, and returns a width, a height, SVG
 * elements as text, and a caption. Colours are variables of the style. */

const SIGN = 0.6; // about the width of a character, in font sizes

const escaped = (text) => String(text).replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
const rounded = (value) => (typeof value === "number" ? Math.round(value * 100) / 100 : escaped(value));
function tag(name, attributes, content = "") {
  const given = Object.entries(attributes).filter(([, value]) => value !== undefined && value !== "");
  return `<${name}${given.map(([key, value]) => ` ${key}="${rounded(value)}"`).join("")}>${content}</${name}>`;
}
const ink = (name) => `var(--${name})`;
const path = (d, colour, width = 1.2, more = {}) => tag("path", { d, fill: "none", stroke: ink(colour), "stroke-width": width, ...more });
function write(text, x, y, size, colour, more = {}) {
  const look = { "font-size": size, fill: ink(colour), "text-anchor": "middle" };
  return tag("text", { x, y: y + size * 0.36, ...look, ...more }, escaped(text));
}
const BOLD = { "font-weight": 700 }, LEFT = { "text-anchor": "start" }, RIGHT = { "text-anchor": "end" };
const tooltip = (text) => `<title>${escaped(text)}</title>`;
const whole = ({ width, height, body, caption }) => tag("svg", { xmlns: "http://www.w3.org/2000/svg",
  viewBox: `0 0 ${rounded(width)} ${rounded(height)}`, width, height, role: "img", "aria-label": caption,
  "font-family": "system-ui, DejaVu Sans, Verdana, sans-serif" }, body);

/* The number of options left for each item; of too many items, those with the fewest options */
const MOST_ITEMS = 48;
function drawSizes(stage, width) {
  const { wanted, branch, ties } = stage.sizes();
  const shown = wanted.length > MOST_ITEMS ? [...wanted].sort((a, b) => stage.users(a) - stage.users(b)).slice(0, MOST_ITEMS) : wanted;
  const longest = Math.max(0, ...shown.map((i) => stage.itemName(i).length));
  const wide = Math.max(46, Math.min(110, 38 + 7.5 * longest)), across = Math.max(1, Math.floor(width / wide));
  const parts = shown.map((i, k) => {
    const [left, top] = [k % across * wide, Math.floor(k / across) * 28], least = ties.includes(i);
    return tag("g", {}, tooltip(stage.itemName(i))
      + tag("rect", { x: left + 2, y: top + 2, width: wide - 4, height: 24, rx: 5, fill: ink(least ? "least" : "panel"),
        stroke: ink(i === branch ? "branch" : "line"), "stroke-width": i === branch ? 3 : 1 })
      + write(short(stage.itemName(i), 10), left + 9, top + 14, 12, "ink", LEFT)
      + write(stage.users(i), left + wide - 9, top + 14, 13, least ? "branch" : "ink", { ...BOLD, ...RIGHT }));
  });
  const some = shown.length < wanted.length ? `${shown.length} of ` : "";
  return { width, height: Math.ceil(Math.max(1, shown.length) / across) * 28, body: parts.join(""), caption: ties.length
    ? `Options left for ${some}${many(wanted.length, "item")}; highlighted: the fewest, so the fewest branches.` : "Nothing is left to cover." };
}

/* The tree. A node has the item to branch on, a dead end the item without options, a cover its number; an edge is an option.
What is not on the path is folded in a large one. */
const MOST_NODES = 40, DEEPEST = 5, APART = 64; // the nodes of a tree that is shown whole; levels of a larger tree; pixels for a node
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

  /** Returns the children of a node that have room, with the child on the path. */
  shown(node) {
    if (!this.open.has(node)) return [];
    const some = node.children.filter((child) => this.full || child.from <= this.place);
    const fit = Math.max(3, Math.floor((this.width - 60) / APART));
    return some.filter((child, k) => k >= some.length - fit || this.on.has(child));
  }

  /** Places each node in its level: leaves from left to right, other nodes in the middle of their children. */
  layOut(node, depth) {
    const children = this.shown(node).map((child) => this.layOut(child, depth + 1));
    (this.levels[depth] ??= []).push(node);
    const place = children.length ? (children[0] + children.at(-1)) / 2 : this.leaves++;
    this.spots.set(node, [place, depth]);
    return place;
  }

  /** Places the nodes if only the path is open: each level has the whole width. */
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
        + `with the item that has too few options left. Green square ★: a cover.${full ? "" : " +n: n folded nodes."}` };
  }

  edge(node) {
    const here = this.on.has(node), [x, y, toX, toY] = [this.x(node.parent), this.y(node.parent), this.x(node), this.y(node)].map(rounded);
    return path(`M${x} ${y}L${toX} ${toY}`, here ? "path" : "link", here ? 3.5 : 1.2);
  }

  /** Draws the option of an edge: above its node, or beside it if levels are low. */
  label(node) {
    const here = this.on.has(node), low = this.rise < 34, [x, y] = [this.x(node), this.y(node)], half = this.words(node)[1];
    const room = Math.floor((low ? this.gap(node) / 2 - half : this.gap(node)) / 6.5);
    if (this.rise < 16 || room < 4) return "";
    const look = { ...(here ? BOLD : {}), ...(low ? LEFT : {}), "paint-order": "stroke", stroke: ink("panel"), "stroke-width": 4 };
    const [across, down] = low ? [x + half + 5, y] : [x, y - this.size - 7];
    return write(short(this.stage.label(node.option), room), across, down, 11, here ? "path" : "ink", look);
  }

  get size() { return Math.min(12, this.rise * 0.42); }

  /** Returns the kind of a node, its text, and a sentence about it. */
  kind(node) {
    const { stage, place } = this, { state } = stage, closed = !this.open.has(node) && node.size > 1;
    if (node.cover && node.from < place) return ["found", `★${node.cover}`, `cover ${node.cover}`];
    if (node.died <= place) return ["dead", `✕${stage.itemName(node.dead)}`, `dead end: ${stage.itemName(node.dead)} has too few options left`];
    if (closed) {
      const [count, covers] = stage.counts(node);
      const about = `${many(count - 1, "node")} below, ${many(covers, "cover")}: a click goes there`;
      return ["closed", `+${count - 1}${covers ? ` ★${covers}` : ""}`, about];
    }
    const begun = node.children[0]?.from <= place || (node === this.way.at(-1) && state.branch.length > state.chosen.length);
    if (!begun || !(node.item >= 0)) return ["inner", "", ""];
    return ["inner", stage.itemName(node.item), `branches on ${stage.itemName(node.item)}`];
  }

  /** Returns the text of a node, and half of its width. */
  words(node) {
    const text = short(this.kind(node)[1], Math.max(3, Math.floor(this.gap(node) / 7) - 1));
    return [text, Math.max(this.size * 0.85, (text.length * this.size * SIGN + 8) / 2)];
  }

  node(node) {
    const [kind, , about] = this.kind(node), here = this.on.has(node), { size } = this, [x, y] = [this.x(node), this.y(node)];
    const [text, half] = this.words(node);
    const paint = kind === "found" || kind === "dead" ? kind : here ? "path" : "panel", light = paint === "panel";
    const option = node.level >= 0 ? this.stage.label(node.option) : "the beginning";
    return tag("g", { class: "node", "data-place": node.from, "data-here": node === this.way.at(-1) ? "yes" : "" }, tooltip([option, about].filter(Boolean).join("; "))
      + tag("rect", { x: x - half, y: y - size * 0.85, width: 2 * half, height: size * 1.7,
        rx: kind === "found" || kind === "closed" ? 2 : size * 0.85, // shape and colour differ
        fill: ink(paint), stroke: ink(light ? "faint" : paint), "stroke-width": here ? 3 : 1.2 })
      + write(text, x, y, size, light ? "ink" : "panel", BOLD));
  }
}

/* The board, over the picture of the empty board; that is an image, so no script in it can run */
const CELL = 36, LARGEST = 2; // pixels of a cell; the largest scale
function drawBoard(stage, width, height) {
  const { backdrop, kind } = stage.problem.board, [wide, high] = [backdrop.width * CELL, backdrop.height * CELL];
  const scale = Math.min(width / wide, height / high, LARGEST), left = (width - scale * wide) / 2;
  const under = tag("image", { x: left, y: 0, width: scale * wide, height: scale * high,
    href: `data:image/svg+xml,${encodeURIComponent(backdrop.svg)}` });
  const [x, y] = [left - scale * backdrop.left * CELL, -scale * backdrop.top * CELL];
  const body = kind === "candidates" ? candidates(stage) : pieces(stage);
  const small = kind === "candidates" ? " Small: what can still be chosen; brown: the choices of this level." : "";
  return { width, height: scale * high, under, body: tag("g", { transform: `translate(${x} ${y}) scale(${scale})` }, body),
    caption: `The board: ${stage.state.chosen.length} of the options chosen.${small}` };
}
/** Draws the chosen pieces, each in the colour of its level. */
function pieces(stage) {
  const { chosen } = stage.state, { marks } = stage.problem.board, { palette } = data;
  return chosen.map((o, level) => {
    if (!marks[o]) return "";
    const [middles, text, outline] = marks[o], now = level === chosen.length - 1;
    const letters = text ? middles.map((middle) => write(text, ...middle, CELL * 0.38, "ink", now ? BOLD : {})) : [];
    const area = tag("path", { d: outline, fill: palette[level % palette.length], stroke: ink("ink"), "stroke-width": 2 });
    return tag("g", { class: now ? "fresh" : "" }, tooltip(stage.label(o)) + area + letters.join(""));
  }).join("");
}
const centre = (k, columns) => [(k % columns + 0.5) * CELL, (Math.floor(k / columns) + 0.5) * CELL];
/** Draws the texts in cells, and small those that can still be chosen. */
function candidates(stage) {
  const { problem, state } = stage, { columns, marks, givens } = problem.board, parts = [];
  const tried = state.chosen.at(-1), chosen = new Set(state.chosen), item = state.branch.at(-1);
  const open = state.chosen.length < state.branch.length && item >= 0;
  const large = (k, text, colour, more = {}) => parts.push(write(text, ...centre(k, columns), CELL * 0.6, colour, { ...BOLD, ...more }));
  for (const [k, text] of Object.entries(givens)) large(k, text, "ink");
  marks.forEach((mark, o) => {
    if (!mark || mark[0][0] in givens) return;
    const [[cell], text, [x, y, size]] = mark, fresh = o === tried ? "fresh" : "";
    const now = open && state.by[o] === item && state.colours[o].has(item), colour = now ? "branch" : "faint";
    if (chosen.has(o)) large(cell, text, fresh ? "branch" : "chosen", { class: fresh });
    else if (size === CELL && (now || state.by[o] === LIVE)) parts.push(tag("circle", { cx: x, cy: y, r: size * (now ? 0.16 : 0.09), fill: ink(colour) }));
    else if (now || state.by[o] === LIVE) parts.push(write(text, x, y, size * 0.78, colour, now ? BOLD : {}));
  });
  return parts.join("");
}
