/**
 * Tournament 3: the draw.
 * @module
 */
import { big, fail } from '../suite/bytes.mjs';

/** The numbers of the entries as they are drawn. @param {number} entries @param {Uint8Array} luck */
export function draw(entries, luck) {
  if (entries < 2 || entries > 32 || luck.length < 32 || luck.length > 1024) fail('tournament.rule');
  const whole = 1n << BigInt(8 * luck.length);
  let orders = 1n;
  for (let i = 2n; i <= BigInt(entries); i++) orders *= i;
  let x = big(luck);
  if (x >= whole - (whole % orders)) fail('tournament.rule');
  x %= orders;
  const left = Array.from({ length: entries }, (_, i) => i + 1);
  const order = [];
  while (left.length) {
    const many = BigInt(left.length);
    order.push(...left.splice(Number(x % many), 1));
    x /= many;
  }
  return order;
}
