"use strict";
/* The stage: a place among the steps of a search, the tree at this place, and both in words. */

const MOST_CHECKPOINTS = 200;
const SMALL = { items: 18, options: 24, entries: 90 }; // of a problem whose links are drawn
const many = (number, what) => `${number} ${what}${number === 1 ? "" : "s"}`;
const short = (name, most = 7) => { const text = String(name); return text.length > most ? `${text.slice(0, most - 1)}…` : text; };

class Stage {
  constructor({ problem, events, stopped = null }) {
    Object.assign(this, { problem, events, stopped });
    this.steps = unfold(events, stopped);
    this.frames = this.steps.length;
    this.every = Math.max(50, Math.ceil(this.frames / MOST_CHECKPOINTS));
    this.state = new State(problem);
    this.checkpoints = [this.state.copy()];
    const entries = problem.options.reduce((sum, option) => sum + option.length, 0);
    this.linked = this.state.once && problem.items.length <= SMALL.items && problem.options.length <= SMALL.options && entries <= SMALL.entries;
    this.written = problem.board?.kind === "candidates" && !problem.board.marks.some((mark) => mark?.[1] === QUEEN);
    this.grow();
    this.place = this.inner = 0; // the steps done, and the changes of links done in the next step
  }

  /** Makes the tree of all steps; its nodes are numbered in preorder. */
  grow() {
    const root = { level: -1, from: 0, to: Infinity, parent: null, children: [], item: null }, open = [root], chosen = [];
    this.tree = [root];
    this.covers = []; // each with the place after the step that found it
    this.steps.forEach(([kind, level, item, option], k) => {
      if (kind === CHOOSE) open[level].item = item;
      if (kind === TRY) {
        const node = { level, option, from: k + 1, to: Infinity, parent: open[level], children: [], item: null };
        open[level].children.push(node);
        open[level + 1] = node;
        this.tree.push(node);
        chosen[level] = option;
      } else if (kind === FOUND) {
        this.covers.push({ options: chosen.slice(0, level), place: k + 1 });
        open[level].cover = this.covers.length;
      } else if (kind === DEAD) Object.assign(open[level + 1], { dead: item, died: k + 1 });
      else if (kind === BACK) open[level + 1].to = k + 1;
    });
    this.tree.forEach((node, k) => { node.number = k; });
    for (const node of [...this.tree].reverse()) node.size = node.children.reduce((sum, child) => sum + child.size, 1);
  }

  /** Returns the numbers of nodes and covers of the tree, or below a node, at this place. */
  counts(node = this.tree[0]) {
    const below = this.tree.slice(node.number, node.number + node.size), end = Math.min(node.to, this.place);
    const nodes = below.filter((each) => each.from <= this.place).length;
    return [nodes, this.covers.filter((cover) => cover.place > node.from && cover.place <= end).length];
  }

  /** Returns the nodes from the root to the current one. */
  path() {
    const path = [this.tree[0]];
    for (;;) {
      const next = path.at(-1).children.findLast((node) => node.from <= this.place);
      if (!next || next.to <= this.place) return path;
      path.push(next);
    }
  }

  /** Goes to a place: the number of steps done, and of changes of links done in the next one. */
  go(where, inner = 0) {
    where = Math.max(0, Math.min(this.frames, where));
    if (where < this.place) {
      const k = Math.min(this.checkpoints.length - 1, Math.floor(where / this.every));
      this.state = this.checkpoints[k].copy();
      this.place = k * this.every;
    }
    while (this.place < where) {
      this.state.apply(this.steps[this.place++]);
      if (this.place === this.checkpoints.length * this.every) this.checkpoints.push(this.state.copy());
    }
    this.inner = inner;
  }

