// What happens when a page is there.

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
