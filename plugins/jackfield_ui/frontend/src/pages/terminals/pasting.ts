/** More than this is asked about, in characters. */
const MUCH = 100_000;

/**
 * Text of the clipboard without what a terminal or a program would obey: a page that was copied from could end the
 * bracketed paste (ESC [201~) and run a command. Line ends become \n; tabs stay.
 */
export function pasteable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what goes
  return text.replace(/\r\n?/g, '\n').replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '');
}

/** Why a paste is asked about. bracketed: the program has said that it tells pasted lines from typed ones. */
export function asks(text: string, bracketed: boolean): 'lines' | 'much' | undefined {
  if (!bracketed && text.includes('\n')) return 'lines';
  return text.length > MUCH ? 'much' : undefined;
}
