"use strict";
/* The search for the best cover: its reports, of which the last is the result, and the options that the prices leave. A
 * score and a bound are [text, height] or null; JavaScript would round large numbers. */

const MOST_ROWS = 24, MOST_DOTS = 60, NEARLY = 1e-6;
const fine = (value) => Number(value.toPrecision(4));
const inSeconds = (seconds) => `${seconds < 1 ? Number(seconds.toPrecision(2)) : seconds.toFixed(2)} s`;

class Scores {
  constructor({ reports, ticks, sense, end, prices, problem, best }) {
    Object.assign(this, { reports, ticks, sense, end, prices, best, place: 0, inner: 0, frames: reports.length });
    this.options = prices ? problem.options : [];
    this.stage = prices && new Stage({ problem, events: [] });
    this.board = prices && problem.board;
    this.listed = prices && problem.options.length <= MOST_ROWS;
  }

  go(where) { this.place = Math.max(0, Math.min(this.frames, where)); }
  into(by) { this.go(this.place + by); }
  get report() { return this.place ? this.reports[this.place - 1] : null; }

  /** The reduced cost that an option of a better cover may have; null before there is a cover. */
  get gap() { return this.report?.gap ?? null; }
  /** The options of the best cover, at the end. */
  get chosen() { return this.place === this.frames ? this.best : []; }
  isOut(o) {
    return this.prices !== null && this.gap !== null && this.prices.reduced[o] > this.gap + NEARLY && !this.chosen.includes(o);
  }

  facts() { return `${many(this.frames, "report")}${this.prices ? `, ${many(this.options.length, "option")}` : ""}.`; }

  say() {
    if (!this.place) return `The search has not begun.${this.prices ? " Each item has a price; no cover is better than the sum of all prices." : ""}`;
    if (this.place === this.frames) return `${this.end}${this.why()}`;
    const { seconds, nodes, score, bound } = this.report, best = score ? `the best cover so far scores ${score[0]}` : "no cover yet";
    if (!nodes) return `By the prices alone, no cover scores better than ${bound[0]}.`;
    return `After ${inSeconds(seconds)} and ${many(nodes, "node")}: ${best}${bound ? `, and none scores better than ${bound[0]}` : ""}.${this.why()}`;
  }

  /** What the prices say about the other options. */
  why() {
    if (this.gap === null) return "";
    if (this.gap < -NEARLY) return " The gap is closed: no option can be in a better cover.";
    const out = this.options.filter((_, o) => this.isOut(o)).length, left = this.options.length - out;
    if (this.place === this.frames) return ` The prices alone leave ${left} of ${many(this.options.length, "option")}.`;
    return ` The gap is ${fine(this.gap)}: ${many(out, "option")} with a larger reduced cost ${out === 1 ? "is" : "are"} out, ${left} left.`;
  }

  /** The place of the next better cover. */
  next() {
    const now = this.report?.score ?? null;
    const next = this.reports.findIndex(({ score }, k) => k >= this.place && score && score[0] !== (now && now[0]));
    return next < 0 ? null : next + 1;
  }

  draw(put, room) {
    put("prices", drawScores(this, ...room("prices", 0.7)));
    if (!this.prices) return;
    if (this.listed) put("options", drawOptions(this, ...room("options", 1)));
    if (this.board) put("board", drawLeft(this, ...room("board", 0.7)));
  }
}

