export const dayMs = 86_400_000;

/** Formats a duration, such as `45 s`, `4 min 10 s`, `2 h 5 min`, or `3 days`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const days = Math.floor((seconds * 1000) / dayMs);
  if (days >= 2) return `${days} days`;
  const [h, min, s] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), seconds % 60];
  const parts =
    h > 0 ? [`${h} h`, min > 0 && `${min} min`] : [min > 0 && `${min} min`, (s > 0 || min === 0) && `${s} s`];
  return parts.filter((part) => part !== false).join(' ');
}

/** A time such as `Nov 24, 14:05 UTC`. */
export function formatTime(ms: number): string {
  const [day, time] = [
    { month: 'short', day: 'numeric' },
    { hour: '2-digit', minute: '2-digit' },
  ] as const;
  const format = { ...day, ...time, hourCycle: 'h23', timeZone: 'UTC' } as const;
  return `${new Date(ms).toLocaleString('en-US', format)} UTC`;
}
