export const dayMs = 86_400_000;

/** Formats a duration, such as `45 s`, `4 min 10 s`, `2 h 5 min`, or `3 days`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (hours >= 48) return `${Math.floor(hours / 24)} days`;
  if (hours > 0) return withRest(`${hours} h`, minutes % 60, 'min');
  if (minutes > 0) return withRest(`${minutes} min`, seconds % 60, 's');
  return `${seconds} s`;
}

function withRest(whole: string, rest: number, unit: string) {
  return rest === 0 ? whole : `${whole} ${rest} ${unit}`;
}

/** A time such as `Nov 24, 14:05 UTC`. */
export function formatTime(ms: number): string {
  const time = new Date(ms).toLocaleString('en-US', {
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: 'UTC',
  });
  return `${time} UTC`;
}