/** Draws bound and score over nodes, on a logarithmic axis; a dot is a report. */
function drawScores(scores, width, tall) {
  const { reports, ticks, sense, place } = scores, height = Math.max(200, Math.min(340, tall)), parts = [];
  const left = 14 + Math.max(20, ...ticks.map(([, text]) => text.length * 12 * SIGN)), right = width - 14;
  const top = 56, foot = height - 32, most = Math.max(2, reports.at(-1).nodes);
  const x = (nodes) => left + (right - left) * Math.log(1 + nodes) / Math.log(1 + most), y = (part) => foot - (foot - top) * part;
  parts.push(tag("rect", { x: left, y: top, width: right - left, height: foot - top, fill: "none", stroke: ink("line") }));
  for (const [part, text] of ticks) {
    parts.push(path(`M${rounded(left)} ${rounded(y(part))}H${rounded(right)}`, "line", 1), write(text, left - 6, y(part), 12, "faint", RIGHT));
  }
  let last = -Infinity;
  for (let nodes = 0; nodes <= most; nodes = nodes ? nodes * (most > 2000 ? 10 : 2) : 1) {
    const label = String(nodes);
    if (x(nodes) - last < label.length * 8 + 14 || x(nodes) + label.length * 4 > right - 48) continue;
    parts.push(path(`M${rounded(x(nodes))} ${foot}v4`, "faint", 1) + write(label, x(nodes), height - 16, 12, "faint"));
    last = x(nodes);
  }
  parts.push(write("nodes", right, height - 16, 12, "faint", RIGHT));
  for (const [k, [key, colour, dash]] of [["bound", "branch", "6 4"], ["score", "chosen", ""]].entries()) {
    const points = reports.slice(0, place).filter((report) => report[key]).map((report) => [x(report.nodes), y(report[key][1])]);
    const value = place && reports[place - 1][key];
    parts.push(write(`${dash ? "- -" : "—"} ${key} ${value ? value[0] : "none yet"}`, 12, 16 + 22 * k, 13, colour, { ...LEFT, ...BOLD }));
    if (!points.length) continue;
    const start = key === "bound" ? left : points[0][0]; // a bound holds from the beginning
    const line = points.map(([across, down]) => `H${rounded(across)}V${rounded(down)}`).join("");
    parts.push(path(`M${rounded(start)} ${rounded(points[0][1])}${line}`, colour, 2.5, { "stroke-dasharray": dash }));
    const r = key === "bound" ? 5 : 3.5; // both are visible where they meet
    for (const [cx, cy] of points.length > MOST_DOTS ? points.slice(-1) : points) parts.push(tag("circle", { cx, cy, r, fill: ink(colour) }));
  }
  const [up, down] = sense === "min" ? ["rises", "falls"] : ["falls", "rises"];
  return { width, height, body: parts.join(""), caption: `The bound (dashed) ${up}, the best score ${down}; where they meet it is proven. `
    + "Nodes go to the right, on a logarithmic axis." };
}

/** Draws the options with their reduced costs; grey ones are out. */
function drawOptions(scores, width) {
  const { prices, options, stage, sense } = scores, parts = [], least = sense === "min";
  const beyond = least ? "its cost beyond the prices of its items" : "the prices of its items beyond its weight";
  const what = `An option's reduced cost: ${beyond}. Grey: more than the gap, so the option is in no better cover.`;
  const listed = stage.problem.items.map((item, i) => `${item} ${prices.items[i]}`).join("   ");
  parts.push(write(short(`prices:   ${listed}`, Math.floor(width / 7)), 4, 12, 13, "ink", { ...LEFT, ...BOLD }));
  const columns = [[0.46, least ? "cost" : "prices"], [0.7, least ? "− prices" : "− weight"], [0.97, "= reduced"]];
  for (const [at, text] of columns) parts.push(write(text, width * at, 36, 12, "faint", RIGHT));
  options.forEach((option, o) => {
    const y = 58 + o * 22, out = scores.isOut(o), paid = option.reduce((sum, i) => sum + Number(prices.items[i]), 0), end = RIGHT;
    const mine = scores.chosen.includes(o), colour = mine ? "chosen" : out ? "faint" : "ink", sum = [prices.weights[o], fine(paid)];
    const words = [...(least ? sum : sum.reverse()), fine(prices.reduced[o])];
    parts.push(tag("g", {}, (out ? tag("rect", { x: 0, y: y - 10, width, height: 20, fill: ink("line"), rx: 4 }) : "")
      + write(short(`${mine ? "✓ " : ""}${stage.label(o)}`, Math.floor(width * 0.3 / 7)), 6, y, 13, colour, mine ? { ...LEFT, ...BOLD } : LEFT)
      + words.map((word, k) => write(word, width * columns[k][0], y, 13, colour, { ...end, ...(k > 1 && !out ? BOLD : {}) })).join("")
      + (out && !mine ? path(`M4 ${y}H${rounded(width * 0.34)}`, "faint", 1.2) : "")));
  });
  return { width, height: 58 + options.length * 22, body: parts.join(""), caption: what };
}
/** Draws the board with the options left, or with the best cover. */
function drawLeft(scores, width, height) {
  const { stage, chosen, options } = scores, left = options.map((_, o) => !scores.isOut(o));
  stage.state.by = left.map((is) => (is && !chosen.length ? LIVE : CHOSEN));
  stage.state.chosen = chosen;
  const caption = chosen.length ? "The best cover." : `The board: ${left.filter(Boolean).length} of ${options.length} options are left.`;
  return { ...drawBoard(stage, width, height), caption };
}
