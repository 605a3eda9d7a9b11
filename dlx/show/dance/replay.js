"use strict";
/* Replays the events of `dlx.trace`: the rest of a problem after some events, and its dancing links.

A problem has `items` (names), `primary` (how many of them come first), `options` (arrays of items), `colours` (arrays
beside these, or null), `colourNames`, `ranges` (how often each primary item is covered, or null) and `names`.
An event is [kind, level, item, option, colour]; kinds are numbered as in KINDS. A step of the page is an event, or one of
the last three kinds, which say what a "back up" does, item by item. */

const KINDS = ["choose", "try", "cover", "purify", "found", "back up", "uncover", "dead end", "leave"];
const [CHOOSE, TRY, COVER, PURIFY, FOUND, BACK, UNCOVER, DEAD, LEAVE] = KINDS.keys();
const LIVE = -1, CHOSEN = -2; // in place of the item that has hidden an option

/** The rest of a problem after some events. */
class State {
  constructor(problem) {
    const n = problem.items.length;
    this.problem = problem;
    this.once = !problem.ranges;
    this.colours = problem.options.map((option, o) =>
      new Map(option.map((item, k) => [item, problem.colours ? problem.colours[o][k] : 0])));
    this.users = problem.items.map(() => []);
    this.by = problem.options.map((option, o) => { // what hides each option
      const usable = !(problem.out && problem.out[o]) && option.some((item) => item < problem.primary);
      if (usable) for (const item of option) this.users[item].push(o);
      return usable ? LIVE : CHOSEN;
    });
    this.need = problem.items.map((_, i) => i < problem.primary ? (problem.ranges ? problem.ranges[i][0] : 1) : 0);
    this.room = problem.items.map((_, i) => problem.ranges && i < problem.primary ? problem.ranges[i][1] : 1);
    this.shade = new Array(n).fill(0);
    this.covered = new Array(n).fill(false);
    this.chosen = [];
    this.branch = []; // the item of each level
    this.starts = []; // the length of the trail when each level began
    this.trail = []; // options hidden, ~item for items covered or shaded
    this.floors = [];
  }

  copy() {
    const other = Object.create(State.prototype, Object.getOwnPropertyDescriptors(this));
    for (const key of ["by", "need", "room", "shade", "covered", "chosen", "branch", "starts", "trail", "floors"]) {
      other[key] = this[key].slice();
    }
    return other;
  }

  apply([kind, level, item, option, colour]) {
    if (kind === CHOOSE) {
      this.branch[level] = item;
      this.starts[level] = this.trail.length;
    }
    if (kind === TRY) this.take(option);
    else if (kind === COVER || kind === PURIFY) {
      if (kind === COVER) this.covered[item] = true;
      else this.shade[item] = colour;
      this.trail.push(~item);
      for (const o of this.users[item]) if (kind === COVER || this.colours[o].get(item) !== colour) this.hide(o, item);
    } else if (kind === UNCOVER) this.undo(this.trail.findLastIndex((back) => back < 0));
    else if (kind === BACK) this.takeBack(level);
    else if (kind === LEAVE) this.leave(level);
  }

  take(option) {
    this.chosen.push(option);
    this.floors.push(this.trail.length);
    if (!this.once) this.hide(option, CHOSEN);
    for (const item of this.problem.options[option]) {
      this.need[item]--;
      this.room[item]--;
    }
  }

  /** Restores what a level has hidden, after all its options have been tried. */
  leave(level) {
    this.undo(this.starts[level]);
    this.branch.length = level;
  }

  undo(height) {
    while (this.trail.length > height) {
      const back = this.trail.pop();
      if (back < 0) {
        this.covered[~back] = false;
        this.shade[~back] = 0;
        continue;
      }
      this.by[back] = LIVE;
    }
  }

  takeBack(level) {
    const option = this.chosen.pop();
    this.undo(this.floors.pop());
    for (const item of this.problem.options[option]) {
      this.need[item]++;
      this.room[item]++;
    }
    this.branch.length = level + 1;
    if (!this.once) this.hide(option, CHOSEN);
  }

  hide(option, item) {
    if (this.by[option] !== LIVE) return;
    this.by[option] = item;
    this.trail.push(option);
  }

  wanted() {
    return this.need.flatMap((need, item) => (item < this.problem.primary && need > 0 ? [item] : []));
  }
}

