import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The paths of all files below the folder, by name. */
export function files(folder) {
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const path = join(folder, name);
      return statSync(path).isDirectory() ? files(path) : [path];
    });
}
