// The list that the search has found, and the statuses that narrow it.

const statusButtons = new Map();
const writeStatuses = () => {
  const counts = new Map();
  for (const row of order) counts.set(row.status, (counts.get(row.status) ?? 0) + 1);
  for (const status of STATUSES) {
    let button = statusButtons.get(status);
    if (!button) {
      button = node("button", status, { type: "button", "aria-pressed": "false", "data-status": status });
      button.addEventListener("click", () => { wanted = wanted === status ? "" : status; shown = MOST; writeStatuses(); writeFound(); });
      statusButtons.set(status, button);
      get("statuses").append(button);
    }
    const count = counts.get(status) ?? 0;
    button.textContent = `${status} ${number.format(count)}`;
    button.hidden = count === 0 && wanted !== status;
    button.setAttribute("aria-pressed", String(wanted === status));
  }
  get("count").textContent = number.format(order.length);
};

const badge = (status) => node("b", status, { class: `status ${STATUSES.includes(status) ? status : ""}` });

const unconfirmed = () => node("span", "unconfirmed", { class: "why" });

const foundRow = (row) => {
  const line = node("tr");
  line.dataset.app = row.app;
  line.dataset.instance = row.id;
  const cell = (...content) => { const made = node("td"); made.append(...content); line.append(made); return made; };
  cell(node("a", row.id, { href: instancePage(row.app, row.id) }));
  cell(node("a", row.app, { href: appPage(row.app) }));
  const status = cell(badge(row.status));
  if (row.unconfirmed) status.append(" ", unconfirmed());
  if (row.why) status.append(" ", node("span", row.why, { class: "why" }));
  cell(row.host);
  cell(row.ip);
  cell(row.ports.join(", "));
  cell(row.zone ?? "–");
  const actions = cell();
  if (mayOperate && !row.remote) {
    const act = row.overridden ? "resume" : "drain";
    actions.append(node("button", row.overridden ? "Put back" : "Out of service", { type: "button", "data-act": act }));
  }
  return line;
};

const writeFound = () => {
  const words = get("q").value.toLowerCase().split(/\s+/).filter((word) => word !== "");
  const isSearching = words.length > 0 || wanted !== "";
  get("apps").hidden = isSearching;
  get("found").hidden = !isSearching;
  get("found-count").textContent = "";
  remember();
  if (!isSearching) return;
  const lines = [];
  let count = 0;
  for (const row of order) {
    if ((wanted === "" || row.status === wanted) && words.every((word) => row.words.includes(word))) {
      count += 1;
      if (count <= shown) lines.push(foundRow(row));
    }
  }
  if (count > shown) {
    const line = node("tr"), cell = node("td", undefined, { colspan: "8" });
    const more = node("button", `Show more of ${number.format(count - shown)}`, { type: "button" });
    more.addEventListener("click", () => { shown += 10 * MOST; writeFound(); });
    cell.append(more);
    line.append(cell);
    lines.push(line);
  }
  const table = get("found").querySelector("tbody"), focused = table.contains(document.activeElement) && document.activeElement;
  const { app, instance } = (focused && focused.closest("tr").dataset) || {};
  table.replaceChildren(...lines);
  const line = focused && lines.find((line) => line.dataset.app === app && line.dataset.instance === instance);
  if (line) (line.querySelector(focused.localName === "button" ? "button" : "a") ?? line.querySelector("a")).focus();
  get("found-count").textContent = `${number.format(count)} found`;
};

// The search is part of the address, so that it can be handed on and survives a reload.
const remember = () => {
  const about = new URLSearchParams();
  if (get("q").value) about.set("q", get("q").value);
  if (wanted) about.set("status", wanted);
  const hash = about.toString() ? `#${about}` : "";
  if (location.hash !== hash) history.replaceState(null, "", hash || `${location.pathname}${location.search}`);
};
