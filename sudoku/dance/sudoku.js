"use strict";
/** A sudoku of 4 x 4, 9 x 9 or 16 x 16 as a problem: cells, and digits in rows, columns and boxes. */
function parseSudoku(text) {
  const signs = [...text.replace(/[\s|+\-]/g, "")];
  const n = Math.sqrt(signs.length), side = Math.sqrt(n);
  if (![4, 9, 16].includes(n)) throw new Error(`there are ${signs.length} signs; a sudoku has 16, 81 or 256`);
  const digits = "123456789ABCDEFG".slice(0, n);
  const given = signs.map((sign, k) => {
    if (".0*_xX?".includes(sign)) return 0;
    const digit = digits.indexOf(sign.toUpperCase()) + 1;
    if (!digit) throw new Error(`row ${Math.floor(k / n) + 1}, column ${k % n + 1}: ${sign} is no digit of ${n} x ${n}`);
    return digit;
  });
  const items = [], options = [], names = [], marks = [];
  for (const kind of ["cell", "row", "column", "box"]) for (let a = 0; a < n; a++) for (let b = 0; b < n; b++) {
    items.push(kind === "cell" ? `the cell in row ${a + 1}, column ${b + 1}` : `${digits[b]} in ${kind} ${a + 1}`);
  }
  const taken = new Set(), four = (r, c, d) => [r * n + c, n * n + r * n + d, 2 * n * n + c * n + d,
    3 * n * n + (Math.floor(r / side) * side + Math.floor(c / side)) * n + d];
  given.forEach((digit, k) => digit && four(Math.floor(k / n), k % n, digit - 1).forEach((item) => taken.add(item)));
  for (let r = 0; r < n; r++) for (let c = 0; c < n; c++) for (let d = 0; d < n; d++) {
    const option = four(r, c, d);
    if (given[r * n + c] ? given[r * n + c] !== d + 1 : option.some((item) => taken.has(item))) continue;
    options.push(option);
    names.push(`${digits[d]} in row ${r + 1}, column ${c + 1}`);
    marks.push([[r, c], digits[d], d]);
  }
  const region = [...Array(n * n).keys()].map((k) =>
    Math.floor(Math.floor(k / n) / side) * side + Math.floor((k % n) / side));
  const givens = given.flatMap((digit, k) => (digit ? [k] : []));
  return { items, primary: items.length, options, colours: null, colourNames: [], ranges: null, names,
    board: { kind: "candidates", rows: n, columns: n, region, marks, givens } };
}

PROMPTS.sudoku = "The cells row by row, dots for blanks: 4 x 4, 9 x 9 or 16 x 16";
PARSERS.sudoku = parseSudoku;
EXAMPLES.sudoku = "53..7....\n6..195...\n.98....6.\n8...6...3\n4..8.3..1\n7...2...6\n.6....28.\n...419..5\n....8..79";
