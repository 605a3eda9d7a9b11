"use strict";
/* A lesson: steps of reasoning, with the marks that the page has for each. A class can guess: first the name of a step is
 * shown, then where to look, then all of it. Roles of options are 0 (out), 1 (open) and 2 (chosen). */

const FULL = 0, WHERE = 1, NAME = 2; // how much of a step is hidden
const LESSON = { next: "To the next step that is no single (n)", into: "More of the answer (full stop)",
  out: "Less of the answer (comma)" };

class Lesson {
  constructor({ problem, roles, lesson, end }) {
    Object.assign(this, { problem, steps: lesson, end, roles, frames: lesson.length + 1, guessing: false });
    this.stage = Object.assign(new Stage({ problem, events: [] }), { linked: false, lesson: this });
    this.points = lesson.map(({ points }) => points ?? 0);
    this.go(0);
  }

  /** Goes to a step, whose answer is hidden if the class guesses; 0 is the beginning. */
  go(where) { this.show(where, this.guessing ? NAME : FULL); }
  show(where, hidden) {
    this.place = Math.max(0, Math.min(this.frames, where));
    this.step = this.steps[this.place - 1];
    this.hidden = this.step ? hidden : FULL;
    this.arrange();
  }
  /** Goes forwards or backwards by steps; forwards from a hidden step it shows more of this step. */
  walk(by) {
    if (by > 0 && this.guessing) this.into(by);
    else this.go(this.place + (by > 0 && this.hidden ? by - 1 : by));
  }
  into(by) {
    const last = 3 * this.steps.length + 1, at = Math.min(last, 3 * this.place - this.hidden);
    const now = Math.max(0, Math.min(last, at + by)), place = Math.ceil(now / 3);
    this.show(place, 3 * place - now);
  }
  hide() {
    this.guessing = !this.guessing;
    this.go(this.place);
  }
  /** The place of the next step that chooses nothing. */
  next() {
    const next = this.steps.findIndex(({ chosen }, k) => k >= this.place && !chosen.length);
    return next < 0 ? null : next + 1;
  }

  /** Puts the stage where it is before the step, or after the last one. */
  arrange() {
    const state = this.stage.checkpoints[0].copy(), roles = this.roles.slice(), chosen = new Set(); // in their order
    const begun = roles.map((role, o) => [o, role]), before = this.steps.slice(0, Math.max(0, this.place - 1));
    for (const [o, role] of [begun, ...before.map((step) => step.roles)].flat()) {
      roles[o] = role;
      if (role === 2) chosen.add(o);
    }
    for (const o of chosen) state.take(o);
    state.by = roles.map((role) => (role === 1 ? LIVE : CHOSEN));
    state.covered = state.room.map((room) => room <= 0);
    this.stage.state = state;
  }

  /* Words */
  facts() {
    const most = Math.max(0, ...this.points), sum = this.points.reduce((a, b) => a + b, 0);
    return `${many(this.steps.length, "step")}${most ? `; the hardest has ${many(most, "point")}, all together have ${sum}` : ""}.`;
  }
  get now() { return this.step || !this.place ? `${this.place}${this.hidden ? " ?" : ""} of ${this.steps.length}` : "the end"; }
  say() {
    const { step, place, hidden } = this;
    if (!place && this.steps.length) return `${many(this.steps.length, "step")} without a guess. What comes first?`;
    if (!step) return this.end;
    const worth = step.points ? ` (${many(step.points, "point")})` : "", name = `Step ${place}${worth}: ${step.name}`;
    if (hidden === NAME) return `${name}. Where is it?`;
    return hidden === WHERE ? `${name}; look at ${step.where}. What does it say?` : `Step ${place}${worth}: ${step.text}.`;
  }
  rows() { return this.steps.map(({ name, points, chosen }, k) => [`${name}${points ? ` · ${points}` : ""}`, k + 1, chosen]); }

  /* Pictures */
  draw(put, room) {
    put("board", { ...drawBoard(this.stage, ...room("board", 1)), caption: "Blue: truths, each with one option in every "
      + "completion. Orange, dashed: links, each with at most one. Green: chosen. Red: out." });
  }
  /** The marks of the step on a board. */
  onBoard() { return this.step && this.hidden !== NAME ? this.step.marks.slice(0, this.hidden ? 1 : 2).join("") : ""; }
}
