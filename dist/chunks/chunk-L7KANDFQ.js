import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);
var permissions=["read","triage","write","maintain","admin"];export{permissions};