  /** Goes forwards or backwards by one change of a link, or by a step without changes. */
  into(by) {
    if (!this.linked) return this.go(this.place + by);
    if (by > 0) {
      const most = this.place < this.frames ? [...dancers(linksAt(this.state), this.steps[this.place])].length : 0;
      return this.inner + 1 < most ? this.go(this.place, this.inner + 1) : this.go(this.place + 1);
    }
    if (this.inner) return this.go(this.place, this.inner - 1);
    if (!this.place) return;
    this.go(this.place - 1);
    this.inner = Math.max(0, [...dancers(linksAt(this.state), this.steps[this.place])].length - 1);
  }

  /** Returns the links at this place, the nodes that changed last, and the step that changed them. */
  links() {
    if (this.inner) {
      const links = linksAt(this.state), step = this.steps[this.place], dance = dancers(links, step);
      const changed = Array.from({ length: this.inner }, () => dance.next().value);
      return { links, step, changed: changed.slice(-1) };
    }
    const links = linksAt(this.state), step = this.steps[this.place - 1];
    return { links, step, changed: step ? [...dancers(linksAt(this.before()), step)] : [] };
  }

  before() {
    const { place, state } = this;
    this.go(place - 1);
    const before = this.state;
    Object.assign(this, { place, state });
    return before;
  }

  /* Words */
  itemName(item) { return item < 0 ? "any further option" : String(this.problem.items[item]); }
  row(mark) { return Math.floor(mark[0][0] / this.problem.board.columns); }
  column(mark) { return mark[0][0] % this.problem.board.columns; }

  label(option) {
    const { problem } = this, mark = this.written && problem.board.marks[option];
    if (mark) return `r${this.row(mark) + 1}c${this.column(mark) + 1}=${mark[1]}`;
    if (problem.names) return String(problem.names[option]);
    return problem.options[option].map((item, k) => {
      const colour = problem.colours ? problem.colours[option][k] : 0;
      return colour ? `${problem.items[item]}:${problem.colourNames[colour - 1]}` : problem.items[item];
    }).join(" ");
  }

  /** Returns a cover as a line: its options, or the texts on the board. */
  coverText(options) {
    const { board } = this.problem;
    if (!this.written) return options.map((o) => this.label(o)).join(" | ") || "nothing";
    const texts = new Array(board.rows * board.columns).fill(".");
    for (const [k, text] of Object.entries(board.givens)) texts[k] = text;
    for (const o of options) if (board.marks[o]) texts[board.marks[o][0][0]] = board.marks[o][1];
    return texts.join(texts.some((text) => text.length > 1) ? " " : "");
  }

  facts() {
    const { problem, stopped } = this;
    const some = [many(problem.items.length, "item"), many(problem.options.length, "option"), many(this.frames, "step")];
    return `${some.join(", ")}${stopped ? `, then it was stopped by ${stopped === "max_events" ? "the limit of steps" : stopped}` : ""}.`;
  }

  /** Returns the number of options of an item that can be chosen at this place. */
  users(item) { return this.state.users[item].filter((o) => this.state.by[o] === LIVE || this.state.by[o] === item).length; }

  /** Says how often an item is to be covered yet, unless it is once. */
  times(item) {
    const { ranges, primary } = this.problem, [least, most] = ranges?.[item] ?? [1, 1];
    if (item >= primary || (least === 1 && most === 1)) return "";
    const [low, high] = [Math.max(0, this.state.need[item]), Math.max(0, this.state.room[item])];
    return ` and is to be covered ${low === high ? low : `${low} to ${high}`} times more`;
  }

  /** Returns the items that still need options, the item to branch on, and the items with the fewest options. */
  sizes() {
    const { state } = this, surplus = (item) => this.users(item) - state.need[item];
    const branch = state.branch.length > state.chosen.length ? state.branch.at(-1) : -1; // already covered
    const wanted = [...new Set([...state.wanted().filter((item) => !state.covered[item]), ...(branch >= 0 ? [branch] : [])])].sort((a, b) => a - b);
    const fewest = Math.min(...wanted.map(surplus));
    return { wanted, branch, ties: wanted.filter((item) => surplus(item) === fewest) };
  }

