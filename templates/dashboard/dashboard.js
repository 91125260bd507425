// The dashboard's script: search, following what happens, actions. Without it the pages list everything all the same.
// What clients registered goes into the page as text and nothing else.
"use strict";
(() => {
  const body = document.body, { home, api } = body.dataset, mayOperate = "operate" in body.dataset;
  const get = (id) => document.getElementById(id);
  const node = (tag, text, attributes = {}) => {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    return made;
  };
  const number = new Intl.NumberFormat(document.documentElement.lang);

  // --- links, as the server makes them

  const isPlain = (name) => name !== "" && !/[/\\%;]/.test(name) && name !== "." && name !== "..";
  const appPage = (app) =>
    isPlain(app) ? `${home}app/${encodeURIComponent(app)}` : `${home}app?name=${encodeURIComponent(app)}`;
  const instancePage = (app, id) =>
    isPlain(app) && isPlain(id)
      ? `${home}app/${encodeURIComponent(app)}/${encodeURIComponent(id)}`
      : `${home}app?name=${encodeURIComponent(app)}&instance=${encodeURIComponent(id)}`;

  // --- what was said, for eyes and screen readers

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

  // --- the instances, searched in memory

  const known = new Map();
  const STATUSES = ["UP", "DOWN", "STARTING", "OUT_OF_SERVICE", "UNKNOWN"];
  const MOST = 100;
  let version = "", isLoaded = false, wanted = "", shown = MOST, order = [];
  const key = (app, id) => `${app}\n${id}`;

  const learn = (row) => {
    const metadata = Object.entries(row.metadata ?? {}).map(([name, value]) => `${name}=${value}`);
    const words = [row.app, row.id, row.host, row.ip, ...row.ports, row.status, row.zone ?? "", ...metadata];
    row.words = words.join("\n").toLowerCase();
    known.set(key(row.app, row.id), row);
  };

  const load = async () => {
    const answer = await fetch(`${home}instances.json?since=${encodeURIComponent(version)}`, { cache: "no-store" });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const { version: now, whole, instances, gone } = await answer.json();
    const apps = new Set();
    if (whole) {
      for (const row of known.values()) apps.add(row.app);
      known.clear();
    }
    for (const row of instances) { learn(row); apps.add(row.app); }
    for (const [app, id] of gone) { known.delete(key(app, id)); apps.add(app); }
    const isNews = instances.length > 0 || gone.length > 0 || whole;
    if (isNews) {
      order = [...known.values()].sort((a, b) => compare(a.app, b.app) || compare(a.id, b.id));
    }
    // The first list is that of the page itself, as a rule.
    if (isLoaded) writeApps(apps);
    version = now;
    if (isNews) {
      writeStatuses();
      writeFound();
    }
    if (!isLoaded) {
      isLoaded = true;
      get("search").hidden = false;
      ready();
      // What has happened since the page was written.
      if (get("registry").dataset.version !== version) {
        version = get("registry").dataset.version;
        await load();
      }
    }
  };
  const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

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

  const foundRow = (row) => {
    const line = node("tr");
    line.dataset.app = row.app;
    line.dataset.instance = row.id;
    const cell = (...content) => { const made = node("td"); made.append(...content); line.append(made); return made; };
    cell(node("a", row.id, { href: instancePage(row.app, row.id) }));
    cell(node("a", row.app, { href: appPage(row.app) }));
    const status = cell(badge(row.status));
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

  // Lines of the table of applications, as the server writes them.
  const writeApps = (apps) => {
    const table = get("apps").querySelector("tbody");
    if (known.size === 0 || !table.querySelector("tr[data-app]")) table.replaceChildren();
    if (known.size === 0) {
      const line = node("tr");
      line.append(node("td", "No instances available", { colspan: "4" }));
      table.append(line);
      return;
    }
    const rows = new Map(), lines = new Map();
    for (const row of order) {
      if (!apps.has(row.app)) continue;
      if (rows.has(row.app)) rows.get(row.app).push(row);
      else rows.set(row.app, [row]);
    }
    for (const line of table.children) lines.set(line.dataset.app, line);
    for (const app of apps) {
      const line = lines.get(app), made = rows.has(app) ? appLine(app, rows.get(app)) : null;
      if (made && line) line.replaceWith(made);
      else if (line) line.remove();
      else if (made) {
        const after = [...table.children].find((other) => compare(other.dataset.app, app) > 0);
        table.insertBefore(made, after ?? null);
      }
    }
  };

  const appLine = (app, rows) => {
    const line = node("tr", undefined, { class: "fresh" });
    line.dataset.app = app;
    const name = node("td"), strong = node("b");
    strong.append(node("a", app, { href: appPage(app) }));
    name.append(strong);
    line.append(name, counted(rows, (row) => row.image ?? "n/a"), counted(rows, (row) => row.place ?? ""));
    const cell = node("td");
    for (const status of [...STATUSES].sort()) {
      const those = rows.filter((row) => row.status === status);
      if (those.length === 0) continue;
      const ids = node("div", undefined, { class: "ids" });
      ids.append(badge(status), ` (${number.format(those.length)}) - `);
      those.forEach((row, at) => {
        if (at > 0) ids.append(" , ");
        ids.append(row.url ? node("a", row.id, { href: row.url, target: "_blank", rel: "noopener noreferrer" }) : node("span", row.id));
      });
      cell.append(ids);
    }
    line.append(cell);
    return line;
  };

  const counted = (rows, nameOf) => {
    const counts = new Map(), cell = node("td");
    for (const row of rows) counts.set(nameOf(row), (counts.get(nameOf(row)) ?? 0) + 1);
    [...counts].sort(([a], [b]) => compare(a, b)).forEach(([name, count], at) => {
      if (at > 0) cell.append(", ");
      if (name !== "") cell.append(node("b", name), " ");
      cell.append(`(${number.format(count)})`);
    });
    return cell;
  };

  // --- following what happens

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

  // --- lease timers

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

  // --- actions: always after a confirmation

  const ACTIONS = {
    drain: {
      title: (what) => `Take ${what} out of service?`, path: "drain", forSomeTime: true,
      text: "Clients that go by this registry stop calling it. It stays registered, and can be put back.",
      body: (select, reason, time) => ({ select, status: "OUT_OF_SERVICE", reason, ...(time && { for: time }) }),
    },
    resume: {
      title: (what) => `Put ${what} back in service?`, path: "resume",
      text: "The status that was set from outside is taken back, so that its own counts again.",
      body: (select, reason) => ({ select, reason }),
    },
    evict: {
      title: (what) => `Evict ${what}?`, path: "evict",
      text: "It is removed from the registry. An instance that lives registers again with its next heartbeat.",
      body: (select, reason) => ({ select, reason }),
    },
    accept: {
      title: () => "Accept the loss?", path: "accept",
      text: "All silent instances are taken for lost: their leases end at once. One that lives registers again with its next heartbeat.",
      body: (_, reason) => ({ reason }),
    },
  };

  let pending;
  const ask = (button) => {
    const action = ACTIONS[button.dataset.act], { app, instance } = button.closest("[data-app]")?.dataset ?? {};
    if (!action) return;
    const what = instance === undefined ? `all instances of ${app}` : instance;
    const select = instance === undefined ? { app } : { app, instance };
    const dialog = get("confirm");
    pending = { action, select, what };
    get("confirm-title").textContent = action.title(what);
    get("confirm-text").textContent = action.text;
    get("confirm-failed").textContent = "";
    dialog.querySelector(".for-some-time").hidden = !action.forSomeTime;
    dialog.querySelector("form").reset();
    dialog.showModal();
  };

  const carryOut = async () => {
    const { action, select, what } = pending, form = get("confirm").querySelector("form");
    const reason = form.elements.reason.value.trim() || "on the dashboard";
    const sent = action.body(select, reason, action.forSomeTime ? form.elements.for.value : "");
    let failed;
    try {
      const answer = await fetch(`${api}operations/${action.path}`, {
        method: "POST", headers: { "Content-Type": "application/json", Accept: "application/json" }, body: JSON.stringify(sent),
      });
      const told = await answer.json().catch(() => ({}));
      if (answer.ok) {
        const count = told.changed?.length;
        get("confirm").close();
        say(count === undefined ? `Done: ${what}` : `${number.format(count)} ${count === 1 ? "instance" : "instances"} changed`);
        if (isOverview()) since = -GAP_OF_FIGURES;
        refresh();
        return;
      }
      const refused = [401, 403].includes(answer.status);
      failed = told.error ?? (refused ? "You may not do that: it takes the role operate." : `The server refuses it (status ${answer.status}).`);
    } catch {
      failed = "The server is not reached.";
    }
    get("confirm-failed").textContent = failed;
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("[data-act]");
    if (button) ask(button);
  });
  const dialog = get("confirm");
  dialog.querySelector("[value=no]").addEventListener("click", () => dialog.close());
  dialog.querySelector("form").addEventListener("submit", (event) => { event.preventDefault(); carryOut(); });

  // --- begin

  if (isOverview()) {
    const about = new URLSearchParams(location.hash.slice(1));
    get("q").value = about.get("q") ?? "";
    wanted = STATUSES.includes(about.get("status")) ? about.get("status") : "";
    get("q").addEventListener("input", () => { shown = MOST; if (isLoaded) writeFound(); });
    get("search").addEventListener("submit", (event) => event.preventDefault());
    document.addEventListener("keydown", (event) => {
      const isTyping = event.target.closest?.("input, select, textarea, dialog");
      if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey) { event.preventDefault(); get("q").focus(); }
      if (event.key === "Escape" && event.target === get("q")) { get("q").value = ""; wanted = ""; writeStatuses(); writeFound(); }
    });
    load().then(follow, poll);
  } else {
    ready();
    follow();
  }
})();
