/** Which modules share a file: what the first page needs comes in few of them, as every request costs; the rest as its pages do. */

interface Modules {
  getModuleInfo(id: string): { importedIds: readonly string[] } | null;
}
interface Group {
  name: (id: string, modules: Modules) => string | null;
  priority: number;
}

const REACT = /node_modules\/(react|react-dom|scheduler|react-router|@tanstack)\//;
const ENTRY = 'src/main.tsx';
const PAGE = 'src/pages/dashboard/index.tsx';

/** For `codeSplitting.groups`. A group takes what its modules import with it, so libraries come before what uses them. */
export function groups(root: string): Group[] {
  let needed: Set<string> | undefined;
  const entry = `${root}/${ENTRY}`;
  const group = (name: string, priority: number, fits: (id: string) => boolean): Group => ({
    priority,
    name: (id, modules) => {
      needed ??= reached([entry, `${root}/${PAGE}`], modules);
      return id !== entry && needed.has(id) && fits(id) ? name : null;
    },
  });
  return [
    group('react', 3, (id) => REACT.test(id)),
    group('library', 2, (id) => id.includes('node_modules')),
    group('first', 1, () => true),
  ];
}

function reached(from: readonly string[], modules: Modules): Set<string> {
  const found = new Set<string>();
  const waiting = [...from];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    waiting.push(...(modules.getModuleInfo(id)?.importedIds ?? []));
  }
  return found;
}
