/** `npm run keys`: issues, lists, shows, rotates, sets, unbans and revokes API keys. */
import { runTool } from '../../command-line/tool.ts'
import { createKeysTool } from './keys-tool.ts'

await runTool(createKeysTool())
