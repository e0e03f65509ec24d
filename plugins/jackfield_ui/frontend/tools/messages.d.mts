export function placeholders(message: string): string;
