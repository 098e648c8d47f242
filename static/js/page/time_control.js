/* The time control: moments are chosen in the browser's time zone (the server's form is in UTC), and a page of the past
   plays: it goes on to the next change every PACE milliseconds until it is stopped or there is none. */

const PACE = 1500;
const PLAYING = "deltaboard-playing"; // in sessionStorage, so that each tab plays by itself

const two = (number) => String(number).padStart(2, "0");

function local(date) {
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
  return `${day}T${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":")}`;
}

function useOwnZone(form) {
  const input = form.elements.at;
  for (const name of ["value", "max"]) input[name] = local(new Date(`${input[name]}Z`));
  form.querySelector("[data-zone]").textContent = "(your time zone)";
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const query = new URLSearchParams(new FormData(form));
    query.set("at", `${new Date(input.value).toISOString().slice(0, 19)}Z`);
    location.assign(`${form.getAttribute("action")}?${query}`.replaceAll("%3A", ":"));
  });
}

function offerToPlay(bar) {
  const shown = bar.querySelector("time");
  shown.textContent = local(new Date(shown.dateTime)).replace("T", " ");
  const next = bar.querySelector("[rel=next]");
  if (!next) return sessionStorage.removeItem(PLAYING); // this page says that there is no change
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button";
  next.after(button);
  let timer = 0;
  const show = () => {
    const isPlaying = sessionStorage.getItem(PLAYING) === "yes";
    button.textContent = isPlaying ? "Stop" : "Play";
    clearTimeout(timer);
    if (isPlaying) timer = setTimeout(() => location.assign(next.href), PACE);
  };
  button.addEventListener("click", () => {
    sessionStorage.setItem(PLAYING, sessionStorage.getItem(PLAYING) === "yes" ? "no" : "yes");
    show();
  });
  show();
}

export function start() {
  const form = document.querySelector("[data-time-control]");
  if (form) useOwnZone(form);
  const bar = document.querySelector(".past-bar");
  if (bar) offerToPlay(bar);
  else sessionStorage.removeItem(PLAYING);
}
