"use strict";
/* The search for the best cover: its reports, the last of which is the result. A score and a bound are [text, height],
or null: JavaScript would round large numbers. */

const MOST_DOTS = 60;
const inSeconds = (seconds) => `${seconds < 1 ? Number(seconds.toPrecision(2)) : seconds.toFixed(2)} s`;

function sayReport() {
  if (!place) return "The search has not begun.";
  if (place === frames) return end;
  const { seconds, nodes, score, bound } = reports[place - 1];
  const best = score ? `the best cover so far scores ${score[0]}` : "no cover yet";
  return `After ${inSeconds(seconds)} and ${many(nodes, "node")}: ${best}${bound ? `, none can beat ${bound[0]}` : ""}.`;
}

/** The place of the next better cover. */
function nextScore() {
  const now = place ? reports[place - 1].score : null;
  const next = reports.findIndex(({ score }, k) => k >= place && score && score[0] !== (now && now[0]));
  return next < 0 ? null : next + 1;
}

/** Bound and score over time, in steps; a dot is a report. */
function drawScores() {
  const [pen, width, height] = canvas("prices", 340);
  pen.font = "12px system-ui, sans-serif";
  const left = 14 + Math.max(20, ...ticks.map(([, text]) => pen.measureText(text).width)), right = width - 12;
  const top = 56, foot = height - 32, last = Math.max(reports.at(-1).seconds, 1e-9);
  const x = (seconds) => left + (right - left) * seconds / last, y = (part) => foot - (foot - top) * part;
  const put = (align, ...rest) => { pen.textAlign = align; write(pen, ...rest); };
  pen.strokeStyle = ink.line;
  pen.lineWidth = 1;
  pen.strokeRect(left, top, right - left, foot - top);
  for (const [part, text] of ticks) {
    pen.strokeRect(left, y(part), right - left, 0);
    put("right", text, left - 6, y(part), 12, ink.faint);
  }
  put("left", "0 s", left, height - 14, 12, ink.faint);
  put("center", inSeconds(last / 2), (left + right) / 2, height - 14, 12, ink.faint);
  put("right", inSeconds(last), right, height - 14, 12, ink.faint);
  for (const [k, [key, colour, dash]] of [["bound", ink.branch, [6, 4]], ["score", ink.chosen, []]].entries()) {
    const points = reports.slice(0, place).filter((report) => report[key]).map((report) => [x(report.seconds), y(report[key][1])]);
    const value = place && reports[place - 1][key];
    put("left", `${dash.length ? "- -" : "—"} ${key} ${value ? value[0] : "none yet"}`, 12, 16 + 22 * k, 13, colour, "bold");
    if (!points.length) continue;
    const ends = key === "bound" ? left : points[0][0]; // a bound holds from the beginning, whenever it is found
    pen.strokeStyle = pen.fillStyle = colour;
    pen.lineWidth = 2.5;
    pen.setLineDash(dash);
    pen.beginPath();
    pen.moveTo(ends, points[0][1]);
    points.forEach(([across, down], j) => { pen.lineTo(across, points[Math.max(0, j - 1)][1]); pen.lineTo(across, down); });
    pen.stroke();
    pen.setLineDash([]);
    for (const [across, down] of points.length > MOST_DOTS ? points.slice(-1) : points) {
      pen.beginPath();
      pen.arc(across, down, key === "bound" ? 5 : 3.5, 0, 7); // where they meet, both are seen
      pen.fill();
    }
  }
  const beyond = reports.some((report) => [report.score, report.bound].some((value) => value && value[1] % 1 === 0));
  const [up, down] = sense === "min" ? [" rises", " falls"] : sense === "max" ? [" falls", " rises"] : ["", ""];
  caption("prices", `The bound (dashed)${up}, the best score${down}; where they meet it is proven. Time goes to the right.${
    beyond ? " What is beyond the scale is drawn at its edge." : ""}`);
}
