"use strict";
/* The picture of dancing links: headers with their sizes, a row for each option, all pointers; and the code that runs. */

const drawLinks = (stage, width, height) => new LinkPicture(stage, width, height).drawn();

class LinkPicture {
  constructor(stage, width, height) {
    const { problem, state } = stage, all = problem.items.length;
    const { links, changed } = stage.links();
    Object.assign(this, { stage, problem, state, links, width, fresh: new Set(changed), ...stage.sizes() });
    this.chosen = new Set(state.chosen);
    this.most = Math.max(1, ...state.users.map((some) => some.length));
    this.options = [...links.first.keys()];
    this.side = 22; // for the numbers of options
    this.names = width - this.side - 34 * all > 170 ? 96 : 0;
    this.wide = Math.min(64, (width - this.side - this.names - 6) / all);
    this.head = 56;
    this.top = this.head + 12;
    this.tall = Math.max(20, Math.min(44, (height - this.top - 6) / this.options.length));
    this.node = Math.min(20, this.tall * 0.62, this.wide * 0.6);
    this.rows = new Map(this.options.map((o, k) => [o, this.top + (k + 0.5) * this.tall]));
    this.lines = [];
    this.nodes = [];
  }

  x(i) { return this.side + (i - 0.5) * this.wide; }
  y(q) { return this.rows.get(this.links.OPTION[q]) ?? this.head; }
  isHeader(q) { return this.links.OPTION[q] < 0; }
  inRing(i) { return i <= this.problem.primary && this.links.RLINK[this.links.LLINK[i]] === i; }
  inList(q) { return this.links.DLINK[this.links.ULINK[q]] === q; }

  drawn() {
    this.drawRing();
    for (const o of this.options) this.drawOption(o);
    for (let i = 1; i <= this.links.n; i++) {
      this.drawList(i, this.links.DLINK, 1);
      this.drawList(i, this.links.ULINK, -1);
      this.drawHeader(i);
    }
    return { width: this.width, height: this.top + this.tall * this.options.length + 4,
      body: this.lines.join("") + this.nodes.join(""),
      caption: "Top: the items, each with the number of its options; highlighted: the fewest. Green: chosen. Dashed: hidden, still pointing at its neighbours." };
  }

  /** Draws the row of the items that are not covered. */
  drawRing() {
    const ring = [0];
    for (let i = 1; i <= this.problem.primary; i++) if (this.inRing(i)) ring.push(i);
    for (let k = 1; k < ring.length; k++) {
      const [last, i] = [ring[k - 1], ring[k]], from = last ? this.x(last) + this.wide * 0.4 : 4, to = this.x(i) - this.wide * 0.4;
      const over = `M${rounded(from)} 20C${rounded(from + 8)} 0 ${rounded(to - 8)} 0 ${rounded(to)} 20`;
      this.lines.push(path(i - last > 1 ? over : `M${rounded(from)} 30H${rounded(to)}`, "link", 1.5));
    }
  }

  drawList(i, link, way) {
    for (let p = i, q = link[i]; q !== i; p = q, q = link[q]) this.drawPointer(p, q, way);
  }

  /** Draws a pointer around the nodes that it passes; `way` is 1 for downwards, on the right, and -1 for upwards. */
  drawPointer(p, q, way, faint = false) {
    const { links, node } = this, x = this.x(links.TOP[p]) + way * node * 0.24;
    const from = this.y(p) + (this.isHeader(p) ? 0 : way * (node / 2 + 1));
    const to = this.y(q) - (this.isHeader(q) ? 0 : way * (node / 2 + 1));
    const between = (o) => (this.rows.get(o) - this.y(p)) * (this.rows.get(o) - this.y(q)) < 0;
    const passes = this.options.some((o) => between(o) && this.problem.options[o].includes(links.TOP[p] - 1));
    const bow = passes && !faint ? way * node * 1.9 : 0;
    const moved = !faint && [...this.fresh].some((f) => [links.ULINK[f], links.DLINK[f]].some((end) =>
      links.TOP[f] === links.TOP[p] && (end === p || end === q)));
    const look = faint ? { "stroke-dasharray": "3 2" } : moved ? { class: "fresh" } : {};
    const [at, begin, end] = [x, from, to].map(rounded), tip = rounded(to - 4 * way);
    this.lines.push(path(`M${at} ${begin}Q${rounded(x + bow)} ${rounded((from + to) / 2)} ${at} ${end}`
      + `M${rounded(x - 3)} ${tip}L${at} ${end}L${rounded(x + 3)} ${tip}`,
    faint ? "ghost" : moved ? "path" : "link", moved ? 2.2 : 1.2, look));
  }

