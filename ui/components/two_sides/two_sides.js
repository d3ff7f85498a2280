const mounted = new Map();  // by key: the sides stay while the page runs again, and while another page is visited

const mount = async (key, offer) => {
  const { TwoSides } = await import(new URL("device/view/two_sides.js", document.baseURI));
  return new TwoSides(offer, (kind, value) => mounted.get(key).post(kind, value));
};

export default ({ key, data, parentElement, setTriggerValue }) => {
  const place = parentElement.querySelector(".sides-place");
  const entry = mounted.get(key) ?? { sides: null };
  mounted.set(key, entry);
  entry.post = setTriggerValue;
  entry.place = place;
  entry.data = data;
  const show = () => {
    if (!entry.sides) return;
    if (entry.sides.root.parentElement !== entry.place) {
      entry.place.replaceChildren(entry.sides.root);
      if (entry.seen) entry.sides.returned();
      entry.seen = true;
    }
    entry.sides.received(entry.data.received);
  };
  if (entry.sides) show();
  else if (!entry.loading) {
    entry.loading = mount(key, data.offer).then((sides) => { entry.sides = sides; show(); }, (error) => {
      entry.loading = null;
      entry.place.textContent = "The owner’s side could not be loaded from this server: " + error.message;
    });
  }
};
