const mounted = new Map();  // by the mechanism's address: the sides stay while the page runs again

export default ({ data, parentElement, setTriggerValue }) => {
  const place = parentElement.querySelector(".own-row-place");
  const key = data.offer.mechanism;
  const entry = mounted.get(key) ?? { row: null };
  mounted.set(key, entry);
  Object.assign(entry, { post: (value) => setTriggerValue("report", value), place, data });
  const show = () => {
    if (!entry.row) return;
    if (entry.row.root.parentElement !== entry.place) entry.place.replaceChildren(entry.row.root);
    entry.row.received(entry.data.received);
  };
  if (entry.row) show();
  else if (!entry.loading) {
    entry.loading = import(new URL("device/view/own_row.js", document.baseURI))
      .then(({ OwnRow }) => OwnRow.open(data.offer, (value) => entry.post(value)))
      .then((row) => { entry.row = row; show(); }, (error) => {
        entry.loading = null;
        entry.place.textContent = "Your side could not be loaded from this server: " + error.message;
      });
  }
};
