// What an operator does: always after a confirmation.

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
