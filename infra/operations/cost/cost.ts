/** `npm run cost`: estimates what a month of requests costs on AWS. */
import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { printReport } from '../../command-line/report.ts'
import { createTool, parseNumber, parseWholeNumber, runTool } from '../../command-line/tool.ts'
import { environments } from '../../environments.ts'
import { reportMonth, reportMonths } from './cost-report.ts'
import { kinds, listConfigurations, type Mix } from './estimate.ts'

const setUps = listConfigurations(environments)
const usualMix = 'list=0.7,get=0.2,create=0.1'

const environment = new Option('--env <name>', 'with --requests: whose').choices(['production', 'small', 'staging'])

const readMix = (text: string): Mix => {
  const shares = text.split(',').map((part): readonly [kind: string, share: number] => {
    const [kind = '', share = ''] = part.split('=')
    return [kind, kinds.some((known) => known === kind) ? parseNumber(share) : Number.NaN]
  })
  const mix = Object.fromEntries(shares)
  const sum = shares.reduce((all, [, share]) => all + share, 0)
  if (Object.keys(mix).length === shares.length && Math.abs(sum - 1) < 1e-6) return mix
  throw new InvalidArgumentError(`It must be shares of ${kinds.join(', ')} that add up to 1, such as ${usualMix}.`)
}

const description =
  'Estimates a month on AWS, by list prices of us-east-1 and without any free tier: a table of months of several sizes, or one month line by line. small is production with the preset small.'

await runTool(
  createTool('npm run cost --', description)
    .option('--requests <n>', 'requests a month, such as 1e6', parseWholeNumber(1, 1e12))
    .addOption(environment.default('production'))
    .option('--mix <shares>', `of which kinds: ${kinds.join(', ')}`, readMix, readMix(usualMix))
    .option('--json', 'print one JSON object')
    .action(({ requests, env, mix, json = false }) => {
      const report = requests === undefined ? reportMonths(mix, setUps) : reportMonth(requests, mix, env, setUps[env])
      return printReport(report, json)
    }),
)
