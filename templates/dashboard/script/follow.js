// Following what happens: by events, else by looking now and then; and the parts of a page that tell of now.

const isOverview = () => get("search") !== null;

// The parts of the page that tell of now, as the server writes them.
const renew = async () => {
  const address = isOverview() ? "?figures" : location.href.split("#")[0];
  const answer = await fetch(address, { cache: "no-store", headers: { Accept: "text/html" } });
  if (answer.status !== 200 && answer.status !== 404) throw new Error(`status ${answer.status}`);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of document.querySelectorAll("[data-live]")) {
    const now = page.querySelector(`[data-live="${part.dataset.live}"]`);
    if (!now || now.innerHTML === part.innerHTML) continue;
    const focused = part.contains(document.activeElement) ? document.activeElement : null;
    const place = focused ? [...part.querySelectorAll("a, button, [tabindex]")].indexOf(focused) : -1;
    part.replaceChildren(...now.childNodes);
    const again = (focused?.id && get(focused.id)) || [...part.querySelectorAll("a, button, [tabindex]")][place];
    if (focused) again?.focus();
  }
  since = performance.now();
};

// Changes may come in hundreds a second: they are gathered, and the figures beside a list looked at less often.
const GAP = 500, GAP_OF_FIGURES = 2000;
let running = false, again = false, since = performance.now(), begun = -GAP;
const refresh = async () => {
  if (running) { again = true; return; }
  running = true;
  begun = performance.now();
  try {
    if (isOverview()) await load();
    if (!isOverview() || begun - since >= GAP_OF_FIGURES) await renew();
    if (timer) tell("polling");
  } catch {
    tell("not reached");
  }
  running = false;
  if (again) { again = false; soon(); }
};
let waiting;
const soon = () => {
  const time = Math.max(100, begun + GAP - performance.now());
  waiting ??= setTimeout(() => { waiting = undefined; refresh(); }, time);
};

const tell = (state) => {
  const words = { live: "Live", polling: "Looks every 5 seconds", "not reached": "The server is not reached" };
  if (get("live").textContent !== words[state]) get("live").textContent = words[state];
  body.dataset.state = state;
};

const POLL = 5000;
let timer;
const poll = () => {
  tell("polling");
  timer ??= setInterval(() => { if (!document.hidden) refresh(); }, POLL);
};
const follow = () => {
  if (!("EventSource" in window)) { poll(); return; }
  const { app } = body.dataset;
  const events = new EventSource(`${api}events${app && !app.includes(",") ? `?app=${encodeURIComponent(app)}` : ""}`);
  const kinds = ["registered", "updated", "status", "override", "cancelled", "expired", "peer", "preservation", "gap"];
  for (const kind of kinds) events.addEventListener(kind, () => soon());
  events.onopen = () => { tell("live"); soon(); };
  events.onerror = () => {
    // One that is closed was refused: there are no events here, or none for this reader.
    if (events.readyState === EventSource.CLOSED) poll();
    else tell("not reached");
  };
  // Figures, lease times and what peers do change without an event.
  setInterval(() => { if (!document.hidden && events.readyState === EventSource.OPEN) refresh(); }, 2 * POLL);
};

// Leases run out while nobody looks.
const length = (milliseconds) => {
  const seconds = Math.floor(milliseconds / 1000), minutes = Math.floor(seconds / 60), hours = Math.floor(minutes / 60);
  if (minutes === 0) return `${seconds} s`;
  return hours === 0 ? `${minutes} min ${seconds % 60} s` : `${hours} h ${minutes % 60} min`;
};
setInterval(() => {
  const ends = get("ends");
  if (!ends) return;
  const left = Number(ends.dataset.ends) - (performance.now() - since);
  ends.textContent = left >= 0 ? `ends in ${length(left)}` : `lapsed ${length(-left)} ago`;
}, 1000);
