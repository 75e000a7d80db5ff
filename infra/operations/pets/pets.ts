/** `npm run pets`: adds, lists, shows, changes and removes the pets of an environment. */
import { runTool } from '../../command-line/tool.ts'
import { createPetsTool } from './pets-tool.ts'

await runTool(createPetsTool())
