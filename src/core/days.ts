/** Whether the text is an IANA time zone that this Node knows. */
export function isTimeZone(text: string): boolean {
  try {
    dateIn(0, text);
    return /^[A-Za-z]/.test(text);
  } catch {
    return false;
  }
}

/** The date in the time zone, `YYYY-MM-DD`. */
export function dateIn(epochMs: number, timeZone: string): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone }).format(epochMs);
}
