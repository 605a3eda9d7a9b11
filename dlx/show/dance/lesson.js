"use strict";
/* A lesson: steps of reasoning, each with the truths and links that prove it. It can be asked before it is told: its name
first, then where to look, then all of it. Roles of options are 0 (out), 1 (open) and 2 (chosen). */

const FULL = 0, WHERE = 1, NAME = 2; // how much of a step is hidden
const MOST_OUTLINES = 6; // of pieces that are out, on a board
const LESSON = { next: "To the next step that is no single (n)", into: "More of the answer (full stop)",
  out: "Less of the answer (comma)" };

class Lesson {
  constructor({ problem, roles, told, end }) {
    Object.assign(this, { problem, told, end, roles: [...roles].map(Number), frames: told.length + 1, asks: false });
    this.stage = Object.assign(new Stage({ problem, events: [] }), { linked: false, lesson: this });
    this.stage.small &&= !problem.board;
    this.points = told.map(({ points }) => points ?? 0);
    this.go(0);
  }

  /** Goes to a step, of which the answer is hidden if it is asked; 0 is the beginning. */
  go(where) { this.show(where, this.asks ? NAME : FULL); }
  show(where, hidden) {
    this.place = Math.max(0, Math.min(this.frames, where));
    this.step = this.told[this.place - 1];
    this.hidden = this.step ? hidden : FULL;
    this.arrange();
  }
  /** Goes on, or back, by steps; on from a step that is hidden to all of it. */
  walk(by) {
    if (by > 0 && this.asks) this.into(by);
    else this.go(this.place + (by > 0 && this.hidden ? by - 1 : by));
  }
  into(by) {
    const last = 3 * this.told.length + 1, at = Math.min(last, 3 * this.place - this.hidden);
    const now = Math.max(0, Math.min(last, at + by)), place = Math.ceil(now / 3);
    this.show(place, 3 * place - now);
  }
  hide() {
    this.asks = !this.asks;
    this.go(this.place);
  }
  /** The place of the next step that places nothing. */
  next() {
    const next = this.told.findIndex(({ chosen }, k) => k >= this.place && !chosen.length);
    return next < 0 ? null : next + 1;
  }

  /** Puts the stage where it is before the step, or behind the last one. */
  arrange() {
    const state = this.stage.checkpoints[0].copy(), roles = this.roles.slice(), chosen = new Set(); // in their order
    const begun = roles.map((role, o) => [o, role]), before = this.told.slice(0, Math.max(0, this.place - 1));
    for (const [o, role] of [begun, ...before.map((step) => step.roles)].flat()) {
      roles[o] = role;
      if (role === 2) chosen.add(o);
    }
    for (const o of chosen) state.take(o);
    state.by = roles.map((role) => (role === 1 ? LIVE : CHOSEN));
    state.covered = state.room.map((room) => room <= 0);
    this.stage.state = state;
  }
  holders(items) {
    const { users, by } = this.stage.state;
    return items.flatMap((item) => users[item].filter((o) => by[o] === LIVE));
  }

  /* Words */
  facts() {
    const most = Math.max(0, ...this.points), sum = this.points.reduce((a, b) => a + b, 0);
    return `${many(this.told.length, "step")}${most ? `; the hardest has ${many(most, "point")}, all together have ${sum}` : ""}.`;
  }
  get now() { return this.step || !this.place ? `${this.place}${this.hidden ? " ?" : ""} of ${this.told.length}` : "the end"; }
  say() {
    const { step, place, hidden } = this;
    if (!place && this.told.length) return `${many(this.told.length, "step")} without a guess. What comes first?`;
    if (!step) return this.end;
    const worth = step.points ? ` (${many(step.points, "point")})` : "", name = `Step ${place}${worth}: ${step.name}`;
    if (hidden === NAME) return `${name}. Where is it?`;
    return hidden === WHERE ? `${name}; look at ${step.where}. What does it say?` : `Step ${place}${worth}: ${step.text}.`;
  }
  rows() { return this.told.map(({ name, points, chosen }, k) => [`${name}${points ? ` · ${points}` : ""}`, k + 1, chosen]); }

  /* Pictures */
  draw(put, room) {
    const { stage } = this, [id, picture] = this.problem.board ? ["board", drawBoard] : stage.small ? ["links", drawLinks] : ["sizes", drawSizes];
    const drawn = picture(stage, ...room(id, 1));
    put(id, { ...drawn, caption: this.caption() ?? drawn.caption });
  }
  caption() {
    const { kind } = this.problem.board ?? {};
    if (!this.step || this.hidden === NAME) return kind === "candidates" ? "Small: what nothing has ruled out so far." : undefined;
    const { hidden, step: { path: chain, chosen, out } } = this, pieces = kind === "pieces";
    const truths = chain.length ? "Blue: of each two ends one holds." : "Blue: truths, of which each has one option.";
    if (hidden) return truths;
    if (chosen.length) return `${truths} Green: what is chosen.`;
    const links = chain.length ? "not both ends hold" : "links, which have one at most";
    const some = pieces && out.length > MOST_OUTLINES ? `, ${MOST_OUTLINES} of ${many(out.length, "option")}` : "";
    return `${truths} Orange, dashed: ${links}. Red, ${pieces ? "dotted" : "crossed"}: what is out${some}.`;
  }

