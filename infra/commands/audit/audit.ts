/** `npm run audit`: shows the changes that operators have made. */
import { runTool } from '../../command-line/tool.ts'
import { createAuditTool } from './audit-tool.ts'

await runTool(createAuditTool())
