"use strict";
/* The pictures of a stage, each a function of the stage and of the room that there is: a width, a height, elements of SVG
as text, and what they show in words. No page is needed for them; colours are the style's variables. */

const PAINTS = ["#e8847c", "#7db7e8", "#f4d675", "#7fc29b", "#a98bd6", "#f2b06a", "#6cc5c1", "#d38fc8", "#b9d47b",
  "#7f93d9", "#e9a3b4", "#bfab92"];
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
  return tag("text", { x, y: y + size * 0.36, "font-size": size, fill: colour[0] === "#" ? colour : ink(colour), "text-anchor": "middle", ...more }, escaped(text));
}
const BOLD = { "font-weight": 700 }, LEFT = { "text-anchor": "start" };
const told = (text) => `<title>${escaped(text)}</title>`;
const whole = ({ width, height, body, caption }) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${rounded(width)} ${rounded(height)}" width="${rounded(width)}" height="${rounded(height)}" role="img" aria-label="${escaped(caption)}" font-family="system-ui, DejaVu Sans, Verdana, sans-serif">${body}</svg>`;

/* The links: headers with their sizes, a row for each option, and all pointers */
function drawLinks(stage, width, height) {
  const { problem, state } = stage, { items, options, primary } = problem;
  const { links, changed, step } = stage.linked ? stage.links() : { links: sketched(state), changed: [] };
  const rows = [...links.first.keys()], { branch, ties } = stage.sizes();
  const side = 22, names = width - side - 34 * items.length > 170 ? 96 : 0;
  const wide = Math.min(64, (width - side - names - 6) / items.length), head = 56, top = head + 12;
  const tall = Math.max(20, Math.min(44, (height - top - 6) / rows.length)), node = Math.min(20, tall * 0.62, wide * 0.6);
  const x = (i) => side + (i - 0.5) * wide, line = new Map(rows.map((o, k) => [o, top + (k + 0.5) * tall]));
  const y = (q) => (links.OPTION[q] < 0 ? head : line.get(links.OPTION[q])), chosen = new Set(state.chosen), fresh = new Set(changed);
  const most = Math.max(1, ...state.users.map((some) => some.length)), parts = [], nodes = [];
  const inRing = (i) => i <= primary && links.RLINK[links.LLINK[i]] === i, linked = (q) => links.DLINK[links.ULINK[q]] === q;
  const arrow = (p, q, way, faint) => { // way: 1 downwards, on the right; -1 upwards, on the left
    const reach = node / 2 + 1, across = x(links.TOP[p]) + way * node * 0.24;
    const [from, to] = [y(p) + way * (links.OPTION[p] < 0 ? 0 : reach), y(q) - way * (links.OPTION[q] < 0 ? 0 : reach)];
    const passes = rows.some((o) => (line.get(o) - y(p)) * (line.get(o) - y(q)) < 0 && options[o].includes(links.TOP[p] - 1)); // a hidden node
    const bow = passes && !faint ? way * node * 0.95 : 0, mid = (from + to) / 2;
    const tip = `M${rounded(across - 3)} ${rounded(to - 4 * way)}L${rounded(across)} ${rounded(to)}L${rounded(across + 3)} ${rounded(to - 4 * way)}`;
    const moved = !faint && [...fresh].some((f) => links.TOP[f] === links.TOP[p] && (links.ULINK[f] === p || links.DLINK[f] === p || links.ULINK[f] === q || links.DLINK[f] === q));
    parts.push(path(`M${rounded(across)} ${rounded(from)}Q${rounded(across + 2 * bow)} ${rounded(mid)} ${rounded(across)} ${rounded(to)}${tip}`,
      faint ? "ghost" : moved ? "path" : "link", moved ? 2.2 : 1.2, faint ? { "stroke-dasharray": "3 2" } : moved ? { class: "fresh" } : {}));
  };
  for (let i = 0, last = -1; i <= primary; i++) if (inRing(i)) { // the row of items
    if (last >= 0) {
      const [from, to] = [last ? x(last) + wide * 0.4 : 4, x(i) - wide * 0.4];
      parts.push(path(i - last > 1 ? `M${rounded(from)} 20C${rounded(from + 8)} 0 ${rounded(to - 8)} 0 ${rounded(to)} 20` : `M${rounded(from)} 30H${rounded(to)}`, "link", 1.5));
    }
    last = i;
  }
  for (const o of rows) {
    const start = links.first.get(o), qs = options[o].map((_, k) => start + k), xs = qs.map((q) => x(links.TOP[q]));
    const live = state.by[o] === LIVE || chosen.has(o), given = chosen.has(o);
    parts.push(path(`M${rounded(Math.min(...xs))} ${rounded(line.get(o))}H${rounded(Math.max(...xs))}`, given ? "chosen" : "line", given ? 3 : 1.2));
    nodes.push(write(o + 1, side / 2 - 2, line.get(o), 12, given ? "chosen" : live ? "ink" : "faint", given ? BOLD : {}));
    if (names) nodes.push(write(short(`${given ? "✓ " : ""}${stage.label(o)}`, 14), side + items.length * wide + 8, line.get(o), 12, given ? "chosen" : live ? "ink" : "faint", { ...LEFT, ...(given ? BOLD : {}) }));
    for (const q of qs) {
      const i = links.TOP[q], there = linked(q), mine = there && i - 1 === branch && !given, colour = given ? "chosen" : mine ? "branch" : there && live ? "ink" : there ? "link" : "ghost";
      if (!there && !given && stage.linked) for (const [to, way] of [[links.DLINK[q], 1], [links.ULINK[q], -1]]) if (to > links.n || way < 0) arrow(q, to, way, true);
      const solid = given || (there && (live || mine)), [cx, cy] = [x(i), line.get(o)];
      nodes.push(tag("g", { class: fresh.has(q) ? "fresh" : "" }, tag("rect", { x: cx - node / 2, y: cy - node / 2, width: node, height: node, rx: 4,
        fill: solid ? ink(colour) : ink("panel"), stroke: ink(fresh.has(q) ? "path" : solid ? colour : "faint"), "stroke-width": fresh.has(q) ? 3 : 1.2, "stroke-dasharray": there || given ? undefined : "3 2" })
        + write(short(items[i - 1], 2), cx, cy, node * 0.6, solid ? "panel" : "faint", solid ? BOLD : {})));
    }
  }
  for (let i = 1; i <= links.n; i++) {
    for (let p = i, q = links.DLINK[i]; q !== i; p = q, q = links.DLINK[q]) arrow(p, q, 1);
    for (let p = i, q = links.ULINK[i]; q !== i; p = q, q = links.ULINK[q]) arrow(p, q, -1);
    const gone = i <= primary && stage.linked ? !inRing(i) : state.covered[i - 1], now = i - 1 === branch, least = ties.includes(i - 1);
    const box = { x: x(i) - wide * 0.4, width: wide * 0.8 }, full = (head - 15) * links.LEN[i] / most;
    nodes.push(tag("g", { class: fresh.has(i) ? "fresh" : "" }, told(`${items[i - 1]}: ${many(links.LEN[i], "option")}`)
      + tag("rect", { ...box, y: 14, height: head - 14, rx: 5, fill: ink("panel") })
      + tag("rect", { ...box, y: head - full, height: full, rx: 4, fill: ink(gone ? "panel" : least ? "least" : "tint") })
      + tag("rect", { ...box, y: 14, height: head - 14, rx: 5, fill: "none", stroke: ink(fresh.has(i) ? "path" : now ? "branch" : gone ? "ghost" : "faint"), "stroke-width": now || fresh.has(i) ? 3 : 1.2, "stroke-dasharray": gone ? "3 2" : undefined })
      + write(short(items[i - 1], Math.max(2, Math.floor(wide / 9))), x(i), 25, 13, gone ? "faint" : "ink", now ? BOLD : {})
      + write(links.LEN[i], x(i), 43, 15, gone ? "faint" : least ? "branch" : "ink", BOLD)));
  }
  const live = state.by.filter((by) => by === LIVE).length, left = state.wanted().length;
  return { width, height: top + tall * rows.length + 4, body: parts.join("") + nodes.join(""), step,
    caption: `${many(live, "option")} and ${many(left, "item")} left. Tinted: the items with the fewest options. Green: chosen. Dashed: hidden${stage.linked ? ", still pointing at its neighbours" : ""}.` };
}

