// All instances, held in memory, and what has changed since.

const known = new Map();
const STATUSES = ["UP", "DOWN", "STARTING", "OUT_OF_SERVICE", "UNKNOWN"];
const MOST = 100;
// A renewal is no change: so long an unconfirmed instance may be shown as such after its first one.
const DOUBT = 9000;
let version = "", isLoaded = false, wanted = "", shown = MOST, order = [], wholeAt = 0;
const key = (app, id) => `${app}\n${id}`;

const learn = (row) => {
  const metadata = Object.entries(row.metadata ?? {}).map(([name, value]) => `${name}=${value}`);
  const words = [row.app, row.id, row.host, row.ip, ...row.ports, row.status, row.zone ?? "", row.unconfirmed ? "unconfirmed" : "", ...metadata];
  row.words = words.join("\n").toLowerCase();
  known.set(key(row.app, row.id), row);
};

const load = async () => {
  const isDoubtful = order.some((row) => row.unconfirmed) && performance.now() - wholeAt >= DOUBT;
  const upTo = isDoubtful ? "" : encodeURIComponent(version);
  const answer = await fetch(`${home}instances.json?since=${upTo}`, { cache: "no-store" });
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  const { version: now, whole, instances, gone } = await answer.json();
  const apps = new Set();
  if (whole) {
    for (const row of known.values()) apps.add(row.app);
    known.clear();
    wholeAt = performance.now();
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