/** Returns the steps of events: what a "back up" undoes comes before it, in reverse order, and a level has an end. */
function unfold(events, stopped) {
  const steps = [], branch = [], open = []; // for each level: what its option has covered
  events.forEach((event, k) => {
    const [kind, level, item, option, colour] = event;
    if (kind === CHOOSE) branch[level] = item;
    if (kind === TRY) open.push([]);
    if ((kind === COVER || kind === PURIFY) && open.length > level) open[level].push([UNCOVER, level, item, -1, colour]);
    if (kind !== BACK) return steps.push(event);
    if (item >= 0) steps.push([DEAD, level, item, option, 0]);
    steps.push(...open.pop().reverse(), event);
    const next = events[k + 1];
    if (next ? next[0] !== TRY || next[1] !== level : !stopped) steps.push([LEAVE, level, branch[level], -1, 0]);
  });
  return steps;
}

/** Returns the doubly linked lists of a problem, with Knuth's names: nodes 1 to n are the headers of items, 0 is their root.
 * Each routine yields a node when its links, or the links of its neighbours, have changed. */
function dancingLinks({ problem, users }) {
  const n = problem.items.length, TOP = [0], OPTION = [0], COLOR = [0], first = new Map();
  const LLINK = [], RLINK = [], ULINK = [], DLINK = [], LEN = users.map((some) => some.length);
  LEN.unshift(0);
  for (let i = 0; i <= n; i++) {
    const ring = i <= problem.primary;
    [LLINK[i], RLINK[i]] = ring ? [(i + problem.primary) % (problem.primary + 1), (i + 1) % (problem.primary + 1)] : [i, i];
    [ULINK[i], DLINK[i], TOP[i], OPTION[i]] = [i, i, i, -1];
  }
  problem.options.forEach((option, o) => {
    if (!users[option[0]]?.includes(o)) return;
    first.set(o, TOP.length);
    option.forEach((item, k) => {
      const q = TOP.length, i = item + 1;
      [TOP[q], OPTION[q], COLOR[q]] = [i, o, problem.colours ? problem.colours[o][k] : 0];
      [ULINK[q], DLINK[q]] = [ULINK[i], i];
      DLINK[ULINK[i]] = ULINK[i] = q;
    });
  });
  const turn = (q, by) => { // the next node of the same option, or the one before
    const start = first.get(OPTION[q]), size = problem.options[OPTION[q]].length;
    return start + (q - start + size + by) % size;
  };
  const next = (q) => turn(q, 1), previous = (q) => turn(q, -1);

  function* cover(i) {
    for (let p = DLINK[i]; p !== i; p = DLINK[p]) yield* hide(p);
    RLINK[LLINK[i]] = RLINK[i];
    LLINK[RLINK[i]] = LLINK[i];
    yield i;
  }
  function* hide(p) {
    for (let q = next(p); q !== p; q = next(q)) {
      DLINK[ULINK[q]] = DLINK[q];
      ULINK[DLINK[q]] = ULINK[q];
      LEN[TOP[q]]--;
      yield q;
    }
  }
  function* uncover(i) {
    RLINK[LLINK[i]] = i;
    LLINK[RLINK[i]] = i;
    yield i;
    for (let p = ULINK[i]; p !== i; p = ULINK[p]) yield* unhide(p);
  }
  function* unhide(p) {
    for (let q = previous(p); q !== p; q = previous(q)) {
      LEN[TOP[q]]++;
      ULINK[DLINK[q]] = q;
      DLINK[ULINK[q]] = q;
      yield q;
    }
  }
  function* purify(i, c) {
    for (let p = DLINK[i]; p !== i; p = DLINK[p]) if (COLOR[p] !== c) yield* hide(p);
  }
  function* unpurify(i, c) {
    for (let p = ULINK[i]; p !== i; p = ULINK[p]) if (COLOR[p] !== c) yield* unhide(p);
  }
  return { n, first, TOP, OPTION, LLINK, RLINK, ULINK, DLINK, LEN, cover, hide, uncover, unhide, purify, unpurify };
}

/** Returns the links after the events of a state. */
function linksAt(state) {
  const links = dancingLinks(state);
  for (const back of state.trail) if (back < 0) for (const _ of dancers(links, [COVER, 0, ~back, -1, state.shade[~back]])) ;
  return links;
}

/** Yields the nodes that change at a step. */
function dancers({ cover, uncover, purify, unpurify }, [kind, , item, , colour]) {
  if (kind === COVER || kind === PURIFY) return colour ? purify(item + 1, colour) : cover(item + 1);
  if (kind === UNCOVER || kind === LEAVE) return colour ? unpurify(item + 1, colour) : uncover(item + 1);
  return [];
}
