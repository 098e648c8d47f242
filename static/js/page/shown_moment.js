/* The moment of the past that the page shows, in body[data-at]. What such a page fetches is of the same moment. */

export const shownMoment = () => document.body.dataset.at ?? "";

export function ofShownMoment(address) {
  const at = shownMoment();
  if (!at) return address;
  return `${address}${address.includes("?") ? "&" : "?"}${new URLSearchParams({ at })}`;
}
