// Fails when the dashboard's first load has outgrown its budget. Run it after the build.
import { readFileSync } from 'node:fs';

const BUDGET = 300 * 1024;
const sizes = JSON.parse(readFileSync(new URL('../node_modules/.first-load.json', import.meta.url), 'utf8'));
let total = 0;
for (const { name, gzip } of sizes.sort((a, b) => b.gzip - a.gzip)) {
  total += gzip;
  process.stdout.write(`${(gzip / 1024).toFixed(1).padStart(8)} KiB  ${name}\n`);
}
process.stdout.write(`${(total / 1024).toFixed(1).padStart(8)} KiB  of ${BUDGET / 1024} KiB, gzip\n`);
if (total > BUDGET) {
  process.stderr.write('The dashboard loads too much at first: move something into a lazy chunk.\n');
  process.exit(1);
}
