/**
 * What a terminal says by itself when a program asks it: its kind, the cursor's place, colours, modes, sizes. The scrollback
 * holds questions that were answered long ago; the answers to them would be typed into the agent at every reload.
 */
const ANSWER =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what they are made of
  /^(?:\x1b\[[?>=]?[\d;]*(?:[cnR]|\$y|t)|\x1b\](?:4;\d+|1[0-2]);rgb[^\x07\x1b]*(?:\x07|\x1b\\)|\x1bP[^\x1b]*\x1b\\|\x1b\[[IO])+$/;

export function isAnswer(typed: string): boolean {
  return ANSWER.test(typed);
}
