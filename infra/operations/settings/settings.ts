/** `npm run settings`: shows the options of the environments, and where each value comes from. */
import { InvalidArgumentError } from '@commander-js/extra-typings'
import { environmentOption, jsonOption } from '../../command-line/options.ts'
import { printableJson } from '../../command-line/printable.ts'
import { runCommand } from '../../command-line/run-command.ts'
import { commandLine, tool } from '../../command-line/tool.ts'
import { environmentNames } from '../../environments.ts'
import { readSettings, type Settings } from '../../settings.ts'
import { reportSettings, settingsText } from './settings-report.ts'

const description =
  'Shows the options of both environments, or of one, and where each value comes from. The cdk command takes the same -c.'

const addOption = (text: string, before: Settings): Settings => {
  const [, key, value] = /^([^=]+)=(.*)$/.exec(text) ?? []
  if (key !== undefined && value !== undefined) return { ...before, [key]: value }
  throw new InvalidArgumentError('It must be an option and its value, such as production.size=small.')
}

await runCommand(() => {
  const { env, context, json } = tool('npm run settings --', description)
    .addOption(environmentOption(environmentNames))
    .option('-c, --context <option=value>', 'an option of the command line; can be repeated', addOption, {})
    .addOption(jsonOption)
    .parse(commandLine(), { from: 'user' })
    .opts()
  const settings = reportSettings(env === undefined ? environmentNames : [env], readSettings(), context)
  console.log(json === true ? printableJson(settings) : settingsText(settings))
})
