/** Which modules share a file: what the first page needs comes in few of them, as every request costs; the rest as its pages do. */

interface Modules {
  getModuleInfo(id: string): { importedIds: readonly string[] } | null;
}
interface Group {
  name: (id: string, modules: Modules) => string | null;
  priority: number;
}

const REACT = /node_modules\/(react|react-dom|scheduler|react-router|@tanstack)\//;
/**
 * Controls that only forms of later pages have. Mantine's index names all of its modules, so that by the imports alone
 * each of them would seem to be needed at first.
 */
const LATE =
  /@mantine\/core\/.*\/(Stepper|Slider|FileInput|FileButton|TagsInput|MultiSelect|Autocomplete|NumberInput|Radio|Drawer|Switch)\//;
const ENTRY = 'src/main.ts';
/** What is drawn, which the entry asks for after the session. */
export const ROOT = 'src/root.tsx';
const PAGE = 'src/pages/dashboard/index.tsx';

/** For `codeSplitting.groups`. A group takes what its modules import with it, so libraries come before what uses them. */
export function groups(root: string): Group[] {
  let early: Set<string> | undefined;
  let needed: Set<string> | undefined;
  const entry = `${root}/${ENTRY}`;
  const group = (name: string, priority: number, fits: (id: string) => boolean): Group => ({
    priority,
    name: (id, modules) => {
      needed ??= reached([entry, `${root}/${ROOT}`, `${root}/${PAGE}`], importsIn(modules));
      return id !== entry && needed.has(id) && fits(id) ? name : null;
    },
  });
  const begin: Group = {
    priority: 4,
    name: (id, modules) => {
      early ??= reached([entry], importsIn(modules));
      return id !== entry && early.has(id) ? 'begin' : null;
    },
  };
  return [
    begin,
    group('react', 3, (id) => REACT.test(id)),
    group('library', 2, (id) => id.includes('node_modules') && !LATE.test(id)),
    { priority: 1.5, name: (id) => (LATE.test(id) ? 'controls' : null) },
    group('first', 1, () => true),
  ];
}

const importsIn = (modules: Modules) => (id: string) => modules.getModuleInfo(id)?.importedIds ?? [];

/** Everything that these lead to, and they themselves; what leads to something comes after it. */
export function reached(from: readonly string[], next: (id: string) => readonly string[]): Set<string> {
  const seen = new Set<string>();
  const found = new Set<string>();
  const visit = (id: string) => {
    if (seen.has(id)) return;
    seen.add(id);
    next(id).forEach(visit);
    found.add(id);
  };
  from.forEach(visit);
  return found;
}
