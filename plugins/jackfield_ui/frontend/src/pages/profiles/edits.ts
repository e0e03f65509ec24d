/** The changes that differ from what is stored. */
export function changesOf<Form extends object>(edits: Partial<Form>, stored: Form): Partial<Form> {
  const different = Object.entries(edits).filter(([name, value]) => value !== stored[name as keyof Form]);
  return Object.fromEntries(different) as Partial<Form>;
}

/** Whether something that is changed here was changed elsewhere too, since it was seen. */
export function outdated<Form extends object>(edits: Partial<Form>, seen: Form, stored: Form): boolean {
  const changed = Object.keys(changesOf(edits, stored)) as (keyof Form)[];
  return changed.some((name) => seen[name] !== stored[name]);
}

/** Of what was changed elsewhere since it was seen, that which is not changed here, or in the same way. */
export function unchanged<Form extends object>(values: Form, seen: Form, stored: Form): Partial<Form> {
  const names = (Object.keys(stored) as (keyof Form)[]).filter(
    (name) => stored[name] !== seen[name] && (values[name] === seen[name] || values[name] === stored[name]),
  );
  return Object.fromEntries(names.map((name) => [name, stored[name]])) as Partial<Form>;
}
