/**
 * The script of a page: shows its hands, if it has any, and verifies.
 * @module
 */
import { showChecking } from './checking.mjs';
import { block } from './dom.mjs';
import { showLive } from './live.mjs';
import { showHands } from './stepping.mjs';

const data = JSON.parse(block('data'));
const shown = data.hands.length || data.live ? showHands(document.getElementById('see'), data) : null;
const checking = showChecking(document.getElementById('checking'), data);
if (data.live) showLive(data, shown, checking);
