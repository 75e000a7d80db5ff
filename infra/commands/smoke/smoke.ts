/** `npm run smoke`: runs the end-to-end tests against an environment. */
import { runTool } from '../../command-line/tool.ts'
import { createSmokeTool } from './smoke-tool.ts'

await runTool(createSmokeTool())
