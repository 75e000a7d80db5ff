/** `npm run pets`: exports, imports, shows, changes and removes the pets of an environment. */
import { setFlagsFromString } from 'node:v8'
import { runTool } from '../../command-line/tool.ts'
import { createPetsTool } from './pets-tool.ts'

// A scan creates mostly short-lived objects. By default V8 would let the space for new objects grow by 100 MB.
setFlagsFromString('--semi-space-growth-factor=1')

// An export of a million pets takes 130 MB instead of 210, for some ten seconds more of processor time.
setFlagsFromString('--optimize-for-size')

// Some releases of Node.js 24 warn that node:sqlite, which exports use, is experimental.
process.removeAllListeners('warning')

await runTool(createPetsTool())
