// Prints what n8n finds wrong with parameters before a workflow starts: for every node of the types named on the command
// line, per version and choice, with each required parameter left out and empty. Called in the adapter's directory.
const { chosen, described, issues } = require('./parameters.js');

const found = [];
for (const description of described.filter((one) => process.argv.includes(one.name, 2))) {
  const wanted = description.properties.filter((one) => one.required);
  const names = [...new Set(wanted.map((one) => one.name))];
  for (const version of [description.version].flat()) {
    const node = { name: description.name, type: description.name, typeVersion: version, parameters: {} };
    for (const given of chosen(description.properties, wanted, node, description)) {
      for (const more of [{}, ...names.map((name) => ({ [name]: '' })), Object.fromEntries(names.map((name) => [name, '=1']))]) {
        const parameters = { ...given, ...more };
        found.push({ kind: description.name, version, given: parameters, issues: issues(description, node, parameters) });
      }
    }
  }
}
process.stdout.write(JSON.stringify(found));
