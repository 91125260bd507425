// What every page has: its links, what it says to whoever looks or listens. What clients registered goes into a page
// as text and nothing else.

const body = document.body, { home, api } = body.dataset, mayOperate = "operate" in body.dataset;
const get = (id) => document.getElementById(id);
const node = (tag, text, attributes = {}) => {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
};
const number = new Intl.NumberFormat(document.documentElement.lang);

// Links, as the server makes them.
const isPlain = (name) => name !== "" && !/[/\\%;]/.test(name) && name !== "." && name !== "..";
const appPage = (app) =>
  isPlain(app) ? `${home}app/${encodeURIComponent(app)}` : `${home}app?name=${encodeURIComponent(app)}`;
const instancePage = (app, id) =>
  isPlain(app) && isPlain(id)
    ? `${home}app/${encodeURIComponent(app)}/${encodeURIComponent(id)}`
    : `${home}app?name=${encodeURIComponent(app)}&instance=${encodeURIComponent(id)}`;

// What was said, for eyes and screen readers.
let hiding;
const say = (text) => {
  const said = get("said");
  said.textContent = text;
  said.hidden = false;
  clearTimeout(hiding);
  hiding = setTimeout(() => { said.hidden = true; }, 8000);
};

// For whoever measures.
const ready = () => {
  body.dataset.ready = "yes";
  performance.mark("ready");
};
