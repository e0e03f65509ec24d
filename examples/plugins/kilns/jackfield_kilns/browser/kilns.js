// The module of the browser extension `kilns`: the contract is in docs/ui.md.

/** The page Kilns: how many workflows there are, asked as the user who looks. */
function overview(element, { request, navigate }) {
  const text = document.createElement('p');
  const button = document.createElement('button');
  button.textContent = 'Show the workflows';
  button.addEventListener('click', () => navigate('/ui/workflows'));
  element.append(text, button);
  request('GET', '/api/v1/workflows').then(({ total }) => {
    text.textContent = `${total} workflows may use a kiln.`;
  });
  return () => element.replaceChildren();
}

/** The heat as a slider. */
function heat(element, state) {
  const slider = Object.assign(document.createElement('input'), { type: 'range', min: 0, max: 1300, step: 10 });
  const said = document.createElement('output');
  let change = state.change;
  slider.addEventListener('input', () => change(Number(slider.value)));
  const update = ({ label, value, readOnly, ...more }) => {
    change = more.change;
    slider.setAttribute('aria-label', label);
    slider.disabled = readOnly;
    slider.value = value;
    said.textContent = ` ${value} °C`;
  };
  element.append(slider, said);
  update(state);
  return { update, unmount: () => element.replaceChildren() };
}

export default { pages: { overview }, controls: { heat } };
