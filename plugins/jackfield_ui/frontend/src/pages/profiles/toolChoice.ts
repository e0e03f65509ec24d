/** Which of the daemon's tools a profile's agent has, as a form holds it: names are separated by blanks. Pure. */

export type ToolChoice = {
  offered: boolean;
  without: string;
  tools: string;
};

export interface ToolScope {
  offered: boolean;
  without: string[];
  tools: string[];
}

/** A daemon of before knows none. */
export function choiceOf(scope: Partial<ToolScope> | undefined): ToolChoice {
  return {
    offered: scope?.offered ?? true,
    without: (scope?.without ?? []).join(' '),
    tools: (scope?.tools ?? []).join(' '),
  };
}

export function scopeOf(choice: ToolChoice): ToolScope {
  return { offered: choice.offered, without: namesIn(choice.without), tools: namesIn(choice.tools) };
}

export function namesIn(names: string): string[] {
  return names.split(' ').filter(Boolean);
}

/** With the name, or without it. */
export function toggled(names: string, name: string): string {
  const given = namesIn(names);
  const others = given.filter((one) => one !== name);
  return (others.length < given.length ? others : [...given, name]).join(' ');
}
