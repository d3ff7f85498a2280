// The bar is there while the place of the component, where the result begins, is below the screen.
export default ({ data, parentElement }) => {
  const place = parentElement.querySelector(".rlm-glance"), bar = place.querySelector("button");
  bar.replaceChildren(...data.map(([value, words]) => {
    const figure = document.createElement("span"), strong = document.createElement("b");
    strong.textContent = value;
    figure.append(strong, words);
    return figure;
  }));
  bar.onclick = () => {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const main = place.closest("[data-testid=stMain]"), header = 76;  // pixels: the page's header covers what is above
    main?.scrollBy({ top: place.getBoundingClientRect().top - header, behavior: still ? "instant" : "smooth" });
  };
  const watch = new IntersectionObserver(
    ([seen]) => place.classList.toggle("ahead", !seen.isIntersecting && seen.boundingClientRect.top > 0),
    { rootMargin: "0px 0px -20% 0px" },  // until some of the result is to be seen, not only its edge
  );
  watch.observe(place);
  return () => watch.disconnect();
};
