/** Whether a login belongs to an app. GitHub allows no other login to end in `[bot]`. */
export function isAppLogin(login: string): boolean {
  return login.endsWith('[bot]');
}
