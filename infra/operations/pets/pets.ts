/**
 * `npm run pets`: exports, imports, shows, changes and removes the pets of an environment.
 *
 * `package.json` starts it with two options of V8, because imports and exports create mostly short-lived objects:
 *
 * - `--semi-space-growth-factor=1` keeps the space for new objects small.
 * - `--optimize-for-size` collects garbage sooner.
 */
import { runTool } from '../../command-line/tool.ts'
import { createPetsTool } from './pets-tool.ts'

// Some releases of Node.js 24 warn that node:sqlite, which exports use, is experimental.
process.removeAllListeners('warning')

await runTool(createPetsTool())
