"use strict";
/** A sudoku of 4 x 4, 6 x 6, 9 x 9 or 16 x 16 as a problem: cells, and digits in rows, columns and boxes. */
function parseSudoku(text) {
  const [n, given] = readCells(text), [high, wide] = BOXES[n];
  const digits = "123456789ABCDEFG".slice(0, n), box = (r, c) => Math.floor(r / high) * high + Math.floor(c / wide);
  const names = [], number = new Map(), items = [], heads = [], options = [], marks = [], taken = new Set();
  const four = (r, c, d) => [r * n + c, n * n + r * n + d, 2 * n * n + c * n + d, 3 * n * n + box(r, c) * n + d];
  given.forEach((digit, k) => { // the givens are in place, and what they have is no item any more
    if (!digit) return;
    const r = Math.floor(k / n), c = k % n, clash = four(r, c, digit - 1).find((item) => taken.has(item));
    if (clash !== undefined) throw new Error(`row ${r + 1}, column ${c + 1}: there is a second ${digits[digit - 1]} in its row, column or box`);
    four(r, c, digit - 1).forEach((item) => taken.add(item));
  });
  ["cell", "row", "column", "box"].forEach((kind, which) => {
    for (let a = 0; a < n; a++) for (let b = 0; b < n; b++) {
      const item = which * n * n + a * n + b;
      if (taken.has(item)) continue;
      number.set(item, items.length);
      items.push(kind === "cell" ? `the cell in row ${a + 1}, column ${b + 1}` : `${digits[b]} in ${kind} ${a + 1}`);
      heads.push(kind === "cell" ? `r${a + 1}c${b + 1}` : `${kind[0]}${a + 1}=${digits[b]}`);
    }
  });
  for (let r = 0; r < n; r++) for (let c = 0; c < n; c++) for (let d = 0; d < n; d++) {
    const option = four(r, c, d);
    if (option.some((item) => taken.has(item))) continue;
    options.push(option.map((item) => number.get(item)));
    names.push(`${digits[d]} in row ${r + 1}, column ${c + 1}`);
    marks.push([[r, c], digits[d], d]);
  }
  const region = [...Array(n * n).keys()].map((k) => box(Math.floor(k / n), k % n));
  const givens = Object.fromEntries(given.flatMap((digit, k) => (digit ? [[k, digits[digit - 1]]] : [])));
  return { items, primary: items.length, options, colours: null, colourNames: [], ranges: null, names,
    board: { kind: "candidates", rows: n, columns: n, region, marks, givens, heads } };
}

const BOXES = { 4: [2, 2], 6: [2, 3], 9: [3, 3], 16: [4, 4] }; // rows and columns of a box

/** The number of rows of a grid, and its cells, 0 for a blank; an ambiguous text is an error, as in the command. */
function readCells(text) {
  const rows = text.split(/\r?\n/).filter((line) => !/^[\s|+=-]+$/.test(line)); // without rules
  const words = rows.join(" ").split(/[\s|,;]+/).filter(Boolean), isSize = (cells) => Math.sqrt(cells.length) in BOXES;
  const apart = isSize(words) && words.every((word) => word.length < 3);
  const cells = apart ? words : [...words.join("")], n = Math.sqrt(cells.length);
  if (!isSize(cells)) throw new Error(`there are ${cells.length} signs; a sudoku has 16, 36, 81 or 256`);
  const last = "123456789ABCDEFG"[n - 1];
  const given = cells.map((cell, k) => {
    if (cell.length === 1 && "0.*-_xX?~".includes(cell)) return 0;
    const digit = apart && /^\d+$/.test(cell) ? Number(cell) : cell.length === 1 ? " 123456789ABCDEFG".indexOf(cell.toUpperCase()) : 0;
    if (digit > 0 && digit <= n) return digit;
    throw new Error(`row ${Math.floor(k / n) + 1}, column ${k % n + 1}: ${cell} is neither a digit from 1 to ${last} nor a blank`);
  });
  const zeros = cells.filter((cell) => cell === "0").length, others = given.filter((digit) => !digit).length > zeros;
  if (zeros && zeros <= n && !given.includes(n) && (others || (n > 9 && !apart))) {
    throw new Error(`0 may be a blank or, where ${last} is not used, a digit; write blanks as . and digits as 1 to ${last}`);
  }
  return [n, given];
}

PROMPTS.sudoku = "The cells row by row, dots for blanks: 4 x 4, 6 x 6 in boxes of 2 x 3, 9 x 9 or 16 x 16";
PARSERS.sudoku = parseSudoku;
EXAMPLES.sudoku = "53..7....\n6..195...\n.98....6.\n8...6...3\n4..8.3..1\n7...2...6\n.6....28.\n...419..5\n....8..79";
