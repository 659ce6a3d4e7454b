import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);
import{agentInputs,threadInput}from"./chunk-HQPEBCPY.js";import"./chunk-L7KANDFQ.js";import"./chunk-E7NRD7QG.js";import"./chunk-BAUHWD57.js";import"./chunk-KL47HU6T.js";import"./chunk-CLXC5EMS.js";import"./chunk-FUCY2NW5.js";export{agentInputs,threadInput};
