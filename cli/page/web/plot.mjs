/**
 * Small plots: a line for each side, told apart by its dashes and its name.
 * @module
 */
import { drawn } from './cards.mjs';

const [WIDTH, HEIGHT, LEFT, TOP, BOTTOM, APART, LETTER] = [360, 150, 34, 10, 18, 11, 6.5];
const DASHES = ['', '6 4', '2 3', '9 3 2 3', '1 4', '12 4', '4 2 1 2', '8 8'];

/** Heights moved until no two names lie on each other, nor below the drawing. @param {number[]} heights */
export function apart(heights) {
  const moved = [...heights];
  const order = heights.map((_, at) => at).sort((a, b) => heights[a] - heights[b]);
  order.forEach((at, place) => { if (place) moved[at] = Math.max(moved[at], moved[order[place - 1]] + APART); });
  let lowest = HEIGHT - 8;
  for (const at of order.reverse()) {
    moved[at] = Math.min(moved[at], lowest);
    lowest = moved[at] - APART;
  }
  return moved;
}

/** @param {string} title @param {string[]} sides @param {number[][]} rows at least two, a number a side @returns {SVGElement} whose description tells the same in words */
export function plot(title, sides, rows) {
  const low = Math.min(0, ...rows.flat());
  const high = Math.max(low + 1, ...rows.flat());
  const right = WIDTH - 10 - LETTER * Math.min(16, Math.max(8, ...sides.map((side) => side.length)));
  const x = (place) => LEFT + (place * (right - LEFT)) / (rows.length - 1);
  const y = (value) => HEIGHT - BOTTOM - ((value - low) * (HEIGHT - TOP - BOTTOM)) / (high - low);
  const told = sides.map((side, at) => `${side}: ${rows.map((row) => row[at]).join(', ')}`).join('; ');
  const grid = [...new Set([low, 0, high])].flatMap((value) => [
    drawn('line', { class: 'grid', x1: LEFT, y1: y(value), x2: right, y2: y(value) }),
    drawn('text', { x: LEFT - 5, y: y(value) + 4, 'text-anchor': 'end' }, String(value)),
  ]);
  const names = apart(sides.map((_, at) => y(rows.at(-1)[at])));
  const lines = sides.flatMap((side, at) => [
    drawn('polyline', { class: `side side${at % 4}`, points: rows.map((row, place) => `${x(place)},${y(row[at])}`).join(' '), 'stroke-dasharray': DASHES[at % DASHES.length] || 'none' }),
    drawn('text', { x: right + 5, y: names[at] + 4 }, side),
  ]);
  const parts = [drawn('title', {}, title), drawn('desc', {}, told), ...grid, ...lines];
  return drawn('svg', { class: 'plot', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img' }, ...parts);
}