  drawOption(o) {
    const y = this.rows.get(o), start = this.links.first.get(o), given = this.chosen.has(o);
    const nodes = this.problem.options[o].map((_, k) => start + k), xs = nodes.map((q) => this.x(this.links.TOP[q]));
    const colour = given ? "chosen" : this.state.by[o] === LIVE ? "ink" : "faint", weight = given ? BOLD : {};
    this.lines.push(path(`M${rounded(Math.min(...xs))} ${rounded(y)}H${rounded(Math.max(...xs))}`,
      given ? "chosen" : "line", given ? 3 : 1.2));
    this.nodes.push(write(o + 1, this.side / 2 - 2, y, 12, colour, weight));
    const label = short(`${given ? "✓ " : ""}${this.stage.label(o)}`, 14), right = this.side + this.problem.items.length * this.wide + 8;
    if (this.names) this.nodes.push(write(label, right, y, 12, colour, { ...LEFT, ...weight }));
    for (const q of nodes) this.drawNode(q, o, given);
  }

  drawNode(q, o, given) {
    const { links, node } = this, i = links.TOP[q], there = this.inList(q), mine = there && i - 1 === this.branch;
    const solid = given || (there && (mine || this.state.by[o] === LIVE)), fresh = this.fresh.has(q);
    const colour = given ? "chosen" : mine ? "branch" : "ink", [x, y] = [this.x(i), this.rows.get(o)];
    if (!there && !given) { // its own two links
      this.drawPointer(q, links.ULINK[q], -1, true);
      if (!this.isHeader(links.DLINK[q])) this.drawPointer(q, links.DLINK[q], 1, true);
    }
    this.nodes.push(tag("g", { class: fresh ? "fresh" : "" },
      tag("rect", { x: x - node / 2, y: y - node / 2, width: node, height: node, rx: 4, fill: ink(solid ? colour : "panel"),
        stroke: ink(fresh ? "path" : solid ? colour : "faint"), ...edge(fresh, !there && !given) })
      + write(short(this.problem.items[i - 1], 2), x, y, node * 0.6, solid ? "panel" : "faint", solid ? BOLD : {})));
  }

  /** Draws an item with the number of its options, as a number and as a level in its box. */
  drawHeader(i) {
    const { links, head, wide } = this, x = this.x(i), now = i - 1 === this.branch, fresh = this.fresh.has(i);
    const gone = i <= this.problem.primary ? !this.inRing(i) : this.state.covered[i - 1];
    const least = this.ties.includes(i - 1) && !this.state.covered[this.branch]; // otherwise the choice has been made
    const level = (head - 15) * links.LEN[i] / this.most, box = { x: x - wide * 0.4, width: wide * 0.8 };
    const frame = { ...box, y: 14, height: head - 14, rx: 5 }, name = this.problem.items[i - 1];
    this.nodes.push(tag("g", { class: fresh ? "fresh" : "" }, tooltip(`${name}: ${many(links.LEN[i], "option")}`)
      + tag("rect", { ...frame, fill: ink("panel") })
      + tag("rect", { ...box, y: head - level, height: level, rx: 4, fill: ink(gone ? "panel" : least ? "least" : "tint") })
      + tag("rect", { ...frame, fill: "none", stroke: ink(fresh ? "path" : now ? "branch" : gone ? "ghost" : "faint"), ...edge(now || fresh, gone) })
      + write(short(name, Math.max(2, Math.floor(wide / 9))), x, 25, 13, gone ? "faint" : "ink", now ? BOLD : {})
      + write(links.LEN[i], x, 43, 15, gone ? "faint" : least ? "branch" : "ink", BOLD)));
  }
}
const edge = (thick, dashed) => ({ "stroke-width": thick ? 3 : 1.2, "stroke-dasharray": dashed ? "3 2" : undefined });

/** Returns the lines of the code that changes links: `now` for those that have run last, `runs` for their routine. */
function codeOf(stage) {
  const { links, step, changed } = stage.links(), back = step?.[0] === UNCOVER || step?.[0] === LEAVE;
  const outer = step?.[4] ? (back ? "unpurify" : "purify") : back ? "uncover" : "cover";
  const headers = changed.filter((q) => links.OPTION[q] < 0).length, ran = [headers > 0, changed.length > headers];
  const changes = /^ *([LR]LINK|[UD]LINK|LEN)\[/;
  return [links[outer], links[back ? "unhide" : "hide"]].flatMap((routine, k) => String(routine).split("\n")
    .filter((line) => !/^\s*yield \w+;/.test(line))
    .map((line) => ({ text: line.replace("function*", "function").replace("yield* ", "").replace(/^ {2}/, ""),
      now: changes.test(line) && ran[k], runs: k === (ran[0] && !ran[1] ? 0 : 1) })));
}
