import { joined } from './markdown.ts';

export const dayMs = 86_400_000;

/** Formats a duration, such as `45 s`, `4 min 10 s`, `2 h 5 min`, or `3 days`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds >= 172_800) return `${Math.floor(seconds / 86_400)} days`;
  const [h, min, s] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), seconds % 60];
  const minutes = min > 0 && `${min} min`;
  return joined(h > 0 ? [`${h} h`, minutes] : [minutes, (s > 0 || min === 0) && `${s} s`]);
}

/** A time such as `Nov 24, 14:05 UTC`. */
export function formatTime(ms: number): string {
  const day = { month: 'short', day: 'numeric' } as const;
  const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  return `${new Date(ms).toLocaleString('en-US', { ...day, ...time, timeZone: 'UTC' })} UTC`;
}
