/** `npm run pets`: exports, imports, shows, changes and removes the pets of an environment. */
import { setFlagsFromString } from 'node:v8'
import { runTool } from '../../command-line/tool.ts'
import { createPetsTool } from './pets-tool.ts'

// Most of what a scan reads is garbage at once. Left to grow, the space for new objects takes a hundred megabytes.
setFlagsFromString('--semi-space-growth-factor=1')

// Some releases of Node.js 24 warn that SQLite, which an export needs, is experimental.
process.removeAllListeners('warning')

await runTool(createPetsTool())
