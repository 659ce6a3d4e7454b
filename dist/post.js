process.env.STATE_run&&await import("./index.js");
