/**
 * The verifier in a worker: is given the bytes of a file, tells how far it has come, and its verdict.
 * @module
 */
import { verdictOn } from './verdict.mjs';

const STEP = 512; // bytes of a file between two words of progress

self.onmessage = ({ data }) => {
  let told = -STEP;
  const progress = (done) => {
    if (done - told < STEP) return;
    told = done;
    self.postMessage({ done });
  };
  try {
    self.postMessage({ verdict: verdictOn(new Uint8Array(data), progress) });
  } catch (error) {
    self.postMessage({ defect: String(error) });
  }
};
