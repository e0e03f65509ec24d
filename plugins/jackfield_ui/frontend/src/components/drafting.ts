/**
 * How a draft stands to what it was made from, and to what is stored now. `follow`: what is stored has changed, and
 * the draft has nothing that would be lost.
 */
export function drafted(mine: string, before: string, now: string): 'clean' | 'dirty' | 'follow' | 'outdated' {
  if (now === before) return mine === before ? 'clean' : 'dirty';
  return mine === before || mine === now ? 'follow' : 'outdated';
}
