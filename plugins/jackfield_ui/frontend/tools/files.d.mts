export function files(folder: string): string[];