/** The same of a problem with multiplicities, whose kernel has no links. */
function sketched(state) {
  const links = dancingLinks(state);
  for (let q = links.n + 1; q < links.TOP.length; q++) {
    if (state.by[links.OPTION[q]] === LIVE || state.by[links.OPTION[q]] === links.TOP[q] - 1) continue;
    for (const _ of links.hide(q)) break;
    [links.DLINK[links.ULINK[q]], links.ULINK[links.DLINK[q]]] = [links.DLINK[q], links.ULINK[q]];
  }
  for (let i = 1; i <= links.n; i++) {
    links.LEN[i] = 0;
    for (let q = links.DLINK[i]; q !== i; q = links.DLINK[q]) links.LEN[i]++;
  }
  return links;
}

/** The code that changes links, as it runs, with the lines that have run last. */
function codeOf(stage) {
  if (!stage.linked) return [];
  const { links, step, changed } = stage.links(), back = step?.[0] === UNCOVER || step?.[0] === LEAVE;
  const outer = step?.[4] ? (back ? "unpurify" : "purify") : back ? "uncover" : "cover", dancing = changed.length > 0;
  const last = dancing && links.OPTION[changed.at(-1)] < 0 && changed.length < 2 ? 0 : 1; // the routine that ran last
  return [links[outer], links[back ? "unhide" : "hide"]].flatMap((routine, k) =>
    String(routine).split("\n").filter((text) => !/^\s*yield \w+;/.test(text)).map((text) => ({
      text: text.replace("function*", "function").replace("yield* ", "").replace(/^ {2}(?=\S)/, "").replace(/^ {2}/, ""),
      runs: k === last,
      now: dancing && /=(?!=)|--;|\+\+;/.test(text) && !/for|function/.test(text)
        && (/LINK\[[LR]LINK/.test(text) ? changed.some((q) => links.OPTION[q] < 0) : changed.some((q) => links.OPTION[q] >= 0)),
    })));
}

/* What is left as numbers per item; of many items, how many have so many options */
function drawSizes(stage, width) {
  const { wanted, branch, ties } = stage.sizes(), { problem } = stage, small = new Set(ties), parts = [];
  const caption = wanted.length ? `Options left for each of ${many(wanted.length, "item")}; the smallest, ${many(ties.length, "item")}, make the fewest branches.` : "Nothing is left to cover.";
  if (wanted.length <= 48) {
    const wide = Math.max(46, Math.min(110, 16 + 7.5 * Math.max(0, ...wanted.map((i) => stage.heading(i).length + 3))));
    const across = Math.max(1, Math.floor(width / wide)), rows = Math.ceil(Math.max(1, wanted.length) / across);
    wanted.forEach((i, k) => {
      const [left, top] = [k % across * wide, Math.floor(k / across) * 28], least = small.has(i);
      parts.push(tag("g", {}, told(stage.itemName(i)) + tag("rect", { x: left + 2, y: top + 2, width: wide - 4, height: 24, rx: 5, fill: ink(least ? "least" : "panel"), stroke: ink(i === branch ? "branch" : "line"), "stroke-width": i === branch ? 3 : 1 })
        + write(short(stage.heading(i), 10), left + 9, top + 14, 12, "ink", LEFT)
        + write(stage.users(i), left + wide - 9, top + 14, 13, least ? "branch" : "ink", { ...BOLD, "text-anchor": "end" })));
    });
    return { width, height: rows * 28, body: parts.join(""), caption };
  }
  const counts = new Map();
  for (const i of wanted) counts.set(stage.users(i), (counts.get(stage.users(i)) ?? 0) + 1);
  const sizes = [...counts.keys()].sort((a, b) => a - b), shown = sizes.slice(0, 9), most = Math.max(...counts.values()), least = stage.users(ties[0]);
  if (sizes.length > 9) counts.set("more", sizes.slice(9).reduce((sum, size) => sum + counts.get(size), 0)) && shown.push("more");
  shown.forEach((size, k) => {
    const y = k * 22 + 12, long = (width - 200) * Math.min(1, counts.get(size) / most);
    parts.push(write(size === "more" ? "more" : many(size, "option"), 78, y, 12, "ink", { "text-anchor": "end" })
      + tag("rect", { x: 86, y: y - 8, width: Math.max(2, long), height: 16, rx: 3, fill: ink(size === least ? "least" : "tint"), stroke: ink("faint") })
      + write(many(counts.get(size), "item") + (size === least ? `: ${short(ties.slice(0, 3).map((i) => stage.heading(i)).join(", "), 24)}` : ""), 94 + long, y, 12, size === least ? "branch" : "ink", { ...LEFT, ...(size === least ? BOLD : {}) }));
  });
  return { width, height: shown.length * 22 + 4, body: parts.join(""), caption };
}

/* The tree. A node says on which item it branches, a dead end which item ran out, a cover its number; an edge is an option.
What is not on the path is folded in a large one. */
const MOST_NODES = 40;
function drawTree(stage, width, height) {
  const { tree, place } = stage, way = stage.path(), on = new Set(way);
  const full = tree.length <= MOST_NODES, deep = way.length - 1, from = full ? 0 : Math.max(0, deep - 5);
  const fit = Math.max(3, Math.floor((width - 60) / 64)), top = full ? tree[0] : way[from];
  const open = full ? new Set(tree) : on, levels = [];
  const shown = (node) => { // its children, as many as there is room for
    if (!open.has(node)) return [];
    const some = full ? node.children : node.children.filter((child) => child.from <= place);
    return some.length > fit ? some.filter((child) => on.has(child)).concat(some.slice(1 - fit)).filter((child, k, all) => all.indexOf(child) === k) : some;
  };
  let leaves = 0;
  const spots = new Map(), layout = (node, depth) => {
    const children = shown(node).map((child) => layout(child, depth + 1));
    (levels[depth] ??= []).push(node);
    const spot = { depth, x: children.length ? (children[0] + children.at(-1)) / 2 : leaves++ };
    spots.set(node, spot);
    return spot.x;
  };
  layout(top, 0);
  const left = 26, folded = from ? 22 : 0, rise = Math.min(100, (height - folded - 26) / Math.max(full ? 1 : 5, levels.length - 1));
  const x = (node) => left + (width - left - 6) * (spots.get(node).x + 0.5) / leaves, y = (node) => folded + 13 + spots.get(node).depth * rise;
  const gap = (width - left) / leaves, parts = [], nodes = [], tops = [];
  if (from) parts.push(write(`⋯ ${many(from, "level")} above, ${many(way.slice(0, from).filter((node) => node.children.length > 1).length, "choice")} among several`, width / 2, 9, 12, "faint"));
  levels.forEach((all, depth) => {
    if (rise > 15) parts.push(write(from + depth, 8, folded + 13 + depth * rise, 11, "faint"));
    for (const node of all) {
      if (node.from > place) continue;
      const here = on.has(node), dead = node.died <= place, found = node.cover && node.from < place, closed = !open.has(node) && node.size > 1;
      const [count, covers] = closed ? stage.counts(node) : [0, 0], busy = !closed && node.item !== null && node.item >= 0 && node.children.some((child) => child.from <= place);
      const branching = here && node === way.at(-1) && stage.state.branch.length > stage.state.chosen.length ? stage.state.branch.at(-1) : busy ? node.item : -1;
      const words = found ? `★${node.cover}` : dead ? `✕${stage.heading(node.dead)}` : closed ? `+${count - 1}${covers ? ` ★${covers}` : ""}` : branching >= 0 ? stage.heading(branching) : "";
      const text = short(words, Math.max(3, Math.floor(gap / 7) - 1)), size = Math.min(12, rise * 0.42), half = Math.max(size * 0.85, (text.length * size * SIGN + 8) / 2);
      const paint = found ? "found" : dead ? "dead" : here ? "path" : "panel", light = paint === "panel";
      const about = [node.level >= 0 ? stage.label(node.option) : "the beginning", found ? `cover ${node.cover}` : dead ? `dead end: ${stage.itemName(node.dead)} has too few options left` : closed ? `${many(count - 1, "node")} below, ${many(covers, "cover")}: a click goes there` : branching >= 0 ? `branches on ${stage.itemName(branching)}` : ""].filter(Boolean).join("; ");
      nodes.push(tag("g", { class: "node", "data-place": node.from }, told(about)
        + tag("rect", { x: x(node) - half, y: y(node) - size * 0.85, width: 2 * half, height: size * 1.7, rx: found || closed ? 2 : size * 0.85, fill: ink(paint), stroke: ink(light ? "faint" : paint), "stroke-width": here ? 3 : 1.2 })
        + write(text, x(node), y(node), size, light ? "ink" : "panel", BOLD)));
      if (node === top) continue;
      parts.push(path(`M${rounded(x(node.parent))} ${rounded(y(node.parent))}L${rounded(x(node))} ${rounded(y(node))}`, here ? "path" : "link", here ? 3.5 : 1.2));
      const room = Math.floor(gap / 6.5), name = short(stage.brief(node.option), Math.max(4, room));
      if (rise >= 34 && room >= 4) tops.push(write(name, x(node), y(node) - size - 7, 11, here ? "path" : "ink", { ...(here ? BOLD : {}), "paint-order": "stroke", stroke: ink("panel"), "stroke-width": 4 }));
    }
  });
  const all = `${tree.length - 1} ${stage.stopped ? "until it was stopped" : "in all"}`;
  return { width, height: full ? 26 + rise * Math.max(1, levels.length - 1) : height, body: parts.join("") + tops.join("") + nodes.join(""),
    caption: `${many(stage.counts()[0] - 1, "node")} of ${all}. A node: an item; its edges: the options tried. Red disc ✕: a dead end, with the item that has too few options left. Green square ★: a cover.${full ? "" : " +n: so many nodes are folded."}` };
}

/* The board */
function drawBoard(stage, width, height) {
  const { board } = stage.problem, { rows, columns, kind, backdrop } = board;
  const view = backdrop ?? { left: -0.05, top: -0.05, width: columns + 0.1, height: rows + 0.1 };
  const side = Math.min(width / view.width, height / view.height, 72), left = (width - side * view.width) / 2, parts = [];
  const spot = (row, column) => [left + (column - view.left) * side, (row - view.top) * side];
  const at = (k) => spot(Math.floor(k / columns), k % columns);
  const under = !backdrop ? "" : (tag("image", { x: left, y: 0, width: view.width * side, height: view.height * side, href: `data:image/svg+xml,${encodeURIComponent(backdrop.svg)}` }));
  const wanted = new Set(stage.cells.flat());
  parts.push(kind === "candidates" ? candidates(stage, side, at) : pieces(stage, side, at));
  if (!(backdrop && board.region)) {
    const cells = kind === "candidates" ? [...Array(rows * columns).keys()] : [...wanted];
    parts.push(path(cells.map((k) => `M${at(k).map(rounded).join(" ")}h${rounded(side)}v${rounded(side)}h${rounded(-side)}z`).join(""), "line", 1));
    let edges = ""; // the borders of regions, or of the board and of pieces
    for (let row = 0; row <= rows; row++) for (let column = 0; column <= columns; column++) {
      const [x, y] = spot(row, column).map(rounded), own = owner(row, column);
      if (own !== owner(row - 1, column)) edges += `M${x} ${y}h${rounded(side)}`;
      if (own !== owner(row, column - 1)) edges += `M${x} ${y}v${rounded(side)}`;
    }
    parts.push(path(edges, "ink", 2));
  }
  return { width, height: view.height * side, under, body: parts.join(""), caption: `The board: ${stage.state.chosen.length} of the options chosen.${kind === "candidates" ? " Small: what can still be chosen; brown: the choices of this level." : ""}` };

  function owner(row, column) {
    const k = row * columns + column;
    if (row < 0 || row >= rows || column < 0 || column >= columns) return null;
    if (board.region) return board.region[k];
    if (kind === "candidates") return 0;
    return wanted.has(k) ? stage.state.chosen.find((o) => stage.cells[o].includes(k)) ?? -1 : null;
  }
}
function pieces(stage, side, at) {
  const tried = stage.state.chosen.at(-1), parts = [];
  paints(stage).forEach((paint, o) => {
    const own = stage.cells[o].map((k) => {
      const [x, y] = at(k), text = stage.problem.board.marks[o][1];
      return tag("rect", { x, y, width: side + 0.5, height: side + 0.5, fill: PAINTS[paint] }) + (text ? write(text, x + side / 2, y + side / 2, side * 0.38, "#24252f", o === tried ? BOLD : {}) : "");
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
function candidates(stage, side, at) {
  const { problem, state, cells } = stage, { marks, backdrop, givens = {} } = problem.board, parts = [];
  const one = marks.every((mark) => !mark || !mark[2]), across = one ? 1 : Math.ceil(Math.sqrt(1 + Math.max(0, ...marks.map((mark) => mark?.[2] ?? 0))));
  const free = side * (backdrop?.corner ?? 0), small = (side - 1.3 * free) / across, tried = state.chosen.at(-1), item = state.branch.at(-1);
  const open = state.chosen.length < state.branch.length;
  for (const [k, text] of Object.entries(givens)) { const [x, y] = at(k); parts.push(write(text, x + side / 2, y + side / 2, side * 0.6, "ink", BOLD)); }
  marks.forEach((mark, o) => {
    if (!mark || cells[o][0] in givens || (state.by[o] !== LIVE && !state.chosen.includes(o) && !(open && state.by[o] === item))) return;
    const [x, y] = at(cells[o][0]), now = open && item >= 0 && state.by[o] === item && state.colours[o].has(item);
    if (state.chosen.includes(o)) return parts.push(write(mark[1], x + side / 2, y + side / 2, side * 0.62, o === tried ? "branch" : "chosen", { class: o === tried ? "fresh" : "", ...BOLD }));
    if (state.by[o] !== LIVE && !now) return;
    const d = mark[2] ?? 0, [cx, cy] = [x + free + (d % across + 0.5) * small, y + free + (Math.floor(d / across) + 0.5) * small];
    parts.push(one ? tag("circle", { cx, cy, r: side * (now ? 0.16 : 0.09), fill: ink(now ? "branch" : "faint") }) : write(mark[1], cx, cy, small * 0.78, now ? "branch" : "faint", now ? BOLD : {}));
  });
  return parts.join("");
}

/* A frame for papers and films: what is said, and the pictures side by side; all frames of a search have one size */
const FRAME = { width: 1080, height: 480, head: 64 };
function drawFrame(stage) {
  const { width, height, head } = FRAME, { board } = stage.problem, parts = [], room = height - head - 12;
  const columns = [board && drawBoard, stage.small ? drawLinks : drawSizes, drawTree].filter(Boolean), wide = width / columns.length;
  parts.push(tag("rect", { width, height, fill: ink("panel") }));
  wrapped(stage.say(), Math.floor(width / 9.5)).slice(0, 2).forEach((line, k) => parts.push(write(line, 14, 20 + 24 * k, 16, "ink", LEFT)));
  columns.forEach((draw, k) => {
    const { under = "", body } = draw(stage, wide - 24, room);
    parts.push(tag("g", { transform: `translate(${rounded(k * wide + 12)} ${head})` }, under + body));
  });
  return whole({ width, height, body: parts.join(""), caption: stage.say() });
}
function wrapped(text, most) {
  return text.split(" ").reduce((lines, word) => {
    if (lines.at(-1).length + word.length < most) lines.push(`${lines.pop()} ${word}`.trim()); else lines.push(word);
    return lines;
  }, [""]);
}
