/* Milliseconds that pass also while the machine sleeps.

   performance.now() stands still then on some systems, Date jumps when somebody sets the clock. Where Date is suddenly
   more than a second ahead of the other, the machine slept (or its clock was put forward, which does no harm: the page
   takes a fresh socket once). Backwards it never goes. What was slept is found by the next question: ask often. */

const JUMP = 1000;

let ahead = Date.now() - performance.now(); // of Date before the other, as of the last question
let slept = 0;
let wake = () => {};

/* Have `callback` called, soon, whenever the machine has slept. */
export function onWake(callback) {
  wake = callback;
}

export function now() {
  const present = Date.now() - performance.now();
  if (present - ahead > JUMP) {
    slept += present - ahead;
    setTimeout(wake);
  }
  ahead = present;
  return performance.now() + slept;
}
