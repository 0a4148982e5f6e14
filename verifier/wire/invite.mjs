/**
 * Specs 7.3: invites.
 * @module
 */
import { ascii, concat, equal, fail, hex } from '../suite/bytes.mjs';
import { sha256 } from '../suite/hashing.mjs';
import { twice } from '../suite/lists.mjs';

const VERSION = 2;
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const PORTS = { mqtt: 1883, mqtts: 8883, ws: 80, wss: 443 };
const HOST = /^(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*\.?|\[[0-9a-f:.]+\])$/;

function digitsOf(text) {
  let bits = 0;
  let held = 0;
  const bytes = [];
  for (const letter of text) {
    const digit = DIGITS.indexOf(letter);
    if (digit < 0) fail('invite');
    held = (held << 5) | digit;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push(held >> bits);
      held &= (1 << bits) - 1;
    }
  }
  if (held || bits >= 5) fail('invite');
  return Uint8Array.from(bytes);
}

function node(text) {
  const found = /^(mqtts?|wss?):\/\/([^:/?#@[\]]+|\[[^\]]+\])(?::(\d{1,5}))?(\/[A-Za-z0-9._~/-]*)?$/.exec(text);
  if (!found) return fail('invite');
  const [, scheme, host, port, path] = found;
  if (!HOST.test(host) || (port && (Number(port) < 1 || Number(port) > 65535))) fail('invite');
  const web = scheme.startsWith('ws');
  if (!web && path && path !== '/') fail('invite');
  const own = web && path && path !== '/' ? path : web && '/mqtt';
  return [scheme, host, port ? Number(port) : PORTS[scheme], own || ''].join(' ');
}

/** @param {string} text */
export function parseInvite(text) {
  const letters = text.toUpperCase().replace(/[\s-]/g, '');
  if (!letters.startsWith('P2P304')) fail('invite');
  const data = digitsOf(letters.slice(6).replaceAll('O', '0').replace(/[IL]/g, '1'));
  if (data.length < 8 || data[0] !== VERSION) fail('invite');
  const [, seat, length] = data;
  const watch = seat === 255;
  if (!watch && seat > 63) fail('invite');
  const start = 3 + 16 + 32 + (watch ? 0 : 16);
  const end = start + length;
  if (data.length !== end + 5) fail('invite');
  const sum = sha256(concat(ascii('p2p304 invite 1'), data.subarray(0, end)));
  if (!equal(sum.subarray(0, 5), data.subarray(end))) fail('invite');
  const address = String.fromCharCode(...data.subarray(start, end));
  const nodes = address.split(',').map(node);
  if (nodes.length > 4 || twice(nodes)) fail('invite');
  return {
    address,
    table: hex(data.subarray(3, 19)),
    table_key: hex(data.subarray(19, 51)),
    seat: watch ? null : seat,
    token: watch ? null : hex(data.subarray(51, 67)),
  };
}

