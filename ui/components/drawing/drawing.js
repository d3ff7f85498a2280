export default ({ data, parentElement }) => {
  parentElement.querySelector(".drawing").innerHTML = data;
};