  why(item) {
    const { ties, wanted } = this.sizes(), others = ties.filter((each) => each !== item);
    if (wanted.length < 2) return ", the only one left";
    if (!ties.includes(item)) return `, though ${this.itemName(ties[0])} has fewer`;
    if (!others.length) return ", fewer than any other: the fewest branches";
    const named = others.slice(0, 6).map((each) => this.itemName(each)).join(", ");
    const rest = others.length > 6 ? ` and ${others.length - 6} more` : "";
    return `; none has fewer, ${named}${rest} ${others.length > 1 ? "have" : "has"} as few`;
  }

  say() {
    const { state, steps, problem, place, frames } = this;
    if (this.inner) return this.sayLink();
    const helpless = frames ? -1 : state.need.findIndex((need, item) => item < problem.primary && state.users[item].length < need);
    if (helpless >= 0) return `There is no cover: ${this.itemName(helpless)} has too few options from the beginning.`;
    const times = state.once ? "exactly once" : "as often as its multiplicity says";
    if (!place) return `Wanted: options that together have each of ${many(problem.primary, "item")} ${times}.`;
    const [kind, level, item, option, colour] = steps[place - 1], name = item >= 0 ? this.itemName(item) : "";
    return `${kind === FOUND ? "" : `Level ${level}: `}${this.sayStep(kind, level, item, option, colour, name)}`;
  }

  sayStep(kind, level, item, option, colour, name) {
    const { state, steps, problem, place } = this, leaves = "it leaves the row of items";
    if (kind === CHOOSE && item < 0) return `every item has its minimum; try any further option.`;
    if (kind === CHOOSE) return `branch on ${name}, which has ${many(this.users(item), "option")}${this.times(item)}${this.why(item)}.`;
    if (kind === TRY) return `try ${this.label(option)}.`;
    if (kind === COVER && steps[place - 2]?.[0] === CHOOSE) {
      const some = this.users(item) === 1 ? "its only option leaves" : `its ${this.users(item)} options leave`;
      return `cover ${name}: ${leaves}, and ${some} all other lists, to be tried next.`;
    }
    if (kind === COVER) return `cover ${name}, an item of the chosen option: ${leaves}, and all options with ${name} leave the other lists.`;
    if (kind === PURIFY) return `${name} is ${problem.colourNames[colour - 1]} now; options with another colour leave the lists.`;
    if (kind === FOUND) return `A cover of ${many(state.chosen.length, "option")}: ${this.coverText(state.chosen)}.`;
    if (kind === DEAD) return `dead end: ${name} has ${this.users(item) ? "too few options" : "no option"} left, so nothing below can be a cover.`;
    if (kind === UNCOVER) {
      const how = state.once ? ", each by its own two links" : "";
      return `${colour ? "take back the colour of" : "uncover"} ${name}: the last hidden comes back first${how}.`;
    }
    if (kind === LEAVE) {
      const over = level || this.stopped ? "" : ` All has been tried: there ${this.covers.length === 1 ? "is" : "are"} ${many(this.covers.length, "cover")}.`;
      return `all options of ${this.itemName(item)} have been tried${item >= 0 && state.once ? `; uncover ${name}` : ""}.${over}`;
    }
    return `back up, take ${this.label(option)} back.`;
  }

  /** Returns the last change of a link in words. */
  sayLink() {
    const { links, step, changed: [q] } = this.links(), back = step[0] === UNCOVER || step[0] === LEAVE;
    const owner = this.itemName(links.TOP[q] - 1), verb = `${back ? "Uncover" : "Cover"} ${this.itemName(step[2])}`;
    if (links.OPTION[q] < 0) return `${verb}: its neighbours in the row of items ${back ? "point to it again" : "now point past it"}.`;
    return back ? `${verb}: ${owner} in option ${links.OPTION[q] + 1} still knows its neighbours, and they point to it again.`
      : `${verb}: hide ${owner} in option ${links.OPTION[q] + 1}: its neighbours above and below now point past it, it still points to them.`;
  }
}
const QUEEN = "♛";
