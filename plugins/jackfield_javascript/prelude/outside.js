// Items as n8n's runner hands them to a script: made outside of the script's own context, so that `instanceof Array` is
// false and `constructor` is not the script's. Only a script that asks gets them, because each value has to be visited.
(function (kit) {
  'use strict';

  const { create, getOwnPropertyDescriptors, setPrototypeOf, values } = Object;
  const { isArray } = Array;
  const List = Array;
  const ASKS = /\binstanceof\b|\.\s*constructor\b|\[\s*['"`]constructor/;

  const ofObjects = create(null, getOwnPropertyDescriptors(Object.prototype));
  const ofLists = create(ofObjects, getOwnPropertyDescriptors(Array.prototype));
  const functions = {
    Object(value) {
      return setPrototypeOf({ ...value }, ofObjects);
    },
    Array: function Array(...given) {
      return setPrototypeOf(new List(...given), ofLists);
    },
  };
  kit.hide(ofObjects, { constructor: setPrototypeOf(functions.Object, Object) });
  kit.hide(ofLists, { constructor: setPrototypeOf(functions.Array, Array) }); // `map` and its like make such lists again

  function outside(given) {
    const waiting = [given];
    while (waiting.length) {
      const next = waiting.pop();
      if (typeof next !== 'object' || next === null) continue;
      setPrototypeOf(next, isArray(next) ? ofLists : ofObjects);
      for (const value of values(next)) waiting.push(value);
    }
    return given;
  }

  // Lines that are parsed from now on give such values if the script asks for what they are made by.
  kit.outside = (data) => {
    if (!ASKS.test(data.head.source)) return;
    data.parse = (line) => outside(kit.Data.prototype.parse.call(data, line));
    data.all = () => setPrototypeOf(kit.Data.prototype.all.call(data), ofLists);
  };
});
