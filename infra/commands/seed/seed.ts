/** `npm run seed`: fills an environment with made-up pets, or removes them. */
import { runTool } from '../../command-line/tool.ts'
import { createSeedTool } from './seed-tool.ts'

await runTool(createSeedTool())
