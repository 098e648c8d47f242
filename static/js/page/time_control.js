/* The time control: moments are chosen in the browser's time zone (the server's form is in UTC), and a page of the past
   plays: it goes on to the next change every PACE milliseconds until it is stopped or there is none. Links to other
   moments lead to the address that the page has by then: filters and the drawer change it. */

import { shownMoment } from "./shown_moment.js";

const PACE = 1500;
const PLAYING = "deltaboard-playing"; // in sessionStorage, so that each tab plays by itself

const two = (number) => String(number).padStart(2, "0");

function local(date) {
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
  return `${day}T${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":")}`;
}

/* The page's address as of another moment, of now without one. */
function addressAt(at) {
  const query = new URLSearchParams(location.search);
  for (const name of ["at", "step", "searched"]) query.delete(name);
  if (at) query.set("at", at);
  return location.pathname + `?${query}`.replace(/^\?$/, "").replaceAll("%3A", ":").replaceAll("%2C", ",");
}

function aim(link) {
  const url = new URL(link.href);
  if ("compare" in link.dataset) {
    if (url.pathname.endsWith("/compare/")) link.search = `${new URLSearchParams([...new URL(addressAt(""), url).searchParams, ["from", shownMoment()]])}`;
    return;
  }
  if (link.rel) url.searchParams.set("from", addressAt(shownMoment()));
  link.href = link.rel ? url.href : addressAt(url.searchParams.get("at"));
}

const inUtc = (input) => `${new Date(input.value).toISOString().slice(0, 19)}Z`;

function showOwnZone(form) {
  const inputs = [...form.querySelectorAll("[type=datetime-local]")];
  for (const input of inputs) {
    for (const name of ["value", "max"]) if (input[name]) input[name] = local(new Date(`${input[name]}Z`));
  }
  for (const zone of form.querySelectorAll("[data-zone]")) zone.textContent = "(your time zone)";
  return inputs;
}

/* A form whose moments are sent in UTC, the empty ones not at all. */
function sendInUtc(form) {
  const inputs = showOwnZone(form);
  form.addEventListener("formdata", ({ formData }) => {
    for (const input of inputs) {
      if (input.value) formData.set(input.name, inUtc(input));
      else formData.delete(input.name);
    }
  });
}

function useOwnZone(form) {
  const [input] = showOwnZone(form);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const at = inUtc(input);
    const action = form.getAttribute("action");
    location.assign(action === location.pathname ? addressAt(at) : `${action}?at=${at}`);
  });
}

function offerToPlay(bar) {
  for (const shown of bar.querySelectorAll("time")) shown.textContent = local(new Date(shown.dateTime)).replace("T", " ");
  const ended = bar.querySelector("#ended-step");
  if (ended) history.replaceState(history.state, "", addressAt(shownMoment())); // no reload says it again
  const next = bar.querySelector("[rel=next]");
  if (!next || ended?.matches("[data-all]")) sessionStorage.removeItem(PLAYING);
  if (!next) return;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button";
  next.after(button);
  let timer = 0;
  const show = () => {
    const isPlaying = sessionStorage.getItem(PLAYING) === "yes";
    button.textContent = isPlaying ? "Stop" : "Play";
    clearTimeout(timer);
    if (isPlaying) timer = setTimeout(() => next.click(), PACE);
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
  document.querySelectorAll("[data-own-zone]").forEach(sendInUtc);
  const bar = document.querySelector(".past-bar");
  if (bar) offerToPlay(bar);
  else sessionStorage.removeItem(PLAYING);
  if (form?.getAttribute("action") !== location.pathname) return;
  for (const link of document.querySelectorAll(".time-control .moments a, .past-bar a")) {
    for (const event of ["pointerdown", "focus", "click"]) link.addEventListener(event, () => aim(link));
  }
}
