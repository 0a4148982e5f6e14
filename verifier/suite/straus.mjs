/**
 * Sums of a few multiples of points: one chain of doublings for all terms.
 * @module
 */
import { LIMBS } from './field.mjs';
import { Sum } from './sums.mjs';

/** Digits of a number that are 0 or odd and below 2^(width-1), the lowest first. @param {bigint} size @param {number} width */
function digitsOf(size, width) {
  const digits = [];
  const whole = 1 << width;
  const mask = BigInt(whole - 1);
  let rest = size;
  while (rest) {
    if (!(rest & 1n)) {
      const low = rest & 0xffffffffn;
      let zeros = low ? 31 - Math.clz32(Number(low) & -Number(low)) : 32;
      rest >>= BigInt(zeros);
      while (zeros--) digits.push(0);
    }
    let digit = Number(rest & mask);
    if (digit >= whole / 2) digit -= whole;
    digits.push(digit);
    rest = (rest - BigInt(digit)) >> 1n;
  }
  return digits;
}

/**
 * @param {{multiples: Float64Array, width: number, halves: [bigint, bigint]}[]} terms of each the odd multiples of a point
 *   that its digits need, each as limbs of x, of x under the endomorphism, and of y; and its scalar in two halves
 */
export function chained(terms) {
  const lines = [];
  let length = 0;
  for (const { multiples, width, halves } of terms) {
    halves.forEach((size, half) => {
      if (size === 0n) return;
      const digits = digitsOf(size < 0n ? -size : size, width);
      lines.push({ digits, multiples, x: half * LIMBS, sign: size < 0n ? -1 : 1 });
      length = Math.max(length, digits.length);
    });
  }
  const sum = new Sum();
  for (let at = length - 1; at >= 0; at--) {
    sum.double();
    for (const { digits, multiples, x, sign } of lines) {
      const digit = digits[at];
      if (!digit) continue;
      const place = ((Math.abs(digit) - 1) / 2) * 3 * LIMBS;
      sum.add(multiples, place + x, place + 2 * LIMBS, digit < 0 ? -sign : sign);
    }
  }
  return sum.point();
}
