/** `npm run settings`: shows the options of the environments, and where each value comes from. */
import { jsonOption } from '../../command-line/options.ts'
import { printableJson } from '../../command-line/printable.ts'
import { tableOf } from '../../command-line/report.ts'
import { runCommand } from '../../command-line/run-command.ts'
import { commandLine, tool } from '../../command-line/tool.ts'
import { readSettings } from '../../settings.ts'
import { listSettings } from './list-settings.ts'

const description = 'Shows the options of both environments, and where each value comes from.'

await runCommand(() => {
  const { json } = tool('npm run settings --', description)
    .addOption(jsonOption)
    .parse(commandLine(), { from: 'user' })
    .opts()
  const settings = listSettings(readSettings())
  const rows = settings.map(({ environment, option, value, source }) => [
    `${environment}.${option}`,
    String(value ?? '-'),
    source,
  ])
  console.log(json === true ? printableJson(settings) : tableOf(rows))
})
