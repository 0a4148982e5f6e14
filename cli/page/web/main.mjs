/**
 * The script of a page: shows its hands, if it has any, and verifies.
 * @module
 */
import { showChecking } from './checking.mjs';
import { block } from './dom.mjs';
import { showHands } from './stepping.mjs';

const data = JSON.parse(block('data'));
if (data.hands.length) showHands(document.getElementById('see'), data);
showChecking(document.getElementById('checking'), data);
