/* Clock in milliseconds that also counts the time for which the machine sleeps.

   performance.now() stands still then on some systems, Date jumps when somebody sets the clock. Where Date is suddenly
   more than a second ahead of the other, the machine slept (or its clock was put forward, which does no harm: the page
   takes a fresh socket once). It never goes backwards. Only a call of now() notices the sleep: call it often.

   Each bundle with this module has its own clock: do not compare times of two bundles. */

const JUMP = 1000;

let ahead = Date.now() - performance.now(); // of Date before the other, as of the last question
let slept = 0;
let wake = () => {};

/* Calls `callback` soon after the machine has slept, with the time at which that was noticed. */
export function onWake(callback) {
  wake = callback;
}

export function now() {
  const present = Date.now() - performance.now();
  if (present - ahead > JUMP) {
    slept += present - ahead;
    setTimeout(wake, 0, performance.now() + slept);
  }
  ahead = present;
  return performance.now() + slept;
}
