// The table of applications, kept as the server would write it.

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
    if (made && made.innerHTML === line?.innerHTML) continue;
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
      if (row.unconfirmed) ids.append(" ", unconfirmed());
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
