import { SIZES } from './preferences';

/** About what fits into the window, for a session whose terminal is not there yet: programs draw their first screen in it. */
export function guessedSize(): { cols: number; rows: number } {
  let size: number = SIZES.usual;
  try {
    size = Number(JSON.parse(localStorage.getItem('jackfield.terminal') ?? '{}').fontSize) || size;
  } catch {
    // The usual one.
  }
  const wide = innerWidth - (innerWidth >= 768 ? 216 : 0) - 32;
  const high = innerHeight - 140;
  return { cols: limit(wide / (size * 0.602), 20), rows: limit(high / (size * 1.35), 5) };
}

function limit(value: number, least: number): number {
  return Math.min(1_000, Math.max(least, Math.floor(value)));
}
