import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);
import{agentInputs,threadInput}from"./chunk-HMHKVYEI.js";import"./chunk-L7KANDFQ.js";import"./chunk-I7OSA5E7.js";import"./chunk-BAUHWD57.js";import"./chunk-KL47HU6T.js";import"./chunk-WUF7C7RU.js";import"./chunk-FUCY2NW5.js";export{agentInputs,threadInput};
