let shown = null;

export default ({ data }) => {
  if (shown !== null && shown !== data) {
    document.querySelector("[data-testid=stMain]")?.scrollTo({ top: 0, behavior: "instant" });
  }
  shown = data;
};
