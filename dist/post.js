import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);
var saved=process.env.STATE_progress??"";if(saved!==""&&!saved.includes('"stage":"ended"')){let{finish}=await import("./chunks/main-2ACOPGRP.js");await finish(saved,process.env)}
