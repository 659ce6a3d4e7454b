import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);
var saved=process.env.STATE_run??"";if(saved!==""&&!saved.includes('"isOver":true')){let{finish}=await import("./chunks/main-IUODJI4U.js");await finish(saved,process.env)}