  /** What a step says, on a board. */
  onBoard({ side, at, spot, columns }) {
    const { step, hidden, problem } = this, { cells } = this.stage, pieces = problem.board.kind === "pieces", parts = [];
    if (!step || hidden === NAME) return "";
    const around = (some, inset, colour, more = {}) => parts.push(path(outline(new Set(some), columns, at, side, inset), colour, 2.4, more));
    const { truths, path: chain, chosen, out } = step, links = chosen.length || hidden ? [] : step.links;
    if (chain.length) this.drawChain(parts, chain.map((group) => middle(group.filter((o) => cells[o].length).map(spot))));
    else {
      for (const item of truths) around(this.cellsOf(item), 0.04, "truth");
      for (const item of links) around(this.cellsOf(item), 0.1, "tie", DASHES);
    }
    if (hidden && !chain.length) return parts.join("");
    if (pieces) {
      for (const o of chosen) around(cells[o], 0.14, "placed");
      for (const o of out.slice(0, MOST_OUTLINES)) around(cells[o], 0.18, "ruled", { "stroke-dasharray": "2 3" });
      return parts.join("");
    }
    const true_ = new Set(chain.length ? chain.flat() : this.holders(truths)), ruled = new Set(hidden ? [] : out);
    const told = chosen.length ? chosen : new Set([...true_, ...(chain.length ? [] : this.holders(links)), ...ruled]);
    for (const o of told) if (cells[o].length) {
      const [x, y, size] = spot(o), half = size * 0.46;
      const square = (colour, opacity) => tag("rect", { x: x - half, y: y - half, width: 2 * half, height: 2 * half, rx: size * 0.12,
        fill: ink(colour), "fill-opacity": opacity, stroke: ink(colour), "stroke-width": 1.4 });
      if (chosen.length) parts.push(tag("circle", { cx: x, cy: y, r: half, fill: ink("placed"), "fill-opacity": 0.45, stroke: ink("placed") }));
      else if (ruled.has(o)) parts.push(square("ruled", 0.4), cross(x, y, half));
      else parts.push(true_.has(o) ? square("truth", 0.4) : square("tie", 0));
    }
    return parts.join("");
  }
  /** Lines from group to group of a chain: full within a truth, dashed within a link. */
  drawChain(parts, spots) {
    if (this.hidden) return;
    const ends = this.step.closed ? [...spots, spots[0]] : spots;
    ends.slice(1).forEach((end, k) => {
      const line = [ends[k], end].map((spot) => spot?.map(rounded).join(" "));
      if (ends[k] && end) parts.push(path(`M${line.join("L")}`, k % 2 ? "tie" : "truth", 2.6, { opacity: 0.75, ...(k % 2 ? DASHES : {}) }));
    });
  }
  /** The cells of an item on a board: one that just its pieces have; or those of its candidates, or of what shares items with them. */
  cellsOf(item) {
    const { options, board } = this.problem, { cells, state: { users } } = this.stage;
    if (board.kind === "pieces") {
      const first = options.findIndex((option) => option.includes(item));
      return (cells[first] ?? []).filter((k) => options.every((option, o) => option.includes(item) === cells[o].includes(k)));
    }
    const own = users[item].flatMap((o) => cells[o]);
    if (own.length) return own;
    const beside = new Set(users[item].flatMap((o) => options[o]));
    return [...beside].flatMap((i) => users[i].flatMap((o) => cells[o]));
  }

  /** The same in the matrix of a small problem. */
  onMatrix(picture) {
    const { step, hidden } = this, { rows, wide, head, width } = picture;
    if (!step || hidden === NAME) return "";
    const framed = (i, colour, more = {}) => tag("rect", { x: picture.x(i + 1) - wide * 0.46, y: 10, width: wide * 0.92, height: head - 6, rx: 6,
      fill: "none", stroke: ink(colour), "stroke-width": 3, ...more });
    const row = (o, colour) => path(`M2 ${rounded(rows.get(o))}H${rounded(width - 4)}`, colour, 12, { opacity: 0.35 });
    const told = hidden ? [] : [...step.chosen.map((o) => row(o, "placed")), ...step.out.map((o) => row(o, "ruled") + cross(9, rows.get(o), 8))];
    const links = hidden || step.chosen.length ? [] : step.links.map((i) => framed(i, "tie", DASHES));
    return [...step.truths.map((i) => framed(i, "truth")), ...links, ...told].join("");
  }
}
const DASHES = { "stroke-dasharray": "6 4" };
const middle = (spots) => spots.length && [0, 1].map((k) => spots.reduce((sum, spot) => sum + spot[k], 0) / spots.length);
const cross = (x, y, half) => path([-1, 1].map((way) => `M${rounded(x - half)} ${rounded(y - way * half)}L${rounded(x + half)} ${rounded(y + way * half)}`)
  .join(""), "ink", 1.6);
